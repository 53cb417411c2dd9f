//! The test environment: servers, databases, callers, requests, and the test data.

mod checks;
mod client;
mod clock;
pub(crate) mod command_line;
mod database;
mod deposits;
pub(crate) mod description;
pub(crate) mod files;
pub(crate) mod hooks;
pub(crate) mod listener;
pub(crate) mod outage_proxy;
mod population;
mod postgres;
pub(crate) mod process;
pub(crate) mod raw;
pub(crate) mod received;
pub(crate) mod receiver;
mod request;
mod requests;
mod response;
pub(crate) mod response_checks;
pub(crate) mod secured;
mod server;
mod settings;
mod terminal;
pub(crate) mod world;

pub(crate) use checks::{
    check, check_with, check_with_line, check_with_line_member, check_without, checks, good_check, put_checks,
};
pub(crate) use client::Client;
pub(crate) use clock::{BEGINNING, ManualClock, RepeatedChance};
pub(crate) use database::{Database, Kind, for_each_kind};
pub(crate) use deposits::new_direct_deposit;
pub(crate) use payroll_server::config::Settings;
pub(crate) use population::{fill, grant, import, make_application, register_hook, store_at};
pub(crate) use process::{Demo, Process, run, run_in_shell, run_script, run_with_keys, start};
pub(crate) use receiver::{Receiver, Reply};
pub(crate) use request::{Caller, Request};
pub(crate) use requests::{
    good_request, new_communication, new_contact, new_rate, new_recurring_component, new_worker,
};
pub(crate) use response::Response;
pub(crate) use server::{
    CLIENT_ID, Server, basic, on_databases_with, on_every_database, on_every_database_with, on_every_kind,
    open, routes, settings, token_form,
};
pub(crate) use settings::{CLIENT_SECRET, COMPANY_SCOPES, KEYS, OPERATOR_KEY, READER_KEY};
pub(crate) use world::{
    BARE, CHILD, CONVERTING, ENDED, FOREIGN, GRANTED, LOCKED, OPEN, PARENT, SSN, UNKNOWN, with,
};
