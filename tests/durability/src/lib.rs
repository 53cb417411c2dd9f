//! Power cuts and failing disks under the real application.
//!
//! A test runs an operation of the application once in this process. The test records each call with which
//! SQLite and the server itself change files (`interpose`, `recorder`). From the record, `disk` computes the
//! possible states after a power cut at any of these calls. The test writes each state to a folder and starts
//! the application on the folder as `serve` does. Everything that was acknowledged before the cut must exist
//! exactly once.
//!
//! Each test that must pass has a counterpart that must fail (`planted`). The counterpart runs the same
//! operation with a weaker setting of SQLite or with a planted defect, and the same cuts must find a loss.
//!
//! Each call also fails once (`failing`): with a disk error, with no space left, or with a partial write.
//!
//! A simulated year combines all of this with unreliable receivers and jumps of the clock (`simulation`).
//!
//! `DURABILITY_CUTS=100000 cargo test --release -p durability` is the long run with this number of cuts for
//! each operation.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod clock;
mod cuts;
mod defect;
mod descriptors;
mod disk;
mod environment;
mod failing;
mod faults;
mod interpose;
mod invariants;
mod operations;
mod planted;
mod random;
mod recorder;
mod server;
mod simulation;
mod slow;
mod sqlite;
mod world;
