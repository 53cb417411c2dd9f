//! Finds an application by its id, API key or name, and returns its paths.

use serde_json::Value;

use crate::commands::output::text_member;
use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, OperatorClient, Request, path};

/// The API path of a single application.
pub(super) const APPLICATION_PATH: &str = "applications/{app}";

/// Finds an application by its id, API key or name, and returns its JSON object.
///
/// # Errors
/// No application matches, or the applications cannot be read.
pub(in crate::commands) async fn find(operator: &OperatorClient, name_or_id: &str) -> Outcome<Value> {
    let applications = operator.send(Request::get(path(&["applications"]))).await?.content()?;
    let is_meant = |application: &Value| {
        ["applicationId", "clientId", "name"].map(|name| text_member(application, name)).contains(&name_or_id)
    };
    applications.into_iter().find(is_meant).ok_or_else(|| {
        Failure::unknown_object(format!(
            "no application has the id, API key or name {name_or_id:?}. `app list` shows all applications"
        ))
    })
}

/// Returns the path of an application. If `segments` is not empty, returns a path below the application.
pub(super) fn application_path(application: &Value, segments: &[&str]) -> ApiPath {
    path(&[&["applications", text_member(application, "applicationId")], segments].concat())
}

/// Returns the id of the application with this id, API key or name.
///
/// # Errors
/// No application matches, or the applications cannot be read.
pub(in crate::commands::nouns) async fn find_id(
    operator: &OperatorClient,
    name_or_id: &str,
) -> Outcome<String> {
    Ok(text_member(&find(operator, name_or_id).await?, "applicationId").to_owned())
}
