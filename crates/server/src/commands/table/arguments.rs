//! Creates the commands of the library clap from the table of operator commands.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::call::parameter_names;
use super::{BodyKind, CommandNoun, CommandRow, Parameter, ParameterTarget, documents};
use crate::cli::OperatorOptions;
use crate::commands::nouns::{nouns, path_parameter};

/// An operator command that clap has parsed, with its arguments.
#[derive(Debug, Clone)]
pub struct OperatorCommand {
    /// The options for the server and the output format.
    pub options: OperatorOptions,
    pub(in crate::commands) row: &'static CommandRow,
    pub(in crate::commands) arguments: ArgMatches,
}

impl CommandNoun {
    fn rows(&self) -> impl Iterator<Item = &'static CommandRow> {
        self.rows.iter().copied().flatten()
    }

    /// Returns the row of a noun that is a command itself. `None` if the noun has verbs.
    fn row_without_verb(&self) -> Option<&'static CommandRow> {
        self.rows().find(|row| row.verb.is_empty())
    }

    fn command(&self) -> Command {
        let about = match self.extra_help {
            "" => self.about.to_owned(),
            more => format!("{}. {more}", self.about),
        };
        let command = OperatorOptions::augment_args(Command::new(self.name));
        let command = match self.row_without_verb() {
            Some(row) => row.add_arguments(command),
            None => {
                let all = command.subcommand_required(true).arg_required_else_help(true);
                self.rows().fold(all, |all, row| {
                    let one = row.add_arguments(Command::new(row.verb));
                    all.subcommand(one.about(row.about).long_about(None::<&str>))
                })
            }
        };
        // The help texts are set last. Otherwise, if a struct derives arguments, clap would replace them with
        // the texts of the struct.
        command
            .about(self.about)
            .long_about(about)
            .after_help(format!("Example:\n  payroll-server {}", self.example))
    }
}

impl CommandRow {
    fn add_arguments(&'static self, command: Command) -> Command {
        let named = parameter_names(self.path).map(|name| {
            let help = path_parameter(name).map(|place| place.help).unwrap_or_default();
            Arg::new(name).value_name(name.to_uppercase()).required(true).help(help)
        });
        let command = named.fold(command, Command::arg);
        let command = self.parameters.iter().map(Parameter::arg).fold(command, Command::arg);
        let command = match self.body {
            BodyKind::None | BodyKind::Members | BodyKind::AnyMembers | BodyKind::Fixed(_) => command,
            BodyKind::Document => {
                let group = ArgGroup::new("document").args(["file", "set"]).multiple(true).required(true);
                command.args(documents::document_arguments()).group(group)
            }
            BodyKind::Own(arguments, _) => arguments(command),
        };
        let command = if self.has_if_match_flag() { command.arg(if_match_argument()) } else { command };
        let command = if self.needs_confirmation { command.arg(confirmation_argument()) } else { command };
        match self.custom {
            Some(own) => (own.arguments)(command),
            None => command,
        }
    }

    /// Returns whether the command has the flag `--if-match`.
    const fn has_if_match_flag(&self) -> bool {
        !self.version_of.is_empty() && (self.needs_confirmation || matches!(self.body, BodyKind::Document))
    }
}

fn if_match_argument() -> Arg {
    let help = "Change the object only if it still has this version, an ETag with its quotation marks. \
        Default: the version that the command reads first";
    Arg::new("if-match").long("if-match").value_name("ETAG").help(help)
}

fn confirmation_argument() -> Arg {
    Arg::new("yes").long("yes").action(ArgAction::SetTrue).help("Do not ask for confirmation")
}

impl Parameter {
    fn arg(&self) -> Arg {
        let arg = Arg::new(self.name).help(self.help);
        match self.target {
            ParameterTarget::Query(_) | ParameterTarget::Member(_) => {
                arg.long(self.name).value_name(self.value)
            }
            ParameterTarget::Queries(_) | ParameterTarget::Members(_) => {
                arg.long(self.name).value_name(self.value).action(ArgAction::Append)
            }
            ParameterTarget::Count(_) => {
                arg.long(self.name).value_name(self.value).value_parser(clap::value_parser!(u32))
            }
            ParameterTarget::Flag(_) => arg.long(self.name).action(ArgAction::SetTrue),
            ParameterTarget::Argument(_) => arg.value_name(self.value).required(true),
            ParameterTarget::Words(_) => arg.value_name(self.value).num_args(0..).action(ArgAction::Append),
        }
    }
}

impl Subcommand for OperatorCommand {
    fn augment_subcommands(command: Command) -> Command {
        nouns().map(CommandNoun::command).fold(command, Command::subcommand)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        nouns().any(|noun| noun.name == name)
    }
}

impl FromArgMatches for OperatorCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let unknown = || clap::Error::new(clap::error::ErrorKind::InvalidSubcommand);
        let (name, below) = matches.subcommand().ok_or_else(unknown)?;
        let noun = nouns().find(|noun| noun.name == name).ok_or_else(unknown)?;
        let (row, arguments) = match (noun.row_without_verb(), below.subcommand()) {
            (Some(row), _) => (row, below),
            (None, Some((verb, arguments))) => {
                (noun.rows().find(|row| row.verb == verb).ok_or_else(unknown)?, arguments)
            }
            (None, None) => return Err(unknown()),
        };
        Ok(Self { options: OperatorOptions::from_arg_matches(arguments)?, row, arguments: arguments.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
