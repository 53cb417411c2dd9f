//! The arguments of a command that is being run.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args};

use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, path};

/// The arguments of a command, and the ids that belong to its path parameters.
pub(in crate::commands) struct Invocation {
    pub(super) arguments: ArgMatches,
    ids: BTreeMap<&'static str, String>,
}

impl Invocation {
    /// Combines the arguments with the ids of the path parameters.
    pub(super) const fn new(arguments: ArgMatches, ids: BTreeMap<&'static str, String>) -> Self {
        Self { arguments, ids }
    }

    /// Returns the value of a text argument. `None` if the argument was not given.
    pub(in crate::commands) fn optional_text(&self, name: &str) -> Option<&str> {
        self.arguments.try_get_one::<String>(name).ok().flatten().map(String::as_str)
    }

    /// Returns the value of a text argument that clap requires.
    pub(in crate::commands) fn required_text(&self, name: &str) -> &str {
        self.optional_text(name).unwrap_or_default()
    }

    /// Returns the id for a path parameter, or `None` if the argument was not given.
    pub(in crate::commands) fn id(&self, name: &str) -> Option<&str> {
        self.ids.get(name).map(String::as_str)
    }

    /// Returns a path in which ids replace the parameters in braces.
    pub(in crate::commands) fn fill_path(&self, template: &str) -> ApiPath {
        let (template, fixed) = template.split_once('?').unwrap_or((template, ""));
        let segments = template.split('/').map(|segment| match parameter_in_segment(segment) {
            Some(name) => self.id(name).unwrap_or_default(),
            None => segment,
        });
        let path = path(&segments.collect::<Vec<_>>());
        fixed.split_once('=').into_iter().fold(path, |path, (name, value)| path.with_query(name, Some(value)))
    }

    /// Reads the arguments of a command with its own function into a struct.
    ///
    /// # Errors
    /// clap has already validated the arguments, so an error means a bug in the struct.
    pub(in crate::commands) fn read<A: Args>(&self) -> Outcome<A> {
        A::from_arg_matches(&self.arguments).map_err(|error| Failure::new(error.to_string()))
    }
}

/// Returns the name of the parameter in a path segment. `None` if the segment is constant.
fn parameter_in_segment(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// Returns the names of the parameters in a path.
pub(super) fn parameter_names(template: &'static str) -> impl Iterator<Item = &'static str> {
    template.split('/').filter_map(parameter_in_segment)
}
