//! `audit`: shows all changes with their actors and times. The table shows only the names of the changed
//! members, because the values need more room. `--json` prints the documents before and after the change.

use std::collections::BTreeSet;

use futures_util::FutureExt;
use serde_json::Value;

use crate::commands::output::text_member;
use crate::commands::table::{
    BEFORE_PARAMETER, CommandNoun, CommandRow, LIMIT_PARAMETER, Parameter, TableColumn,
};
use crate::terminal::Cell;

pub(in crate::commands) const AUDIT: CommandNoun = CommandNoun {
    name: "audit",
    about: "Show the audit log: who changed what, and when",
    extra_help: "",
    example: "audit --company EXAMPLE-1 --kind worker --limit 20",
    rows: &[&[CommandRow::list("", "", "audit", AUDIT_COLUMNS)
        .with_parameters(&[
            Parameter::query("company", "COMPANY", "companyid", "Show only changes in this company"),
            Parameter::query(
                "kind",
                "KIND",
                "kind",
                "Show only changes of this kind of object, such as worker or grant",
            ),
            Parameter::query("id", "ID", "resourceid", "Show only changes of the object with this id"),
            Parameter::query(
                "from",
                "INSTANT",
                "from",
                "Show only changes at this time or later, as yyyy-MM-ddTHH:mm:ssZ",
            ),
            Parameter::query("until", "INSTANT", "until", "Show only changes before this time"),
            Parameter { value: "POSITION", ..BEFORE_PARAMETER }
                .with_help("Show the next page, which has the rows before this position"),
            LIMIT_PARAMETER.with_help("The maximum number of rows"),
        ])
        .with_step_after_response(|session, _, response| {
            async { session.print_older_page_hint(response) }.boxed_local()
        })]],
};

const AUDIT_COLUMNS: &[TableColumn] = &[
    TableColumn::value("TIME", "/at"),
    TableColumn::computed("WHO", |row| actor_name(row).into()),
    TableColumn::value("ACTION", "/action"),
    TableColumn::value("KIND", "/resource/kind"),
    TableColumn::value("ID", "/resource/id"),
    TableColumn::value("COMPANY", "/companyId"),
    TableColumn::computed("WHAT", |row| Cell::from(changed_members(row))),
];

/// Returns the name of the actor for a table cell. For actors other than operators, the actor kind follows in
/// parentheses, unless the name already starts with this kind.
fn actor_name(row: &Value) -> String {
    let Some(actor) = row.get("actor") else { return String::new() };
    match (text_member(actor, "kind"), text_member(actor, "name")) {
        ("operator", name) => name.to_owned(),
        (kind, name) if name.starts_with(kind) => name.to_owned(),
        (kind, name) => format!("{name} ({kind})"),
    }
}

/// Returns the names of the changed members. The text is empty if the object was created or deleted.
fn changed_members(row: &Value) -> String {
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
    fn a_row_contains_the_changed_members() {
        let row = json!({"before": {"a": 1, "b": 2, "c": 3}, "after": {"a": 1, "b": 3, "d": 4}});
        assert_eq!(changed_members(&row), "b c d");
        assert_eq!(changed_members(&json!({"after": {"a": 1}})), "");
    }

    #[test]
    fn shows_the_interface_of_other_actors() {
        assert_eq!(actor_name(&json!({"actor": {"kind": "operator", "name": "night shift"}})), "night shift");
        assert_eq!(
            actor_name(&json!({"actor": {"kind": "command line", "name": "import"}})),
            "import (command line)"
        );
        let by_hand = json!({"actor": {"kind": "command line", "name": "command line (ann)"}});
        assert_eq!(actor_name(&by_hand), "command line (ann)");
    }
}
