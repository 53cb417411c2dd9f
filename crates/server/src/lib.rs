//! The `payroll-server` binary as a library: settings, keys, the machine's clock and randomness.

pub mod config;
pub mod demo_data;
pub mod failure;
pub mod keys;
pub mod system;
pub mod telemetry;
