//! Tests of `import` with CSV. Either all rows are stored or none. Each fault is reported with its line and
//! column.

use std::io::Write;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::support::command_line::{CommandResult, ServerCommandLine, run_with_and_without_server};
use crate::support::{BARE, on_every_database_kind, run};

/// Imports a text as workers of the company.
fn import_workers(line: &ServerCommandLine<'_>, text: &str) -> CommandResult {
    line.run_with_input(&["import", "-", "--as", "workers", "--company", BARE], text)
}

/// Reads a worker of the company.
fn show_worker(line: &ServerCommandLine<'_>, id: &str) -> Value {
    line.run_json(&["worker", "show", BARE, id])["content"][0].clone()
}

/// Returns the number of workers of the company.
fn count_workers(line: &ServerCommandLine<'_>) -> usize {
    line.run_json(&["worker", "list", BARE])["content"].as_array().expect("a list").len()
}

const TWO_WORKERS_CSV: &str = "workerId,workerType,name.givenName,name.familyName,employeeId,homeAddress.city,taxes.federal.multipleJobs\n\
    S-1,EMPLOYEE,Ann,Sample,1,ALBANY,TRUE\n\
    S-2,EMPLOYEE,Bo,\"Sample, the second\",,,\n";

#[test]
fn workers_are_added_and_changed_and_absent_columns_stay() {
    run_with_and_without_server(async |line| {
        let reported = import_workers(line, TWO_WORKERS_CSV);
        assert_eq!(
            (reported.code, reported.out.as_str()),
            (Some(0), "Workers: 2 created, 0 changed, 0 unchanged.\n"),
            "{reported:?}"
        );
        let ann = show_worker(line, "S-1");
        assert_eq!(
            (&ann["employeeId"], &ann["taxes"]["federal"]["multipleJobs"]),
            (&json!("1"), &json!(true))
        );
        let home = &ann["communications"][0];
        assert_eq!(
            (&home["type"], &home["usageType"], &home["city"]),
            (&json!("STREET_ADDRESS"), &json!("HOME"), &json!("ALBANY"))
        );
        assert_eq!(show_worker(line, "S-2")["name"]["familyName"], "Sample, the second");
        assert_eq!(
            import_workers(line, TWO_WORKERS_CSV).out,
            "Workers: 0 created, 0 changed, 2 unchanged.\n"
        );
        let changed =
            import_workers(line, "workerId,employeeId,homeAddress.postalCode\r\nS-1,7,12207\r\nS-2,,\r\n");
        assert_eq!(changed.out, "Workers: 0 created, 1 changed, 1 unchanged.\n", "{changed:?}");
        let ann = show_worker(line, "S-1");
        assert_eq!((&ann["employeeId"], &ann["name"]["givenName"]), (&json!("7"), &json!("Ann")));
        let home = &ann["communications"];
        assert_eq!(
            (home.as_array().map(Vec::len), &home[0]["city"], &home[0]["postalCode"]),
            (Some(1), &json!("ALBANY"), &json!("12207"))
        );
    });
}

#[test]
fn a_file_is_stored_completely_or_not_and_every_fault_has_its_position() {
    run_with_and_without_server(async |line| {
        let before = count_workers(line);
        let reported = import_workers(
            line,
            "workerId,workerType,name.givenName,name.familyName,hireDate,organization.organizationId\n\
             S-1,EMPLOYEE,Ann,Sample,2026-01-01,\n\
             S-2,ROBOT,Bo,Sample,1/5/2026,\n\
             S-3,EMPLOYEE,,Sample,,\n\
             S-1,EMPLOYEE,Ann,Sample,,\n",
        );
        let expected = [
            "line 3, column workerType: API-48 workerType must be one of",
            "line 3, column hireDate: API-48 hireDate must be a date",
            "line 4, column name.givenName: API-46 givenName is missing",
            "line 5: the worker is already in line 2",
        ];
        assert_eq!(reported.code, Some(1), "{reported:?}");
        let lines: Vec<_> = reported.errors.lines().collect();
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{line}: {reported:?}");
        }
        assert!(reported.errors.contains("nothing was stored. Faults: 4"), "{reported:?}");
        let astray = import_workers(
            line,
            "workerId,workerType,name.givenName,name.familyName,organization.organizationId\n\
             S-1,EMPLOYEE,Ann,Sample,\nS-2,EMPLOYEE,Bo,Sample,NOWHERE\n",
        );
        let fault =
            "line 3, column organization.organizationId: API-48 there is no organization with the id NOWHERE";
        assert!(astray.errors.starts_with(fault), "{astray:?}");
        assert_eq!(count_workers(line), before);
    });
}

