//! `app …`: partner applications, their secrets and their grants.

mod changes;
mod find;
mod grants;
mod requests;
mod secrets;

use clap::{Args, Command};
use futures_util::FutureExt;
use serde_json::Value;

use self::find::ONE;
use crate::commands::context::Session;
use crate::commands::table::{
    Body, Column, CustomCommand, Invocation, Noun, Parameter, Row, Target, cells, heads,
};
use crate::failure::Outcome;
use crate::operator::{Method, Operator, OperatorResponse, Request, path};
use crate::terminal::{Cell, Tone};

pub(in crate::commands) use find::find;
pub(super) use find::find_id;
pub(in crate::commands) use secrets::{rotate, secret_of};

pub(in crate::commands) const APPLICATION: Noun = Noun {
    name: "app",
    about: "Manage partner applications",
    extra_help: "APP is an id, an API key or a name.",
    example: "app grant 'Time clock' EXAMPLE-1 read:companies read:payroll",
    rows: &[&[
        Row::send(
            Method::Post,
            "create",
            "Create an application, and print its API key and its secret once",
            "applications",
        )
        .body(Body::Own(changes::Creation::augment_args, changes::creation))
        .says(secrets::SHOWN_ONCE),
        Row::list("list", "List all applications", "applications", COLUMNS),
        Row::get("show", "Show an application with its secrets, without their values, and its grants", ONE)
            .then(|session, call, _| show_grants(session, call).boxed_local()),
        change("rename", "Rename an application")
            .takes(&[Parameter {
                name: "name",
                value: "NAME",
                help: "The new name, which must be unique",
                target: Target::Argument("name"),
            }])
            .body(Body::Members)
            .says("{app} is now called {name}."),
        change("set", "Change settings of an application. Other settings stay unchanged")
            .body(Body::Own(changes::Changes::augment_args, changes::changes))
            .says("{app} is changed."),
        Row {
            needs_confirmation: true,
            ..Row::send(
                Method::Delete,
                "delete",
                "Delete an application with its secrets and grants. Its next request is rejected",
                ONE,
            )
            .reads_version_at(ONE)
            .says("{app} is deleted.")
        },
        requests::ROW,
        custom_row(
            "drop-secret",
            "Revoke a secret and all tokens that were issued for it. Their next request is rejected",
            CustomCommand {
                arguments: secrets::DropSecretArguments::augment_args,
                run: |session, call| secrets::drop_one(session, call).boxed_local(),
            },
        ),
        custom_row(
            "rotate",
            "Create a secret and print it once. The previous one stays valid",
            CustomCommand {
                arguments: no_arguments,
                run: |session, call| secrets::run_rotate(session, call).boxed_local(),
            },
        ),
        custom_row(
            "add-key",
            "Register a public key in place of a secret. The application signs its token requests",
            CustomCommand {
                arguments: secrets::AddKeyArguments::augment_args,
                run: |session, call| secrets::add_key(session, call).boxed_local(),
            },
        ),
        change("disable", "Disable an application. It gets no tokens, and its existing tokens are rejected")
            .body(Body::Fixed(r#"{"enabled":false}"#))
            .says("{app} is disabled."),
        change("enable", "Enable a disabled application")
            .body(Body::Fixed(r#"{"enabled":true}"#))
            .says("{app} is enabled."),
        custom_row(
            "grant",
            "Grant scopes on a company, in addition to the existing ones",
            CustomCommand {
                arguments: grants::GrantArguments::augment_args,
                run: |session, call| grants::add(session, call).boxed_local(),
            },
        ),
        custom_row(
            "revoke",
            "Revoke scopes on a company. The next request that needs one is rejected",
            CustomCommand {
                arguments: grants::RevokeArguments::augment_args,
                run: |session, call| grants::remove(session, call).boxed_local(),
            },
        ),
    ]],
};

const COLUMNS: &[Column] = &[
    Column::value("APPLICATION", "/applicationId"),
    Column::value("NAME", "/name"),
    Column::value("CLIENT ID", "/clientId"),
    Column::computed("STATE", state),
    Column::computed("SECRETS", |application| secrets::secrets_of(application).count().to_string().into()),
    Column::value("REQUESTS A MINUTE", "/rateLimitPerMinute"),
];

const GRANTS: &[Column] = &[Column::value("COMPANY", "/companyId"), Column::value("SCOPES", "/scopes")];

/// Creates a row for a command that changes some members of an application.
const fn change(verb: &'static str, about: &'static str) -> Row {
    Row::send(Method::Patch, verb, about, ONE).reads_version_at(ONE)
}

/// Creates a row for a command with its own function.
const fn custom_row(verb: &'static str, about: &'static str, own: CustomCommand) -> Row {
    Row::get(verb, about, ONE).own(own)
}

/// Returns the command unchanged, because it needs no further arguments.
fn no_arguments(command: Command) -> Command {
    command
}

fn state(application: &Value) -> Cell {
    let enabled = application.get("enabled").and_then(Value::as_bool) == Some(true);
    let (state, tone) = if enabled { ("enabled", Tone::Good) } else { ("disabled", Tone::Off) };
    Cell::with_tone(state, tone)
}

/// Creates an application with its first secret. The response contains the value of the secret.
///
/// # Errors
/// The operator API reports faults in the application, or cannot store it.
pub(in crate::commands) async fn create(
    operator: &Operator,
    application: Value,
) -> Outcome<OperatorResponse> {
    operator.send(Request::new(Method::Post, path(&["applications"])).json(&application)).await
}

async fn show_grants(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    let granted = session.operator.send(Request::get(call.path(ONE).join("grants"))).await?;
    session.output.print_line("")?;
    session.output.list(&granted, &heads(GRANTS), |grant| cells(GRANTS, grant))
}
