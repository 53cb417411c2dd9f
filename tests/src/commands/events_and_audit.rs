//! Tests of the commands `events` and `audit`.

use std::io::{BufRead, BufReader};

use crate::support::OPEN;
use crate::support::command_line::{CommandResult, ServerCommandLine, run_with_and_without_server};

/// Completes a period of [`OPEN`]. The completion creates an event of the domain CLT_PYRN.
fn complete_period(line: &ServerCommandLine<'_>) {
    line.run_successfully(&["period", "process", OPEN, "ENTRY"]);
    line.run_successfully(&["period", "complete", OPEN, "ENTRY", "--allow-empty"]);
}

/// Runs `events` until its output contains the completion, and returns this output. On PostgreSQL, open
/// transactions in any database of the server delay the event.
fn run_until_event_shown(line: &ServerCommandLine<'_>, arguments: &[&str]) -> CommandResult {
    let mut results = (0..1000).map(|_| line.run(arguments));
    results
        .find(|reported| reported.code != Some(0) || reported.out.contains("PAYRUN_COMPLETED"))
        .expect("an event")
}

#[test]
fn events_are_shown_once_after_the_given_cursor() {
    run_with_and_without_server(async |line| {
        complete_period(line);
        let shown = run_until_event_shown(line, &["events", "--company", OPEN, "--domain", "CLT_PYRN"]);
        let rows: Vec<_> = shown.out.lines().filter(|row| row.contains("PAYRUN_COMPLETED")).collect();
        assert!(rows.len() == 1 && rows[0].ends_with("ENTRY"), "{shown:?}");
        let cursor = shown.errors.trim().rsplit(' ').next().expect("a cursor");
        assert_eq!(line.run_successfully(&["events", "--after", cursor]).trim(), "Nothing was found.");
    });
}

#[test]
fn with_follow_an_event_is_printed_as_it_arrives() {
    run_with_and_without_server(async |line| {
        let mut following = line.start(&["events", "--follow", "--json", "--domain", "CLT_PYRN"]);
        complete_period(line);
        let mut printed = BufReader::new(following.stdout.take().expect("an output"));
        let mut event = String::new();
        printed.read_line(&mut event).expect("a line");
        following.kill().expect("it was running");
        following.wait().expect("it is gone");
        assert_eq!(crate::support::command_line::parse_document(&event)["payperiodId"], "ENTRY");
    });
}

#[test]
fn the_audit_log_shows_the_author_of_each_change() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["company", "end-date", OPEN, "2027-01-31"]);
        let shown = line.run_successfully(&["audit", "--kind", "company", "--id", OPEN, "--limit", "1"]);
        let row = shown.lines().nth(1).expect("a row");
        let who = if line.is_remote() { "  desk  " } else { "  command line (" };
        assert!(row.contains(who) && row.contains("update") && row.ends_with("endDate"), "{shown}");
        let json = line.run_json(&["audit", "--kind", "company", "--id", OPEN, "--limit", "1"]);
        assert_eq!(json["content"][0]["after"]["endDate"], "2027-01-31T00:00:00Z");
    });
}
