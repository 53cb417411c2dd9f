//! The table of the operator's commands: what a row says. From a row come the arguments on the
//! command line (`arguments`), the request that it sends and what is printed of the response (`run`).
//! The rows themselves are in `commands/nouns`.

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
pub(in crate::commands) use call::Call;
pub(in crate::commands) use column::{Column, cells, heads};
pub(in crate::commands) use documents::{read_file, with_true};
pub(in crate::commands) use run::run;

use super::context::Session;
use crate::failure::Outcome;
use crate::operator::{Answer, Method, Operator};

/// A noun: what some commands are about.
pub(crate) struct Noun {
    /// Its word on the command line.
    pub(crate) name: &'static str,
    /// What can be done with it, in one line of `--help`.
    pub(crate) about: &'static str,
    /// What else its own `--help` says; may be empty.
    pub(crate) more: &'static str,
    /// A command line that can be tried, without the name of the program.
    pub(crate) example: &'static str,
    /// Its commands. A single one without a verb is the noun itself.
    pub(crate) rows: &'static [&'static [Row]],
}

/// A command: a verb of a noun.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Its word on the command line; empty where the noun is the command.
    pub(in crate::commands) verb: &'static str,
    /// The purpose of the command.
    pub(in crate::commands) about: &'static str,
    /// The method of its request.
    pub(in crate::commands) method: Method,
    /// The path of its request below `/operator/v1`; each name in braces is an argument.
    pub(in crate::commands) path: &'static str,
    /// What else is said on the command line.
    pub(in crate::commands) parameters: &'static [Parameter],
    /// What its request carries.
    pub(in crate::commands) body: Body,
    /// The path whose version its request names in `If-Match`; empty for none.
    pub(in crate::commands) version_of: &'static str,
    /// It asks a person before it sends its request.
    pub(in crate::commands) asks: bool,
    /// What is printed of the response.
    pub(in crate::commands) shown: Shown,
    /// What is done and printed after that.
    pub(in crate::commands) then: Option<Then>,
    /// What it does in place of sending one request.
    pub(in crate::commands) own: Option<Own>,
}

/// Something that is said on the command line in addition to the names in the path.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    /// Its name: the flag, or that of the argument.
    pub(in crate::commands) name: &'static str,
    /// The placeholder of its value in `--help`.
    pub(in crate::commands) value: &'static str,
    /// The meaning of the parameter.
    pub(in crate::commands) help: &'static str,
    /// The part of the request that it goes into.
    pub(in crate::commands) target: Target,
}

