//! The process: allocator, TLS, runtime, exit code. Everything else is in the library.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use payroll_server::cli::Cli;
use payroll_server::commands;
use payroll_server::failure::{Exit, Failure};

/// Gives memory back to the system after a large response; the system's own allocator keeps it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Threads of the process in addition to those that serve requests: start, signals, commands.
const RUNTIME_THREADS: usize = 2;
/// Threads for blocking work; each costs memory, and storage has its own limit below this.
const MAX_BLOCKING_THREADS: usize = 16;
/// How long blocking work in progress delays the end of the process. A scheduled backup of a large database takes
/// minutes, and a stopped one is made again at the next start.
const LAST_WORK: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let cli = Cli::parse();
    // A provider that is already there is as good; nothing else installs one before this line.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(RUNTIME_THREADS)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build();
    let outcome = runtime
        .map_err(|error| Failure::caused("the process cannot start its threads", &error))
        .and_then(|runtime| {
            let outcome = runtime.block_on(commands::run(cli, &mut std::io::stdout()));
            runtime.shutdown_timeout(LAST_WORK);
            outcome
        });
    let Err(failure) = outcome else { return ExitCode::SUCCESS };
    match failure.exit() {
        Exit::ReaderGone => ExitCode::SUCCESS,
        Exit::Refused => say(&failure, 1),
        Exit::CouldNotRun => say(&failure, 2),
    }
}

fn say(failure: &Failure, code: u8) -> ExitCode {
    // Standard error may be closed; then the exit code is all that can be said.
    let _unsaid = writeln!(std::io::stderr(), "payroll-server: {failure}");
    ExitCode::from(code)
}
