//! Tests that `import` gives the same results through a running server and on the database itself.

use serde_json::Value;

use crate::support::OPERATOR_KEY;
use crate::support::command_line::{CommandResult, parse_document, run_on_server};
use crate::support::world::{company, test_data_lines, worker};
use crate::support::{Process, on_every_database_kind, run, with_member};

/// Returns the lines of an import file: two new companies with an invalid one between them, a line that is
/// not JSON, an empty line, the existing companies, and a duplicate. One existing company would change, but a
/// pay period in processing locks it.
fn import_file() -> String {
    let bad = with_member(
        company("BAD", "00000002"),
        "workers",
        vec![with_member(worker("W", "EMPLOYEE"), "workerType", "ROBOT")],
    );
    let new = [company("NEW-1", "00000001"), bad, company("NEW-2", "00000003")];
    let text = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let renamed = |line: Value| {
        if line["companyId"] == "BUSY" { with_member(line, "legalName", "Other LLC") } else { line }
    };
    let world: Vec<Value> = test_data_lines().into_iter().map(renamed).collect();
    format!("{}{{\"companyId\"\n\n{}{}", text(&new), text(&world), text(&new[..1]))
}

#[test]
fn an_import_reports_the_same_with_and_without_a_server() {
    on_every_database_kind(async |database| {
        // The first import stores the new companies. The next two imports then start with the same data and
        // must have the same result.
        run(database, &["import", "-"], &import_file());
        let here: CommandResult = run(database, &["import", "-"], &import_file()).into();
        let server = Process::serve(database);
        let there = run_on_server(&server, OPERATOR_KEY, &["import", "-"], &import_file());
        assert_eq!(here.code, Some(1));
        assert!(here.errors.contains("line 2: API-48") && here.errors.contains("line 4: API-40"), "{here:?}");
        assert!(here.errors.contains("company BUSY is locked"), "{here:?}");
        assert!(here.errors.contains("API-409 company NEW-1 is already in line 1"), "{here:?}");
        assert_eq!((here.out, here.errors), (there.out, there.errors));
    });
}

#[test]
fn an_import_prints_its_counts_as_one_document() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let new = company("NEW", "00000001").to_string();
        let reported = run_on_server(&server, OPERATOR_KEY, &["import", "-", "--json"], &new);
        let counted = parse_document(&reported.out);
        assert_eq!((&counted["stored"], &counted["refused"]), (&1.into(), &0.into()), "{reported:?}");
        assert_eq!(counted["objects"]["created"], 1);
    });
}

#[test]
fn a_dry_run_reports_the_same_with_and_without_a_server_and_stores_nothing() {
    on_every_database_kind(async |database| {
        let companies = "SELECT cast(count(*) + sum(version) AS bigint) FROM companies";
        let before = database.query_number(companies).await;
        let here: CommandResult = run(database, &["import", "--dry-run", "-"], &import_file()).into();
        let server = Process::serve(database);
        let there = run_on_server(&server, OPERATOR_KEY, &["import", "-", "--dry-run"], &import_file());
        assert_eq!(here.code, Some(1));
        assert!(
            here.out.starts_with("Nothing is stored. Companies: ") && here.out.contains(" valid, "),
            "{here:?}"
        );
        assert!(
            here.errors.contains("line 2: API-48") && here.errors.contains("company BUSY is locked"),
            "{here:?}"
        );
        assert_eq!((&here.out, &here.errors), (&there.out, &there.errors));
        drop(server);
        assert_eq!(database.query_number(companies).await, before);
        let stored: CommandResult = run(database, &["import", "-"], &import_file()).into();
        let counted = |reported: &CommandResult| {
            reported.out.split_once("Objects").map(|(_, counts)| counts.to_owned())
        };
        assert_eq!(counted(&stored), counted(&here));
    });
}
