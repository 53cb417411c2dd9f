//! The `payroll-server` binary as a library: settings, wiring and commands.
//!
//! The domain contains the rules, the storage adapter contains the queries, and the HTTP adapter contains the
//! responses. [`app::build_app`] combines these crates, for `serve` and for the tests. No other crate reads
//! the clock and the system's randomness ([`system`]). [`app::build_app_on_store`] runs the same application
//! on a store from another crate.

pub mod app;
mod archive;
mod backup;
mod backup_note;
pub mod cli;
pub mod commands;
pub mod config;
mod database_file;
pub mod demo_data;
mod doctor;
mod due_statuses;
mod durability;
pub mod failure;
mod housekeeping;
pub mod keys;
mod lock;
mod operator;
mod readiness;
mod receiver;
mod reserve;
pub mod sandbox;
pub mod system;
pub mod telemetry;
mod terminal;
mod tls;
mod traces;
mod unused_blobs;
mod webhooks;
