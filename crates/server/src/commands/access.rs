//! `access …`: requests of applications for access to companies.

use serde_json::{Value, json};

use super::context::Session;
use super::output::text;
use crate::cli::AccessCommand;
use crate::failure::Outcome;
use crate::operator::{Method, Request, path};
use crate::terminal::{Cell, Tone};

pub(super) async fn run(mut session: Session<'_>, command: AccessCommand) -> Outcome {
    match command {
        AccessCommand::List => list(&mut session).await,
        AccessCommand::Approve { request, scopes } => approve(&mut session, &request, &scopes).await,
        AccessCommand::Refuse { request } => refuse(&mut session, &request).await,
    }
}

async fn list(session: &mut Session<'_>) -> Outcome {
    let answer = session.operator.send(Request::get(path(&["accessrequests"]))).await?;
    let head = ["REQUEST", "APPLICATION", "COMPANY", "NAME", "SCOPES", "ENDS"];
    session.output.list(&answer, head, |request| {
        [
            text(request, "accessRequestId").into(),
            Cell::toned(text(request, "applicationName"), Tone::Head),
            text(request, "companyId").into(),
            text(request, "legalName").into(),
            scopes_of(request).into(),
            text(request, "expiresDate").into(),
        ]
    })
}

async fn approve(session: &mut Session<'_>, said: &str, scopes: &[String]) -> Outcome {
    let approval = Request::new(Method::Post, path(&["accessrequests", named(said), "approve"]));
    let approval = if scopes.is_empty() { approval } else { approval.json(&json!({"scopes": scopes})) };
    let answer = session.operator.send(approval).await?;
    let granted = answer.one()?;
    let (application, company) = (text(&granted, "applicationName"), text(&granted, "companyId"));
    session
        .output
        .done(&answer, format_args!("{application} is granted on {company}: {}", scopes_of(&granted)))
}

async fn refuse(session: &mut Session<'_>, said: &str) -> Outcome {
    let refusal = Request::new(Method::Post, path(&["accessrequests", named(said), "refuse"]));
    let answer = session.operator.send(refusal).await?;
    let refused = answer.one()?;
    let (application, company) = (text(&refused, "applicationName"), text(&refused, "companyId"));
    session.output.done(&answer, format_args!("{application} is refused access to {company}."))
}

/// What names a request: of a link, its end.
fn named(said: &str) -> &str {
    let said = said.trim().trim_end_matches('/');
    said.rsplit('/').next().unwrap_or(said)
}

fn scopes_of(request: &Value) -> String {
    let scopes = request.get("scopes").and_then(Value::as_array).into_iter().flatten();
    scopes.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_request_by_its_end() {
        assert_eq!(named("https://ops.example.org/x/approve/acr_1 "), "acr_1");
        assert_eq!((named("acr_1"), named("01J")), ("acr_1", "01J"));
    }
}
