//! Tests of the audit log over HTTP (specification §10.13).

use serde_json::{Value, json};

use crate::support::{
    CLIENT_SECRET, Caller, OPEN, OPERATOR_KEY, Request, Response, Server, on_every_database,
};

async fn read_audit_log(server: &Server, query: &str) -> Response {
    let response = server.send(&Request::operator_get(&format!("/audit?{query}"))).await;
    assert_eq!(response.status, 200, "{response:?}");
    response
}

/// Returns an entry of the audit log as text: the actor, the action and the changed object.
fn row_text(row: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (actor, resource) = (&row["actor"], &row["resource"]);
    [&actor["kind"], &actor["name"], &row["action"], &resource["kind"], &resource["id"]].map(text).join(" ")
}

#[test]
fn a_change_is_logged_with_author_action_and_both_values() {
    on_every_database(async |server| {
        let complete = "/companies/BUSY/payperiods/BUSY-PROCESSING/complete";
        let request = Request::operator_post(complete, &json!({"allowEmpty": true}));
        assert_eq!(server.send(&request).await.status, 200);
        let newest = read_audit_log(server, "limit=1").await.content().remove(0);
        assert_eq!(row_text(&newest), "operator desk update payPeriod BUSY-PROCESSING");
        assert_eq!(newest["companyId"], "BUSY");
        assert_eq!(
            (&newest["before"]["status"], &newest["after"]["status"]),
            (&json!("PROCESSING"), &json!("COMPLETED"))
        );
        let at = newest["at"].as_str().expect("an instant");
        assert!(at.starts_with("2026-05-12T12:00:") && at.ends_with('Z'), "{at}");
    });
}

#[test]
fn the_audit_log_is_read_by_page_newest_first_without_duplicates() {
    on_every_database(async |server| {
        let all = read_audit_log(server, "limit=1000").await;
        assert_eq!(all.link("next"), None);
        let (mut rows, mut query) = (Vec::new(), "limit=3".to_owned());
        loop {
            let page = read_audit_log(server, &query).await;
            rows.extend(page.content());
            let Some(next) = page.link("next") else { break };
            query = next.split_once('?').expect("a query").1.to_owned();
        }
        assert!(rows.len() > 10, "the world was set up: {}", rows.len());
        assert_eq!(rows, all.content());
        let positions: Vec<_> = rows.iter().map(|row| row["position"].as_i64().expect("a number")).collect();
        assert!(positions.is_sorted_by(|newer, older| newer > older), "{positions:?}");
    });
}

#[test]
fn filters_of_the_audit_log_are_combined() {
    on_every_database(async |server| {
        let count = async |query: &str| read_audit_log(server, query).await.content().len();
        let grants = count("kind=grant&limit=1000").await;
        assert!(grants >= 10, "{grants}");
        assert_eq!(count(&format!("kind=grant&companyid={OPEN}")).await, 3);
        assert_eq!(count("kind=operatorKey&resourceid=desk").await, 1);
        assert_eq!(count("kind=grant&resourceid=desk").await, 0);
        assert_eq!(count("companyid=GONE").await, 0);
        assert_eq!(count("kind=grant&from=2026-05-12T12:00:00Z&limit=1000").await, grants);
        assert_eq!(count("until=2026-05-12T12:00:00Z").await, 0);
        assert_eq!(count("from=2026-05-13").await, 0);
    });
}

#[test]
fn the_audit_log_contains_no_secret_and_no_complete_tax_identity_of_a_person() {
    on_every_database(async |server| {
        let rows = read_audit_log(server, "limit=1000").await.json().to_string();
        for secret in [OPERATOR_KEY, CLIENT_SECRET, crate::support::CHILD_TAX_ID] {
            assert!(!rows.contains(secret), "{secret}");
        }
    });
}

#[test]
fn a_read_only_key_reads_the_audit_log_and_invalid_parameters_are_reported() {
    on_every_database(async |server| {
        let read = Request::operator_get("/audit").with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&read).await.status, 200);
        for bad in
            ["kind=nothing", "from=yesterday", "before=x", "limit=0", "companyid=", "kind=grant&kind=grant"]
        {
            let response = server.send(&Request::operator_get(&format!("/audit?{bad}"))).await;
            assert_eq!(response.status_and_code(), "400 API-40", "{bad}");
        }
    });
}
