//! The start of the process: allocator, TLS, runtime and exit code. Everything else is in the library.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use payroll_server::cli::Cli;
use payroll_server::commands;
use payroll_server::failure::{ExitStatus, Failure};

/// This memory allocator returns the memory of a large response to the operating system. The default
/// allocator of the system would keep that memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of runtime threads for the start, signals and commands. Other threads serve requests.
const RUNTIME_THREADS: usize = 2;
/// The maximum number of threads for blocking work. Each thread uses memory, and the storage has a lower
/// limit of its own.
const MAX_BLOCKING_THREADS: usize = 16;
/// The maximum time that the process waits for blocking work before it ends. A scheduled backup of a large
/// database takes minutes. If the backup is interrupted, the next start repeats the backup.
const LAST_TASKS_TIMEOUT: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The result is ignored: an error only means that a cryptography provider is already installed. That
    // provider would work too.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(RUNTIME_THREADS)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build();
    let outcome = runtime
        .map_err(|error| Failure::with_cause("the process cannot start its threads", &error))
        .and_then(|runtime| {
            let outcome = runtime.block_on(commands::run(cli, &mut std::io::stdout()));
            runtime.shutdown_timeout(LAST_TASKS_TIMEOUT);
            outcome
        });
    let Err(failure) = outcome else { return ExitCode::SUCCESS };
    match failure.exit_status() {
        ExitStatus::ReaderGone => ExitCode::SUCCESS,
        ExitStatus::Refused => print_failure(&failure, 1),
        ExitStatus::CouldNotRun => print_failure(&failure, 2),
    }
}

fn print_failure(failure: &Failure, code: u8) -> ExitCode {
    // If standard error is closed, the message is lost and only the exit code remains.
    let _unsaid = writeln!(std::io::stderr(), "payroll-server: {failure}");
    ExitCode::from(code)
}
