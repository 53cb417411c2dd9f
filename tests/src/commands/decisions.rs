//! Tests of `access …` and `direct-deposit …`, with which operators approve or reject requests of
//! applications.

use serde_json::json;

use crate::support::OPEN;
use crate::support::command_line::run_with_and_without_server;

#[test]
fn without_a_request_no_decision_is_possible() {
    run_with_and_without_server(async |line| {
        assert_eq!(line.run_successfully(&["access", "list"]).trim(), "Nothing was found.");
        assert_eq!(line.run_json(&["access", "list"])["content"], json!([]));
        for command in [&["access", "approve", "NOBODY"][..], &["access", "refuse", "acr_nothing"]] {
            let reported = line.run(command);
            assert!(reported.code == Some(1) && reported.errors.contains("API-7"), "{reported:?}");
        }
    });
}

#[test]
fn a_bank_account_is_listed_approved_and_rejected() {
    run_with_and_without_server(async |line| {
        assert_eq!(line.run_successfully(&["direct-deposit", "requests"]).trim(), "Nothing was found.");
        let create =
            ["direct-deposit", "create", OPEN, "EMPLOYEE", "--file", "-", "--set", "directDepositId=NEW"];
        let document = r#"{"startDate": "2026-01-01", "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING",
            "value": "12.50", "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "5",
            "status": "PENDING", "requestedBy": "partner"}"#;
        assert_eq!(line.run_with_input(&create, document).code, Some(0));
        let listed = line.run_successfully(&["direct-deposit", "requests"]);
        assert!(
            listed.contains("NEW") && listed.contains("*****7865") && !listed.contains("1234567865"),
            "{listed}"
        );
        let approved = line.run_successfully(&["direct-deposit", "approve", OPEN, "EMPLOYEE", "NEW"]);
        assert_eq!(approved.trim(), "Direct deposit NEW is approved.");
        let again = line.run(&["direct-deposit", "refuse", OPEN, "EMPLOYEE", "NEW"]);
        assert!(again.code == Some(1) && again.errors.contains("API-409"), "{again:?}");
        assert_eq!(line.run_successfully(&["direct-deposit", "requests"]).trim(), "Nothing was found.");
    });
}
