//! Steps with checks of the application and of operators in several companies. Checks are added, rejected,
//! read and deleted.

use serde_json::{Value, json};

use super::lists::{ADA, BEN, GUS, HOURLY_COMPONENT, JANUARY};
use super::requests::{
    BAKERY_ID, FARM_ID, GARAGE_ID, company_path, delete_request, get, operator_post,
    operator_post_without_body, partner_delete, partner_get, partner_post_document,
};
use super::runner::Scenario;
use crate::support::Request;

fn check_of_worker(worker: &str, period: &str, name: &str) -> Value {
    json!({"workerId": worker, "payPeriodId": period, "checkCorrelationId": name,
        "earnings": [{"componentId": HOURLY_COMPONENT, "payHours": "8"}]})
}

/// Sends checks, disturbs the system, and then resends the same checks with the same idempotency key.
pub(super) async fn retry_after_disturbance(scenario: &mut Scenario<'_>, middle: impl AsyncFn()) {
    let batch = gus_checks_request("gus").idempotency_key("walk-across");
    let before = scenario.send_expecting(201, batch.clone()).await;
    scenario.repeat_all_reads().await;
    middle().await;
    let replayed = scenario.send_expecting(201, batch).await;
    assert_eq!(replayed.json(), before.json(), "the same key adds once");
    assert_eq!(scenario.repeat_all_reads().await, 0, "nothing has changed");
}

/// Returns a request with one check for the worker of [`GARAGE_ID`].
fn gus_checks_request(name: &str) -> Request {
    Request::post_checks(GARAGE_ID, &json!([check_of_worker(GUS, JANUARY, name)]))
}

/// Runs the steps with checks of the application.
pub(super) async fn run_own_check_steps(scenario: &mut Scenario<'_>) {
    let both = json!([check_of_worker(ADA, JANUARY, "ada"), check_of_worker(BEN, JANUARY, "ben")]);
    let batch = Request::post_checks(BAKERY_ID, &both);
    let tried = Request { target: format!("{}?dryrun=true", batch.target), ..batch.clone() };
    scenario.send_expecting(200, tried).await;
    let batch = batch.idempotency_key("walk-batch");
    let added = scenario.send_expecting(201, batch.clone()).await;
    let again = scenario.send_expecting(201, batch.clone()).await;
    assert_eq!(again.json(), added.json(), "the same key adds once");
    let other = json!([check_of_worker(ADA, JANUARY, "another")]);
    scenario.send_expecting(422, Request::post_checks(BAKERY_ID, &other).idempotency_key("walk-batch")).await;
    let twice = json!([check_of_worker(ADA, JANUARY, "twice"), check_of_worker(BEN, JANUARY, "twice")]);
    let refused = scenario.send_expecting(400, Request::post_checks(BAKERY_ID, &twice)).await;
    assert_eq!(refused.faults(), ["API-56 /1/checkCorrelationId"]);
    let mut duplicate = check_of_worker(ADA, JANUARY, "taken");
    duplicate["paycheckId"] = json!(added.members("paycheckId")[0]);
    let refused = scenario.send_expecting(405, Request::post_checks(BAKERY_ID, &json!([duplicate]))).await;
    assert_eq!(refused.status_and_code(), "405 API-51");
    let elsewhere = json!([check_of_worker(GUS, JANUARY, "elsewhere")]);
    let refused = scenario.send_expecting(400, Request::post_checks(BAKERY_ID, &elsewhere)).await;
    assert_eq!(refused.faults(), ["API-55 /0/workerId"]);
    let period = |more: &str| format!("{}?payperiodid={JANUARY}{more}", company_path(BAKERY_ID, "checks"));
    let listed = scenario.send_expecting(200, partner_get(&period(""))).await;
    assert_eq!(listed.members("paycheckId"), added.members("paycheckId"));
    let page =
        scenario.send_expecting(200, partner_get(&period("&filterbyuserid=true&offset=1&limit=1"))).await;
    assert_eq!(page.members("paycheckId"), added.members("paycheckId")[1..]);
}