#[test]
fn a_worker_of_another_company_is_reported_with_the_line() {
    run_with_and_without_server(async |line| {
        let reported = import_workers(
            line,
            "workerId,workerType,name.givenName,name.familyName\nEMPLOYEE,EMPLOYEE,Ann,Sample\n",
        );
        let fault = "line 2, column workerId: API-409 worker EMPLOYEE belongs to another company";
        assert!(reported.code == Some(1) && reported.errors.starts_with(fault), "{reported:?}");
    });
}

#[test]
fn a_dry_run_reports_the_results_of_the_import_and_stores_nothing() {
    run_with_and_without_server(async |line| {
        let before = count_workers(line);
        let dry = |text| {
            line.run_with_input(&["import", "-", "--as", "workers", "--company", BARE, "--dry-run"], text)
        };
        assert_eq!(
            dry(TWO_WORKERS_CSV).out,
            "Nothing is stored. Workers: 2 created, 0 changed, 0 unchanged.\n"
        );
        let reported = dry("workerId\nS-1\n");
        assert_eq!(reported.code, Some(1));
        assert!(reported.errors.contains("line 2: API-46 name is missing"), "{reported:?}");
        assert_eq!(count_workers(line), before);
    });
}

#[test]
fn an_unsuitable_file_is_rejected_with_a_clear_message() {
    on_every_database_kind(async |database| {
        let workers = |text: &str| {
            CommandResult::from(run(database, &["import", "-", "--as", "workers", "--company", BARE], text))
        };
        let many = format!("workerId\n{}\n", ",".repeat(300));
        let long = format!("workerId\n{}\n", "x".repeat(10 * 1024 * 1024));
        let cases = [
            ("", "the file is empty"),
            ("workerId\n", "line 1: there is no row below the header"),
            ("workerId,employeeId\n,\n,,,\n", "line 1: there is no row below the header"),
            (&many, "line 2: the row has 301 fields, and the header has 1"),
            (
                "workerId;workerType\nS-1;EMPLOYEE\n",
                "line 1: the fields are separated by semicolons; a comma is expected",
            ),
            ("workerId,shoeSize\nS-1,7\n", "line 1, column shoeSize: the column is not known"),
            ("workerId,workerId\nS-1,S-1\n", "line 1, column workerId: columns 1 and 2 are both workerId"),
            ("employeeId\n1\n", "line 1: the column workerId is missing"),
            ("workerId,employeeId\nS-1\n", "line 2: the row has 1 fields, and the header has 2"),
            ("workerId,employeeId\nS-1,1,2\n", "line 2: the row has 3 fields, and the header has 2"),
            ("workerId,employeeId\nS-1,\"1\n", "line 2: a quote that is opened in this line is never closed"),
            ("workerId,employeeId\nworkerId,employeeId\n", "line 2: the line repeats the header of line 1"),
            (
                "workerId,taxes.federal.otherIncome\nEMPLOYEE,\"12,50\"\n",
                "line 2, column taxes.federal.otherIncome: the number has a comma",
            ),
            (&long, "line 2: field 1 has more than 65536 bytes"),
        ];
        for (text, fault) in cases {
            let reported = workers(text);
            assert!(reported.code == Some(1) && reported.errors.contains(fault), "{fault}: {reported:?}");
            assert!(reported.errors.contains("nothing was stored"), "{reported:?}");
        }
        let known = workers("workerId,shoeSize\nS-1,7\n").errors;
        assert!(known.contains("Columns of workers are workerId, employeeId,"), "{known}");
    });
}

