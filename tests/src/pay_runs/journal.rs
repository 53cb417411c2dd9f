//! Tests of the journal of a period (specification §10.14, §11.25), as JSON and as CSV, with the accounts of
//! the company and of its components.

use reqwest::Method;
use serde_json::{Value, json};

use super::{add_and_process_checks, completion_request};
use crate::support::{
    Caller, OPEN, Request, Server, check_with_correlation_id, on_every_database, with_member,
};

fn journal_request(period: &str) -> Request {
    Request::operator_get(&format!("/companies/{OPEN}/payperiods/{period}/journal"))
}

/// Returns a PATCH of the company, or of the object at this subpath.
fn patch_request(subpath: &str, document: &Value) -> Request {
    Request::operator(Method::PATCH, &format!("/companies/{OPEN}{subpath}"))
        .header("content-type", "application/merge-patch+json")
        .header("if-match", "*")
        .body(document.to_string())
}

/// Completes a pay run with hours, tips, an informational line, a garnishment, an employee tax and an
/// employer tax.
async fn complete_period(server: &Server) {
    let lines = json!([{"componentId": "HOURLY", "payHours": "7.5", "payRate": "20.3333"},
                       {"componentId": "TIPS", "payAmount": "10"}]);
    let car = json!([{"componentId": "CAR", "payAmount": "50"}]);
    let one =
        with_member(with_member(check_with_correlation_id("one"), "earnings", lines), "informational", car);
    let ids = add_and_process_checks(server, &json!([one, check_with_correlation_id("two")])).await;
    let handed_in = json!({"checks": [{"paycheckId": ids[0],
        "taxes": [{"name": "=A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                  {"name": "=A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
        "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
    assert_eq!(server.send(&completion_request(&handed_in)).await.status, 200);
}

/// Returns each entry of the journal as text: account, side (debit or credit), amount and name.
fn journal_rows(journal: &Value) -> Vec<String> {
    let entry = |entry: &Value| {
        let (side, amount) = match entry["debit"].as_str() {
            Some(amount) => ("debit", amount),
            None => ("credit", entry["credit"].as_str().expect("an amount")),
        };
        let text = |member: &str| entry[member].as_str().expect("a text").to_owned();
        format!("{} {side} {amount} {}", text("account"), text("name"))
    };
    journal["entries"].as_array().expect("entries").iter().map(entry).collect()
}

async fn read_journal(server: &Server) -> Value {
    let response = server.send(&journal_request("ENTRY")).await;
    assert_eq!(response.status, 200, "{response:?}");
    response.content().remove(0)
}

#[test]
fn a_journal_books_the_totals_of_checks_on_the_default_accounts() {
    on_every_database(async |server| {
        complete_period(server).await;
        let journal = read_journal(server).await;
        let expected = [
            "Deductions payable credit 20.00 GARNISHMENT component",
            "Deductions payable credit 10.00 TIPS component",
            "Employer tax expense debit 11.62 =A tax",
            "Taxes payable credit 28.33 =A tax",
            "Taxes payable credit 11.62 =A tax",
            "Wages expense debit 312.50 HOURLY component",
            "Wages expense debit 10.00 TIPS component",
            "Wages payable debit 20.00 GARNISHMENT component",
            "Wages payable credit 312.50 HOURLY component",
            "Wages payable debit 28.33 =A tax",
        ];
        assert_eq!(journal_rows(&journal), expected);
        assert_eq!((&journal["totalDebit"], &journal["totalCredit"]), (&json!("382.45"), &json!("382.45")));
        assert_eq!(journal["entries"][0]["effectOnPay"], "REDUCTION");
        assert_eq!(journal["entries"][2]["paidBy"], "EMPLOYER_LIABILITY");
    });
}

#[test]
fn a_journal_uses_the_current_accounts_of_company_and_components() {
    on_every_database(async |server| {
        complete_period(server).await;
        let before = server.send(&journal_request("ENTRY")).await.header("etag").to_owned();
        for (subpath, document) in [
            ("", json!({"wagesPayableAccount": "2100", "taxesPayableAccount": "2200"})),
            ("/paycomponents/HOURLY", json!({"debitAccount": "6010"})),
            ("/paycomponents/CAR", json!({"debitAccount": "6300", "creditAccount": "@2400"})),
        ] {
            let changed = server.send(&patch_request(subpath, &document)).await;
            assert_eq!(changed.status, 200, "{changed:?}");
        }
        let again = server.send(&journal_request("ENTRY").header("if-none-match", &before)).await;
        assert_eq!(again.status, 200, "it has changed");
        let now = read_journal(server).await;
        for expected in [
            "2100 credit 312.50 HOURLY component",
            "6010 debit 312.50 HOURLY component",
            "6300 debit 50.00 CAR component",
            "@2400 credit 50.00 CAR component",
            "2200 credit 28.33 =A tax",
            "Wages expense debit 10.00 TIPS component",
        ] {
            assert!(journal_rows(&now).iter().any(|entry| entry == expected), "{expected}: {now}");
        }
        assert_eq!((&now["totalDebit"], &now["totalCredit"]), (&json!("432.45"), &json!("432.45")));
    });
}

#[test]
fn a_journal_as_csv_has_a_row_for_each_entry_and_no_formulas() {
    on_every_database(async |server| {
        complete_period(server).await;
        let response = server.send(&journal_request("ENTRY").accept("text/csv")).await;
        assert_eq!(response.header("content-type"), "text/csv");
        let text = String::from_utf8(response.body.to_vec()).expect("UTF-8");
        let rows: Vec<Vec<&str>> =
            text.trim_end().split("\r\n").map(|row| row.split(',').collect()).collect();
        assert_eq!((rows.len(), &rows[0][2..5]), (11, &["account", "debit", "credit"][..]));
        let reported: Vec<String> = rows[1..].iter().map(|row| row[2..8].join("|")).collect();
        assert!(reported.contains(&"Taxes payable||11.62|TAX||'=A tax".to_owned()), "{text}");
        assert!(
            reported.contains(&"Wages expense|312.50||COMPONENT|HOURLY|HOURLY component".to_owned()),
            "{text}"
        );
        let held =
            journal_request("ENTRY").accept("text/csv").header("if-none-match", response.header("etag"));
        assert_eq!(server.send(&held).await.status, 304);
        assert_ne!(server.send(&journal_request("ENTRY")).await.header("etag"), response.header("etag"));
    });
}

#[test]
fn partners_do_not_see_accounts() {
    on_every_database(async |server| {
        let changed = patch_request("/paycomponents/HOURLY", &json!({"debitAccount": "6010"}));
        assert_eq!(server.send(&changed).await.content()[0]["debitAccount"], "6010");
        assert_eq!(
            server.send(&patch_request("", &json!({"wagesPayableAccount": "2100"}))).await.status,
            200
        );
        for path in ["/paycomponents/HOURLY", "/paycomponents", ""] {
            let response = server.send(&Request::get(format!("/companies/{OPEN}{path}"))).await;
            let text = String::from_utf8_lossy(&response.body).into_owned();
            assert!(response.status == 200 && !text.contains("Account"), "{text}");
        }
    });
}

#[test]
fn an_invalid_account_is_rejected() {
    on_every_database(async |server| {
        let long = "4".repeat(41);
        for (subpath, document, expected) in [
            ("/paycomponents/HOURLY", json!({"debitAccount": long}), "API-48 /debitAccount"),
            ("/paycomponents/HOURLY", json!({"creditAccount": "a\nb"}), "API-48 /creditAccount"),
            ("/paycomponents/HOURLY", json!({"creditAccount": 6000}), "API-48 /creditAccount"),
            ("/paycomponents/CAR", json!({"creditAccount": "2400"}), "API-46 /debitAccount"),
            ("/paycomponents/CAR", json!({"debitAccount": "2400"}), "API-46 /creditAccount"),
            ("", json!({"wagesPayableAccount": "\u{7f}"}), "API-48 /wagesPayableAccount"),
            ("", json!({"wagesPayable": "2100"}), "API-48 /wagesPayable"),
        ] {
            let refused = server.send(&patch_request(subpath, &document)).await;
            assert_eq!((refused.status, refused.faults()), (400, vec![expected.to_owned()]), "{document}");
        }
        assert_eq!(
            server
                .send(&patch_request("/paycomponents/HOURLY", &json!({"debitAccount": "é".repeat(40)})))
                .await
                .status,
            200
        );
    });
}

#[test]
fn an_unavailable_journal_is_rejected_with_the_reason() {
    on_every_database(async |server| {
        let of =
            |company: &str| Request::operator_get(&format!("/companies/{company}/payperiods/ENTRY/journal"));
        for (request, expected) in [
            (journal_request("ENTRY"), "409 API-409"),
            (journal_request("INITIAL").accept("text/csv"), "409 API-409"),
            (journal_request("NOWHERE"), "404 API-7"),
            (of("UNKNOWN"), "404 API-7"),
            (journal_request("COMPLETED").accept("application/pdf"), "406 API-75"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
        let reported = server.send(&journal_request("ENTRY")).await.errors()[0]["description"].clone();
        assert_eq!(reported, "the pay period is ENTRY; only a processed pay period has a journal");
        assert_eq!(
            server.send(&journal_request("COMPLETED").with_caller(Caller::OperatorReader)).await.status,
            200
        );
    });
}

#[test]
fn a_journal_of_a_long_run_adds_up_all_checks() {
    on_every_database(async |server| {
        for batch in 0..6 {
            let many: Value =
                (0..100).map(|number| check_with_correlation_id(&format!("c{batch}-{number}"))).collect();
            assert_eq!(server.send(&Request::post_checks(OPEN, &many)).await.status, 201);
        }
        assert_eq!(server.send(&super::step_request("process")).await.status, 200);
        assert_eq!(server.send(&super::step_request("complete")).await.status, 200);
        let expected = [
            "Wages expense debit 96000.00 HOURLY component",
            "Wages payable credit 96000.00 HOURLY component",
        ];
        assert_eq!(journal_rows(&read_journal(server).await), expected);
    });
}
