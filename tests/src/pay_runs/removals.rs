//! Tests of checks that an operator removes from an open period (specification §10.21).

use reqwest::Method;
use serde_json::{Value, json};

use super::{read_checks, transition_request};
use crate::support::{LOCKED, OPEN, Request, Response, Server, check_with_correlation_id, on_every_database};

/// Returns a request to remove all checks that operators have added, or the check in the path.
fn removal_request(subpath: &str) -> Request {
    Request::operator(Method::DELETE, &format!("/companies/{OPEN}/payperiods/ENTRY/checks{subpath}"))
}

/// The query for removing all checks that operators have added.
const CONFIRMATION_QUERY: &str = "?deletebyoperators=true";

/// Adds two checks of the application and two of an operator to the open period. Returns their ids.
async fn add_four_checks(server: &Server) -> (Vec<String>, Vec<String>) {
    let added = server
        .send(&Request::post_checks(
            OPEN,
            &json!([check_with_correlation_id("one"), check_with_correlation_id("two")]),
        ))
        .await;
    let mine = added.members("paycheckId");
    let path = format!("/companies/{OPEN}/payperiods/ENTRY/checks");
    let of_operator = Request::operator_post(
        &path,
        &json!([check_with_correlation_id("three"), check_with_correlation_id("four")]),
    );
    assert_eq!(server.send(&of_operator).await.status, 200);
    let all = read_checks(server).await.members("paycheckId");
    let others = all.into_iter().filter(|id| !mine.contains(id)).collect();
    (mine, others)
}

async fn read_period(server: &Server) -> (Response, Value) {
    let response = server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
    let totals = response.content().remove(0)["totals"].clone();
    (response, totals)
}

#[test]
fn an_operator_removes_one_check_or_all_checks_of_operators() {
    on_every_database(async |server| {
        let (mine, others) = add_four_checks(server).await;
        assert_eq!(server.send(&removal_request(&format!("/{}", mine[0]))).await.status, 204);
        assert_eq!(server.send(&removal_request(&format!("/{}", mine[0]))).await.status, 404);
        let (_, totals) = read_period(server).await;
        assert_eq!((&totals["checks"], &totals["workers"]), (&json!(3), &json!(1)));
        let reported = server.send(&removal_request(CONFIRMATION_QUERY)).await;
        assert_eq!((reported.status, reported.text().as_str()), (204, ""), "{reported:?}");
        assert_eq!(read_checks(server).await.members("paycheckId"), mine[1..]);
        let (before, totals) = read_period(server).await;
        assert_eq!(totals["checks"], 1);
        // The operators' checks are already removed, so this request changes nothing.
        assert_eq!(server.send(&removal_request(CONFIRMATION_QUERY)).await.status, 204);
        assert_eq!(read_period(server).await.0.header("etag"), before.header("etag"));
        let audit_request = Request::operator_get(&format!("/audit?companyid={OPEN}&limit=2"));
        let rows = server.send(&audit_request).await.content();
        let named = |row: &Value| row["before"]["paycheckIds"].clone();
        let mut removed = [&rows[0], &rows[1]].map(named);
        removed.sort_by_key(|ids| ids.as_array().map(Vec::len));
        assert_eq!(removed, [json!([mine[0]]), json!(others)], "{rows:?}");
        // A new check may use the correlation id of a removed check.
        let path = format!("/companies/{OPEN}/payperiods/ENTRY/checks");
        let again = Request::operator_post(&path, &json!([check_with_correlation_id("three")]));
        assert_eq!(server.send(&again).await.status, 200);
    });
}

#[test]
fn an_unconfirmed_outdated_or_late_removal_is_rejected() {
    on_every_database(async |server| {
        let (mine, _) = add_four_checks(server).await;
        let (before, _) = read_period(server).await;
        for (subpath, expected) in [
            ("", "400 API-49"),
            ("?deletebyoperators=yes", "400 API-40"),
            ("?deletebyoperators=true&deletebyoperators=true", "400 API-40"),
            ("/nobodys", "404 API-7"),
        ] {
            let reported = server.send(&removal_request(subpath)).await;
            assert_eq!(reported.status_and_code(), expected, "{subpath}: {reported:?}");
        }
        let stale = removal_request(&format!("/{}", mine[0])).header("if-match", "\"1-stale\"");
        assert_eq!(server.send(&stale).await.status, 412);
        let elsewhere = format!("/companies/{LOCKED}/payperiods/nowhere/checks?deletebyoperators=yes");
        assert_eq!(server.send(&Request::operator(Method::DELETE, &elsewhere)).await.status, 404);
        assert_eq!(read_period(server).await.0.header("etag"), before.header("etag"));
        let tag = before.header("etag").to_owned();
        let named = removal_request(&format!("/{}", mine[0])).header("if-match", &tag);
        assert_eq!(server.send(&named).await.status, 204);
        assert_eq!(server.send(&transition_request(OPEN, "ENTRY", "process")).await.status, 200);
        for late in [removal_request(CONFIRMATION_QUERY), removal_request(&format!("/{}", mine[1]))] {
            let reported = server.send(&late).await;
            assert_eq!(reported.status_and_code(), "409 API-409", "{reported:?}");
        }
    });
}
