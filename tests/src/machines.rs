//! Several machines as one service: servers behind the balancers of docs/deploy, PostgreSQL with a
//! standby, poolers in between. Each needs programs that not every machine has; what is missing is named
//! on standard error, and is not tested.

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
mod replica;
mod rolling;
mod steady;
mod walk;

use std::io::Write;
use std::path::PathBuf;

/// Folders of programs that are not on everybody's path.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"];
/// The variable under which a program that is missing is a failure: those that are named in it, separated
/// by commas.
const NEEDED_VARIABLE: &str = "TEST_PROGRAMS";

/// Where a program is; says so where it is not.
///
/// # Panics
/// It is needed, and missing.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        missing(name);
    }
    found
}

/// Says that something is not tested, for want of a program.
fn missing(name: &str) {
    let needed = std::env::var(NEEDED_VARIABLE).unwrap_or_default();
    assert!(!needed.split(',').any(|needed| needed == name), "{name} is not on this machine");
    let reported = writeln!(std::io::stderr(), "NOT TESTED: there is no {name} on this machine");
    reported.expect("standard error");
}
