//! Black-box tests of the application over HTTP on each available database, and tests of the workspace's
//! layers. One test program contains all tests.
//!
//! A test gets a server from `support`, sends one or more requests, and verifies the responses. Requests are
//! plain data and callers are enum values. The server's clock moves only if the test moves it. The client
//! verifies the guarantees of each response, and validates the response against the server's API description.
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
mod client_assertions;
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
mod deploy_files;
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
mod mcp;
mod metrics;
mod module_dependencies;
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
mod recipes;
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
mod worker_checks;
mod workers;
mod year;
