//! Tests of `import` with a CSV file that contains the hours of a pay period. All rows of a worker become one
//! check. The server validates this check like a partner's check.

use serde_json::{Value, json};

use crate::support::command_line::{CommandResult, ServerCommandLine, run_with_and_without_server};

/// Returns a company with two workers, their pay components, and an open period.
fn import_line() -> Value {
    let worker = |id: &str| {
        json!({
            "workerId": id, "workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT",
            "name": {"givenName": id, "familyName": "Sample"},
            "payRates": [{"rateId": format!("{id}-R"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
                "amount": "20", "default": true, "startDate": "2026-01-01"}],
        })
    };
    let component = |id: &str, kind: &str, effect: &str| json!({"componentId": id, "name": id, "classificationType": kind, "effectOnPay": effect});
    json!({
        "companyId": "SHEET", "displayId": "SHEET", "legalName": "Example LLC",
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
        "payComponents": [
            component("hourly", "REGULAR", "ADDITION"),
            component("bonus", "SUPPLEMENTAL", "ADDITION"),
            component("match", "RETIREMENT", "EMPLOYER_INFORMATIONAL"),
        ],
        "payPeriods": [{"payPeriodId": "P", "intervalCode": "WEEKLY", "status": "INITIAL",
            "startDate": "2026-05-04", "endDate": "2026-05-10", "checkDate": "2026-05-15"}],
        "workers": [worker("EXAMPLE-W1"), worker("EXAMPLE-W2")],
    })
}

fn import_company(line: &ServerCommandLine<'_>) {
    let reported = line.run_with_input(&["import", "-"], &import_line().to_string());
    assert_eq!(reported.code, Some(0), "{reported:?}");
}

fn import_checks(line: &ServerCommandLine<'_>, text: &str, more: &[&str]) -> CommandResult {
    let arguments = [&["import", "-", "--company", "SHEET", "--period", "P"], more].concat();
    line.run_with_input(&arguments, text)
}

/// Returns three totals of the period: the number of checks, the number of workers, and the gross earnings.
fn period_totals(line: &ServerCommandLine<'_>) -> (Value, Value, Value) {
    let period = line.run_json(&["period", "show", "SHEET", "P"])["content"][0]["totals"].clone();
    (period["checks"].clone(), period["workers"].clone(), period["grossEarnings"].clone())
}

const HOURS_CSV: &str = "workerId,check,section,componentId,payHours,payAmount\n\
    EXAMPLE-W1,,earnings,hourly,40,\n\
    EXAMPLE-W2,,,hourly,38.5,\n\
    EXAMPLE-W1,,earnings,bonus,,100.50\n\
    EXAMPLE-W2,second,,bonus,,10\n";

#[test]
fn rows_of_a_worker_become_one_check_and_a_file_is_added_once() {
    run_with_and_without_server(async |line| {
        import_company(line);
        let dry = import_checks(line, HOURS_CSV, &["--dry-run"]);
        assert_eq!(dry.out, "Nothing is stored. Checks: 3 created.\n", "{dry:?}");
        assert_eq!(period_totals(line).0, 0);
        let reported = import_checks(line, HOURS_CSV, &[]);
        assert_eq!((reported.code, reported.out.as_str()), (Some(0), "Checks: 3 created.\n"), "{reported:?}");
        let expected = (json!(3), json!(2), json!("1680.50"));
        assert_eq!(period_totals(line), expected);
        let again = import_checks(line, HOURS_CSV, &[]);
        let twice =
            "API-56 the worker already has that check in the pay period; was the file imported before?";
        let lines: Vec<_> = again.errors.lines().take(3).map(str::to_owned).collect();
        assert_eq!(lines, [2, 3, 5].map(|number| format!("line {number}: {twice}")), "{again:?}");
        assert_eq!(period_totals(line), expected);
    });
}

#[test]
fn a_rejected_row_is_reported_with_line_and_column_and_nothing_is_added() {
    run_with_and_without_server(async |line| {
        import_company(line);
        let reported = import_checks(
            line,
            "workerId,section,componentId,payHours,payAmount\n\
             EXAMPLE-W1,earnings,hourly,40,\n\
             EXAMPLE-W1,earnings,nothing,8,\n\
             NOBODY,,hourly,8,\n\
             EXAMPLE-W2,informational,hourly,8,\n\
             EXAMPLE-W2,,hourly,\"8,5\",\n\
             EXAMPLE-W2,,bonus,,10000\n\
             EXAMPLE-W2,perks,bonus,,1\n",
            &[],
        );
        let expected = [
            "line 3, column componentId: API-48 componentId is unknown: this company has no such pay component",
            "line 4, column workerId: API-55",
            "line 5, column componentId: API-48 componentId names a pay component of effect ADDITION",
            "line 6, column payHours: the number has a comma",
            "line 7, column payAmount: API-28",
            "line 8, column section: section must be earnings or informational",
        ];
        let lines: Vec<_> = reported.errors.lines().collect();
        for expected in expected {
            assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected}: {reported:?}");
        }
        assert_eq!(period_totals(line).0, 0);
        let unknown = line.run_with_input(&["import", "-", "--company", "SHEET", "--period", "Q"], HOURS_CSV);
        assert!(unknown.code == Some(1) && unknown.errors.contains("API-7"), "{unknown:?}");
        let without =
            line.run_with_input(&["import", "-", "--company", "SHEET", "--as", "checks"], HOURS_CSV);
        assert!(without.errors.contains("checks require --period"), "{without:?}");
    });
}

#[test]
fn a_closed_period_rejects_checks_and_an_open_one_accepts_the_template() {
    run_with_and_without_server(async |line| {
        import_company(line);
        let template = line.run_successfully(&["import", "--template", "checks"]);
        assert_eq!(import_checks(line, &template, &[]).out, "Checks: 1 created.\n");
        line.run_successfully(&["period", "process", "SHEET", "P"]);
        let reported = import_checks(line, HOURS_CSV, &[]);
        assert!(reported.code == Some(1) && reported.errors.contains("API-10"), "{reported:?}");
    });
}