/// Creates a file with this suffix and content.
fn write_file(suffix: &str, bytes: &[u8]) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a file");
    file.write_all(bytes).expect("bytes");
    file
}

#[test]
fn invalid_utf_8_is_rejected_with_its_line_and_a_byte_order_mark_is_skipped() {
    run_with_and_without_server(async |line| {
        let import = |bytes: &[u8]| {
            let file = write_file(".csv", bytes);
            let path = file.path().to_str().expect("a path");
            line.run(&["import", path, "--as", "workers", "--company", BARE])
        };
        let utf_16: Vec<u8> = "\u{feff}workerId\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(import(&utf_16).errors.starts_with("line 1: the file is UTF-16"));
        let reported =
            import(b"workerId,workerType,name.givenName,name.familyName\nS-1,EMPLOYEE,Ren\xE9,Sample\n");
        assert!(reported.errors.starts_with("line 2: the line is not UTF-8"), "{reported:?}");
        let reported = import(
            "\u{feff}workerId,workerType,name.givenName,name.familyName\nS-1,EMPLOYEE,Ren\u{e9},Sample\n"
                .as_bytes(),
        );
        assert_eq!(reported.code, Some(0), "{reported:?}");
        assert_eq!(show_worker(line, "S-1")["name"]["givenName"], "Ren\u{e9}");
    });
}

#[test]
fn a_quoted_line_break_is_part_of_its_field_and_counts_as_a_line() {
    run_with_and_without_server(async |line| {
        let reported = import_workers(
            line,
            "workerId,workerType,name.givenName,name.familyName\nS-1,EMPLOYEE,\"An\nn\",Sample\nS-2,ROBOT,Bo,Sample\n",
        );
        let expected = ["line 2, column name.givenName: API-48", "line 4, column workerType: API-48"];
        for (line, expected) in reported.errors.lines().zip(expected) {
            assert!(line.starts_with(expected), "{reported:?}");
        }
    });
}

#[test]
fn a_printed_template_can_be_imported() {
    run_with_and_without_server(async |line| {
        for (kind, summary) in [("workers", "Workers: 1 created"), ("rates", "Workers: 0 created, 1 changed")]
        {
            let template = line.run_successfully(&["import", "--template", kind]);
            let reported = line.run_with_input(&["import", "-", "--as", kind, "--company", BARE], &template);
            assert!(reported.code == Some(0) && reported.out.starts_with(summary), "{reported:?}");
        }
        assert_eq!(show_worker(line, "EXAMPLE-W1")["payRates"][0]["amount"], "21.5000");
    });
}

#[test]
fn a_map_translates_the_column_names_of_a_spreadsheet() {
    run_with_and_without_server(async |line| {
        let map = write_file(".toml", b"[columns]\n\"Emp No\" = \"workerId\"\n\"First\" = \"name.givenName\"\n\"Last\" = \"name.familyName\"\n\"Kind\" = \"workerType\"\nNotes = \"\"\n");
        let map = map.path().to_str().expect("a path");
        let import = |text| {
            line.run_with_input(&["import", "-", "--as", "workers", "--company", BARE, "--map", map], text)
        };
        let reported = import("Emp No,First,Last,Kind,Notes\nS-1,Ann,Sample,EMPLOYEE,likes tea\n");
        assert_eq!(reported.code, Some(0), "{reported:?}");
        let reported = import("Emp No,First,Last,Kind,Notes\nS-1,Ann,Sample,ROBOT,\n");
        assert!(
            reported.errors.starts_with("line 2, column Kind: API-48 workerType must be"),
            "{reported:?}"
        );
        let wrong = write_file(".toml", b"[columns]\n\"Emp No\" = \"number\"\n");
        let wrong = wrong.path().to_str().expect("a path");
        let reported = line.run_with_input(
            &["import", "-", "--as", "workers", "--company", BARE, "--map", wrong],
            "Emp No\n1\n",
        );
        assert!(
            reported.errors.contains("\"Emp No\" is mapped to \"number\", which is not a column of workers"),
            "{reported:?}"
        );
    });
}

