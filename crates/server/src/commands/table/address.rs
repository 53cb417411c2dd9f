//! Builds the path of a command's request.

use super::call::Invocation;
use super::{Row, Target};
use crate::operator::ApiPath;

impl Row {
    /// Returns the path of the request, with the ids and the query parameters of the arguments.
    pub(in crate::commands) fn address(&self, call: &Invocation) -> ApiPath {
        self.parameters.iter().fold(call.path(self.path), |path, parameter| match parameter.target {
            Target::Query(name) => path.with(name, call.id(parameter.name)),
            Target::Queries(name) => {
                let values = call.arguments.get_many::<String>(parameter.name).into_iter().flatten();
                values.fold(path, |path, value| path.with(name, Some(value)))
            }
            Target::Count(name) => path.with(name, call.arguments.get_one::<u32>(parameter.name)),
            Target::Member(_)
            | Target::Members(_)
            | Target::Flag(_)
            | Target::Argument(_)
            | Target::Words(_) => path,
        })
    }
}
