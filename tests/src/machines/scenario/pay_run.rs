//! Steps with pay runs. A period is processed and reopened, two operators request and approve its completion,
//! and the result is read. A check is reversed in the next period, and another company has its own pay run.

use serde_json::{Value, json};

use super::lists::{ADA, BEN, FEBRUARY, JANUARY, SAVINGS_COMPONENT};
use super::requests::{
    BAKERY_ID, FARM_ID, company_path, delete_request, get, operator_post, operator_post_without_body,
    partner_get,
};
use super::runner::{Scenario, only_element};
use crate::operations::PROCESSED_CHECKS;
use crate::support::Request;

fn period_path(company: &str, period: &str, subpath: &str) -> String {
    company_path(company, &format!("payperiods/{period}/{subpath}"))
}

/// Returns the ids of a period's checks, in the order of the list.
async fn read_check_ids(scenario: &mut Scenario<'_>, company: &str, period: &str) -> Vec<String> {
    scenario.send_expecting(200, get(&period_path(company, period, "checks"))).await.members("paycheckId")
}

/// Processes a period and reopens it.
pub(super) async fn process_and_reopen(scenario: &mut Scenario<'_>) {
    let path = |subpath: &str| period_path(BAKERY_ID, JANUARY, subpath);
    scenario.send_expecting(200, get(&path("register"))).await;
    scenario.send_expecting(409, get(&path("journal"))).await;
    scenario.send_expecting(412, operator_post_without_body(&path("process")).if_match("\"1\"")).await;
    scenario.send_expecting(200, operator_post_without_body(&path("process"))).await;
    scenario.send_expecting(409, operator_post_without_body(&path("process"))).await;
    let refused = scenario.send_expecting(423, Request::post_checks(BAKERY_ID, &late_check(JANUARY))).await;
    assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
    scenario.send_expecting(200, operator_post_without_body(&path("reopen"))).await;
    scenario.send_expecting(409, operator_post_without_body(&path("reopen"))).await;
    scenario.send_expecting(200, operator_post_without_body(&path("process"))).await;
    let held = scenario.send_expecting(200, get(&company_path(BAKERY_ID, "lock"))).await;
    assert_eq!(only_element(&held), json!({"payPeriodId": JANUARY}));
}

/// Completes a pay period: one operator requests the completion, and another operator approves it.
pub(super) async fn complete_with_two_operators(scenario: &mut Scenario<'_>) {
    let path = |subpath: &str| period_path(BAKERY_ID, JANUARY, subpath);
    let ids = read_check_ids(scenario, BAKERY_ID, JANUARY).await;
    let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "1001",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
            {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
        "deductions": [{"componentId": SAVINGS_COMPONENT, "amount": "25.00"}]}]});
    scenario.send_expecting(409, operator_post(&path("complete"), &handed_in)).await;
    let preview =
        scenario.send_expecting(200, operator_post(&path("complete?dryrun=true"), &handed_in)).await;
    let request = path("completionrequest");
    let requested = scenario.send_expecting(201, operator_post(&request, &handed_in)).await;
    assert_eq!(only_element(&requested)["totals"], only_element(&preview)["totals"]);
    scenario.send_expecting(200, operator_post(&request, &handed_in)).await;
    scenario.send_as_second_operator(409, operator_post(&request, &handed_in)).await;
    scenario.send_expecting(200, get(&request)).await;
    assert_eq!(
        scenario.send_expecting(200, get("/completionrequests")).await.members("payPeriodId"),
        [JANUARY]
    );
    let approve = path("completionrequest/approve");
    scenario.send_expecting(403, operator_post_without_body(&approve)).await;
    scenario
        .send_as_second_operator(200, operator_post_without_body(&format!("{approve}?dryrun=true")))
        .await;
    scenario.send_as_second_operator(204, delete_request(&request)).await;
    scenario.send_expecting(404, get(&request)).await;
    scenario.send_as_second_operator(404, operator_post_without_body(&approve)).await;
    scenario.send_expecting(201, operator_post(&request, &handed_in)).await;
    let completed = scenario.send_as_second_operator(200, operator_post_without_body(&approve)).await;
    scenario.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {BAKERY_ID} {JANUARY}"));
    assert_eq!(only_element(&completed)["totals"], only_element(&preview)["totals"]);
    scenario.send_as_second_operator(409, operator_post_without_body(&approve)).await;
    let approved = scenario.send_expecting(200, get(&request)).await;
    assert_eq!(only_element(&approved)["approvedBy"]["name"], "walk lead");
}

