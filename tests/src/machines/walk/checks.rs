//! Steps with checks of the application and of operators in several companies: added, rejected, read,
//! deleted.

use serde_json::{Value, json};

use super::lists::{ADA, BEN, GUS, HOURLY, JANUARY};
use super::requests::{
    BAKERY, FARM, GARAGE, action, add, company_path, delete, get, operator_post, read, remove,
};
use super::walker::Walk;
use crate::support::Request;

fn check(worker: &str, period: &str, name: &str) -> Value {
    json!({"workerId": worker, "payPeriodId": period, "checkCorrelationId": name,
        "earnings": [{"componentId": HOURLY, "payHours": "8"}]})
}

/// Sends checks before the system is disturbed, and again with the same key afterwards.
pub(super) async fn retry_after_disturbance(walk: &mut Walk<'_>, middle: impl AsyncFn()) {
    let batch = gus_checks("gus").idempotency_key("walk-across");
    let before = walk.step(201, batch.clone()).await;
    walk.read_again().await;
    middle().await;
    let behind = walk.step(201, batch).await;
    assert_eq!(behind.json(), before.json(), "the same key adds once");
    assert_eq!(walk.read_again().await, 0, "nothing has changed");
}

/// Returns a batch for the worker of [`GARAGE`].
fn gus_checks(name: &str) -> Request {
    Request::post_checks(GARAGE, &json!([check(GUS, JANUARY, name)]))
}

/// Runs the steps with checks of the application.
pub(super) async fn walk_own_checks(walk: &mut Walk<'_>) {
    let both = json!([check(ADA, JANUARY, "ada"), check(BEN, JANUARY, "ben")]);
    let batch = Request::post_checks(BAKERY, &both);
    let tried = Request { target: format!("{}?dryrun=true", batch.target), ..batch.clone() };
    walk.step(200, tried).await;
    let batch = batch.idempotency_key("walk-batch");
    let added = walk.step(201, batch.clone()).await;
    let again = walk.step(201, batch.clone()).await;
    assert_eq!(again.json(), added.json(), "the same key adds once");
    let other = json!([check(ADA, JANUARY, "another")]);
    walk.step(422, Request::post_checks(BAKERY, &other).idempotency_key("walk-batch")).await;
    let twice = json!([check(ADA, JANUARY, "twice"), check(BEN, JANUARY, "twice")]);
    let refused = walk.step(400, Request::post_checks(BAKERY, &twice)).await;
    assert_eq!(refused.faults(), ["API-56 /1/checkCorrelationId"]);
    let mut taken = check(ADA, JANUARY, "taken");
    taken["paycheckId"] = json!(added.members("paycheckId")[0]);
    let refused = walk.step(405, Request::post_checks(BAKERY, &json!([taken]))).await;
    assert_eq!(refused.refusal(), "405 API-51");
    let elsewhere = json!([check(GUS, JANUARY, "elsewhere")]);
    let refused = walk.step(400, Request::post_checks(BAKERY, &elsewhere)).await;
    assert_eq!(refused.faults(), ["API-55 /0/workerId"]);
    let period = |more: &str| format!("{}?payperiodid={JANUARY}{more}", company_path(BAKERY, "checks"));
    let listed = walk.step(200, read(&period(""))).await;
    assert_eq!(listed.members("paycheckId"), added.members("paycheckId"));
    let page = walk.step(200, read(&period("&filterbyuserid=true&offset=1&limit=1"))).await;
    assert_eq!(page.members("paycheckId"), added.members("paycheckId")[1..]);
}

