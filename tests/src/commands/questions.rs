//! Tests that irreversible commands ask for confirmation on a terminal.

use crate::support::OPEN;
use crate::support::command_line::both_ways;

/// The open period of the company.
const PERIOD: &str = "ENTRY";
/// The character that ends the input.
const END: &str = "\u{4}";

#[test]
fn what_is_deleted_is_asked_about_and_only_yes_is_yes() {
    both_ways(async |line| {
        line.done(&["app", "create", "Clock"]);
        let delete = |typed: &str| line.at_terminal(&["app", "delete", "Clock"], typed);
        for no in ["n\n", "\n", "yesterday\n", END] {
            let reported = delete(no);
            assert!(
                reported.code == Some(1) && reported.errors.contains("delete: app Clock. Go on?"),
                "{reported:?}"
            );
            assert!(reported.errors.contains("app Clock stays"), "{reported:?}");
        }
        line.done(&["app", "show", "Clock"]);
        let reported = delete("y\n");
        assert!(reported.code == Some(0) && reported.out.contains("Clock is deleted."), "{reported:?}");
        assert_eq!(line.run(&["app", "show", "Clock"]).code, Some(1));
    });
}

#[test]
fn without_a_terminal_nothing_is_deleted_unless_it_is_said() {
    both_ways(async |line| {
        line.done(&["app", "create", "Clock"]);
        line.done(&["operator-key", "create", "night shift"]);
        for command in [&["app", "delete", "Clock"], &["operator-key", "revoke", "night shift"]] {
            let reported = line.run_on(command, "y\n");
            assert!(
                reported.code == Some(1) && reported.errors.contains("--yes is not given"),
                "{reported:?}"
            );
        }
        line.done(&["app", "delete", "Clock", "--yes"]);
        line.done(&["operator-key", "revoke", "night shift", "--yes"]);
    });
}

#[test]
fn a_pay_period_is_shown_before_it_is_completed_and_stays_where_the_answer_is_no() {
    both_ways(async |line| {
        line.done(&["period", "process", OPEN, PERIOD]);
        let complete =
            |typed: &str| line.at_terminal(&["period", "complete", OPEN, PERIOD, "--allow-empty"], typed);
        let reported = complete("no\n");
        assert!(reported.code == Some(1) && reported.out.contains("Employer cost"), "{reported:?}");
        assert!(reported.errors.contains(&format!("Complete pay period {PERIOD}?")), "{reported:?}");
        assert_eq!(line.json(&["period", "show", OPEN, PERIOD])["content"][0]["status"], "PROCESSING");
        let reported = complete("yes\n");
        assert!(reported.code == Some(0) && reported.out.contains("is completed"), "{reported:?}");
    });
}
