//! Power cuts and failing disks under the real application.
//!
//! A test runs an operation of the application once, in this process, and records each call by which SQLite and
//! the server itself change files (`interpose`, `recorder`). From the record, `disk` computes what a power
//! cut after any of these calls could have left. Each such state is written to a folder, the application is started
//! on it as `serve` starts it, and everything that was acknowledged before the cut must be there, exactly once.
//!
//! Each test that must pass has a twin that must fail: the same operation with a weaker setting of SQLite or with a
//! planted defect, in which the same cuts must find a loss (`planted`).
//!
//! Each call also fails once (`failing`), with an error of the disk, with no space left, by half.
//!
//! `DURABILITY_CUTS=100000 cargo test --release -p durability` is the long run, with that number of cuts for each operation.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod chance;
mod clock;
mod cuts;
mod defect;
mod disk;
mod failing;
mod faults;
mod interpose;
mod invariants;
mod operations;
mod planted;
mod recorder;
mod server;
mod slow;
mod sqlite;
mod world;