/// Where a parameter goes, by its name there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// Into the query; a flag with a value.
    Query(&'static str),
    /// Into the query, as often as it is given; a flag with a value.
    Queries(&'static str),
    /// Into the query; a flag with a count.
    Count(&'static str),
    /// Into the body, as text; a flag with a value.
    Member(&'static str),
    /// Into the body, as an array of texts, as often as it is given; a flag with a value.
    Members(&'static str),
    /// Into the body as true, where it is given; a flag without a value.
    Flag(&'static str),
    /// Into the body, as text; an argument without a flag.
    Argument(&'static str),
    /// Into the body, as an array of texts; the rest of the arguments.
    Words(&'static str),
}

/// What a request carries.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    /// A request without a body.
    None,
    /// An object of the parameters that go there.
    Members,
    /// The same, and nothing where none is given.
    AnyMembers,
    /// Always the same document.
    Fixed(&'static str),
    /// A document out of `--file` and `--set`.
    Document,
    /// An object out of arguments of its own: those, and how they are read.
    Own(fn(Command) -> Command, fn(&ArgMatches) -> Outcome<Value>),
}

/// What is printed of a response where people read it; programs get its JSON.
#[derive(Clone, Copy)]
pub(crate) enum Shown {
    /// A table with a row for each element.
    Table(&'static [Column]),
    /// All members of the one object.
    Members,
    /// A sentence. A name in braces is an argument, `{/pointer}` a value of the response.
    Sentence(&'static str),
}

/// A step after the response.
pub(in crate::commands) type Then =
    for<'a> fn(&'a mut Session<'_>, &'a Call, &'a Answer) -> LocalBoxFuture<'a, Outcome>;

/// What a command does that is more than one request, with the arguments that it takes.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    /// Adds the arguments of the command.
    pub(in crate::commands) arguments: fn(Command) -> Command,
    /// Executes the command with its arguments.
    pub(in crate::commands) run: for<'a> fn(&'a mut Session<'_>, &'a Call) -> LocalBoxFuture<'a, Outcome>,
}

/// A name in paths: what `--help` says of it, and how it becomes an id where people may call the thing
/// otherwise.
pub(crate) struct Place {
    /// The name of the path parameter.
    pub(in crate::commands) name: &'static str,
    /// The meaning of the path parameter.
    pub(in crate::commands) help: &'static str,
    /// Finds the id by what was typed.
    pub(in crate::commands) find: Option<Find>,
}

impl Place {
    /// An id that is sent as it is said.
    pub(in crate::commands) const fn id(name: &'static str, help: &'static str) -> Self {
        Self { name, help, find: None }
    }
}

/// Finds an id by what a person calls something.
pub(in crate::commands) type Find = for<'a> fn(&'a Operator, &'a str) -> LocalBoxFuture<'a, Outcome<String>>;

/// Objects that are listed, shown, created, changed and deleted alike.
#[derive(Clone, Copy)]
pub(crate) struct Objects {
    /// What each of the five commands does: list, show, create, change, delete.
    pub(in crate::commands) about: [&'static str; 5],
    /// The path of the list.
    pub(in crate::commands) list: &'static str,
    /// The path of one of them.
    pub(in crate::commands) one: &'static str,
    /// What is said of the list: which of them are wanted, and which part of these.
    pub(in crate::commands) filters: &'static [Parameter],
    /// What is printed of each.
    pub(in crate::commands) columns: &'static [Column],
    /// What is printed when one was created, changed and deleted.
    pub(in crate::commands) done: [&'static str; 3],
}

impl Objects {
    /// The rows of the five commands.
    pub(in crate::commands) const fn rows(self) -> [Row; 5] {
        let [list, show, create, change, delete] = self.about;
        let [created, changed, deleted] = self.done;
        [
            Row::list("list", list, self.list, self.columns).takes(self.filters),
            Row::get("show", show, self.one),
            Row::send(Method::Post, "create", create, self.list).body(Body::Document).says(created),
            Row::send(Method::Patch, "change", change, self.one)
                .body(Body::Document)
                .sees(self.one)
                .says(changed),
            Row {
                asks: true,
                ..Row::send(Method::Delete, "delete", delete, self.one).sees(self.one).says(deleted)
            },
        ]
    }
}

impl Row {
    /// A row that prints a list.
    pub(in crate::commands) const fn list(
        verb: &'static str,
        about: &'static str,
        path: &'static str,
        columns: &'static [Column],
    ) -> Self {
        Self { shown: Shown::Table(columns), parameters: PAGING, ..Self::get(verb, about, path) }
    }

    /// A row that prints one object.
    pub(in crate::commands) const fn get(
        verb: &'static str,
        about: &'static str,
        path: &'static str,
    ) -> Self {
        Self { shown: Shown::Members, ..Self::send(Method::Get, verb, about, path) }
    }

    /// Sends a request without a body, and says nothing.
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
            body: Body::None,
            version_of: "",
            asks: false,
            shown: Shown::Sentence(""),
            then: None,
            own: None,
        }
    }

    /// Does more than send one request.
    pub(in crate::commands) const fn own(self, own: Own) -> Self {
        Self { own: Some(own), ..self }
    }

    /// With these parameters, and no others.
    pub(in crate::commands) const fn takes(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    /// The same row with that body.
    pub(in crate::commands) const fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// Reads that path before, and names the version that was read.
    pub(in crate::commands) const fn sees(self, path: &'static str) -> Self {
        Self { version_of: path, ..self }
    }

    /// Says that when it is done.
    pub(in crate::commands) const fn says(self, sentence: &'static str) -> Self {
        Self { shown: Shown::Sentence(sentence), ..self }
    }

    /// Goes on with that.
    pub(in crate::commands) const fn then(self, then: Then) -> Self {
        Self { then: Some(then), ..self }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.path)
    }
}

/// Which part of a list is wanted.
pub(in crate::commands) const PAGING: &[Parameter] = &[OFFSET, LIMIT];
/// The parameter for the beginning of a list.
pub(in crate::commands) const OFFSET: Parameter = Parameter {
    name: "offset",
    value: "COUNT",
    help: "Leave out this number from the beginning",
    target: Target::Count("offset"),
};
/// How long it is.
pub(in crate::commands) const LIMIT: Parameter = Parameter {
    name: "limit",
    value: "COUNT",
    help: "List at most this number; without it, all of them",
    target: Target::Count("limit"),
};

/// Only what has changed.
pub(in crate::commands) const CHANGED_SINCE: Parameter = Parameter::query(
    "changed-since",
    "INSTANT",
    "modifiedsince",
    "Only what was changed at that instant or later, as yyyy-MM-ddTHH:mm:ssZ",
);

/// Where a list that is read backwards goes on.
pub(in crate::commands) const BEFORE: Parameter = Parameter {
    name: "before",
    value: "CURSOR",
    help: "Go on behind a page that was shown",
    target: Target::Query("before"),
};

impl Parameter {
    /// A flag with a value for the query.
    pub(in crate::commands) const fn query(
        name: &'static str,
        value: &'static str,
        parameter: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: Target::Query(parameter) }
    }

    /// A flag with a value for the query, which may be given several times.
    pub(in crate::commands) const fn queries(
        name: &'static str,
        value: &'static str,
        parameter: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: Target::Queries(parameter) }
    }

    /// A flag with a value for a member of the body.
    pub(in crate::commands) const fn member(
        name: &'static str,
        value: &'static str,
        member: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: Target::Member(member) }
    }

    /// The same, which may be given several times.
    pub(in crate::commands) const fn members(
        name: &'static str,
        value: &'static str,
        member: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, help, target: Target::Members(member) }
    }

    /// The same parameter with another help.
    pub(in crate::commands) const fn meaning(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}
