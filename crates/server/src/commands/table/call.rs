//! The arguments of a command.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args};

use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, path};

/// The arguments of a command, with the ids for the names in its path.
pub(in crate::commands) struct Invocation {
    pub(super) arguments: ArgMatches,
    ids: BTreeMap<&'static str, String>,
}

impl Invocation {
    /// Creates a call from the arguments and the ids.
    pub(super) const fn new(arguments: ArgMatches, ids: BTreeMap<&'static str, String>) -> Self {
        Self { arguments, ids }
    }

    /// The value of a text argument. `None` if it was not given.
    pub(in crate::commands) fn optional_text(&self, name: &str) -> Option<&str> {
        self.arguments.try_get_one::<String>(name).ok().flatten().map(String::as_str)
    }

    /// The value of a text argument that is always present.
    pub(in crate::commands) fn required_text(&self, name: &str) -> &str {
        self.optional_text(name).unwrap_or_default()
    }

    /// The id for the name in the path.
    pub(in crate::commands) fn id(&self, name: &str) -> Option<&str> {
        self.ids.get(name).map(String::as_str)
    }

    /// A path with the ids in place of the names.
    pub(in crate::commands) fn path(&self, template: &str) -> ApiPath {
        let (template, fixed) = template.split_once('?').unwrap_or((template, ""));
        let segments = template.split('/').map(|segment| match name_in(segment) {
            Some(name) => self.id(name).unwrap_or_default(),
            None => segment,
        });
        let path = path(&segments.collect::<Vec<_>>());
        fixed.split_once('=').into_iter().fold(path, |path, (name, value)| path.with(name, Some(value)))
    }

    /// The arguments of a command with its own function.
    ///
    /// # Errors
    /// Only errors that clap has already reported.
    pub(in crate::commands) fn read<A: Args>(&self) -> Outcome<A> {
        A::from_arg_matches(&self.arguments).map_err(|error| Failure::new(error.to_string()))
    }
}

/// The name in a segment of a path, if it has one.
fn name_in(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// The names in a path.
pub(super) fn parameter_names(template: &'static str) -> impl Iterator<Item = &'static str> {
    template.split('/').filter_map(name_in)
}
