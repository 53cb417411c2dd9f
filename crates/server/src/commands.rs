//! The commands of the command line. Each command has its own file.
//!
//! Each command receives its settings and an output. Results are printed to standard output, and messages to
//! standard error. Operator commands call the operator API of a server or of this process
//! (`crate::operator`).

mod backup;
mod completions;
mod config;
mod context;
mod copy;
mod demo;
mod distribute;
mod doctor;
mod export;
mod health;
mod import;
mod key;
mod listen;
mod man;
mod mcp;
mod migrate;
mod new_file;
mod nouns;
mod output;
mod partition;
mod question;
mod restore;
mod serve;
mod table;

pub use table::OperatorCommand;

use std::io::Write;
use std::sync::Arc;

use crate::cli::{Cli, Command, UpkeepCommand};
use crate::config::{SettingSources, Settings};
use crate::failure::Outcome;
use crate::system::{SystemClock, SystemRandomness};
use crate::telemetry;
use context::CommandContext;

/// The default log level of an operator command.
const DEFAULT_LOG_LEVEL: &str = "warn";

/// Runs a command until it ends.
///
/// # Errors
/// Returns a human-readable sentence and the exit code. If JSON was requested, the errors of the operator API
/// are also printed as JSON.
pub async fn run(cli: Cli, out: &mut dyn Write) -> Outcome {
    let json = cli.command.operator_options().is_some_and(|how| how.json);
    let outcome = dispatch_command(cli, out).await;
    telemetry::finish_span_export().await;
    match &outcome {
        Err(failure) if json => {
            if let Some(document) = failure.document() {
                writeln!(out, "{document}")?;
            }
            outcome
        }
        Ok(()) | Err(_) => outcome,
    }
}

async fn dispatch_command(cli: Cli, out: &mut dyn Write) -> Outcome {
    let context = match &cli.command {
        // Shells run `completions` when they start, so the command must work even if the settings are
        // invalid.
        Command::Completions { shell } => return completions::run(out, *shell),
        // The command `man` must work without settings, because a package build runs it to write the manual
        // pages.
        Command::Man { folder } => return man::run(out, folder),
        _ => prepare_context(&cli, out)?,
    };
    match cli.command {
        Command::Completions { shell } => completions::run(context.out, shell),
        Command::Man { folder } => man::run(context.out, &folder),
        Command::Serve(arguments) => serve::run(context, arguments).await,
        Command::Demo(arguments) => demo::run(context, arguments).await,
        Command::Listen(arguments) => listen::run(context, arguments).await,
        Command::Mcp(arguments) => mcp::run(arguments).await,
        Command::Import(arguments) => import::run(context, arguments).await,
        Command::Export(arguments) => export::run(context, arguments).await,
        Command::Operator(command) => table::run_operator_command(context, command).await,
        Command::Upkeep(command) => run_upkeep(context, command).await,
    }
}

/// Runs the commands for the database and the settings.
async fn run_upkeep(context: CommandContext<'_>, command: UpkeepCommand) -> Outcome {
    match command {
        UpkeepCommand::Backup(arguments) => backup::run(context, arguments).await,
        UpkeepCommand::Restore(arguments) => restore::run(context, arguments).await,
        UpkeepCommand::Copy(arguments) => copy::run(context, arguments).await,
        UpkeepCommand::Doctor(arguments) => doctor::run(context, arguments).await,
        UpkeepCommand::Health => health::run(context).await,
        UpkeepCommand::Migrate(arguments) => migrate::run(context, arguments).await,
        UpkeepCommand::Distribute(arguments) => distribute::run(context, arguments).await,
        UpkeepCommand::Partition(arguments) => partition::run(context, arguments).await,
        UpkeepCommand::Config => config::run(context),
        UpkeepCommand::Key { command } => key::run(context, command).await,
    }
}

/// Reads the settings, starts the log and creates the context of a command.
fn prepare_context<'a>(cli: &Cli, out: &'a mut dyn Write) -> Outcome<CommandContext<'a>> {
    let sources = SettingSources::gather_sources(std::env::vars_os(), &cli.settings)?;
    let settings = Settings::load(&sources)?;
    // An operator command prints the result of its requests. Without an explicit log level, the command
    // therefore does not log its requests.
    let chosen = cli.command.operator_options().is_none() || sources.get("log_level").is_some();
    telemetry::start_telemetry(&settings, if chosen { &settings.log_level } else { DEFAULT_LOG_LEVEL })?;
    let (clock, randomness) = (Arc::new(SystemClock), Arc::new(SystemRandomness));
    Ok(CommandContext { settings, sources, clock, randomness, out })
}
