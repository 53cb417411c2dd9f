//! Tests storage on SQLite, and on PostgreSQL if `TEST_DATABASE_URL` is set to the address of a server.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod access_log;
mod audit_log;
mod contract;
mod databases;
mod encrypted;
mod events;
mod hooks;
mod migrations;
mod model;
mod queue;
mod races;
mod support;
mod turns;
mod writers;
