//! The context of a command: its settings, clock, source of random numbers and output.

use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

use payroll_ports::{Clock, Randomness};

use super::output::Output;
use crate::app;
use crate::cli::OperatorOptions;
use crate::config::{SettingSources, Settings};
use crate::failure::{Failure, Outcome};
use crate::operator::{OperatorClient, OperatorResponse, RemoteOperator};

/// The context of every command: settings, clock, source of random numbers and output.
pub(crate) struct CommandContext<'a> {
    /// The settings from the file, the environment and the flags.
    pub(crate) settings: Settings,
    /// The source of each setting, such as the environment.
    pub(crate) sources: SettingSources,
    /// The clock of the machine, or the clock of a demo's sandbox.
    pub(crate) clock: Arc<dyn Clock>,
    /// The source of random numbers.
    pub(crate) randomness: Arc<dyn Randomness>,
    /// The writer to which the command prints its results.
    pub(crate) out: &'a mut dyn Write,
}

/// The context of an operator command.
pub(crate) struct OperatorCommandContext<'a> {
    /// The operator API that the command calls.
    pub(super) operator: OperatorClient,
    /// The printer of the result, as text or as JSON.
    pub(super) output: Output<'a>,
}

impl<'a> CommandContext<'a> {
    /// Creates the context of an operator command.
    pub(super) async fn into_operator_context(
        self,
        options: &OperatorOptions,
    ) -> Outcome<OperatorCommandContext<'a>> {
        let operator = match &options.url {
            Some(url) => OperatorClient::Remote(RemoteOperator::open(url, options)?),
            None if options.operator_key_file.is_some() => {
                return Err(Failure::new(
                    "--operator-key-file requires --url. Access to the database itself needs no key",
                ));
            }
            None if options.ca_file.is_some() => {
                return Err(Failure::new(
                    "--ca-file requires --url. Access to the database itself needs no certificate",
                ));
            }
            None => OperatorClient::Local(
                app::open_local_operator(&self.settings, self.clock, self.randomness).await?,
            ),
        };
        Ok(OperatorCommandContext { operator, output: Output::new(self.out, options.json) })
    }
}

impl OperatorCommandContext<'_> {
    /// Prints the parameter `--before` with which the user gets the next page of a list whose newest
    /// elements come first. Prints nothing if the output is JSON or if there are no older elements.
    pub(super) fn print_older_page_hint(&self, response: &OperatorResponse) -> Outcome {
        match response.link_parameter("next", "before")? {
            Some(before) if !self.output.is_json() => {
                self.print_message(format_args!("Next page: --before {before}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Prints a message to standard error, because the message is not part of the result.
    pub(super) fn print_message(&self, sentence: impl Display) -> Outcome {
        Ok(writeln!(std::io::stderr(), "{sentence}")?)
    }
}
