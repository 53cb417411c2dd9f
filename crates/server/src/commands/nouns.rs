//! The nouns of the operator commands. A noun names a kind of object, such as `company` in `company list`.
//! Together, the nouns form the table of commands.
//!
//! Most commands are completely described by one row of a noun. A command that sends more than one request
//! also has a function, next to the rows of its noun.

mod access;
pub(super) mod application;
mod audit;
mod company;
mod custom_field;
mod document;
mod events;
mod hook;
pub(super) mod operator_key;
mod pay;
mod period;
mod product;
mod sandbox;
mod session;
mod short_lists;
mod worker;

use futures_util::FutureExt;

use super::table::{CommandNoun, PathParameter};

/// Returns the nouns in the order of `--help`.
pub(in crate::commands) fn nouns() -> impl Iterator<Item = &'static CommandNoun> {
    NOUNS_BEFORE_SHORT_LISTS.iter().chain(short_lists::NOUNS).chain(NOUNS_AFTER_SHORT_LISTS)
}

/// The nouns that `--help` lists first. The nouns in `short_lists` follow.
const NOUNS_BEFORE_SHORT_LISTS: &[CommandNoun] = &[
    company::COMPANY,
    company::ORGANIZATION,
    product::PRODUCT,
    worker::WORKER,
    worker::RATE,
    worker::RECURRING_COMPONENT,
    worker::DIRECT_DEPOSIT,
    worker::CONTACT,
    document::DOCUMENT,
    worker::CUSTOM_VALUE,
];

/// The nouns that `--help` lists after the nouns of short lists.
const NOUNS_AFTER_SHORT_LISTS: &[CommandNoun] = &[
    pay::COMPONENT,
    period::PERIOD,
    custom_field::CUSTOM_FIELD,
    custom_field::CATEGORY,
    application::APPLICATION,
    access::ACCESS,
    operator_key::OPERATOR_KEY,
    session::SESSION,
    hook::HOOK,
    events::EVENTS,
    audit::AUDIT,
    sandbox::CLOCK,
    sandbox::SANDBOX,
];

/// The parameters in the paths of requests.
const PATH_PARAMETERS: &[PathParameter] = &[
    PathParameter::id("company", "The company's id"),
    PathParameter::id("organization", "The organization's id"),
    PathParameter::id("product", "The product's code, such as PAYROLL"),
    PathParameter::id("worker", "The worker's id"),
    PathParameter::id("rate", "The pay rate's id"),
    PathParameter::id("document", "The id of the worker's document"),
    PathParameter::id("direct-deposit", "The id of the worker's direct deposit"),
    PathParameter::id("recurring-component", "The id of the worker's recurring component"),
    PathParameter::id("contact", "The id of the worker's contact"),
    PathParameter::id("custom-value", "The id of the worker's value of a custom field"),
    PathParameter::id("component", "The pay component's id"),
    PathParameter::id("session", "The session's id"),
    PathParameter::id("period", "The period's id"),
    PathParameter::id("check", "The check's id"),
    PathParameter::id("custom-field", "The custom field's id"),
    PathParameter::id("category", "The category's id"),
    PathParameter::id("hook", "The hook's id, as `hook list` shows it"),
    PathParameter {
        name: "app",
        help: "The application: its id, API key or name",
        id_lookup: Some(|operator, text| application::find_id(operator, text).boxed_local()),
    },
    PathParameter {
        name: "key",
        help: "The key: its id or name",
        id_lookup: Some(|operator, text| operator_key::find_id(operator, text).boxed_local()),
    },
    PathParameter {
        name: "request",
        help: "The request: the link that the partner has sent, or the id",
        id_lookup: Some(|_, text| {
            async { Ok(access::extract_access_request_key(text).to_owned()) }.boxed_local()
        }),
    },
];

/// Returns the path parameter with this name.
pub(in crate::commands) fn path_parameter(name: &str) -> Option<&'static PathParameter> {
    PATH_PARAMETERS.iter().chain(short_lists::PATH_PARAMETERS).find(|place| place.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::ParameterTarget;
    use payroll_adapter_http::{operator_routes, sandbox_routes};

    /// Returns the shape of a path below `/operator/v1/`, without parameter names and without the query. Two
    /// paths with the same shape are the same route.
    fn path_shape(path: &str) -> String {
        let shape =
            |segment: &str| if segment.starts_with('{') { "{}".to_owned() } else { segment.to_owned() };
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        path.trim_start_matches("/operator/v1/").split('/').map(shape).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn every_row_matches_an_operation_of_the_api() {
        let routes = [operator_routes(), sandbox_routes()].concat();
        for row in nouns().flat_map(|noun| noun.rows.iter().copied().flatten()) {
            // A row with a custom function need not match a route, because its function may send another
            // request.
            let tailored = row.custom.is_some() && !["list", "deliveries", ""].contains(&row.verb);
            let method = row.method.as_str();
            let route = routes
                .iter()
                .find(|route| route.method == method && path_shape(route.path) == path_shape(row.path));
            assert!(tailored || route.is_some(), "{row:?}");
            for parameter in row.parameters {
                let (ParameterTarget::Query(name)
                | ParameterTarget::Queries(name)
                | ParameterTarget::Count(name)) = parameter.target
                else {
                    continue;
                };
                assert!(route.is_some_and(|route| route.parameters.contains(&name)), "{row:?} {name}");
            }
            for name in row.path.split('/').filter_map(|segment| segment.strip_prefix('{')) {
                assert!(path_parameter(name.trim_end_matches('}')).is_some(), "{row:?} {name}");
            }
        }
    }

    #[test]
    fn every_object_that_can_be_changed_has_a_command() {
        let rows = || nouns().flat_map(|noun| noun.rows.iter().copied().flatten());
        for route in operator_routes().iter().filter(|route| ["PATCH", "DELETE"].contains(&route.method)) {
            // No row of the table sends requests for grants, secrets or the current browser session. Custom
            // functions of `app` change grants and secrets, and a command has no browser session.
            if ["grants", "secrets", "sessions/current"].iter().any(|part| route.path.contains(part)) {
                continue;
            }
            let commanded = rows().any(|row| {
                row.method.as_str() == route.method && path_shape(row.path) == path_shape(route.path)
            });
            assert!(commanded, "{} {}", route.method, route.path);
        }
    }
}
