//! `operator-key …`: keys of the operator's side.

use serde_json::{Value, json};

use super::context::Session;
use super::output::text;
use crate::cli::OperatorKeyCommand;
use crate::failure::{Failure, Outcome};
use crate::operator::{Answer, Method, Operator, Request, path};
use crate::terminal::{Cell, Tone};

pub(super) async fn run(mut session: Session<'_>, command: OperatorKeyCommand) -> Outcome {
    match command {
        OperatorKeyCommand::Create { name, read_only } => {
            let answer = create(&session.operator, &name, read_only).await?;
            let key = answer.one()?;
            let lines = format!(
                "operator_key  {}\nkey_id        {}\nThe key is shown this once: only its hash is kept.",
                text(&key, "value"),
                text(&key, "keyId"),
            );
            session.output.done(&answer, lines)
        }
        OperatorKeyCommand::List => list(&mut session).await,
        OperatorKeyCommand::Revoke { key } => revoke(&mut session, &key).await,
    }
}

/// Makes a key; the answer holds its value.
///
/// # Errors
/// The name is no name or taken, or the key cannot be stored.
pub(super) async fn create(operator: &Operator, name: &str, read_only: bool) -> Outcome<Answer> {
    let key = json!({"name": name, "readOnly": read_only});
    operator.send(Request::new(Method::Post, path(&["keys"])).json(&key)).await
}

async fn list(session: &mut Session<'_>) -> Outcome {
    let answer = session.operator.send(Request::get(path(&["keys"]))).await?;
    session.output.list(&answer, ["KEY", "NAME", "MAY", "MADE"], |key| {
        let read_only = key.get("readOnly").and_then(Value::as_bool) == Some(true);
        let (may, tone) = if read_only { ("read", Tone::Plain) } else { ("read and write", Tone::Good) };
        [
            text(key, "keyId").into(),
            text(key, "name").into(),
            Cell::toned(may, tone),
            text(key, "createdDate").into(),
        ]
    })
}

async fn revoke(session: &mut Session<'_>, said: &str) -> Outcome {
    let key = find(&session.operator, said).await?.ok_or_else(|| {
        Failure::refused(format!("no key has the id or name {said:?}; `operator-key list` shows them"))
    })?;
    let request = Request::new(Method::Delete, path(&["keys", text(&key, "keyId")]));
    let answer = session.operator.send(request).await?;
    session.output.done(&answer, format_args!("{said} is revoked."))
}

/// The key with that id or name.
///
/// # Errors
/// The keys cannot be read.
pub(super) async fn find(operator: &Operator, said: &str) -> Outcome<Option<Value>> {
    let keys = operator.send(Request::get(path(&["keys"]))).await?.content()?;
    Ok(keys.into_iter().find(|key| [text(key, "keyId"), text(key, "name")].contains(&said)))
}
