//! The last steps: objects in use cannot be deleted, and then everything is deleted: a worker, a company with
//! all its objects, grants, applications, a key.

use super::lists::ADA;
use super::requests::{
    BAKERY, CLOCK, FARM, GARAGE, HOOK, HOTEL, INN, OTHER, company_path, delete, get, read, remove,
};
use super::walker::Walk;

/// Deletes a company with all its objects. Earlier attempts are rejected.
pub(super) async fn companies(walk: &mut Walk<'_>) {
    walk.step(409, delete(&company_path(BAKERY, &format!("workers/{ADA}")))).await;
    walk.step(409, delete(&format!("/companies/{BAKERY}"))).await;
    let company = format!("/companies/{INN}");
    walk.step(409, delete(&company)).await;
    walk.step(204, delete(&company_path(INN, "workers/WALK-IDA"))).await;
    walk.expect_event(&format!("WRKR_EMPL DELETE {INN} WALK-IDA"));
    walk.step(204, delete(&company_path(INN, "payperiods/MARCH"))).await;
    walk.step(204, delete(&company_path(INN, "paycomponents/HOURLY"))).await;
    walk.step(204, delete(&company_path(INN, "organizations/FIELD"))).await;
    walk.expect_event(&format!("CLT_ORG DELETE {INN}"));
    walk.step(404, read("/workers/WALK-IDA")).await;
    walk.step(204, delete(&format!("/applications/{CLOCK}/grants/{INN}"))).await;
    walk.expect_event(&format!("CLT_ACCESS DELETE {INN} {CLOCK}"));
    walk.step(403, read(&format!("/companies/{INN}"))).await;
    walk.step(204, delete(&company)).await;
    walk.step(404, get(&company)).await;
    walk.step(404, get(&format!("/export?companyid={INN}"))).await;
    let trail = walk.step(200, get(&format!("/audit?companyid={INN}"))).await;
    assert!(!trail.content().is_empty(), "what was deleted has its trail");
}

/// Deletes applications with their grants.
pub(super) async fn applications(walk: &mut Walk<'_>) {
    walk.step(204, delete(&format!("/applications/{OTHER}"))).await;
    walk.expect_event(&format!("CLT_ACCESS DELETE {FARM} {OTHER}"));
    walk.step(204, remove(&format!("/management/hooks/{HOOK}"))).await;
    walk.step(204, delete(&format!("/applications/{CLOCK}"))).await;
    for company in [BAKERY, FARM, GARAGE, HOTEL] {
        walk.expect_event(&format!("CLT_ACCESS DELETE {company} {CLOCK}"));
    }
    walk.step(404, get(&format!("/applications/{CLOCK}"))).await;
    walk.step(401, read("/companies")).await;
    walk.step(401, read("/management/events")).await;
    let keys = walk.step(200, get("/keys")).await;
    let lead = keys.content().into_iter().find(|key| key["name"] == "walk lead").expect("a key");
    let path = format!("/keys/{}", lead["keyId"].as_str().expect("an id"));
    walk.step_as_lead(200, get(&path)).await;
    walk.step_as_lead(204, delete(&path).without_header("if-match")).await;
    walk.step_as_lead(401, get(&path)).await;
    walk.step(200, get("/health")).await;
}
