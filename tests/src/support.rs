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
    check_with, check_with_correlation_id, check_with_line, check_with_line_member, check_without,
    checks_document, store_checks, valid_check,
};
pub(crate) use client::Client;
pub(crate) use clock::{ManualClock, RepeatableRandomness, START_TIME};
pub(crate) use database::{Database, DatabaseKind, for_each_kind};
pub(crate) use deposits::new_direct_deposit;
pub(crate) use payroll_server::config::Settings;
pub(crate) use population::{
    create_application, fill_database, grant_to_application, import_line, open_store_at, register_hook,
};
pub(crate) use process::{Demo, Process, run, run_in_shell, run_script, run_with_keys, start_with_input};
pub(crate) use receiver::{Receiver, Reply};
pub(crate) use request::{Caller, Request};
pub(crate) use requests::{
    new_communication, new_contact, new_rate, new_recurring_component, new_worker, valid_request,
};
pub(crate) use response::Response;
pub(crate) use server::{
    CLIENT_ID, Server, basic_authorization, on_databases_with, on_every_database, on_every_database_kind,
    on_every_database_with, open, routes, settings, token_form,
};
pub(crate) use settings::{CLIENT_SECRET, COMPANY_SCOPES, OPERATOR_KEY, READER_KEY, TEST_KEYS};
pub(crate) use world::{
    BARE, CHILD, CHILD_TAX_ID, CONVERTING, ENDED, FOREIGN, GRANTED_COMPANIES, LOCKED, OPEN, PARENT, UNKNOWN,
    with_member,
};
