//! The table of the operator commands. A row defines the arguments on the command line (`arguments`), the
//! request, and the output of the response (`run`). The rows themselves are in `commands/nouns`.

mod address;
mod arguments;
mod call;
mod column;
mod documents;
mod run;

use std::fmt;

use clap::{ArgMatches, Command};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

pub use arguments::OperatorCommand;
pub(in crate::commands) use call::Invocation;
pub(in crate::commands) use column::{TableColumn, column_heads, row_cells};
pub(in crate::commands) use documents::{read_file, with_true_member};
pub(in crate::commands) use run::run_operator_command;

use super::context::OperatorCommandContext;
use crate::failure::Outcome;
use crate::operator::{Method, OperatorClient, OperatorResponse};

/// A noun, which groups the commands for one kind of object.
pub(crate) struct CommandNoun {
    /// The word on the command line, such as `company`.
    pub(crate) name: &'static str,
    /// A line of `--help` that describes the possible actions.
    pub(crate) about: &'static str,
    /// Additional text for the `--help` of the noun, possibly empty.
    pub(crate) extra_help: &'static str,
    /// An example command line, without the name of the program.
    pub(crate) example: &'static str,
    /// The commands of the noun. A single command without a verb is called by the noun alone.
    pub(crate) rows: &'static [&'static [CommandRow]],
}

/// A command, which is a verb of a noun, such as `list` in `company list`.
#[derive(Clone, Copy)]
pub(crate) struct CommandRow {
    /// The word on the command line. The word is empty if the noun itself is the command.
    pub(in crate::commands) verb: &'static str,
    /// The line of `--help` that describes the command.
    pub(in crate::commands) about: &'static str,
    /// The method of the command's request.
    pub(in crate::commands) method: Method,
    /// The path of the command's request below `/operator/v1`. Each name in braces is an argument.
    pub(in crate::commands) path: &'static str,
    /// The parameters on the command line in addition to the parameters in the path.
    pub(in crate::commands) parameters: &'static [Parameter],
    /// The body of the command's request.
    pub(in crate::commands) body: BodyKind,
    /// The path of the object whose current version is read first and sent in `If-Match`. If this path is
    /// empty, no version is sent.
    pub(in crate::commands) version_of: &'static str,
    /// Whether the command asks a person for confirmation before it sends the request.
    pub(in crate::commands) needs_confirmation: bool,
    /// The parts of the response that the command prints, and their format.
    pub(in crate::commands) output: OutputFormat,
    /// A further step after the output, if there is one.
    pub(in crate::commands) after_response: Option<AfterResponse>,
    /// An optional function that runs instead of the single request that the row describes.
    pub(in crate::commands) custom: Option<CustomCommand>,
}

/// A parameter on the command line in addition to the names in the path.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    /// The name of the flag or of the argument.
    pub(in crate::commands) name: &'static str,
    /// The placeholder of the parameter's value in `--help`.
    pub(in crate::commands) value: &'static str,
    /// The help text of the parameter.
    pub(in crate::commands) help: &'static str,
    /// The part of the request that contains the value.
    pub(in crate::commands) target: ParameterTarget,
}

