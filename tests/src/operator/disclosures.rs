//! Tests of requests that disclose masked values, and of the audit log entries about such requests.

use reqwest::Method;
use serde_json::json;

use super::get;
use super::sessions::sign_in;
use crate::support::{CHILD_TAX_ID, Caller, Request, on_every_database};

const WORKER_PATH: &str = "/companies/OPEN/workers/EMPLOYEE";

fn reveal_request(object_path: &str) -> Request {
    Request::operator(Method::POST, &format!("{object_path}/reveal-taxid"))
}

#[test]
fn a_session_sees_a_masked_tax_identity_and_its_disclosure_is_logged() {
    on_every_database(async |server| {
        let identity = json!({"legalId": {"legalIdType": "SSN", "legalIdValue": CHILD_TAX_ID}});
        let patch = Request::operator_patch(WORKER_PATH, &identity).header("if-match", "*");
        assert_eq!(server.send(&patch).await.status, 200);
        let session = sign_in(server, Caller::Operator).await;
        let masked = server.send(&session.same_origin_request(Request::operator_get(WORKER_PATH))).await;
        assert_eq!(masked.content()[0]["legalId"]["legalIdValue"], "*****6789");
        let shown = server.send(&session.same_origin_request(reveal_request(WORKER_PATH))).await;
        assert_eq!((shown.status, shown.header("cache-control")), (200, "no-store"));
        assert_eq!(shown.content()[0], json!({"legalIdType": "SSN", "legalIdValue": CHILD_TAX_ID}));
        let of_company = server.send(&session.same_origin_request(reveal_request("/companies/CHILD"))).await;
        assert_eq!(of_company.content()[0]["legalIdValue"], CHILD_TAX_ID);
        let audit_log = get(server, "/audit?resourceid=EMPLOYEE").await;
        let row = &audit_log.content()[0];
        assert_eq!((&row["action"], &row["resource"]["kind"]), (&json!("reveal"), &json!("worker")));
        assert!(row.get("before").is_none() && row.get("after").is_none(), "{row}");
        assert!(!audit_log.text().contains(CHILD_TAX_ID), "nothing of the identity is in the trail");
        let of_company = get(server, "/audit?companyid=CHILD").await;
        assert_eq!(of_company.content()[0]["action"], "reveal");
    });
}

#[test]
fn a_tax_identity_is_not_disclosed_to_read_only_keys_and_missing_ones_get_404() {
    on_every_database(async |server| {
        let reader = sign_in(server, Caller::OperatorReader).await;
        assert_eq!(
            server.send(&reader.same_origin_request(reveal_request(WORKER_PATH))).await.status_and_code(),
            "403 API-2"
        );
        let by_key = reveal_request(WORKER_PATH).with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&by_key).await.status_and_code(), "403 API-2");
        for nobody in
            ["/companies/OPEN/workers/NOBODY", "/companies/NOBODY/workers/EMPLOYEE", "/companies/BARE"]
        {
            assert_eq!(server.send(&reveal_request(nobody)).await.status_and_code(), "404 API-7", "{nobody}");
        }
        let request = reveal_request(WORKER_PATH).json(&json!({"why": "curious"}));
        assert!(server.send(&request).await.status_and_code().starts_with("400"));
        let rows = get(server, "/audit").await.content();
        assert!(
            rows.iter().all(|row| row["action"] != "reveal"),
            "what was not shown leaves no row: {rows:?}"
        );
    });
}

#[test]
fn an_export_by_a_session_is_logged_and_an_export_by_a_key_is_not() {
    on_every_database(async |server| {
        let export = Request::operator_get("/export?companyid=OPEN").accept("application/x-ndjson");
        assert_eq!(server.send_unchecked(&export).await.status, 200);
        let exports = async || {
            let rows = get(server, "/audit?companyid=OPEN").await.content();
            rows.into_iter().filter(|row| row["action"] == "export").count()
        };
        assert_eq!(exports().await, 0);
        let session = sign_in(server, Caller::Operator).await;
        let exported = server.send_unchecked(&session.same_origin_request(export)).await;
        assert_eq!(exported.status, 200);
        assert_eq!(exports().await, 1);
    });
}
