//! Tests that irreversible commands ask for confirmation on a terminal.

use crate::support::OPEN;
use crate::support::command_line::run_with_and_without_server;

/// The id of the open pay period of the test company.
const PERIOD_ID: &str = "ENTRY";
/// The character Ctrl+D, which ends the input at a terminal.
const END_OF_INPUT: &str = "\u{4}";

#[test]
fn a_deletion_asks_for_confirmation_and_accepts_only_yes() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["app", "create", "Clock"]);
        let delete = |typed: &str| line.run_at_terminal(&["app", "delete", "Clock"], typed);
        for no in ["n\n", "\n", "yesterday\n", END_OF_INPUT] {
            let reported = delete(no);
            assert!(
                reported.code == Some(1) && reported.errors.contains("delete: app Clock. Continue?"),
                "{reported:?}"
            );
            assert!(reported.errors.contains("app Clock is unchanged"), "{reported:?}");
        }
        line.run_successfully(&["app", "show", "Clock"]);
        let reported = delete("y\n");
        assert!(reported.code == Some(0) && reported.out.contains("Clock was deleted."), "{reported:?}");
        assert_eq!(line.run(&["app", "show", "Clock"]).code, Some(1));
    });
}

#[test]
fn without_a_terminal_a_deletion_requires_an_option() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["app", "create", "Clock"]);
        line.run_successfully(&["operator-key", "create", "night shift"]);
        for command in [&["app", "delete", "Clock"], &["operator-key", "revoke", "night shift"]] {
            let reported = line.run_with_input(command, "y\n");
            assert!(reported.code == Some(2) && reported.errors.contains("Use --yes"), "{reported:?}");
        }
        line.run_successfully(&["app", "delete", "Clock", "--yes"]);
        line.run_successfully(&["operator-key", "revoke", "night shift", "--yes"]);
        let reset = line.run_with_input(&["sandbox", "reset", "Sandbox"], "y\n");
        assert!(reset.errors.contains("confirmation of the sandbox without"), "{reset:?}");
    });
}

#[test]
fn a_pay_period_is_shown_before_its_completion_and_unchanged_after_no() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["period", "process", OPEN, PERIOD_ID]);
        let complete = |typed: &str| {
            line.run_at_terminal(&["period", "complete", OPEN, PERIOD_ID, "--allow-empty"], typed)
        };
        let reported = complete("no\n");
        assert!(reported.code == Some(1) && reported.out.contains("Employer cost"), "{reported:?}");
        assert!(reported.errors.contains(&format!("Complete pay period {PERIOD_ID}?")), "{reported:?}");
        assert_eq!(line.run_json(&["period", "show", OPEN, PERIOD_ID])["content"][0]["status"], "PROCESSING");
        let reported = complete("yes\n");
        assert!(reported.code == Some(0) && reported.out.contains("is completed"), "{reported:?}");
    });
}