/// The part of the request that contains a parameter, and the name of the parameter in that part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterTarget {
    /// A query parameter that is given as a flag with a value.
    Query(&'static str),
    /// A repeatable query parameter that is given as a flag with a value.
    Queries(&'static str),
    /// A numeric query parameter that is given as a flag with a number.
    Count(&'static str),
    /// A text member of the body that is given as a flag with a value.
    Member(&'static str),
    /// An array of texts in the body that is given as a repeatable flag.
    Members(&'static str),
    /// A member of the body that is set to true if the flag, which has no value, is given.
    Flag(&'static str),
    /// A text member of the body that is given as a positional argument.
    Argument(&'static str),
    /// An array of texts in the body that is given as the remaining positional arguments.
    Words(&'static str),
}

/// The kind of body that a request has.
#[derive(Clone, Copy)]
pub(crate) enum BodyKind {
    /// A request without a body.
    None,
    /// A JSON object with the parameters whose targets are members of the body.
    Members,
    /// A JSON object like [`Self::Members`], or no body if none of its parameters is given.
    AnyMembers,
    /// A constant document as the body.
    Fixed(&'static str),
    /// A JSON document that the user gives with `--file` and `--set`.
    Document,
    /// A JSON object from custom arguments. The first function adds the arguments to the command, and the
    /// second function converts the arguments to the body.
    Own(fn(Command) -> Command, fn(&ArgMatches) -> Outcome<Value>),
}

/// The human-readable output of a command. With `--json`, a command prints the JSON of the response instead.
#[derive(Clone, Copy)]
pub(crate) enum OutputFormat {
    /// A table with a row for each element.
    Table(&'static [TableColumn]),
    /// A table with all members of a single object.
    Members,
    /// A sentence. A name in braces represents the argument with that name, and `{/pointer}` a value of the
    /// response.
    Sentence(&'static str),
}

/// A function that runs after the response was printed.
pub(in crate::commands) type AfterResponse = for<'a> fn(
    &'a mut OperatorCommandContext<'_>,
    &'a Invocation,
    &'a OperatorResponse,
) -> LocalBoxFuture<'a, Outcome>;

/// A command with custom arguments and a function that replaces the single request.
#[derive(Clone, Copy)]
pub(crate) struct CustomCommand {
    /// Adds the arguments of the command.
    pub(in crate::commands) arguments: fn(Command) -> Command,
    /// Runs the command with its arguments.
    pub(in crate::commands) run:
        for<'a> fn(&'a mut OperatorCommandContext<'_>, &'a Invocation) -> LocalBoxFuture<'a, Outcome>,
}

/// A parameter in paths, with its help text. For objects that people know by a name, the parameter also
/// includes a look-up of the id by this name.
pub(crate) struct PathParameter {
    /// The name of the path parameter.
    pub(in crate::commands) name: &'static str,
    /// The help text of the parameter.
    pub(in crate::commands) help: &'static str,
    /// The function that returns the id for the text on the command line. `None` if the text itself is the
    /// id.
    pub(in crate::commands) id_lookup: Option<IdLookup>,
}

impl PathParameter {
    /// Creates a parameter whose text is an id and is sent unchanged.
    pub(in crate::commands) const fn id(name: &'static str, help: &'static str) -> Self {
        Self { name, help, id_lookup: None }
    }
}

/// A function that finds the id of an object by its name.
pub(in crate::commands) type IdLookup =
    for<'a> fn(&'a OperatorClient, &'a str) -> LocalBoxFuture<'a, Outcome<String>>;

/// Declares the commands of a kind of object: list, show, create, change and delete.
#[derive(Clone, Copy)]
pub(crate) struct ObjectCommands {
    /// The help texts of the commands, in the order list, show, create, change and delete.
    pub(in crate::commands) about: [&'static str; 5],
    /// The path at which the objects are listed and created.
    pub(in crate::commands) list: &'static str,
    /// The path of a single object, which ends with its id.
    pub(in crate::commands) object_path: &'static str,
    /// The filter and paging parameters of the command that lists the objects.
    pub(in crate::commands) filters: &'static [Parameter],
    /// The columns of the table that lists the objects.
    pub(in crate::commands) columns: &'static [TableColumn],
    /// The sentences that are printed after an object was created, changed or deleted.
    pub(in crate::commands) messages: [&'static str; 3],
}

impl ObjectCommands {
    /// Returns the rows of the commands `list`, `show`, `create`, `change` and `delete`.
    pub(in crate::commands) const fn rows(self) -> [CommandRow; 5] {
        let [list, show, create, change, delete] = self.about;
        let [created, changed, deleted] = self.messages;
        [
            CommandRow::list("list", list, self.list, self.columns).with_parameters(self.filters),
            CommandRow::get("show", show, self.object_path),
            CommandRow::send(Method::Post, "create", create, self.list)
                .with_body(BodyKind::Document)
                .with_sentence(created),
            CommandRow::send(Method::Patch, "change", change, self.object_path)
                .with_body(BodyKind::Document)
                .with_version_path(self.object_path)
                .with_sentence(changed),
            CommandRow {
                needs_confirmation: true,
                ..CommandRow::send(Method::Delete, "delete", delete, self.object_path)
                    .with_version_path(self.object_path)
                    .with_sentence(deleted)
            },
        ]
    }
}

impl CommandRow {
    /// Creates the row of a command that prints a list.
    pub(in crate::commands) const fn list(
        verb: &'static str,
        about: &'static str,
        path: &'static str,
        columns: &'static [TableColumn],
    ) -> Self {
        Self {
            output: OutputFormat::Table(columns),
            parameters: PAGING_PARAMETERS,
            ..Self::get(verb, about, path)
        }
    }

    /// Creates the row of a command that prints one object.
    pub(in crate::commands) const fn get(
        verb: &'static str,
        about: &'static str,
        path: &'static str,
    ) -> Self {
        Self { output: OutputFormat::Members, ..Self::send(Method::Get, verb, about, path) }
    }

    /// Creates a row that sends a request without a body. Use [`Self::with_sentence`] to set the sentence
    /// that is printed after a success.
    pub(in crate::commands) const fn send(
        method: Method,
        verb: &'static str,
        about: &'static str,
        path: &'static str,
    ) -> Self {
        Self {
            verb,
            about,
            method,
            path,
            parameters: &[],
            body: BodyKind::None,
            version_of: "",
            needs_confirmation: false,
            output: OutputFormat::Sentence(""),
            after_response: None,
            custom: None,
        }
    }

    /// Sets a function that runs instead of the single request that the row describes.
    pub(in crate::commands) const fn with_custom_command(self, own: CustomCommand) -> Self {
        Self { custom: Some(own), ..self }
    }

    /// Replaces the parameters of the command, except those in the path.
    pub(in crate::commands) const fn with_parameters(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    /// Sets the kind of body that the request has.
    pub(in crate::commands) const fn with_body(self, body: BodyKind) -> Self {
        Self { body, ..self }
    }

    /// Makes the command read the object at `path` first. The version of this object is then sent in
    /// `If-Match`.
    pub(in crate::commands) const fn with_version_path(self, path: &'static str) -> Self {
        Self { version_of: path, ..self }
    }

    /// Sets the sentence that the command prints after a success.
    pub(in crate::commands) const fn with_sentence(self, sentence: &'static str) -> Self {
        Self { output: OutputFormat::Sentence(sentence), ..self }
    }

    /// Adds a step after the response was printed.
    pub(in crate::commands) const fn with_step_after_response(self, after_response: AfterResponse) -> Self {
        Self { after_response: Some(after_response), ..self }
    }
}

impl fmt::Debug for CommandRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.path)
    }
}

/// The paging parameters of a list.
pub(in crate::commands) const PAGING_PARAMETERS: &[Parameter] = &[OFFSET_PARAMETER, LIMIT_PARAMETER];
/// The parameter that skips the first elements of a list.
pub(in crate::commands) const OFFSET_PARAMETER: Parameter = Parameter {
    name: "offset",
    value: "COUNT",
    help: "Skip this number of elements, such as those of the previous pages",
    target: ParameterTarget::Count("offset"),
};
/// The parameter for the maximum number of elements.
pub(in crate::commands) const LIMIT_PARAMETER: Parameter = Parameter {
    name: "limit",
    value: "COUNT",
    help: "The maximum number of elements. Default: all",
    target: ParameterTarget::Count("limit"),
};

/// The parameter that selects objects that have changed since an instant.
pub(in crate::commands) const CHANGED_SINCE_PARAMETER: Parameter = Parameter::query(
    "changed-since",
    "INSTANT",
    "modifiedsince",
    "Show only objects that changed at this time or later, as yyyy-MM-ddTHH:mm:ssZ",
);

/// The cursor parameter of a list whose newest elements come first.
pub(in crate::commands) const BEFORE_PARAMETER: Parameter = Parameter {
    name: "before",
    value: "CURSOR",
    help: "Show the next page. The value is the cursor at the end of the previous page",
    target: ParameterTarget::Query("before"),
};

impl Parameter {
    /// Creates a flag whose value becomes a query parameter.
    pub(in crate::commands) const fn query(
        name: &'static str,
        value: &'static str,
        parameter: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: ParameterTarget::Query(parameter) }
    }

    /// Creates a repeatable flag whose values become query parameters.
    pub(in crate::commands) const fn queries(
        name: &'static str,
        value: &'static str,
        parameter: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: ParameterTarget::Queries(parameter) }
    }

    /// Creates a flag whose value becomes a member of the body.
    pub(in crate::commands) const fn member(
        name: &'static str,
        value: &'static str,
        member: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: ParameterTarget::Member(member) }
    }

    /// Creates a repeatable flag whose values become an array in the body.
    pub(in crate::commands) const fn members(
        name: &'static str,
        value: &'static str,
        member: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: ParameterTarget::Members(member) }
    }

    /// Replaces the help text of the parameter.
    pub(in crate::commands) const fn with_help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}
