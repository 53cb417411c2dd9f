//! `access …`: requests of applications for access.

use serde_json::json;

use crate::support::command_line::both_ways;

#[test]
fn without_a_request_there_is_nothing_to_decide() {
    both_ways(async |line| {
        assert_eq!(line.done(&["access", "list"]).trim(), "There are none.");
        assert_eq!(line.json(&["access", "list"])["content"], json!([]));
        for command in [&["access", "approve", "NOBODY"][..], &["access", "refuse", "acr_nothing"]] {
            let reported = line.run(command);
            assert!(reported.code == Some(1) && reported.errors.contains("API-7"), "{reported:?}");
        }
    });
}
