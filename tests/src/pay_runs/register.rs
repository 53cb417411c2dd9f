//! Tests of the payroll register of a period (specification §10.14), as JSON and as CSV, before and after
//! completion.

use reqwest::Method;
use serde_json::{Value, json};

use super::{add_and_process_checks, completion_request};
use crate::support::{
    OPEN, Request, Response, Server, check_with_correlation_id, checks_document, on_every_database,
    with_member,
};

fn register_request(query: &str) -> Request {
    Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY/register{query}"))
}

async fn read_csv(server: &Server, query: &str) -> (Response, Vec<Vec<String>>) {
    let response = server.send(&register_request(query).accept("text/csv")).await;
    assert_eq!(response.header("content-type"), "text/csv");
    let text = String::from_utf8(response.body.to_vec()).expect("UTF-8");
    assert!(text.ends_with("\r\n"), "{text}");
    let rows = text.trim_end().split("\r\n").map(|row| row.split(',').map(str::to_owned).collect());
    let rows = rows.collect();
    (response, rows)
}

/// Returns the kind and the amounts of a CSV row of the register.
fn row_summary(row: &[String]) -> String {
    [5, 10, 11, 12, 17].map(|column| row[column].as_str()).join(" ")
}

#[test]
fn a_register_is_partial_before_the_completion_and_complete_after_it() {
    on_every_database(async |server| {
        let lines = json!([{"componentId": "HOURLY", "payHours": "7.5", "payRate": "20.3333"}]);
        let ids = add_and_process_checks(
            server,
            &json!([
                with_member(check_with_correlation_id("one"), "earnings", lines),
                check_with_correlation_id("two")
            ]),
        )
        .await;
        let before = server.send(&register_request("")).await.content();
        assert_eq!((&before[0]["final"], &before[0]["netPay"]), (&json!(false), &Value::Null));
        assert_eq!(before[0]["grossEarnings"], "152.50");
        assert_eq!(before[0]["earnings"][0]["amount"], "152.50");
        let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
            "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
            "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
        assert_eq!(server.send(&completion_request(&handed_in)).await.status, 200);
        let after = server.send(&register_request("")).await.content();
        let expected = [("104.17", "17"), ("160.00", "")];
        for (check, (net, number)) in after.iter().zip(expected) {
            assert_eq!((&check["final"], &check["netPay"]), (&json!(true), &json!(net)));
            assert_eq!(check["checkNumber"].as_str().unwrap_or_default(), number);
            assert!(check["familyName"].is_string() && check["givenName"].is_string(), "{check}");
        }
        assert_eq!(after[0]["deductions"][0]["amount"], "20.00");
        assert_eq!(after[0]["taxes"][0]["paidBy"], "EMPLOYEE_WITHHOLDING");
    });
}

