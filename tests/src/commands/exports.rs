//! Tests that `import` accepts the output of `export` without loss.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::command_line::{
    CommandResult, parse_document, run_on_server, run_with_and_without_server,
};
use crate::support::world::{company, test_data_lines};
use crate::support::{Database, Process, for_each_kind, run, with_member};

/// Returns four companies: a parent, its subsidiary, a company with every member that a line can contain, and
/// a company with only the required members.
fn import_file() -> String {
    let complete: Value =
        serde_json::from_str(include_str!("../../../crates/domain/src/document/tests/complete_company.json"))
            .expect("JSON");
    let mut complete = with_member(complete, "lock", json!({"holder": "night shift", "reason": "Month end"}));
    complete.as_object_mut().expect("an object").remove("parentCompanyId");
    let above = with_member(company("ABOVE", "00000009"), "legalName", "Zoë \"Z\" & Söhne \\ \u{1f600}");
    let below = with_member(company("BELOW", "00000008"), "parentCompanyId", "ABOVE");
    format!("{above}\n{below}\n{complete}\n{}\n", company("PLAIN", "00000007"))
}

async fn create_empty_database(kind: crate::support::DatabaseKind) -> Database {
    let database = Database::empty(kind).await;
    assert!(run(&database, &["migrate", "--create"], "").status.success());
    database
}

fn run_command(database: &Database, arguments: &[&str], input: &str) -> CommandResult {
    run(database, arguments, input).into()
}

fn export_all(database: &Database) -> String {
    let reported = run_command(database, &["export", "--all", "-"], "");
    assert_eq!(reported.code, Some(0), "{reported:?}");
    reported.out
}

#[test]
fn an_export_is_the_same_after_an_import_into_any_database() {
    for_each_kind(async |from| {
        let source = create_empty_database(from).await;
        assert_eq!(run_command(&source, &["import", "-"], &import_file()).code, Some(0));
        let first = export_all(&source);
        assert_eq!(first.lines().count(), 4);
        for to in crate::support::DatabaseKind::available() {
            let target = create_empty_database(to).await;
            let imported = run_command(&target, &["import", "-"], &first);
            assert_eq!((imported.code, imported.errors.as_str()), (Some(0), ""), "{imported:?}");
            assert_eq!(export_all(&target), first);
            let again = run_command(&target, &["import", "-"], &first);
            assert!(again.out.contains(" 0 created, 0 changed"), "{again:?}");
            target.return_to_pool().await;
        }
        source.return_to_pool().await;
    });
}

#[test]
fn an_export_omits_and_reports_the_checks_of_open_periods() {
    run_with_and_without_server(async |commands| {
        let reported = commands.run(&["export", "--all", "-"]);
        assert_eq!(reported.code, Some(0), "{reported:?}");
        let companies: Vec<Value> =
            reported.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(companies.len(), test_data_lines().len());
        assert!(reported.errors.contains("written to standard output"), "{reported:?}");
    });
}

#[test]
fn an_export_writes_parents_first_and_reports_a_missing_parent() {
    for_each_kind(async |kind| {
        let database = create_empty_database(kind).await;
        assert_eq!(run_command(&database, &["import", "-"], &import_file()).code, Some(0));
        let both = run_command(&database, &["export", "BELOW", "ABOVE", "BELOW", "-"], "");
        let ids: Vec<Value> =
            both.out.lines().map(|line| parse_document(line)["companyId"].clone()).collect();
        assert_eq!(ids, ["ABOVE", "BELOW"]);
        let alone = run_command(&database, &["export", "BELOW", "-"], "");
        assert!(alone.errors.contains("the parent ABOVE of company BELOW is not exported"), "{alone:?}");
        database.return_to_pool().await;
    });
}

#[test]
fn an_export_file_is_complete_private_and_only_replaced_on_request() {
    run_with_and_without_server(async |commands| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out.ndjson");
        let name = file.to_str().expect("a name");
        let counted = commands.run_json(&["export", "LOCKED", name]);
        assert_eq!(counted, json!({"companies": 1, "checksLeftOut": 0}));
        assert_eq!(is_private_to_owner(&file), Some(true));
        let before = std::fs::read(&file).expect("the file");
        let again = commands.run(&["export", "LOCKED", name]);
        assert!(again.code == Some(2) && again.errors.contains("--force"), "{again:?}");
        assert_eq!(std::fs::read(&file).expect("the file"), before);
        commands.run_successfully(&["export", "--force", "--all", name]);
        let unknown = folder.path().join("unknown.ndjson");
        let refused = commands.run(&["export", "LOCKED", "NOBODY", unknown.to_str().expect("a name")]);
        assert!(refused.code == Some(1) && refused.errors.contains("API-7"), "{refused:?}");
        assert!(!unknown.exists());
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    });
}

#[cfg(unix)]
#[test]
fn an_output_file_of_a_command_does_not_replace_a_socket() {
    run_with_and_without_server(async |commands| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        let name = path.to_str().expect("a name");
        let refused = commands.run(&["export", "--force", "--all", name]);
        assert!(refused.code == Some(2) && refused.errors.contains("not a regular file"), "{refused:?}");
        assert!(!path.metadata().expect("the socket").is_file());
    });
}

#[cfg(unix)]
fn is_private_to_owner(file: &Path) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    Some(std::fs::metadata(file).ok()?.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn always_private(_: &Path) -> Option<bool> {
    Some(true)
}

#[test]
fn invalid_arguments_of_an_export_are_rejected() {
    run_with_and_without_server(async |commands| {
        for words in [&["export", "-"][..], &["export", "--all", "LOCKED", "-"], &["export", "a/b?c=d", "-"]]
        {
            let reported = commands.run(words);
            assert!(reported.code != Some(0) && reported.out.is_empty(), "{words:?}: {reported:?}");
        }
    });
}

#[test]
fn checks_of_an_open_period_are_counted_and_a_read_only_key_is_rejected() {
    for_each_kind(async |kind| {
        let database = create_empty_database(kind).await;
        let open = with_member(
            company("OPEN", "00000001"),
            "payPeriods",
            json!([{"payPeriodId": "P", "intervalCode": "WEEKLY", "status": "ENTRY",
                "startDate": "2026-01-05", "endDate": "2026-01-11", "checkDate": "2026-01-16"}]),
        );
        assert_eq!(run_command(&database, &["import", "-"], &open.to_string()).code, Some(0));
        database.execute("UPDATE pay_periods SET check_count = 3, removed_checks = 1").await;
        let export = run_command(&database, &["export", "OPEN", "-"], "");
        assert!(export.errors.contains("are not exported: 2"), "{export:?}");
        let key = |arguments: &[&str]| {
            let created =
                run_command(&database, &[&["operator-key", "create", "--json"], arguments].concat(), "");
            parse_document(&created.out)["content"][0]["value"].as_str().expect("a key").to_owned()
        };
        let (reader, writer) = (key(&["reader", "--read-only"]), key(&["writer"]));
        let server = Process::serve(&database);
        let refused = run_on_server(&server, &reader, &["export", "OPEN", "-"], "");
        assert!(refused.code == Some(1) && refused.errors.contains("API-2"), "{refused:?}");
        let allowed = run_on_server(&server, &writer, &["export", "OPEN", "-"], "");
        assert_eq!(allowed.out, export.out);
        drop(server);
        database.return_to_pool().await;
    });
}
