//! Tests the real application with simulated power cuts and failing disks.
//!
//! A test runs an operation of the application once in this process. The test records each call with which
//! SQLite and the server itself change files (`interpose`, `recorder`). From the record, `disk` computes the
//! possible states after a power cut at any of these calls. The test writes each state to a folder, and
//! starts the application on this folder as the command `serve` does. Everything that was acknowledged before
//! the power cut must exist exactly once.
//!
//! Each test that must pass has a counterpart that must fail (`planted`). The counterpart runs the same
//! operation with a weaker setting of SQLite or with a planted defect. The same power cuts must then find a
//! loss.
//!
//! In other tests, each call fails once (`failing`): with a disk error, with no space left, or with a partial
//! write.
//!
//! A simulated year combines power cuts and failing disks with unreliable receivers and jumps of the clock
//! (`simulation`).
//!
//! For a long run, use `DURABILITY_CUTS=100000 cargo test --release -p durability`. The variable is the
//! number of power cuts for each operation.
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