#[test]
fn a_register_as_csv_has_a_row_for_each_line_and_tax() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let (open, rows) = read_csv(server, "").await;
        assert_eq!(rows.len(), 1 + 2 * 2);
        assert_eq!(row_summary(&rows[2]), "false GROSS   160.00");
        let handed_in = json!({"checks": [{"paycheckId": ids[0],
            "taxes": [{"name": "=A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}]}]});
        assert_eq!(server.send(&completion_request(&handed_in)).await.status, 200);
        let (closed, rows) = read_csv(server, "").await;
        let expected = [
            "final kind componentId name amount",
            "true EARNING HOURLY HOURLY component 160.00",
            "true EMPLOYEE_TAX  '=A tax 28.33",
            "true GROSS   160.00",
            "true NET   131.67",
            "true EARNING HOURLY HOURLY component 160.00",
            "true GROSS   160.00",
            "true NET   160.00",
        ];
        assert_eq!(rows.iter().map(|row| row_summary(row)).collect::<Vec<_>>(), expected);
        assert!(rows[1..].iter().all(|row| ids.contains(&row[2])));
        assert_ne!(open.header("etag"), closed.header("etag"));
        let again = register_request("").accept("text/csv").header("if-none-match", closed.header("etag"));
        assert_eq!(server.send(&again).await.status, 304);
        let renamed = json!({"name": {"familyName": "Renamed"}});
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        assert_eq!(server.send(&Request::operator_patch(&worker, &renamed)).await.status, 200);
        let response = server.send(&again).await;
        assert_eq!((response.status, response.text().contains("Renamed")), (200, true));
    });
}

#[test]
fn a_register_is_paged_and_has_its_own_etag_for_each_form() {
    on_every_database(async |server| {
        let added = server.send(&Request::post_checks(OPEN, &checks_document(3))).await;
        let ids = added.members("paycheckId");
        let page = server.send(&register_request("?offset=1&limit=1")).await;
        assert_eq!(page.members("paycheckId"), ids[1..2]);
        assert!(page.link("next").is_some());
        let (response, rows) = read_csv(server, "?offset=1&limit=1").await;
        assert!(rows[1..].iter().all(|row| row[2] == ids[1]));
        assert_ne!(response.header("etag"), page.header("etag"));
    });
}

#[test]
fn a_long_register_is_streamed_completely() {
    on_every_database(async |server| {
        for batch in 0..6 {
            let many: Value =
                (0..100).map(|number| check_with_correlation_id(&format!("c{batch}-{number}"))).collect();
            assert_eq!(server.send(&Request::post_checks(OPEN, &many)).await.status, 201);
        }
        assert_eq!(server.send(&register_request("")).await.content().len(), 600);
        let (_, rows) = read_csv(server, "").await;
        assert_eq!(rows.len(), 1 + 600 * 2);
    });
}

#[test]
fn an_unavailable_register_is_rejected_with_the_reason() {
    on_every_database(async |server| {
        let at = |company: &str, period: &str, query: &str| {
            Request::operator_get(&format!("/companies/{company}/payperiods/{period}/register{query}"))
        };
        for (request, expected) in [
            (at(OPEN, "NOWHERE", ""), "404 API-7"),
            (at("UNKNOWN", "ENTRY", ""), "404 API-7"),
            (register_request("?limit=-1"), "400 API-40"),
            (at(OPEN, "NOWHERE", "?limit=-1").accept("text/csv"), "404 API-7"),
            (register_request("").accept("application/pdf"), "406 API-75"),
            (register_request("?format=csv"), "400 API-40"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
    });
}

#[test]
fn an_import_of_the_own_export_changes_no_check() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let input = json!({"checks": [{"paycheckId": ids[0],
            "taxes": [{"name": "A tax", "amount": "27.35", "paidBy": "EMPLOYEE_WITHHOLDING"}]}]});
        assert_eq!(server.send(&completion_request(&input)).await.status, 200);
        let own = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY&filterbyuserid=true"));
        let before = server.send(&own).await;
        assert_eq!(before.content().len(), 2);
        let export =
            Request::operator_get(&format!("/export?companyid={OPEN}")).accept("application/x-ndjson");
        let line = server.send_unchecked(&export).await.text();
        let import = async |line: String| {
            let import =
                Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
            let imported = server.send_unchecked(&import.body(line)).await.text();
            serde_json::from_str::<Value>(imported.trim()).expect("a line")["counts"].take()
        };
        let counts = import(line.clone()).await;
        assert_eq!((&counts["created"], &counts["changed"]), (&json!(0), &json!(0)), "{counts}");
        let after = server.send(&own).await;
        assert_eq!((after.header("etag"), after.content()), (before.header("etag"), before.content()));
        // An import changes the check. The check still belongs to the application that created it.
        let counts = import(line.replace("27.35", "28.34").replace("131.67", "131.66")).await;
        assert_eq!((&counts["created"], &counts["changed"]), (&json!(0), &json!(1)), "{counts}");
        assert_eq!(server.send(&own).await.content().len(), 2);
    });
}
