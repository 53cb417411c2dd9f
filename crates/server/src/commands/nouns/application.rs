//! `app …`: partner applications, their secrets and their grants.

mod changes;
mod find;
mod grants;
mod requests;
mod secrets;

use clap::{Args, Command};
use futures_util::FutureExt;
use serde_json::Value;

use self::find::APPLICATION_PATH;
use crate::commands::context::OperatorCommandContext;
use crate::commands::table::{
    BodyKind, CommandNoun, CommandRow, CustomCommand, Invocation, Parameter, ParameterTarget, TableColumn,
    column_heads, row_cells,
};
use crate::failure::Outcome;
use crate::operator::{Method, OperatorClient, OperatorResponse, Request, path};
use crate::terminal::{Cell, TextTone};

pub(in crate::commands) use find::find;
pub(super) use find::find_id;
pub(in crate::commands) use secrets::{rotate_secret, secret_value};

pub(in crate::commands) const APPLICATION: CommandNoun = CommandNoun {
    name: "app",
    about: "Manage partner applications",
    extra_help: "APP is an id, an API key or a name.",
    example: "app grant 'Time clock' EXAMPLE-1 read:companies read:payroll",
    rows: &[&[
        CommandRow::send(
            Method::Post,
            "create",
            "Create an application, and print its API key and its secret once",
            "applications",
        )
        .with_body(BodyKind::Own(changes::CreateArguments::augment_args, changes::creation_document))
        .with_sentence(secrets::SECRET_SENTENCE),
        CommandRow::list("list", "List all applications", "applications", APPLICATION_COLUMNS),
        CommandRow::get(
            "show",
            "Show an application with its secrets, without their values, and its grants",
            APPLICATION_PATH,
        )
        .with_step_after_response(|session, call, _| show_grants(session, call).boxed_local()),
        change_row("rename", "Rename an application")
            .with_parameters(&[Parameter {
                name: "name",
                value: "NAME",
                help: "The new name, which must be unique",
                target: ParameterTarget::Argument("name"),
            }])
            .with_body(BodyKind::Members)
            .with_sentence("{app} is now called {name}."),
        change_row("set", "Change settings of an application, and keep the others")
            .with_body(BodyKind::Own(changes::ApplicationArguments::augment_args, changes::changes_document))
            .with_sentence("{app} was changed."),
        CommandRow {
            needs_confirmation: true,
            ..CommandRow::send(
                Method::Delete,
                "delete",
                "Delete an application with its secrets and grants. The server rejects its next request",
                APPLICATION_PATH,
            )
            .with_version_path(APPLICATION_PATH)
            .with_sentence("{app} was deleted.")
        },
        requests::REQUESTS_ROW,
        custom_row(
            "drop-secret",
            "Revoke a secret and all tokens that were issued for it. The server rejects requests with them",
            CustomCommand {
                arguments: secrets::RevokeSecretArguments::augment_args,
                run: |session, call| secrets::revoke_secret(session, call).boxed_local(),
            },
        ),
        custom_row(
            "rotate",
            "Create a secret and print it once. The newest existing secret stays valid, and an older one is \
             deleted",
            CustomCommand {
                arguments: no_arguments,
                run: |session, call| secrets::run_rotate_secret(session, call).boxed_local(),
            },
        ),
        custom_row(
            "add-key",
            "Register a public key, so that the application signs its token requests and sends no secret",
            CustomCommand {
                arguments: secrets::AddKeyArguments::augment_args,
                run: |session, call| secrets::add_key(session, call).boxed_local(),
            },
        ),
        change_row(
            "disable",
            "Disable an application, so that it gets no tokens and its existing tokens are rejected",
        )
        .with_body(BodyKind::Fixed(r#"{"enabled":false}"#))
        .with_sentence("{app} is disabled."),
        change_row("enable", "Enable a disabled application")
            .with_body(BodyKind::Fixed(r#"{"enabled":true}"#))
            .with_sentence("{app} is enabled."),
        custom_row(
            "grant",
            "Grant scopes for a company, in addition to those that the application already has",
            CustomCommand {
                arguments: grants::GrantArguments::augment_args,
                run: |session, call| grants::add_scopes(session, call).boxed_local(),
            },
        ),
        custom_row(
            "revoke",
            "Revoke scopes for a company. The next request that needs one of them is rejected",
            CustomCommand {
                arguments: grants::RevokeArguments::augment_args,
                run: |session, call| grants::remove_scopes(session, call).boxed_local(),
            },
        ),
    ]],
};

const APPLICATION_COLUMNS: &[TableColumn] = &[
    TableColumn::value("APPLICATION", "/applicationId"),
    TableColumn::value("NAME", "/name"),
    TableColumn::value("CLIENT ID", "/clientId"),
    TableColumn::computed("STATE", state_cell),
    TableColumn::computed("SECRETS", |application| {
        secrets::application_secrets(application).count().to_string().into()
    }),
    TableColumn::value("REQUESTS A MINUTE", "/rateLimitPerMinute"),
];

const GRANT_COLUMNS: &[TableColumn] =
    &[TableColumn::value("COMPANY", "/companyId"), TableColumn::value("SCOPES", "/scopes")];

/// Creates a row for a command that changes some members of an application.
const fn change_row(verb: &'static str, about: &'static str) -> CommandRow {
    CommandRow::send(Method::Patch, verb, about, APPLICATION_PATH).with_version_path(APPLICATION_PATH)
}

/// Creates a row for a command with a custom function.
const fn custom_row(verb: &'static str, about: &'static str, own: CustomCommand) -> CommandRow {
    CommandRow::get(verb, about, APPLICATION_PATH).with_custom_command(own)
}

/// Returns the command unchanged, because it needs no further arguments.
fn no_arguments(command: Command) -> Command {
    command
}

fn state_cell(application: &Value) -> Cell {
    let enabled = application.get("enabled").and_then(Value::as_bool) == Some(true);
    let (state, tone) = if enabled { ("enabled", TextTone::Good) } else { ("disabled", TextTone::Off) };
    Cell::with_tone(state, tone)
}

/// Creates an application with its first secret. The response contains the value of the secret.
///
/// # Errors
/// The operator API reports faults in the application, or cannot store the application.
pub(in crate::commands) async fn create(
    operator: &OperatorClient,
    application: Value,
) -> Outcome<OperatorResponse> {
    operator.send(Request::new(Method::Post, path(&["applications"])).json(&application)).await
}

async fn show_grants(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    let granted =
        session.operator.send(Request::get(call.fill_path(APPLICATION_PATH).join("grants"))).await?;
    session.output.print_line("")?;
    session.output.print_list(&granted, &column_heads(GRANT_COLUMNS), |grant| row_cells(GRANT_COLUMNS, grant))
}
