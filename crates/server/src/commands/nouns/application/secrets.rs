//! The secrets and public keys of an application.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::table::Invocation;
use crate::failure::{Failure, Outcome};
use crate::operator::{Method, OperatorClient, OperatorResponse, Request};

use super::find::{APPLICATION_PATH, application_path as place_of};

/// The text that is printed after an application was created.
pub(super) const SECRET_SENTENCE: &str = "client_id      {/clientId}\n\
    client_secret  {/secrets/0/value}\n\
    The secret is shown only once, because only its hash is stored.";

/// The arguments of the command `app drop-secret`.
#[derive(Debug, Args)]
pub(super) struct RevokeSecretArguments {
    /// The id of the secret, as `app show` shows it. Default: the older of the two secrets.
    secret: Option<String>,
}

/// The arguments of the command `app add-key`.
#[derive(Debug, Args)]
pub(super) struct AddKeyArguments {
    /// A file with the public key as a JSON web key (RFC 7517).
    file: PathBuf,
}

/// Creates another secret for an application. The response contains the value of the secret.
///
/// # Errors
/// The application does not exist, or the secret cannot be stored.
pub(in crate::commands) async fn rotate_secret(
    operator: &OperatorClient,
    application: &Value,
) -> Outcome<OperatorResponse> {
    operator.send(Request::new(Method::Post, place_of(application, &["secrets"]))).await
}

/// Returns the value of the secret in the response. No later response contains this value.
///
/// # Errors
/// The response does not have the format of the operator API.
pub(in crate::commands) fn secret_value(response: &OperatorResponse) -> Outcome<String> {
    Ok(text_member(&response.single_object()?, "value").to_owned())
}

/// Runs the command `app rotate`, which creates another secret.
pub(super) async fn run_rotate_secret(
    session: &mut OperatorCommandContext<'_>,
    call: &Invocation,
) -> Outcome {
    let application =
        session.operator.send(Request::get(call.fill_path(APPLICATION_PATH))).await?.single_object()?;
    let response = rotate_secret(&session.operator, &application).await?;
    let (client_id, secret) = (text_member(&application, "clientId"), secret_value(&response)?);
    let lines = format!(
        "client_id      {client_id}\n\
         client_secret  {secret}\n\
         The secret is shown only once, because only its hash is stored.{}",
        replaced_secret_note(&application)
    );
    session.output.print_result(&response, lines)
}

/// Runs the command `app add-key`, which registers a public key.
pub(super) async fn add_key(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let file = call.read::<AddKeyArguments>()?.file;
    let content = std::fs::read_to_string(&file)
        .map_err(|error| Failure::with_cause(format!("{} cannot be read", file.display()), &error))?;
    let key: Value = serde_json::from_str(&content).map_err(|error| {
        let problem =
            "is not JSON. Convert the public key to a JSON web key (docs/guides/sign-token-requests.md)";
        Failure::with_cause(format!("{} {problem}", file.display()), &error)
    })?;
    let application =
        session.operator.send(Request::get(call.fill_path(APPLICATION_PATH))).await?.single_object()?;
    let request = Request::new(Method::Post, place_of(&application, &["secrets"]));
    let response = session.operator.send(request.json(&json!({ "publicKey": key }))).await?;
    let created = response.single_object()?;
    let lines = format!(
        "client_id  {}\nkid        {}\nalg        {}\n\
         Sign a token for each token request with these values. The private key stays with the application.{}",
        text_member(&application, "clientId"),
        text_member(&created, "kid"),
        text_member(&created, "algorithm"),
        replaced_secret_note(&application),
    );
    session.output.print_result(&response, lines)
}

/// Returns a line about the oldest credential of the application, which the server deletes when a third one
/// is added. Credentials are secrets and public keys. `application` is the application before the change. The
/// line is empty if the application had fewer than two credentials.
fn replaced_secret_note(application: &Value) -> String {
    match application_secrets(application)
        .map(|secret| text_member(secret, "secretId"))
        .collect::<Vec<_>>()
        .as_slice()
    {
        [oldest, _, ..] => format!(
            "\nThe oldest secret or key, {oldest}, was deleted, because an application has at most two. Its tokens \
             are no longer valid."
        ),
        _ => String::new(),
    }
}

/// Runs the command `app drop-secret`, which deletes a secret or a key.
pub(super) async fn revoke_secret(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let secret = match call.read::<RevokeSecretArguments>()?.secret {
        Some(secret) => secret,
        None => {
            let application = session
                .operator
                .send(Request::get(call.fill_path(APPLICATION_PATH)))
                .await?
                .single_object()?;
            older_secret_id(&application)?
        }
    };
    let path = call.fill_path(APPLICATION_PATH).join("secrets").join(&secret);
    let response = session.operator.send(Request::new(Method::Delete, path)).await?;
    session.output.print_result(
        &response,
        format_args!("The secret {secret} of {} is revoked.", call.required_text("app")),
    )
}

/// Returns the id of the older of two secrets. If there is only one secret, the user must give the id
/// explicitly, because the application cannot get tokens without a secret.
fn older_secret_id(application: &Value) -> Outcome<String> {
    let ids: Vec<_> =
        application_secrets(application).map(|secret| text_member(secret, "secretId")).collect();
    match ids.as_slice() {
        [older, _, ..] => Ok((*older).to_owned()),
        _ => Err(Failure::refused(
            "the application has only one secret. Create a second one with `app rotate`, or revoke the only \
             one by its id",
        )),
    }
}

/// Returns the secrets and keys of an application, oldest first.
pub(super) fn application_secrets(application: &Value) -> impl Iterator<Item = &Value> {
    application.get("secrets").and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn revokes_the_older_of_two_secrets_without_an_id() {
        let with = |ids: &[&str]| {
            let secrets: Vec<_> = ids.iter().map(|id| json!({"secretId": id})).collect();
            older_secret_id(&json!({"secrets": secrets})).ok()
        };
        assert_eq!((with(&["older", "newer"]).as_deref(), with(&["only"])), (Some("older"), None));
    }
}
