//! Tests of the output: human-readable tables, the API's JSON for programs, and no colours in a pipe.

use crate::support::OPEN;
use crate::support::command_line::{parse_document, run_with_and_without_server};

/// Commands that only read data. Each command is a list of words.
const READING_COMMANDS: &[&[&str]] = &[
    &["company", "list"],
    &["company", "show", OPEN],
    &["period", "list", OPEN],
    &["app", "list"],
    &["app", "show", "partner"],
    &["operator-key", "list"],
    &["events"],
    &["audit"],
    &["hook", "list"],
    &["hook", "list", "--app", "partner"],
];

#[test]
fn with_json_a_command_prints_only_one_document_of_the_api() {
    run_with_and_without_server(async |line| {
        for command in READING_COMMANDS {
            let json = line.run_json(command);
            assert!(json["content"].is_array() && json["links"].is_array(), "{command:?}: {json}");
            let text = json.to_string();
            assert!(!text.contains(":0/") && !text.contains(":0\""), "nobody listens on port 0: {text}");
        }
    });
}

#[test]
fn an_error_is_a_document_with_a_message_on_standard_error() {
    run_with_and_without_server(async |line| {
        let reported = line.run(&["company", "show", "NOBODY", "--json"]);
        assert_eq!(parse_document(&reported.out)["errors"][0]["code"], "API-7");
        assert!(reported.code == Some(1) && reported.errors.contains("API-7"), "{reported:?}");
        assert_eq!(line.run(&["company", "show", "NOBODY"]).out, "");
    });
}

#[test]
fn a_changed_object_is_printed_as_in_the_api() {
    run_with_and_without_server(async |line| {
        let changed = line.run_json(&["company", "end-date", OPEN, "2027-01-31"]);
        assert_eq!(changed["content"][0]["companyId"], OPEN);
        let gone = line.run_json(&["app", "delete", "partner", "--yes"]);
        assert_eq!(gone["content"].as_array().map(Vec::len), Some(0));
    });
}

#[test]
fn a_terminal_gets_columns_and_a_pipe_gets_no_colours() {
    run_with_and_without_server(async |line| {
        for command in READING_COMMANDS {
            let printed = line.run_successfully(command);
            assert!(!printed.is_empty() && !printed.contains('\u{1b}'), "{command:?}: {printed}");
        }
        let listed = line.run_successfully(&["period", "list", OPEN]);
        let columns: Vec<_> =
            listed.lines().filter_map(|row| row.find("BI_WEEKLY").or(row.find("INTERVAL"))).collect();
        assert!(columns.len() > 2 && columns.iter().all(|column| *column == columns[0]), "{listed}");
    });
}
