//! Tests of the filter for objects that have changed since a given time (specification §6.11, §8.5, §8.6),
//! for partners and operators.

use serde_json::{Value, json};

use super::add_workers;
use crate::support::world::worker;
use crate::support::{
    BARE, OPEN, Request, Server, check_with_correlation_id, on_every_database, with_member,
};

/// The time at which the test starts.
const START_INSTANT: &str = "2026-05-12T12:00:00Z";
/// The time one minute after the start of the test.
const LATER_INSTANT: &str = "2026-05-12T12:01:00Z";

/// Reads a list as a partner and as an operator. Returns the ids, which must be the same for both.
async fn find_in_list(server: &Server, list: &str, id: &str, query: &str) -> String {
    let path = format!("/companies/{list}?{query}");
    let partner = server.send(&Request::get(&path)).await;
    let operator = server.send(&Request::operator_get(&path)).await;
    let shown = [&partner, &operator].map(|response| {
        if response.is_success() { response.members(id).join(" ") } else { response.status_and_code() }
    });
    assert_eq!(shown[0], shown[1], "{path}");
    shown[0].clone()
}

async fn patch_object(server: &Server, path: &str, patch: &Value) {
    let response = server.send(&Request::operator_patch(&format!("/companies/{path}"), patch)).await;
    assert_eq!(response.status, 200, "{response:?}");
}

/// Returns two times: the last change of a worker according to the audit log, and one millisecond later.
async fn read_last_change_instants(server: &Server, id: &str) -> [String; 2] {
    let path = format!("/audit?kind=worker&resourceid={id}&limit=1");
    let row = server.send(&Request::operator_get(&path)).await.content().remove(0);
    let at = row["at"].as_str().expect("an instant").to_owned();
    let (before, fraction) = at.rsplit_once('.').expect("milliseconds");
    let milliseconds: u32 = fraction.trim_end_matches('Z').parse().expect("milliseconds");
    let after = format!("{before}.{:03}Z", milliseconds + 1);
    [at, after]
}

#[test]
fn a_changed_worker_is_found_from_the_time_of_the_change() {
    on_every_database(async |server| {
        add_workers(server, vec![worker("BEN", "EMPLOYEE")]).await;
        let (list, since) = (format!("{BARE}/workers"), |instant: &str| format!("modifiedsince={instant}"));
        let workers = async |query: &str| find_in_list(server, &list, "workerId", query).await;
        assert_eq!(workers("modifiedsince=2026-05-12").await, "BOSS ANN BEN");
        server.clock.advance_seconds(60);
        patch_object(server, &format!("{BARE}/workers/ANN"), &json!({"clockId": "78"})).await;
        let [at, after] = read_last_change_instants(server, "ANN").await;
        assert_eq!(workers(&since(LATER_INSTANT)).await, "ANN");
        assert_eq!(workers(&since(&at)).await, "ANN", "equal counts as changed");
        assert_eq!(workers(&since(&after)).await, "");
        assert_eq!(workers("modifiedsince=2026-05-13").await, "");
        server.clock.advance_seconds(60);
        let rates = json!([{"rateId": "R", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20",
            "startDate": "2020-01-06"}]);
        patch_object(server, &format!("{BARE}/workers/BEN"), &json!({"payRates": rates})).await;
        assert_eq!(workers(&since(LATER_INSTANT)).await, "ANN BEN", "a part of a worker is the worker");
        assert_eq!(workers(&format!("{}&givenname=ben", since(LATER_INSTANT))).await, "BEN");
        assert_eq!(workers(&format!("{}&legallastfour=6789", since(LATER_INSTANT))).await, "ANN");
        assert_eq!(workers(&format!("{}&legallastfour=1234", since(LATER_INSTANT))).await, "");
        assert_eq!(workers(&format!("{}&offset=1&limit=1", since(LATER_INSTANT))).await, "BEN");
    });
}

#[test]
fn an_unchanged_write_keeps_the_time_of_the_last_change() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        server.clock.advance_seconds(60);
        patch_object(server, &format!("{BARE}/workers/ANN"), &json!({"clockId": "77"})).await;
        let query = format!("modifiedsince={LATER_INSTANT}");
        assert_eq!(find_in_list(server, &format!("{BARE}/workers"), "workerId", &query).await, "");
        add_workers(server, vec![worker("BEN", "EMPLOYEE")]).await;
        let query = format!("modifiedsince={START_INSTANT}");
        assert_eq!(
            find_in_list(server, &format!("{BARE}/workers"), "workerId", &query).await,
            "BEN BOSS ANN"
        );
    });
}

