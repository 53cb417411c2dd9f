//! Tests of the command `import`: stored and rejected lines, their faults, and the exit code.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::world::{company, period, test_data_lines, worker};
use crate::support::{Database, for_each_kind, run, start_with_input, with_member};

/// Runs a test on an empty database of each kind.
fn run_on_empty_databases(test: impl AsyncFn(&Database)) {
    for_each_kind(async |kind| {
        let database = Database::empty(kind).await;
        assert!(run(&database, &["migrate", "--create"], "").status.success());
        test(&database).await;
        database.return_to_pool().await;
    });
}

/// Imports these lines from standard input. Returns the exit code, the output and the errors.
fn import_lines(database: &Database, lines: &[Value]) -> (Option<i32>, String, String) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    import_text(database, &text)
}

fn import_text(database: &Database, text: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = run(database, &["import", "-"], text);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Returns the companies of the test data, except those that have a lock.
fn unlocked_lines() -> Vec<Value> {
    test_data_lines()
        .into_iter()
        .filter(|it| it["companyId"] != "LOCKED" && it["companyId"] != "BUSY")
        .collect()
}

async fn count_companies(database: &Database) -> i64 {
    database.query_number("SELECT count(*) FROM companies").await
}

#[test]
fn a_valid_file_is_stored_completely() {
    run_on_empty_databases(async |database| {
        let (code, reported, errors) = import_lines(database, &unlocked_lines());
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{reported}");
        assert_eq!(count_companies(database).await, 7);
    });
}

#[test]
fn a_file_in_another_format_is_rejected_with_the_expected_format() {
    run_on_empty_databases(async |database| {
        let complete = company("A", "00000001");
        let pretty = serde_json::to_string_pretty(&complete).expect("JSON");
        for (text, line) in [
            (json!([complete]).to_string(), "line 1: "),
            (format!("\n{pretty}\n"), "line 2: "),
            ("companyId,displayId\nA,1\n".to_owned(), "line 1: "),
        ] {
            let (code, _, errors) = import_text(database, &text);
            assert_eq!(code, Some(1), "{errors}");
            assert!(errors.contains("one company per line") && errors.contains(line), "{errors}");
            assert_eq!(errors.lines().count(), 1, "{errors}");
        }
        assert_eq!(count_companies(database).await, 0);
    });
}

#[test]
fn a_repeated_import_changes_nothing() {
    run_on_empty_databases(async |database| {
        import_lines(database, &unlocked_lines());
        let versions = "SELECT cast(sum(version) AS bigint) FROM companies";
        let before = database.query_number(versions).await;
        let (code, reported, errors) = import_lines(database, &unlocked_lines());
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{reported}");
        assert!(reported.contains("0 created") && reported.contains("0 changed"), "{reported}");
        assert_eq!(database.query_number(versions).await, before);
    });
}

#[test]
fn an_invalid_line_is_reported_with_number_and_pointer_and_the_others_are_stored() {
    run_on_empty_databases(async |database| {
        let bad = with_member(
            company("BAD", "00000002"),
            "workers",
            vec![with_member(worker("W", "EMPLOYEE"), "workerType", "ROBOT")],
        );
        let file = [company("A", "00000001"), bad, company("B", "00000003")];
        let (code, _, errors) = import_lines(database, &file);
        assert_eq!(code, Some(1));
        assert!(errors.contains("line 2: API-48") && errors.contains("/workers/0/workerType"), "{errors}");
        assert_eq!(count_companies(database).await, 2);
    });
}

#[test]
fn every_fault_of_a_line_is_reported() {
    run_on_empty_databases(async |database| {
        let bad = json!({"companyId": "no id", "displayId": "1", "workres": []});
        let (_, _, errors) = import_lines(database, &[bad]);
        for place in ["/companyId", "/workres", "/legalName"] {
            assert!(errors.contains(place), "{place}: {errors}");
        }
    });
}

#[test]
fn a_line_without_json_is_reported_and_the_next_one_is_stored() {
    run_on_empty_databases(async |database| {
        let text = format!("{{\"companyId\"\n\n\u{feff}{{}}\n{}\n", company("A", "00000001"));
        let (code, _, errors) = import_text(database, &text);
        assert_eq!((code, count_companies(database).await), (Some(1), 1), "{errors}");
        assert!(errors.contains("line 1: API-40") && errors.contains("line 3: API-40"), "{errors}");
    });
}

#[test]
fn an_invalid_reference_rejects_the_complete_company() {
    run_on_empty_databases(async |database| {
        let astray =
            with_member(worker("W", "EMPLOYEE"), "organization", json!({"organizationId": "NOWHERE"}));
        let (code, _, errors) =
            import_lines(database, &[with_member(company("A", "00000001"), "workers", vec![astray])]);
        assert_eq!((code, count_companies(database).await), (Some(1), 0), "{errors}");
        assert!(errors.contains("line 1: ") && errors.contains("NOWHERE"), "{errors}");
    });
}

#[test]
fn an_imported_object_replaces_the_stored_one_and_absent_objects_stay() {
    run_on_empty_databases(async |database| {
        let workers = vec![worker("W1", "EMPLOYEE"), worker("W2", "EMPLOYEE")];
        import_lines(database, &[with_member(company("A", "00000001"), "workers", workers)]);
        let changed = with_member(company("A", "00000001"), "workers", vec![worker("W2", "CONTRACTOR")]);
        let (code, reported, _) = import_lines(database, &[changed]);
        assert_eq!(code, Some(0), "{reported}");
        let of = "SELECT count(*) FROM workers WHERE";
        assert_eq!(
            database.query_number(&format!("{of} worker_id = 'W1' AND worker_type = 'EMPLOYEE'")).await,
            1
        );
        assert_eq!(
            database.query_number(&format!("{of} worker_id = 'W2' AND worker_type = 'CONTRACTOR'")).await,
            1
        );
    });
}

#[test]
fn an_interrupted_import_is_completed_by_a_repeated_import() {
    run_on_empty_databases(async |database| {
        let file = [company("A", "00000001"), company("B", "00000002"), company("C", "00000003")];
        let text: String = file.iter().map(|line| format!("{line}\n")).collect();
        let mut cut_off = start_with_input(database, &["import", "-"], &text[..text.len() - 9]);
        while count_companies(database).await < 2 {
            tokio::task::yield_now().await;
        }
        cut_off.kill().expect("it was waiting");
        cut_off.wait().expect("it is gone");
        assert_eq!(count_companies(database).await, 2);
        let (code, reported, errors) = import_lines(database, &file);
        assert_eq!((code, count_companies(database).await), (Some(0), 3), "{errors}");
        assert!(reported.contains("1 created, 0 changed"), "{reported}");
    });
}

#[test]
fn an_incomplete_file_stores_complete_lines_and_reports_the_last() {
    run_on_empty_databases(async |database| {
        let text = format!("{}\n{}", company("A", "00000001"), company("B", "00000002"));
        let (code, _, errors) = import_text(database, &text[..text.len() - 1]);
        assert_eq!((code, count_companies(database).await), (Some(1), 1), "{errors}");
        assert!(errors.contains("line 2: API-40"), "{errors}");
    });
}

#[test]
fn a_duplicate_company_is_stored_once_and_the_second_line_reported() {
    run_on_empty_databases(async |database| {
        let twice = with_member(company("A", "00000001"), "legalName", "Second LLC");
        let file = [company("A", "00000001"), company("B", "00000002"), twice, company("C", "00000003")];
        let (code, _, errors) = import_lines(database, &file);
        assert_eq!((code, count_companies(database).await), (Some(1), 3), "{errors}");
        assert!(errors.contains("line 3: API-409 company A is already in line 1"), "{errors}");
        assert_eq!(
            database.query_number("SELECT count(*) FROM companies WHERE legal_name = 'Second LLC'").await,
            0
        );
    });
}

/// Returns a company with this number of workers. The last worker is the supervisor of all others.
fn large_company(workers: usize) -> Value {
    let last = json!({"workerId": format!("W{}", workers - 1)});
    let all = (0..workers - 1)
        .map(|at| with_member(worker(&format!("W{at}"), "EMPLOYEE"), "supervisor", last.clone()));
    let all: Vec<Value> = all.chain([worker(&format!("W{}", workers - 1), "EMPLOYEE")]).collect();
    with_member(company("LARGE", "00000001"), "workers", all)
}

#[test]
fn a_company_whose_workers_are_read_one_by_one_is_stored_like_any_other() {
    run_on_empty_databases(async |database| {
        let large = large_company(8_000);
        assert!(large.to_string().len() > 1_024 * 1_024, "a small one would be read at once");
        let (code, reported, errors) = import_lines(database, std::slice::from_ref(&large));
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{reported}");
        assert_eq!(database.query_number("SELECT count(*) FROM workers").await, 8_000);
        let (_, reported, _) = import_lines(database, std::slice::from_ref(&large));
        assert!(reported.contains("0 created, 0 changed"), "{reported}");
        let astray = with_member(
            large["workers"][7_999].clone(),
            "organization",
            json!({"organizationId": "NOWHERE"}),
        );
        let mut changed = with_member(large, "legalName", "Other LLC");
        changed["workers"][7_999] = astray;
        let (code, _, errors) = import_lines(database, &[changed]);
        assert_eq!(code, Some(1));
        assert!(
            errors.contains("NOWHERE does not exist (/workers/7999/organization/organizationId)"),
            "{errors}"
        );
        assert_eq!(
            database.query_number("SELECT count(*) FROM companies WHERE legal_name = 'Other LLC'").await,
            0
        );
    });
}

/// Returns the number of rows in a table (audit log or events) that fulfill a condition.
async fn count_rows(database: &Database, table: &str, condition: &str) -> i64 {
    database.query_number(&format!("SELECT count(*) FROM {table} WHERE {condition}")).await
}

#[test]
fn every_changed_object_has_a_row_in_the_audit_log() {
    run_on_empty_databases(async |database| {
        let full = with_member(company("A", "00000001"), "payPeriods", vec![period("P", "INITIAL")]);
        let full = with_member(full, "workers", vec![worker("W1", "EMPLOYEE"), worker("W2", "EMPLOYEE")]);
        import_lines(database, std::slice::from_ref(&full));
        assert_eq!(
            count_rows(database, "audit", "action = 'create' AND actor_kind = 'command line'").await,
            4
        );
        let changed =
            with_member(full, "workers", vec![worker("W1", "EMPLOYEE"), worker("W2", "CONTRACTOR")]);
        import_lines(database, &[changed]);
        assert_eq!(count_rows(database, "audit", "1 = 1").await, 5);
        let update = "action = 'update' AND kind = 'worker' AND resource_id = 'W2' AND company_id = 'A' \
            AND before LIKE '%EMPLOYEE%' AND after LIKE '%CONTRACTOR%'";
        assert_eq!(count_rows(database, "audit", update).await, 1);
    });
}

#[test]
fn an_import_causes_the_same_events_as_single_writes() {
    run_on_empty_databases(async |database| {
        let workers = vec![worker("W1", "EMPLOYEE"), worker("W2", "EMPLOYEE")];
        let units = |name: &str| json!([{"organizationId": "U", "name": name}]);
        let full = with_member(company("A", "00000001"), "workers", workers);
        let full = with_member(full, "organizations", units("Unit"));
        import_lines(database, std::slice::from_ref(&full));
        assert_eq!(count_rows(database, "events", "domain = 'WRKR_ADD' AND action = 'ADD'").await, 2);
        assert_eq!(count_rows(database, "events", "domain = 'CLT_ORG' AND action = 'ADD'").await, 1);
        database.execute("DELETE FROM events").await;
        let mut changed = with_member(full, "organizations", json!([{"organizationId": "V", "name": "New"}]));
        changed["organizations"]
            .as_array_mut()
            .expect("units")
            .extend(units("Other").as_array().cloned().expect("one"));
        changed["workers"][1]["birthDate"] = json!("1990-01-01");
        changed["workers"].as_array_mut().expect("workers").push(worker("W3", "EMPLOYEE"));
        import_lines(database, &[changed]);
        let fired = [
            "domain = 'CLT_ORG' AND action = 'UPDATE' AND worker_id IS NULL",
            "domain = 'WRKR_DEM' AND action = 'UPDATE' AND worker_id = 'W2'",
            "domain = 'WRKR_ADD' AND action = 'ADD' AND worker_id = 'W3'",
        ];
        for event in fired {
            assert_eq!(count_rows(database, "events", event).await, 1, "{event}");
        }
        assert_eq!(count_rows(database, "events", "1 = 1").await, 3);
    });
}

#[test]
fn an_unchanged_locked_company_is_no_error() {
    run_on_empty_databases(async |database| {
        let locked =
            with_member(company("A", "00000001"), "lock", json!({"holder": "operator", "reason": "audit"}));
        let locked = with_member(locked, "payPeriods", vec![period("P", "PROCESSING")]);
        assert_eq!(import_lines(database, std::slice::from_ref(&locked)).0, Some(0));
        let (code, reported, errors) = import_lines(database, std::slice::from_ref(&locked));
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{reported}");
        let (code, _, errors) =
            import_lines(database, &[with_member(locked, "lock", json!({"holder": "somebody else"}))]);
        assert_eq!(code, Some(1));
        assert!(errors.contains("line 1: API-10"), "{errors}");
        assert_eq!(count_rows(database, "companies", "lock_holder = 'operator'").await, 1);
    });
}

#[test]
fn a_changed_lock_is_stored_and_has_a_row_in_the_audit_log() {
    run_on_empty_databases(async |database| {
        let open = company("A", "00000001");
        import_lines(database, std::slice::from_ref(&open));
        let (code, reported, _) =
            import_lines(database, &[with_member(open, "lock", json!({"holder": "operator"}))]);
        assert!(code == Some(0) && reported.contains("1 changed"), "{reported}");
        assert_eq!(count_rows(database, "companies", "lock_holder = 'operator' AND version = 2").await, 1);
        assert_eq!(count_rows(database, "audit", "kind = 'lock' AND resource_id = 'A'").await, 1);
    });
}

#[test]
fn a_locked_company_is_rejected() {
    run_on_empty_databases(async |database| {
        let locked = with_member(company("A", "00000001"), "lock", json!({"holder": "operator"}));
        assert_eq!(import_lines(database, std::slice::from_ref(&locked)).0, Some(0));
        let (code, _, errors) = import_lines(database, &[with_member(locked, "legalName", "Other LLC")]);
        assert_eq!(code, Some(1));
        assert!(errors.contains("line 1: API-10"), "{errors}");
    });
}

#[test]
fn a_missing_file_is_exit_code_2_without_a_panic() {
    run_on_empty_databases(async |database| {
        let Output { status, stderr, .. } = run(database, &["import", "/nowhere/at-all.ndjson"], "");
        let reported = String::from_utf8(stderr).expect("text");
        assert_eq!(status.code(), Some(2), "{reported}");
        assert!(reported.contains("/nowhere/at-all.ndjson") && !reported.contains("panicked"), "{reported}");
    });
}