/// Runs the steps with checks at the paths of their workers.
pub(super) async fn run_worker_check_steps(scenario: &mut Scenario<'_>) {
    let path = format!("/workers/{BEN}/checks");
    let added = scenario
        .send_expecting(201, partner_post_document(&path, &json!([check_of_worker(BEN, JANUARY, "more")])))
        .await;
    let id = added.members("paycheckId").remove(0);
    let listed = scenario.send_expecting(200, partner_get(&format!("{path}?payperiodid={JANUARY}"))).await;
    assert_eq!(listed.content().len(), 2);
    scenario.send_expecting(200, partner_get(&format!("{path}/{id}"))).await;
    scenario.send_expecting(404, partner_get(&format!("/workers/{ADA}/checks/{id}"))).await;
    let lines = format!("/checks/{id}/checkcomponents");
    let extra = json!({"componentId": HOURLY_COMPONENT, "payHours": "2"});
    scenario.send_expecting(200, partner_post_document(&format!("{lines}?dryrun=true"), &extra)).await;
    let changed = scenario
        .send_expecting(200, partner_post_document(&lines, &extra).idempotency_key("walk-line"))
        .await;
    let line = changed.content()[0]["earnings"][1]["checkComponentId"].as_str().expect("an id").to_owned();
    let line = format!("{lines}/{line}");
    scenario.send_expecting(200, Request::patch(line.as_str(), &json!({"payHours": "3"}))).await;
    scenario.send_expecting(204, partner_delete(&line)).await;
    scenario.send_expecting(404, partner_delete(&line)).await;
    scenario.send_expecting(204, partner_delete(&format!("{path}/{id}"))).await;
    scenario.send_expecting(404, partner_delete(&format!("{path}/{id}"))).await;
    let left = scenario.send_expecting(200, partner_get(&format!("{path}?payperiodid={JANUARY}"))).await;
    assert_eq!(left.members("checkCorrelationId"), ["ben"]);
}

/// Runs the steps with checks of two other companies. In one company, all checks are removed at once and
/// added again.
pub(super) async fn run_other_company_steps(scenario: &mut Scenario<'_>) {
    let list = format!("{}?payperiodid={JANUARY}", company_path(GARAGE_ID, "checks"));
    assert_eq!(scenario.send_expecting(200, partner_get(&list)).await.members("checkCorrelationId"), ["gus"]);
    scenario
        .send_expecting(
            201,
            Request::post_checks(FARM_ID, &json!([check_of_worker("WALK-FAY", "MARCH", "fay")])),
        )
        .await;
    let own = format!("/checks?payperiodid={JANUARY}&deletebyuserid=true");
    // The request is ambiguous without a company, because two companies have a period with this id.
    scenario.send_expecting(400, partner_delete(&own)).await;
    scenario.send_expecting(204, partner_delete(&format!("{own}&companyid={GARAGE_ID}"))).await;
    assert_eq!(scenario.send_expecting(200, partner_get(&list)).await.content().len(), 0);
    scenario.send_expecting(201, gus_checks_request("gus again")).await;
    assert_eq!(
        scenario.send_expecting(200, partner_get(&list)).await.members("checkCorrelationId"),
        ["gus again"]
    );
    let period = scenario
        .send_expecting(200, partner_get(&company_path(GARAGE_ID, &format!("payperiods/{JANUARY}"))))
        .await;
    assert_eq!(period.members("status"), ["ENTRY"]);
}

/// Runs the steps with checks of an operator, as JSON and as CSV.
pub(super) async fn run_operator_check_steps(scenario: &mut Scenario<'_>) {
    let path = company_path(BAKERY_ID, &format!("payperiods/{JANUARY}/checks"));
    let checks =
        json!([check_of_worker(ADA, JANUARY, "by hand"), check_of_worker(BEN, JANUARY, "by hand too")]);
    scenario.send_expecting(200, operator_post(&format!("{path}?dryrun=true"), &checks)).await;
    scenario.send_expecting(200, operator_post(&path, &checks)).await;
    let refused = scenario.send_expecting(400, operator_post(&path, &checks)).await;
    assert!(refused.status_and_code().contains("API-56"), "{refused:?}");
    let table = format!("workerId,check,componentId,payHours\n{ADA},table,{HOURLY_COMPONENT},2\n");
    scenario
        .send_expecting(200, operator_post_without_body(&path).header("content-type", "text/csv").body(table))
        .await;
    let listed = scenario.send_expecting(200, get(&path)).await;
    assert_eq!(listed.content().len(), 5);
    let page = scenario.send_expecting(200, get(&format!("{path}?offset=2&limit=1"))).await;
    let by_hand = page.members("paycheckId").remove(0);
    scenario.send_expecting(204, delete_request(&format!("{path}/{by_hand}"))).await;
    scenario.send_expecting(404, delete_request(&format!("{path}/{by_hand}"))).await;
    scenario.send_expecting(400, delete_request(&path)).await;
    scenario.send_expecting(204, delete_request(&format!("{path}?deletebyoperators=true"))).await;
    assert_eq!(scenario.send_expecting(200, get(&path)).await.content().len(), 2);
}
