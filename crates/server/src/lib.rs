//! The `payroll-server` binary as a library: settings, wiring, commands.
//!
//! Nothing is decided here: rules are in the domain, queries in the storage adapter, responses in
//! the HTTP adapter. [`app::build`] puts them together, for `serve` and for the tests alike. This
//! is also the only place that reads the clock and the system's randomness ([`system`]). A store of
//! another crate is put under the same application by [`app::build_on`].

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
