//! `app …`: partner applications, their secrets and their grants.

mod find;
mod grants;
mod requests;

use std::fmt::Display;

use serde_json::{Map, Value, json};

use super::context::Session;
use super::output::text;
use crate::cli::{ApplicationChanges, ApplicationCommand, Paging, WebhookAccess};
use crate::failure::{Failure, Outcome};
use crate::operator::{Answer, MERGE_PATCH, Method, Operator, Request, path};
use crate::terminal::{Cell, Tone};

pub(super) use find::find;
pub(super) use grants::set as set_grant;

use find::of;

pub(super) async fn run(mut session: Session<'_>, command: ApplicationCommand) -> Outcome {
    let session = &mut session;
    match command {
        ApplicationCommand::Create { name, correlation_per_pay_period, requests_per_minute, webhooks } => {
            let mut application = ApplicationChanges {
                correlation_per_pay_period: Some(correlation_per_pay_period),
                requests_per_minute,
                webhooks: Some(webhooks),
            }
            .members();
            application.insert("name".to_owned(), name.into());
            let answer = create(&session.operator, application.into()).await?;
            show_secret(session, &answer, &answer.one()?)
        }
        ApplicationCommand::List { paging } => list(session, &paging).await,
        ApplicationCommand::Show { app } => show(session, &app).await,
        ApplicationCommand::Rename { app, name } => {
            let done = format!("{app} is now called {name}.");
            change(session, &app, json!({"name": name}), done).await
        }
        ApplicationCommand::Set { app, changes } => {
            change(session, &app, changes.members().into(), format_args!("{app} is changed.")).await
        }
        ApplicationCommand::Enable { app } => {
            change(session, &app, json!({"enabled": true}), format_args!("{app} is enabled.")).await
        }
        ApplicationCommand::Disable { app } => {
            change(session, &app, json!({"enabled": false}), format_args!("{app} is disabled.")).await
        }
        ApplicationCommand::Delete { app } => delete(session, &app).await,
        ApplicationCommand::Rotate { app } => {
            let application = find(&session.operator, &app).await?;
            let answer = rotate(&session.operator, &application).await?;
            show_secret(session, &answer, &application)
        }
        ApplicationCommand::Requests { app, status, limit } => {
            requests::list(session, &app, (status, limit)).await
        }
        ApplicationCommand::DropSecret { app, secret } => drop_secret(session, &app, secret).await,
        ApplicationCommand::Grant { app, company, scopes } => {
            grants::add(session, (&app, &company), &scopes).await
        }
        ApplicationCommand::Revoke { app, company, scopes } => {
            grants::remove(session, (&app, &company), &scopes).await
        }
    }
}

/// Makes an application with its first secret, whose value is in the answer.
///
/// # Errors
/// What is wrong with the application, or it cannot be stored.
pub(super) async fn create(operator: &Operator, application: Value) -> Outcome<Answer> {
    operator.send(Request::new(Method::Post, path(&["applications"])).json(&application)).await
}

/// Makes an application's next secret, whose value is in the answer.
///
/// # Errors
/// The application is gone, or the secret cannot be stored.
pub(super) async fn rotate(operator: &Operator, application: &Value) -> Outcome<Answer> {
    operator.send(Request::new(Method::Post, of(application, &["secrets"]))).await
}

/// The value of the secret that an answer shows this once.
pub(super) fn secret_of(answer: &Answer) -> Outcome<String> {
    let made = answer.one()?;
    // A new application shows it in its list of secrets, a new secret in itself.
    let of_list = secrets(&made).map(|secret| text(secret, "value")).find(|value| !value.is_empty());
    Ok(of_list.unwrap_or(text(&made, "value")).to_owned())
}

fn show_secret(session: &mut Session<'_>, answer: &Answer, application: &Value) -> Outcome {
    let (client_id, secret) = (text(application, "clientId"), secret_of(answer)?);
    let lines = format!(
        "client_id      {client_id}\nclient_secret  {secret}\nThe secret is shown this once: only its hash is kept."
    );
    session.output.done(answer, lines)
}

async fn list(session: &mut Session<'_>, paging: &Paging) -> Outcome {
    let answer = session.operator.send(Request::get(path(&["applications"]).page(paging))).await?;
    let head = ["APPLICATION", "NAME", "CLIENT ID", "STATE", "SECRETS", "REQUESTS A MINUTE"];
    session.output.list(&answer, head, |application| {
        let enabled = application.get("enabled").and_then(Value::as_bool) == Some(true);
        let (state, tone) = if enabled { ("enabled", Tone::Good) } else { ("disabled", Tone::Off) };
        let limit = application.get("rateLimitPerMinute").map(Value::to_string).unwrap_or_default();
        [
            text(application, "applicationId").into(),
            text(application, "name").into(),
            text(application, "clientId").into(),
            Cell::toned(state, tone),
            secrets(application).count().to_string().into(),
            limit.into(),
        ]
    })
}