#[test]
fn modifiedsince_finds_components_and_periods_with_new_checks() {
    on_every_database(async |server| {
        server.clock.advance_seconds(60);
        patch_object(server, &format!("{OPEN}/paycomponents/BONUS"), &json!({"description": "More"})).await;
        patch_object(server, &format!("{OPEN}/payperiods/INITIAL"), &json!({"description": "Second"})).await;
        let query = format!("modifiedsince={LATER_INSTANT}");
        let components = format!("{OPEN}/paycomponents");
        assert_eq!(find_in_list(server, &components, "componentId", &query).await, "BONUS");
        let narrowed = format!("{query}&effectonpay=REDUCTION");
        assert_eq!(find_in_list(server, &components, "componentId", &narrowed).await, "");
        let periods = format!("{OPEN}/payperiods");
        assert_eq!(find_in_list(server, &periods, "payPeriodId", &query).await, "INITIAL");
        server.clock.advance_seconds(60);
        let added =
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("c-1")]))).await;
        assert_eq!(added.status, 201, "{added:?}");
        let query = "modifiedsince=2026-05-12T12:02:00Z";
        assert_eq!(find_in_list(server, &periods, "payPeriodId", query).await, "ENTRY");
        let path = format!("/companies/{OPEN}/payperiods/ENTRY/process");
        server.clock.advance_seconds(60);
        assert_eq!(server.send(&Request::operator_post(&path, &json!({}))).await.status, 200);
        let query = "modifiedsince=2026-05-12T12:03:00Z";
        assert_eq!(find_in_list(server, &periods, "payPeriodId", query).await, "ENTRY");
        let open = format!("{query}&status=INITIAL");
        assert_eq!(find_in_list(server, &periods, "payPeriodId", &open).await, "");
    });
}

#[test]
fn an_invalid_time_is_rejected() {
    on_every_database(async |server| {
        for list in ["workers", "paycomponents", "payperiods"] {
            let list = format!("{OPEN}/{list}");
            for bad in ["", "yesterday", "2026-02-30", "2026-05-12T12:00:00%2B02:00", "1&modifiedsince=2"] {
                let query = format!("modifiedsince={bad}");
                assert_eq!(find_in_list(server, &list, "id", &query).await, "400 API-40", "{list} {bad}");
            }
        }
    });
}

#[test]
fn each_change_gives_the_list_of_changes_a_new_etag() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        server.clock.advance_seconds(60);
        let path = format!("/companies/{BARE}/workers?modifiedsince={LATER_INSTANT}");
        let first = server.send(&Request::get(&path)).await;
        assert_eq!(first.content().len(), 0);
        let again = Request::get(&path).header("if-none-match", first.header("etag"));
        assert_eq!(server.send(&again).await.status, 304);
        patch_object(server, &format!("{BARE}/workers/ANN"), &json!({"clockId": "78"})).await;
        let response = server.send(&again).await;
        assert_eq!((response.status, response.members("workerId")), (200, vec!["ANN".to_owned()]));
    });
}

#[test]
fn a_long_list_of_changed_workers_is_complete_and_in_order_of_creation() {
    on_every_database(async |server| {
        let many = (0..600).map(|number| worker(&format!("MANY-{number:04}"), "EMPLOYEE"));
        let many: Vec<Value> = many.collect();
        import_workers(server, many.clone()).await;
        server.clock.advance_seconds(60);
        let changed = |worker: Value| with_member(worker, "clockId", "1");
        import_workers(server, many.into_iter().skip(40).map(changed).collect()).await;
        let list = format!("{BARE}/workers");
        let found =
            find_in_list(server, &list, "workerId", &format!("modifiedsince={LATER_INSTANT}&offset=2")).await;
        let expected: Vec<String> = (42..600).map(|number| format!("MANY-{number:04}")).collect();
        assert_eq!(found, expected.join(" "));
    });
}

/// Imports a company with these workers in the operator API.
async fn import_workers(server: &Server, workers: Vec<Value>) {
    let company = json!({
        "companyId": BARE, "displayId": "SHORT", "legalName": "Bare Example LLC", "workers": workers,
    });
    let request = Request::operator(reqwest::Method::POST, "/import")
        .header("content-type", "application/x-ndjson")
        .body(format!("{company}\n"));
    let response = server.send(&request).await;
    assert!(response.text().contains("\"stored\""), "{response:?}");
}
