//! Tests of several machines as one service: servers behind the load balancers of docs/deploy, PostgreSQL
//! with a standby, and connection poolers. These tests need programs that may be missing. If a program is
//! missing, it is reported on standard error, and the tests that need it are skipped.

mod balancer;
mod chaos;
mod cluster;
mod distributed;
mod failover;
mod fleet;
mod flushed;
mod health;
mod hot_statements;
mod killed;
mod pair;
mod pooler;
mod poolers;
mod postgres;
#[cfg(target_os = "linux")]
mod power_cuts;
mod replica;
mod rolling;
mod scenario;
mod steady;
#[cfg(target_os = "linux")]
mod volatile_disk;

use std::io::Write;
use std::path::PathBuf;

/// Folders that may contain the needed programs although `PATH` does not include these folders.
const PROGRAM_FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"];
/// The environment variable with a comma-separated list of required programs. If a required program is
/// missing, the test fails.
const REQUIRED_PROGRAMS_VARIABLE: &str = "TEST_PROGRAMS";

/// Returns the path of a program. If the program is missing, reports it and returns `None`.
///
/// # Panics
/// The program is required but missing.
fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(PROGRAM_FOLDERS.map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        report_missing_program(name);
    }
    found
}

/// Reports that a program is missing and that the tests that need the program are skipped.
fn report_missing_program(name: &str) {
    let needed = std::env::var(REQUIRED_PROGRAMS_VARIABLE).unwrap_or_default();
    assert!(!needed.split(',').any(|needed| needed == name), "{name} is not on this machine");
    let reported = writeln!(std::io::stderr(), "NOT TESTED: there is no {name} on this machine");
    reported.expect("standard error");
}
