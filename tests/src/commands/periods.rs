//! Tests of the commands `period …`.

use std::os::unix::fs::PermissionsExt;

use crate::support::command_line::{
    CommandResult, ServerCommandLine, parse_document, run_on_server, run_with_and_without_server,
};
use crate::support::{OPEN, OPERATOR_KEY, Process, on_every_database_kind, run};

/// An open period of [`OPEN`] without checks.
const PERIOD_ID: &str = "ENTRY";

fn period_status(line: &ServerCommandLine<'_>) -> String {
    let listed = line.run_json(&["period", "list", OPEN]);
    let periods = listed["content"].as_array().expect("a list");
    let period = periods.iter().find(|period| period["payPeriodId"] == PERIOD_ID).expect("the period");
    period["status"].as_str().expect("a status").to_owned()
}

#[test]
fn a_period_is_processed_reopened_and_completed() {
    run_with_and_without_server(async |line| {
        let mut met = Vec::new();
        for step in ["process", "reopen", "process"] {
            line.run_successfully(&["period", step, OPEN, PERIOD_ID]);
            met.push(period_status(line));
        }
        let empty = line.run(&["period", "complete", OPEN, PERIOD_ID]);
        assert!(empty.code == Some(1) && empty.errors.contains("allowEmpty"), "{empty:?}");
        let completed = line.run_successfully(&["period", "complete", OPEN, PERIOD_ID, "--allow-empty"]);
        assert!(
            completed.contains("is completed") && completed.contains("Employer cost   0.00"),
            "{completed}"
        );
        met.push(period_status(line));
        assert_eq!(met, ["PROCESSING", "ENTRY", "PROCESSING", "COMPLETED"]);
        let again = line.run(&["period", "process", OPEN, PERIOD_ID]);
        assert!(again.code == Some(1) && again.errors.contains("API-409"), "{again:?}");
    });
}

#[test]
fn the_document_of_a_completion_is_validated() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["period", "process", OPEN, PERIOD_ID]);
        let input = r#"{"checks": [{"paycheckId": "NOBODY"}]}"#;
        let refused = line.run_with_input(&["period", "complete", OPEN, PERIOD_ID, "--input", "-"], input);
        assert!(refused.code == Some(1) && refused.errors.contains("/checks/0/paycheckId"), "{refused:?}");
        assert_eq!(period_status(line), "PROCESSING");
        let input = r#"{"checks": []}"#;
        let words = ["period", "complete", OPEN, PERIOD_ID, "--input", "-", "--allow-empty", "--yes"];
        let completed = line.run_with_input(&words, input);
        assert_eq!((completed.code, period_status(line).as_str()), (Some(0), "COMPLETED"), "{completed:?}");
    });
}

#[test]
fn a_dry_run_prints_the_result_of_a_completion_without_completing() {
    run_with_and_without_server(async |line| {
        let dry = ["period", "complete", OPEN, PERIOD_ID, "--dry-run"];
        let refused = line.run(&dry);
        assert!(refused.code == Some(1) && refused.out.contains("NO_CHECKS"), "{refused:?}");
        assert!(refused.out.contains("API-409") && refused.errors.contains("Faults: 1"), "{refused:?}");
        let allowed = [&dry[..], &["--allow-empty"]].concat();
        let printed = line.run_successfully(&allowed);
        assert!(printed.contains("Gross earnings  0.00") && printed.contains("NO_CHECKS"), "{printed}");
        let json = line.run_json(&allowed);
        assert_eq!(json["content"][0]["warnings"][0]["warning"], "NO_CHECKS");
        assert_eq!(period_status(line), "ENTRY");
    });
}

#[test]
fn a_register_is_shown_with_its_sums_and_written_for_a_spreadsheet() {
    run_with_and_without_server(async |line| {
        let shown = line.run_successfully(&["period", "register", OPEN, "COMPLETED"]);
        assert!(shown.contains("GROSS") && shown.contains("Net pay"), "{shown}");
        let json = line.run_json(&["period", "register", OPEN, "COMPLETED"]);
        let checks = json["content"].as_array().expect("checks");
        assert!(!checks.is_empty() && checks.iter().all(|check| check["final"] == true), "{json}");
        let csv = line.run_successfully(&["period", "register", OPEN, "COMPLETED", "--csv", "-"]);
        assert!(csv.starts_with("payPeriodId,checkDate,") && csv.contains(",NET,"), "{csv}");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("register.csv");
        let name = file.to_str().expect("text");
        let output = line.run_successfully(&["period", "register", OPEN, "COMPLETED", "--csv", name]);
        assert!(output.contains("register.csv is written."), "{output}");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), csv);
        let existing = line.run(&["period", "register", OPEN, "COMPLETED", "--csv", name]);
        assert!(existing.errors.contains("--force replaces it"), "{existing:?}");
        line.run_successfully(&["period", "register", OPEN, "COMPLETED", "--csv", name, "--force"]);
        let mode = std::fs::metadata(&file).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it contains names and pay");
        let nowhere = folder.path().join("none").join("register.csv");
        let refused =
            line.run(&["period", "register", OPEN, "COMPLETED", "--csv", nowhere.to_str().expect("text")]);
        assert!(refused.code == Some(2) && refused.errors.contains("cannot be created"), "{refused:?}");
        let empty = line.run_successfully(&["period", "register", OPEN, PERIOD_ID]);
        assert!(empty.contains("Nothing was found.") && !empty.contains("Net pay"), "{empty}");
    });
}