#[test]
fn pay_rates_are_added_and_changed_by_their_number_or_their_id() {
    run_with_and_without_server(async |line| {
        assert_eq!(import_workers(line, TWO_WORKERS_CSV).code, Some(0));
        let rates = |text| line.run_with_input(&["import", "-", "--as", "rates", "--company", BARE], text);
        let file = "workerId,rateNumber,rateType,amount,default,startDate\n\
            S-1,RATE_1,HOURLY_RATE,20.50,true,2026-01-01\nS-1,RATE_2,HOURLY_RATE,31,,2026-01-01\n\
            S-2,RATE_1,ANNUAL_SALARY,52000,true,2026-01-01\n";
        assert_eq!(rates(file).out, "Workers: 0 created, 2 changed, 0 unchanged.\n");
        assert_eq!(rates(file).out, "Workers: 0 created, 0 changed, 2 unchanged.\n");
        let raised = "workerId,rateNumber,amount\nS-1,RATE_1,21\n";
        assert_eq!(rates(raised).out, "Workers: 0 created, 1 changed, 0 unchanged.\n");
        let ann = show_worker(line, "S-1");
        let amounts: Vec<_> =
            ann["payRates"].as_array().expect("rates").iter().map(|it| it["amount"].clone()).collect();
        assert_eq!(
            (amounts, &ann["payRates"][0]["default"]),
            (vec![json!("21.0000"), json!("31.0000")], &json!(true))
        );
        let reported = rates(
            "workerId,rateNumber,rateType,amount,default,startDate\n\
            S-1,RATE_3,HOURLY_RATE,\"21,50\",perhaps,2026-01-01\n\
            NOBODY,RATE_1,HOURLY_RATE,1,,2026-01-01\nS-1,RATE_4,HOURLY_RATE,1,,\n\
            S-1,RATE_3,HOURLY_RATE,1,,2026-01-01\n",
        );
        let expected = [
            "line 2, column amount: the number has a comma",
            "line 2, column default: API-48 default must be true or false",
            "line 3, column workerId: API-48 there is no worker with the id NOBODY",
            "line 4, column startDate: API-46 startDate is missing",
            "line 5: the rate of the worker is already in line 2",
        ];
        let lines: Vec<_> = reported.errors.lines().collect();
        for expected in expected {
            assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected}: {reported:?}");
        }
        assert_eq!(show_worker(line, "S-1"), ann);
    });
}

#[test]
fn the_file_name_or_an_option_selects_the_kind_of_rows() {
    run_with_and_without_server(async |line| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
        for name in ["workers.csv", "staff.csv"] {
            std::fs::write(path(name), TWO_WORKERS_CSV).expect("a file");
        }
        let reported = line.run(&["import", &path("workers.csv"), "--company", BARE]);
        assert_eq!(reported.code, Some(0), "{reported:?}");
        for (arguments, sentence) in [
            (vec!["import", &path("staff.csv"), "--company", BARE], "a CSV file requires --as"),
            (vec!["import", &path("workers.csv")], "a CSV file requires --company"),
            (vec!["import", "-", "--company", BARE], "--company and --map require a CSV file"),
            (vec!["import", &path("workers.csv"), "--company", "NOWHERE"], "API-7"),
            (vec!["import", &path("nothing.csv"), "--as", "workers", "--company", BARE], "cannot be read"),
        ] {
            let reported = line.run(&arguments);
            assert!(
                reported.code != Some(0) && reported.errors.contains(sentence),
                "{sentence}: {reported:?}"
            );
        }
        let json = line.run_with_input(
            &["import", "-", "--as", "workers", "--company", BARE, "--json"],
            "workerId\n\"\n",
        );
        let document: Value = serde_json::from_str(&json.out).expect("one document");
        assert_eq!(document["faults"][0]["line"], 2);
    });
}

mod checks;
