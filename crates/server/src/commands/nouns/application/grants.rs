//! `app grant` and `app revoke`: the scopes of an application for a company.

use clap::Args;
use payroll_domain::access::{Scope, Scopes};
use serde_json::{Value, json};

use super::find::APPLICATION_PATH;
use crate::commands::context::OperatorCommandContext;
use crate::commands::table::Invocation;
use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, Method, OperatorResponse, Request};

/// The arguments of the command `app grant`.
#[derive(Debug, Args)]
pub(super) struct GrantArguments {
    /// The id of the company.
    company: String,
    /// The scopes, such as read:payroll. Default: all scopes except sensitive ones such as read:taxids.
    scopes: Vec<String>,
}

/// The arguments of the command `app revoke`.
#[derive(Debug, Args)]
pub(super) struct RevokeArguments {
    /// The id of the company.
    company: String,
    /// The scopes, such as write:payroll. Default: all scopes.
    scopes: Vec<String>,
}

/// Runs the command `app grant`, which adds scopes to a grant.
pub(super) async fn add_scopes(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let GrantArguments { company, scopes } = call.read()?;
    let scopes = read_scopes(&scopes)?.unwrap_or_else(Scopes::default_scopes);
    change_scopes(session, call, &company, |held| held.union(scopes)).await
}

/// Runs the command `app revoke`, which removes scopes from a grant.
pub(super) async fn remove_scopes(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let RevokeArguments { company, scopes } = call.read()?;
    let scopes = read_scopes(&scopes)?.unwrap_or_else(Scopes::all);
    change_scopes(session, call, &company, |held| held.difference(scopes)).await
}

/// Returns the request that sets the scopes of a grant. If `scopes` is empty, the request deletes the grant.
/// `response` contains the grant that was read before. The server rejects the request if the grant has
/// changed since then.
fn replace_grant(path: ApiPath, scopes: Scopes, response: Option<&OperatorResponse>) -> Request {
    let method = if scopes.is_empty() { Method::Delete } else { Method::Put };
    let request = Request::new(method, path);
    let request =
        if scopes.is_empty() { request } else { request.json(&json!({"scopes": list_scopes(scopes)})) };
    response.into_iter().fold(request, Request::if_unchanged_since)
}

/// Returns the scopes of a grant by their names in the operator API.
fn scope_names(grant: &Value) -> Vec<&str> {
    grant.get("scopes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

async fn change_scopes(
    session: &mut OperatorCommandContext<'_>,
    call: &Invocation,
    company: &str,
    change: impl FnOnce(Scopes) -> Scopes,
) -> Outcome {
    let (application, path) =
        (call.required_text("app"), call.fill_path(APPLICATION_PATH).join("grants").join(company));
    let seen = session.operator.find(Request::get(path.clone())).await?;
    let held = match &seen {
        Some(seen) => current_scopes(&seen.single_object()?)?,
        None => Scopes::NONE,
    };
    let scopes = change(held);
    if seen.is_none() && scopes.is_empty() {
        return Err(Failure::unknown_object(format!("{application} has no scopes for {company}")));
    }
    let response = session.operator.send(replace_grant(path, scopes, seen.as_ref())).await?;
    let scopes = if scopes.is_empty() { "nothing".to_owned() } else { scopes.to_string() };
    session
        .output
        .print_result(&response, format_args!("{application} now has these scopes for {company}: {scopes}"))
}

fn current_scopes(grant: &Value) -> Outcome<Scopes> {
    Scopes::parse(&scope_names(grant).join(" ")).map_err(|unknown| {
        Failure::new(format!("the server returned a scope that this command does not know: {unknown}"))
    })
}

fn list_scopes(scopes: Scopes) -> Vec<&'static str> {
    scopes.iter().map(Scope::as_str).collect()
}

/// Parses the scopes on the command line. `None` if no scopes are given. The API decides which scopes can be
/// granted for a company.
fn read_scopes(words: &[String]) -> Outcome<Option<Scopes>> {
    if words.is_empty() {
        return Ok(None);
    }
    let scopes = Scopes::parse(&words.join(" ").replace(',', " ")).map_err(|unknown| {
        Failure::refused(format!("{unknown:?} is not a scope. The scopes are: {}", Scopes::for_companies()))
    })?;
    let others = scopes.intersection(Scopes::for_applications());
    match others.is_empty() {
        true => Ok(Some(scopes)),
        false => Err(Failure::refused(format!(
            "{others} cannot be granted for a company. The scopes are: {}\n  `app set APP --webhooks read` \
             or `write` sets the permissions for webhooks.",
            Scopes::for_companies()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_scopes_with_commas_or_spaces_and_rejects_webhook_scopes() {
        let parse =
            |words: &[&str]| read_scopes(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let both: Scopes = [Scope::ReadCompanies, Scope::ReadPayroll].into_iter().collect();
        assert_eq!(parse(&["read:companies,read:payroll"]).unwrap(), Some(both));
        assert_eq!(parse(&["read:companies", "read:payroll"]).unwrap(), Some(both));
        assert_eq!(parse(&[]).unwrap(), None);
        assert!(
            parse(&["read:webhooks"]).unwrap_err().to_string().contains("cannot be granted for a company")
        );
        assert!(parse(&["read:all"]).unwrap_err().to_string().contains("read:payroll"));
    }
}