/// Reads the paid checks through both APIs.
pub(super) async fn read_paid_checks(scenario: &mut Scenario<'_>) {
    let checks = format!("{}?payperiodid={JANUARY}", company_path(BAKERY_ID, "checks"));
    let shown = scenario.send_expecting(200, partner_get(&checks).accept(PROCESSED_CHECKS)).await;
    // The net pay of Ada is 160.00 minus tax and savings. The net pay of Ben is 168.00.
    assert_eq!(shown.members("netPay"), ["106.67", "168.00"]);
    let first = &shown.content()[0];
    let id = first["paycheckId"].as_str().expect("an id");
    scenario.send_expecting(200, partner_get(&format!("/workers/{ADA}/checks/{id}"))).await;
    let period = scenario
        .send_expecting(200, partner_get(&company_path(BAKERY_ID, &format!("payperiods/{JANUARY}"))))
        .await;
    assert_eq!(period.members("status"), ["COMPLETED"]);
    let path = |subpath: &str| period_path(BAKERY_ID, JANUARY, subpath);
    let register = scenario.send_expecting(200, get(&path("register"))).await;
    assert_eq!(register.members("netPay"), ["106.67", "168.00"]);
    let table = scenario.send_expecting(200, get(&path("register")).accept("text/csv")).await;
    assert!(table.text().contains("106.67"), "{table:?}");
    let journal = only_element(&scenario.send_expecting(200, get(&path("journal"))).await);
    assert_eq!(journal["totalDebit"], journal["totalCredit"]);
    scenario.send_expecting(200, get(&path("journal")).accept("text/csv")).await;
    scenario.send_expecting(400, Request::post_checks(BAKERY_ID, &late_check(JANUARY))).await;
    scenario.send_expecting(409, delete_request(&path(&format!("checks/{id}")))).await;
    scenario
        .send_expecting(409, delete_request(&company_path(BAKERY_ID, &format!("payperiods/{JANUARY}"))))
        .await;
}

fn late_check(period: &str) -> Value {
    json!([{"workerId": BEN, "payPeriodId": period, "checkCorrelationId": "later",
        "earnings": [{"componentId": "HOURLY", "payHours": "4"}]}])
}

/// Reverses a check in the next period, and completes this period too.
pub(super) async fn reverse_check(scenario: &mut Scenario<'_>) {
    let first = read_check_ids(scenario, BAKERY_ID, JANUARY).await.remove(0);
    let path = |subpath: &str| period_path(BAKERY_ID, FEBRUARY, subpath);
    let reversals = path("reversals");
    let original = json!({"paycheckId": first});
    scenario.send_expecting(201, Request::post_checks(BAKERY_ID, &late_check(FEBRUARY))).await;
    scenario.send_expecting(400, operator_post(&reversals, &json!({"paycheckId": "WALK-NONE"}))).await;
    let created = scenario.send_expecting(201, operator_post(&reversals, &original)).await;
    scenario.send_expecting(409, operator_post(&reversals, &original)).await;
    let id = only_element(&created)["paycheckId"].as_str().expect("an id").to_owned();
    scenario.send_expecting(204, delete_request(&format!("{reversals}/{id}"))).await;
    scenario.send_expecting(404, delete_request(&format!("{reversals}/{id}"))).await;
    scenario.send_expecting(201, operator_post(&reversals, &original)).await;
    scenario.send_expecting(200, operator_post_without_body(&path("process"))).await;
    scenario.send_expecting(201, operator_post(&path("completionrequest"), &json!({}))).await;
    scenario
        .send_as_second_operator(200, operator_post_without_body(&path("completionrequest/approve")))
        .await;
    scenario.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {BAKERY_ID} {FEBRUARY}"));
    let register = scenario.send_expecting(200, get(&path("register"))).await;
    assert_eq!(register.members("netPay"), ["84.00", "-106.67"]);
    scenario.send_expecting(200, get(&path("journal"))).await;
}

/// Executes the pay run of another company.
pub(super) async fn complete_other_period(scenario: &mut Scenario<'_>) {
    let path = |subpath: &str| period_path(FARM_ID, "MARCH", subpath);
    scenario.send_expecting(200, operator_post_without_body(&path("process"))).await;
    assert_eq!(
        scenario.send_expecting(200, get("/payruns?status=PROCESSING")).await.content().len(),
        2,
        "with that of BUSY"
    );
    scenario.send_as_second_operator(201, operator_post(&path("completionrequest"), &json!({}))).await;
    scenario.send_expecting(200, operator_post_without_body(&path("completionrequest/approve"))).await;
    scenario.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {FARM_ID} MARCH"));
    let totals = only_element(
        &scenario.send_expecting(200, get(&company_path(FARM_ID, "payperiods/MARCH"))).await,
    )["totals"]
        .clone();
    assert_eq!((&totals["checks"], &totals["netPay"]), (&json!(1), &json!("148.00")));
}