#[test]
fn a_journal_is_shown_with_its_sums_and_written_for_bookkeeping() {
    run_with_and_without_server(async |line| {
        let journal = line.run_json(&["period", "journal", OPEN, "COMPLETED"])["content"][0].clone();
        let sum = journal["totalDebit"].as_str().expect("a sum").to_owned();
        assert_eq!(journal["totalDebit"], journal["totalCredit"]);
        let shown = line.run_successfully(&["period", "journal", OPEN, "COMPLETED"]);
        let last: Vec<&str> = shown.lines().last().expect("a line").split_whitespace().collect();
        assert!(shown.contains("DEBIT") && shown.contains("Wages payable"), "{shown}");
        assert_eq!(last, ["Sum", &sum, &sum]);
        let csv = line.run_successfully(&["period", "journal", OPEN, "COMPLETED", "--csv", "-"]);
        assert!(csv.starts_with("payPeriodId,checkDate,account,debit,credit,"), "{csv}");
        let refused = line.run(&["period", "journal", OPEN, PERIOD_ID]);
        assert!(
            refused.code == Some(1) && refused.errors.contains("only a processed pay period"),
            "{refused:?}"
        );
    });
}

const TWO_PERSON_ARGUMENTS: [&str; 2] = ["--two-person-completion", "true"];

#[test]
fn a_command_requests_a_completion_and_another_operators_command_approves_it() {
    on_every_database_kind(async |database| {
        let server = Process::serve_with(database, &TWO_PERSON_ARGUMENTS);
        let desk = |words: &[&str]| run_on_server(&server, OPERATOR_KEY, words, "");
        // Commands without a server use the account of this machine. The account counts as a second operator.
        let here = |words: &[&str]| -> CommandResult {
            run(database, &[words, &TWO_PERSON_ARGUMENTS].concat(), "").into()
        };
        assert_eq!(desk(&["period", "process", OPEN, PERIOD_ID]).code, Some(0));
        let alone = desk(&["period", "complete", OPEN, PERIOD_ID, "--allow-empty"]);
        assert!(alone.code == Some(1) && alone.errors.contains("Request the completion"), "{alone:?}");
        let empty = desk(&["period", "request", OPEN, PERIOD_ID]);
        assert!(empty.code == Some(1) && empty.errors.contains("allowEmpty"), "{empty:?}");
        let requested = desk(&["period", "request", OPEN, PERIOD_ID, "--allow-empty"]);
        let then = format!("payroll-server period approve {OPEN} {PERIOD_ID}");
        assert!(requested.out.contains(&then) && requested.out.contains("Employer cost"), "{requested:?}");
        let waiting = here(&["period", "requests"]);
        assert!(waiting.out.contains(PERIOD_ID) && waiting.out.contains("desk"), "{waiting:?}");
        let own = desk(&["period", "approve", OPEN, PERIOD_ID]);
        assert!(own.code == Some(1) && own.errors.contains("API-2"), "{own:?}");
        let shown = here(&["period", "approve", OPEN, PERIOD_ID, "--dry-run"]);
        assert!(shown.code == Some(0) && shown.out.contains("NO_CHECKS"), "{shown:?}");
        let approved = here(&["period", "approve", OPEN, PERIOD_ID]);
        assert!(approved.out.contains("is completed") && approved.out.contains("Net pay"), "{approved:?}");
        let stored_request =
            parse_document(&desk(&["period", "show-request", OPEN, PERIOD_ID, "--json"]).out);
        assert_eq!(stored_request["content"][0]["approvedBy"]["kind"], "command line");
    });
}

#[test]
fn a_command_withdraws_a_request() {
    on_every_database_kind(async |database| {
        let here = |words: &[&str]| -> CommandResult {
            run(database, &[words, &TWO_PERSON_ARGUMENTS].concat(), "").into()
        };
        here(&["period", "process", OPEN, PERIOD_ID]);
        assert_eq!(here(&["period", "request", OPEN, PERIOD_ID, "--allow-empty", "--yes"]).code, Some(0));
        let withdrawn = here(&["period", "withdraw", OPEN, PERIOD_ID]);
        assert!(withdrawn.code == Some(0) && withdrawn.out.contains("is withdrawn"), "{withdrawn:?}");
        let gone = here(&["period", "withdraw", OPEN, PERIOD_ID]);
        assert!(gone.code == Some(1) && gone.errors.contains("not requested"), "{gone:?}");
    });
}
