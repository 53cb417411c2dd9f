//! Black-box tests over HTTP against the real application, on every database at hand, and the
//! check of the workspace's layers. Everything is in one test binary.
//!
//! A test takes a server from `support`, sends one request (or a table of them) and checks
//! the response. Requests are plain data, callers are kinds, the clock stands until the test moves
//! it, and nothing sleeps. The guarantees of every response are checked by the client itself, and so is that it
//! is as the server's own description says.
#![cfg(test)]

mod access_requests;
mod another_store;
mod bodies;
mod busy_company;
mod callers;
mod categories;
mod check_answers;
mod check_bodies;
mod check_lines;
mod check_rules;
mod codes;
mod commands;
mod company_lists;
mod conditional;
mod connections;
mod console;
mod crash;
mod custom_field_changes;
mod custom_fields;
mod database_errors;
mod demo;
mod deploying;
mod description;
mod distributed_earnings;
mod documentation;
mod documents;
mod feed;
mod foreign_ids;
mod hooks;
mod http;
mod idempotency;
mod import;
mod jobs;
mod keys;
mod layers;
mod limits;
mod machines;
mod metrics;
mod operations;
mod operator;
mod organizations;
mod outage;
mod pages;
mod paging;
mod pay_components;
mod pay_periods;
mod pay_runs;
mod proxies;
mod query_parameters;
mod races;
mod receivers;
mod removals;
mod requests;
mod restarts;
mod robustness;
mod sandbox;
mod secured;
mod starting;
mod successes;
mod support;
mod token;
mod traces;
mod under_load;
mod unwritable;
mod vectors;
mod webhooks;
mod wings;
mod worker_checks;
mod workers;
mod year;
