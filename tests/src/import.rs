//! Importing from the command line: what is stored, what is refused and where, and the exit code.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::world::{company, lines, worker};
use crate::support::{Database, for_each_kind, run, with};

/// Runs a test on an empty database of each kind.
fn on_empty_databases(test: impl AsyncFn(&Database)) {
    for_each_kind(async |kind| {
        let database = Database::empty(kind).await;
        test(&database).await;
        database.give_on().await;
    });
}

/// Imports these lines from standard input; exit code, output and errors.
fn import(database: &Database, lines: &[Value]) -> (Option<i32>, String, String) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    import_text(database, &text)
}

fn import_text(database: &Database, text: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = run(database, &["import", "-"], text);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// The companies of the world that nobody locks.
fn unlocked() -> Vec<Value> {
    lines().into_iter().filter(|it| it["companyId"] != "LOCKED" && it["companyId"] != "BUSY").collect()
}

async fn companies(database: &Database) -> i64 {
    database.number("SELECT count(*) FROM companies").await
}

#[test]
fn a_good_file_is_stored_whole() {
    on_empty_databases(async |database| {
        let (code, told, errors) = import(database, &unlocked());
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{told}");
        assert_eq!(companies(database).await, 7);
    });
}

#[test]
fn the_same_file_again_changes_nothing() {
    on_empty_databases(async |database| {
        import(database, &unlocked());
        let versions = "SELECT cast(sum(version) AS bigint) FROM companies";
        let before = database.number(versions).await;
        let (code, told, errors) = import(database, &unlocked());
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{told}");
        assert!(told.contains("0 created") && told.contains("0 changed"), "{told}");
        assert_eq!(database.number(versions).await, before);
    });
}

#[test]
fn a_bad_line_in_the_middle_is_told_with_its_number_and_pointer_and_the_others_are_stored() {
    on_empty_databases(async |database| {
        let bad = with(
            company("BAD", "00000002"),
            "workers",
            vec![with(worker("W", "EMPLOYEE"), "workerType", "ROBOT")],
        );
        let file = [company("A", "00000001"), bad, company("B", "00000003")];
        let (code, _, errors) = import(database, &file);
        assert_eq!(code, Some(1));
        assert!(errors.contains("line 2: API-48") && errors.contains("/workers/0/workerType"), "{errors}");
        assert_eq!(companies(database).await, 2);
    });
}

#[test]
fn every_fault_of_a_line_is_told() {
    on_empty_databases(async |database| {
        let bad = json!({"companyId": "no id", "displayId": "1", "workres": []});
        let (_, _, errors) = import(database, &[bad]);
        for place in ["/companyId", "/workres", "/legalName"] {
            assert!(errors.contains(place), "{place}: {errors}");
        }
    });
}

#[test]
fn a_line_that_is_no_json_is_told_and_the_next_one_stored() {
    on_empty_databases(async |database| {
        let text = format!("{{\"companyId\"\n\n\u{feff}{{}}\n{}\n", company("A", "00000001"));
        let (code, _, errors) = import_text(database, &text);
        assert_eq!((code, companies(database).await), (Some(1), 1), "{errors}");
        assert!(errors.contains("line 1: API-40") && errors.contains("line 3: API-40"), "{errors}");
    });
}

#[test]
fn a_reference_to_nothing_is_refused_with_the_whole_company() {
    on_empty_databases(async |database| {
        let astray = with(worker("W", "EMPLOYEE"), "organization", json!({"organizationId": "NOWHERE"}));
        let (code, _, errors) = import(database, &[with(company("A", "00000001"), "workers", vec![astray])]);
        assert_eq!((code, companies(database).await), (Some(1), 0), "{errors}");
        assert!(errors.contains("line 1: ") && errors.contains("NOWHERE"), "{errors}");
    });
}

#[test]
fn an_object_of_the_file_replaces_the_stored_one_and_what_is_absent_stays() {
    on_empty_databases(async |database| {
        let workers = vec![worker("W1", "EMPLOYEE"), worker("W2", "EMPLOYEE")];
        import(database, &[with(company("A", "00000001"), "workers", workers)]);
        let changed = with(company("A", "00000001"), "workers", vec![worker("W2", "CONTRACTOR")]);
        let (code, told, _) = import(database, &[changed]);
        assert_eq!(code, Some(0), "{told}");
        let of = "SELECT count(*) FROM workers WHERE";
        assert_eq!(database.number(&format!("{of} worker_id = 'W1' AND worker_type = 'EMPLOYEE'")).await, 1);
        assert_eq!(
            database.number(&format!("{of} worker_id = 'W2' AND worker_type = 'CONTRACTOR'")).await,
            1
        );
    });
}

#[test]
fn a_locked_company_is_refused() {
    on_empty_databases(async |database| {
        let locked = with(company("A", "00000001"), "lock", json!({"holder": "operator"}));
        assert_eq!(import(database, std::slice::from_ref(&locked)).0, Some(0));
        let (code, _, errors) = import(database, &[with(locked, "legalName", "Other LLC")]);
        assert_eq!(code, Some(1));
        assert!(errors.contains("line 1: API-10"), "{errors}");
    });
}

#[test]
fn a_file_that_is_not_there_is_exit_code_2_without_a_panic() {
    on_empty_databases(async |database| {
        let Output { status, stderr, .. } = run(database, &["import", "/nowhere/at-all.ndjson"], "");
        let told = String::from_utf8(stderr).expect("text");
        assert_eq!(status.code(), Some(2), "{told}");
        assert!(told.contains("/nowhere/at-all.ndjson") && !told.contains("panicked"), "{told}");
    });
}
