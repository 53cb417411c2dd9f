//! `audit`: who changed what, and when. The documents before and after are in `--json`; a table has
//! room for the names of what differs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::context::Session;
use super::output::text;
use crate::cli::AuditArguments;
use crate::failure::Outcome;
use crate::operator::{Request, path};

pub(super) async fn run(mut session: Session<'_>, arguments: AuditArguments) -> Outcome {
    let trail = path(&["audit"])
        .with("companyid", arguments.company)
        .with("kind", arguments.kind)
        .with("resourceid", arguments.id)
        .with("from", arguments.from)
        .with("until", arguments.until)
        .with("before", arguments.before)
        .with("limit", arguments.limit);
    let answer = session.operator.send(Request::get(trail)).await?;
    let shown =
        session.output.list(&answer, ["TIME", "WHO", "ACTION", "KIND", "ID", "COMPANY", "WHAT"], |row| {
            [
                text(row, "at").into(),
                who(row).into(),
                text(row, "action").into(),
                resource(row, "kind").into(),
                resource(row, "id").into(),
                text(row, "companyId").into(),
                changed(row).into(),
            ]
        });
    shown?;
    match answer.link_parameter("next", "before")? {
        Some(before) if !session.output.is_json() => {
            session.message(format_args!("Older ones: --before {before}"))
        }
        Some(_) | None => Ok(()),
    }
}

/// A member of what a row is about.
fn resource<'v>(row: &'v Value, member: &str) -> &'v str {
    row.get("resource").map_or("", |resource| text(resource, member))
}

/// The name of who did it, with the door they came by where that is not the operators' and not the
/// name itself.
fn who(row: &Value) -> String {
    let Some(actor) = row.get("actor") else { return String::new() };
    match (text(actor, "kind"), text(actor, "name")) {
        ("operator", name) => name.to_owned(),
        (kind, name) if kind == name => name.to_owned(),
        (kind, name) => format!("{name} ({kind})"),
    }
}

/// The names of the members that differ; nothing for what is new or gone, where all do.
fn changed(row: &Value) -> String {
    let side = |name: &str| row.get(name).and_then(Value::as_object);
    let (Some(before), Some(after)) = (side("before"), side("after")) else { return String::new() };
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = |name: &&String| before.get(*name) != after.get(*name);
    names.into_iter().filter(differs).map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_names_what_differs() {
        let row = json!({"before": {"a": 1, "b": 2, "c": 3}, "after": {"a": 1, "b": 3, "d": 4}});
        assert_eq!(changed(&row), "b c d");
        assert_eq!(changed(&json!({"after": {"a": 1}})), "");
    }

    #[test]
    fn who_came_by_another_door_is_told_with_it() {
        assert_eq!(who(&json!({"actor": {"kind": "operator", "name": "night shift"}})), "night shift");
        assert_eq!(
            who(&json!({"actor": {"kind": "command line", "name": "import"}})),
            "import (command line)"
        );
    }
}
