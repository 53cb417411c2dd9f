//! The commands of the command line, one file each.
//!
//! Each gets its settings and a place to print to. What is printed to standard output is the
//! command's result; messages on the way go to standard error.

mod application;
mod config;
mod demo;
mod import;
mod migrate;
mod serve;

use std::io::Write;
use std::sync::Arc;

use payroll_ports::{Clock, Randomness};

use crate::cli::{Cli, Command};
use crate::config::{Settings, Sources};
use crate::failure::Outcome;
use crate::system::{SystemClock, SystemRandomness};
use crate::{keys, telemetry};

/// What every command works with.
pub(crate) struct Context<'a> {
    /// The settings.
    pub(crate) settings: Settings,
    /// Where the settings came from.
    pub(crate) sources: Sources,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// The randomness.
    pub(crate) randomness: Arc<dyn Randomness>,
    /// Where results are printed.
    pub(crate) out: &'a mut dyn Write,
}

/// Runs a command to its end.
///
/// # Errors
/// A sentence for people, and the exit code that goes with it.
pub async fn run(cli: Cli, out: &mut dyn Write) -> Outcome {
    let sources = Sources::gather(std::env::vars_os(), &cli.settings)?;
    let settings = Settings::load(&sources)?;
    telemetry::start(settings.log_format, &settings.log_level)?;
    let (clock, randomness) = (Arc::new(SystemClock), Arc::new(SystemRandomness));
    let context = Context { settings, sources, clock, randomness, out };
    match cli.command {
        Command::Serve => serve::run(context).await,
        Command::Demo(arguments) => demo::run(context, arguments).await,
        Command::Import { file } => import::run(context, &file).await,
        Command::App(command) => application::run(context, command).await,
        Command::Migrate => migrate::run(context).await,
        Command::Config => config::run(context),
        Command::Key => Ok(writeln!(context.out, "{}", keys::new_line(&*context.randomness))?),
    }
}
