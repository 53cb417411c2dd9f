//! The last steps. Deleting objects in use is rejected. Then a worker, a company with all its objects,
//! grants, applications and a key are deleted.

use super::lists::ADA;
use super::requests::{
    BAKERY_ID, CLOCK_APPLICATION, FARM_ID, GARAGE_ID, HOOK_ID, HOTEL_ID, INN_ID, OTHER_APPLICATION,
    company_path, delete_request, get, partner_delete, partner_get,
};
use super::runner::Scenario;

/// Deletes a company with all its objects. Earlier attempts are rejected.
pub(super) async fn delete_companies(scenario: &mut Scenario<'_>) {
    scenario.send_expecting(409, delete_request(&company_path(BAKERY_ID, &format!("workers/{ADA}")))).await;
    scenario.send_expecting(409, delete_request(&format!("/companies/{BAKERY_ID}"))).await;
    let company = format!("/companies/{INN_ID}");
    scenario.send_expecting(409, delete_request(&company)).await;
    scenario.send_expecting(204, delete_request(&company_path(INN_ID, "workers/WALK-IDA"))).await;
    scenario.expect_event(&format!("WRKR_EMPL DELETE {INN_ID} WALK-IDA"));
    scenario.send_expecting(204, delete_request(&company_path(INN_ID, "payperiods/MARCH"))).await;
    scenario.send_expecting(204, delete_request(&company_path(INN_ID, "paycomponents/HOURLY"))).await;
    scenario.send_expecting(204, delete_request(&company_path(INN_ID, "organizations/FIELD"))).await;
    scenario.expect_event(&format!("CLT_ORG DELETE {INN_ID}"));
    scenario.send_expecting(404, partner_get("/workers/WALK-IDA")).await;
    scenario
        .send_expecting(204, delete_request(&format!("/applications/{CLOCK_APPLICATION}/grants/{INN_ID}")))
        .await;
    scenario.expect_event(&format!("CLT_ACCESS DELETE {INN_ID} {CLOCK_APPLICATION}"));
    scenario.send_expecting(403, partner_get(&format!("/companies/{INN_ID}"))).await;
    scenario.send_expecting(204, delete_request(&company)).await;
    scenario.send_expecting(404, get(&company)).await;
    scenario.send_expecting(404, get(&format!("/export?companyid={INN_ID}"))).await;
    let audit_log = scenario.send_expecting(200, get(&format!("/audit?companyid={INN_ID}"))).await;
    assert!(!audit_log.content().is_empty(), "what was deleted has its trail");
}

/// Deletes applications with their grants.
pub(super) async fn delete_applications(scenario: &mut Scenario<'_>) {
    scenario.send_expecting(204, delete_request(&format!("/applications/{OTHER_APPLICATION}"))).await;
    scenario.expect_event(&format!("CLT_ACCESS DELETE {FARM_ID} {OTHER_APPLICATION}"));
    scenario.send_expecting(204, partner_delete(&format!("/management/hooks/{HOOK_ID}"))).await;
    scenario.send_expecting(204, delete_request(&format!("/applications/{CLOCK_APPLICATION}"))).await;
    for company in [BAKERY_ID, FARM_ID, GARAGE_ID, HOTEL_ID] {
        scenario.expect_event(&format!("CLT_ACCESS DELETE {company} {CLOCK_APPLICATION}"));
    }
    scenario.send_expecting(404, get(&format!("/applications/{CLOCK_APPLICATION}"))).await;
    scenario.send_expecting(401, partner_get("/companies")).await;
    scenario.send_expecting(401, partner_get("/management/events")).await;
    let keys = scenario.send_expecting(200, get("/keys")).await;
    let lead = keys.content().into_iter().find(|key| key["name"] == "walk lead").expect("a key");
    let path = format!("/keys/{}", lead["keyId"].as_str().expect("an id"));
    scenario.send_as_second_operator(200, get(&path)).await;
    scenario.send_as_second_operator(204, delete_request(&path).without_header("if-match")).await;
    scenario.send_as_second_operator(401, get(&path)).await;
    scenario.send_expecting(200, get("/health")).await;
}
