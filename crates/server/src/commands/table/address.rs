//! Builds the path of a command's request.

use super::call::Invocation;
use super::{CommandRow, ParameterTarget};
use crate::operator::ApiPath;

impl CommandRow {
    /// Returns the path of the request, with the ids and the query parameters of the arguments.
    pub(in crate::commands) fn request_path(&self, call: &Invocation) -> ApiPath {
        self.parameters.iter().fold(call.fill_path(self.path), |path, parameter| match parameter.target {
            ParameterTarget::Query(name) => path.with_query(name, call.id(parameter.name)),
            ParameterTarget::Queries(name) => {
                let values = call.arguments.get_many::<String>(parameter.name).into_iter().flatten();
                values.fold(path, |path, value| path.with_query(name, Some(value)))
            }
            ParameterTarget::Count(name) => {
                path.with_query(name, call.arguments.get_one::<u32>(parameter.name))
            }
            ParameterTarget::Member(_)
            | ParameterTarget::Members(_)
            | ParameterTarget::Flag(_)
            | ParameterTarget::Argument(_)
            | ParameterTarget::Words(_) => path,
        })
    }
}
