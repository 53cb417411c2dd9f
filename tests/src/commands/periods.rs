//! `period …`.

use crate::support::OPEN;
use crate::support::command_line::{CommandLine, both_ways};

/// A period of [`OPEN`] that takes checks and has none.
const PERIOD: &str = "ENTRY";

fn status(line: &CommandLine<'_>) -> String {
    let listed = line.json(&["period", "list", OPEN]);
    let periods = listed["content"].as_array().expect("a list");
    let period = periods.iter().find(|period| period["payPeriodId"] == PERIOD).expect("the period");
    period["status"].as_str().expect("a status").to_owned()
}

#[test]
fn a_period_is_processed_opened_again_and_completed() {
    both_ways(async |line| {
        let mut met = Vec::new();
        for step in ["process", "reopen", "process", "complete"] {
            line.done(&["period", step, OPEN, PERIOD]);
            met.push(status(line));
        }
        assert_eq!(met, ["PROCESSING", "ENTRY", "PROCESSING", "COMPLETED"]);
        let again = line.run(&["period", "process", OPEN, PERIOD]);
        assert!(again.code == Some(1) && again.errors.contains("API-409"), "{again:?}");
    });
}

#[test]
fn what_is_handed_in_with_a_completion_is_judged() {
    both_ways(async |line| {
        line.done(&["period", "process", OPEN, PERIOD]);
        let input = r#"{"checks": [{"paycheckId": "NOBODY"}]}"#;
        let refused = line.run_on(&["period", "complete", OPEN, PERIOD, "--input", "-"], input);
        assert!(refused.code == Some(1) && refused.errors.contains("/checks/0/paycheckId"), "{refused:?}");
        assert_eq!(status(line), "PROCESSING");
        let taken = line.run_on(&["period", "complete", OPEN, PERIOD, "--input", "-"], r#"{"checks": []}"#);
        assert_eq!((taken.code, status(line).as_str()), (Some(0), "COMPLETED"), "{taken:?}");
    });
}