async fn show(session: &mut Session<'_>, said: &str) -> Outcome {
    let application = find(&session.operator, said).await?;
    let answer = session.operator.send(Request::get(of(&application, &[]))).await?;
    session.output.one(&answer)?;
    if session.output.is_json() {
        return Ok(());
    }
    let granted = session.operator.send(Request::get(of(&application, &["grants"]))).await?;
    session.output.say("")?;
    session.output.list(&granted, ["COMPANY", "SCOPES"], |grant| {
        [text(grant, "companyId").into(), grants::words(grant).join(" ").into()]
    })
}

async fn change(session: &mut Session<'_>, said: &str, patch: Value, done: impl Display) -> Outcome {
    let application = find(&session.operator, said).await?;
    let seen = session.operator.send(Request::get(of(&application, &[]))).await?;
    let patch = patch.to_string().into_bytes();
    let request = Request::new(Method::Patch, of(&application, &[])).if_as_in(&seen).body(MERGE_PATCH, patch);
    let answer = session.operator.send(request).await?;
    session.output.done(&answer, done)
}

async fn delete(session: &mut Session<'_>, said: &str) -> Outcome {
    let application = find(&session.operator, said).await?;
    let seen = session.operator.send(Request::get(of(&application, &[]))).await?;
    let request = Request::new(Method::Delete, of(&application, &[])).if_as_in(&seen);
    let answer = session.operator.send(request).await?;
    session.output.done(&answer, format_args!("{said} is deleted."))
}

async fn drop_secret(session: &mut Session<'_>, said: &str, secret: Option<String>) -> Outcome {
    let application = find(&session.operator, said).await?;
    let secret = match secret {
        Some(secret) => secret,
        None => older_secret(&application)?,
    };
    let request = Request::new(Method::Delete, of(&application, &["secrets", &secret]));
    let answer = session.operator.send(request).await?;
    session.output.done(&answer, format_args!("The secret {secret} of {said} is dropped."))
}

/// The older one of two secrets. The only one has to be named, since nobody can sign in without it.
fn older_secret(application: &Value) -> Outcome<String> {
    let ids: Vec<_> = secrets(application).map(|secret| text(secret, "secretId")).collect();
    match ids.as_slice() {
        [older, _, ..] => Ok((*older).to_owned()),
        _ => Err(Failure::refused(
            "the application has no second secret; `app rotate` makes one, and its only one is dropped by its id",
        )),
    }
}

fn secrets(application: &Value) -> impl Iterator<Item = &Value> {
    application.get("secrets").and_then(Value::as_array).into_iter().flatten()
}

impl ApplicationChanges {
    /// What was named, as members of an application; null goes by the server's setting.
    fn members(self) -> Map<String, Value> {
        let mut members = Map::new();
        if let Some(lasts) = self.correlation_per_pay_period {
            let scope = if lasts { "payPeriod" } else { "request" };
            members.insert("correlationScope".to_owned(), scope.into());
        }
        if let Some(limit) = self.requests_per_minute {
            let limit = Some(limit).filter(|limit| *limit > 0);
            members.insert("rateLimitPerMinute".to_owned(), limit.into());
        }
        if let Some(webhooks) = self.webhooks {
            members.insert("webhookScopes".to_owned(), webhooks.scopes().into());
        }
        members
    }
}

impl WebhookAccess {
    /// The scopes that it means.
    fn scopes(self) -> Vec<&'static str> {
        match self {
            Self::None => Vec::new(),
            Self::Read => vec!["read:webhooks"],
            Self::Write => vec!["read:webhooks", "write:webhooks"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_not_changed_and_0_takes_the_limit_away() {
        let changes = ApplicationChanges {
            correlation_per_pay_period: None,
            requests_per_minute: Some(0),
            webhooks: None,
        };
        assert_eq!(Value::from(changes.members()), json!({"rateLimitPerMinute": null}));
    }

    #[test]
    fn without_an_id_only_the_older_one_of_two_secrets_is_dropped() {
        let with = |ids: &[&str]| {
            let secrets: Vec<_> = ids.iter().map(|id| json!({"secretId": id})).collect();
            older_secret(&json!({"secrets": secrets})).ok()
        };
        assert_eq!((with(&["older", "newer"]).as_deref(), with(&["only"])), (Some("older"), None));
    }
}