/// Runs the steps with checks in the path of their worker.
pub(super) async fn walk_worker_checks(walk: &mut Walk<'_>) {
    let path = format!("/workers/{BEN}/checks");
    let added = walk.step(201, add(&path, &json!([check(BEN, JANUARY, "more")]))).await;
    let id = added.members("paycheckId").remove(0);
    let listed = walk.step(200, read(&format!("{path}?payperiodid={JANUARY}"))).await;
    assert_eq!(listed.content().len(), 2);
    walk.step(200, read(&format!("{path}/{id}"))).await;
    walk.step(404, read(&format!("/workers/{ADA}/checks/{id}"))).await;
    let lines = format!("/checks/{id}/checkcomponents");
    let extra = json!({"componentId": HOURLY, "payHours": "2"});
    walk.step(200, add(&format!("{lines}?dryrun=true"), &extra)).await;
    let changed = walk.step(200, add(&lines, &extra).idempotency_key("walk-line")).await;
    let line = changed.content()[0]["earnings"][1]["checkComponentId"].as_str().expect("an id").to_owned();
    let line = format!("{lines}/{line}");
    walk.step(200, Request::patch(line.as_str(), &json!({"payHours": "3"}))).await;
    walk.step(204, remove(&line)).await;
    walk.step(404, remove(&line)).await;
    walk.step(204, remove(&format!("{path}/{id}"))).await;
    walk.step(404, remove(&format!("{path}/{id}"))).await;
    let left = walk.step(200, read(&format!("{path}?payperiodid={JANUARY}"))).await;
    assert_eq!(left.members("checkCorrelationId"), ["ben"]);
}

/// Runs the steps with checks of other companies. All checks of one company are removed at once and added
/// again.
pub(super) async fn walk_other_companies(walk: &mut Walk<'_>) {
    let list = format!("{}?payperiodid={JANUARY}", company_path(GARAGE, "checks"));
    assert_eq!(walk.step(200, read(&list)).await.members("checkCorrelationId"), ["gus"]);
    walk.step(201, Request::post_checks(FARM, &json!([check("WALK-FAY", "MARCH", "fay")]))).await;
    let own = format!("/checks?payperiodid={JANUARY}&deletebyuserid=true");
    // Two companies have a period with this id.
    walk.step(400, remove(&own)).await;
    walk.step(204, remove(&format!("{own}&companyid={GARAGE}"))).await;
    assert_eq!(walk.step(200, read(&list)).await.content().len(), 0);
    walk.step(201, gus_checks("gus again")).await;
    assert_eq!(walk.step(200, read(&list)).await.members("checkCorrelationId"), ["gus again"]);
    let period = walk.step(200, read(&company_path(GARAGE, &format!("payperiods/{JANUARY}")))).await;
    assert_eq!(period.members("status"), ["ENTRY"]);
}

/// Runs the steps with checks of an operator, as JSON and as CSV.
pub(super) async fn walk_operator_checks(walk: &mut Walk<'_>) {
    let path = company_path(BAKERY, &format!("payperiods/{JANUARY}/checks"));
    let checks = json!([check(ADA, JANUARY, "by hand"), check(BEN, JANUARY, "by hand too")]);
    walk.step(200, operator_post(&format!("{path}?dryrun=true"), &checks)).await;
    walk.step(200, operator_post(&path, &checks)).await;
    let refused = walk.step(400, operator_post(&path, &checks)).await;
    assert!(refused.refusal().contains("API-56"), "{refused:?}");
    let table = format!("workerId,check,componentId,payHours\n{ADA},table,{HOURLY},2\n");
    walk.step(200, action(&path).header("content-type", "text/csv").body(table)).await;
    let listed = walk.step(200, get(&path)).await;
    assert_eq!(listed.content().len(), 5);
    let page = walk.step(200, get(&format!("{path}?offset=2&limit=1"))).await;
    let by_hand = page.members("paycheckId").remove(0);
    walk.step(204, delete(&format!("{path}/{by_hand}"))).await;
    walk.step(404, delete(&format!("{path}/{by_hand}"))).await;
    walk.step(400, delete(&path)).await;
    walk.step(204, delete(&format!("{path}?deletebyoperators=true"))).await;
    assert_eq!(walk.step(200, get(&path)).await.content().len(), 2);
}
