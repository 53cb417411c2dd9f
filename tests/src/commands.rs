//! Tests of the operator's commands, each on the database itself and through a running server.

mod access;
mod backup;
mod companies;
mod copy;
mod decisions;
mod doctor;
mod documents;
mod events_and_audit;
mod exports;
mod failures;
mod hooks;
mod imports;
mod listen;
mod lists;
mod nowhere;
mod objects;
mod output;
mod partition;
mod periods;
mod questions;
mod restore;
mod spreadsheets;
