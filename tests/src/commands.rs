//! The commands of the operator: each does what it says, on the database itself and on a running
//! server alike.

mod access;
mod backup;
mod companies;
mod copy;
mod decisions;
mod doctor;
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
mod trail;
