//! `operator-key …`: keys of the operator's side.

use serde_json::{Value, json};

use crate::commands::output::text;
use crate::commands::table::{Body, Column, Noun, Parameter, Row, Target};
use crate::failure::{Failure, Outcome};
use crate::operator::{Answer, Method, Operator, Request, path};
use crate::terminal::{Cell, Tone};

pub(in crate::commands) const OPERATOR_KEY: Noun = Noun {
    name: "operator-key",
    about: "Make, list and revoke keys of the operator's side",
    more: "KEY is an id or a name.",
    example: "operator-key create 'night shift' --read-only",
    rows: &[&[
        Row::send(
            Method::Post,
            "create",
            "Make a key and print it, this once. Without --url it needs no other key, so that the first one \
             can be made",
            "keys",
        )
        .takes(&[
            Parameter {
                name: "name",
                value: "NAME",
                help: "Its name, which no other key has; the audit trail shows it",
                target: Target::Argument("name"),
            },
            Parameter {
                name: "read-only",
                value: "",
                help: "The key reads, with tax identities of persons masked, and writes nothing",
                target: Target::Flag("readOnly"),
            },
        ])
        .body(Body::Members)
        .says(
            "operator_key  {/value}\nkey_id        {/keyId}\n\
             The key is shown this once: only its hash is kept.",
        ),
        Row::list(
            "list",
            "List all keys, without their values",
            "keys",
            &[
                Column::value("KEY", "/keyId"),
                Column::value("NAME", "/name"),
                Column::computed("MAY", may),
                Column::value("MADE", "/createdDate"),
            ],
        ),
        Row {
            asks: true,
            ..Row::send(
                Method::Delete,
                "revoke",
                "Revoke a key. This stops the very next request",
                "keys/{key}",
            )
            .says("{key} is revoked.")
        },
    ]],
};

fn may(key: &Value) -> Cell {
    let read_only = key.get("readOnly").and_then(Value::as_bool) == Some(true);
    let (may, tone) = if read_only { ("read", Tone::Plain) } else { ("read and write", Tone::Good) };
    Cell::toned(may, tone)
}

/// Makes a key; the response contains its value.
///
/// # Errors
/// The name is no name or taken, or the key cannot be stored.
pub(in crate::commands) async fn create(operator: &Operator, name: &str, read_only: bool) -> Outcome<Answer> {
    let key = json!({"name": name, "readOnly": read_only});
    operator.send(Request::new(Method::Post, path(&["keys"])).json(&key)).await
}

/// The key with that id or name.
///
/// # Errors
/// The keys cannot be read.
pub(in crate::commands) async fn find(operator: &Operator, said: &str) -> Outcome<Option<Value>> {
    let keys = operator.send(Request::get(path(&["keys"]))).await?.content()?;
    Ok(keys.into_iter().find(|key| [text(key, "keyId"), text(key, "name")].contains(&said)))
}

/// The id of the key with that id or name.
///
/// # Errors
/// There is none, or the keys cannot be read.
pub(super) async fn find_id(operator: &Operator, said: &str) -> Outcome<String> {
    let key = find(operator, said).await?.ok_or_else(|| {
        Failure::refused(format!("no key has the id or name {said:?}; `operator-key list` shows them"))
    })?;
    Ok(text(&key, "keyId").to_owned())
}
