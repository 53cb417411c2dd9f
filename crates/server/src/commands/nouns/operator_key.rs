//! `operator-key …`: the keys of the operator API.

use serde_json::{Value, json};

use crate::commands::output::text_member;
use crate::commands::table::{BodyKind, CommandNoun, CommandRow, Parameter, ParameterTarget, TableColumn};
use crate::failure::{Failure, Outcome};
use crate::operator::{Method, OperatorClient, OperatorResponse, Request, path};
use crate::terminal::{Cell, TextTone};

pub(in crate::commands) const OPERATOR_KEY: CommandNoun = CommandNoun {
    name: "operator-key",
    about: "Create, list and revoke operator keys",
    extra_help: "KEY is an id or a name.",
    example: "operator-key create 'Ann, laptop' --operator Ann --role payroll",
    rows: &[&[
        CommandRow::send(
            Method::Post,
            "create",
            "Create a key and print it. It cannot be shown again. Without --url, no other key is needed, so \
             you can create the first key this way",
            "keys",
        )
        .with_parameters(&[
            Parameter {
                name: "name",
                value: "NAME",
                help: "The name of the key, which must be unique",
                target: ParameterTarget::Argument("name"),
            },
            Parameter::member(
                "operator",
                "OPERATOR",
                "operatorName",
                "The person or machine that owns the key. An owner can have several keys. Default: NAME. \
                 The audit log and approvals show the owner",
            ),
            Parameter::member(
                "role",
                "ROLE",
                "role",
                "administrator (everything, the default), payroll (reads everything, and writes workers, pay periods, \
                 checks and completions), support (reads who works where and what is paid, and resends notifications) or auditor \
                 (reads everything, and writes nothing)",
            ),
            Parameter::members(
                "company",
                "COMPANY",
                "companyIds",
                "Restrict the key to this company. Can be repeated. Default: all companies",
            ),
            Parameter::member(
                "expires",
                "INSTANT",
                "expiresDate",
                "The time at which the key expires, as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ssZ in UTC. Default: \
                 never",
            ),
            Parameter {
                name: "read-only",
                value: "",
                help: "Create a key that can only read, like --role auditor",
                target: ParameterTarget::Flag("readOnly"),
            },
        ])
        .with_body(BodyKind::Members)
        .with_sentence(
            "operator_key  {/value}\n\
             key_id        {/keyId}\n\
             The key is shown only once, because only its hash is stored.",
        ),
        CommandRow::list(
            "list",
            "List all keys, without their values",
            "keys",
            &[
                TableColumn::value("KEY", "/keyId"),
                TableColumn::value("NAME", "/name"),
                TableColumn::value("OPERATOR", "/operatorName"),
                TableColumn::computed("ROLE", role_cell),
                TableColumn::computed("COMPANIES", companies_cell),
                TableColumn::value("MADE", "/createdDate"),
                TableColumn::value("EXPIRES", "/expiresDate"),
                TableColumn::value("LAST USED", "/lastUsedDate"),
            ],
        ),
        CommandRow {
            needs_confirmation: true,
            ..CommandRow::send(
                Method::Delete,
                "revoke",
                "Revoke a key. The server rejects the next request with it",
                "keys/{key}",
            )
            .with_sentence("{key} is revoked.")
        },
    ]],
};

fn role_cell(key: &Value) -> Cell {
    let role = text_member(key, "role");
    Cell::with_tone(role, if role == "administrator" { TextTone::Good } else { TextTone::Plain })
}

fn companies_cell(key: &Value) -> Cell {
    let ids = key.get("companyIds").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let ids = ids.collect::<Vec<_>>().join(" ");
    Cell::with_tone(if ids.is_empty() { "all".to_owned() } else { ids }, TextTone::Plain)
}

/// Creates a key. The response contains the value of the key.
///
/// # Errors
/// The name is invalid or in use, or the key cannot be stored.
pub(in crate::commands) async fn create(operator: &OperatorClient, name: &str) -> Outcome<OperatorResponse> {
    let key = json!({"name": name});
    operator.send(Request::new(Method::Post, path(&["keys"])).json(&key)).await
}

/// Finds the key with this id or name. `None` if there is no such key.
///
/// # Errors
/// The keys cannot be read.
pub(in crate::commands) async fn find(operator: &OperatorClient, name_or_id: &str) -> Outcome<Option<Value>> {
    let keys = operator.send(Request::get(path(&["keys"]))).await?.content()?;
    Ok(keys
        .into_iter()
        .find(|key| [text_member(key, "keyId"), text_member(key, "name")].contains(&name_or_id)))
}

/// Returns the id of the key with this id or name.
///
/// # Errors
/// No key matches, or the keys cannot be read.
pub(super) async fn find_id(operator: &OperatorClient, name_or_id: &str) -> Outcome<String> {
    let key = find(operator, name_or_id).await?.ok_or_else(|| {
        Failure::unknown_object(format!(
            "no key has the id or name {name_or_id:?}. `operator-key list` shows all keys"
        ))
    })?;
    Ok(text_member(&key, "keyId").to_owned())
}
