//! Steps with pay runs: a period is processed and reopened, its completion is requested and approved by two
//! operators, and the result is read. A check is reversed in the next period, and another company has its own
//! pay run.

use serde_json::{Value, json};

use super::lists::{ADA, BEN, FEBRUARY, JANUARY, SAVINGS};
use super::requests::{BAKERY, FARM, action, company_path, delete, get, operator_post, read};
use super::walker::{Walk, one};
use crate::operations::PROCESSED_CHECKS;
use crate::support::Request;

fn period_path(company: &str, period: &str, what: &str) -> String {
    company_path(company, &format!("payperiods/{period}/{what}"))
}

/// Returns the ids of a period's checks in order.
async fn ids(walk: &mut Walk<'_>, company: &str, period: &str) -> Vec<String> {
    walk.step(200, get(&period_path(company, period, "checks"))).await.members("paycheckId")
}

/// Processes a period and reopens it.
pub(super) async fn process_and_reopen(walk: &mut Walk<'_>) {
    let path = |what: &str| period_path(BAKERY, JANUARY, what);
    walk.step(200, get(&path("register"))).await;
    walk.step(409, get(&path("journal"))).await;
    walk.step(412, action(&path("process")).if_match("\"1\"")).await;
    walk.step(200, action(&path("process"))).await;
    walk.step(409, action(&path("process"))).await;
    let refused = walk.step(423, Request::post_checks(BAKERY, &late_check(JANUARY))).await;
    assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
    walk.step(200, action(&path("reopen"))).await;
    walk.step(409, action(&path("reopen"))).await;
    walk.step(200, action(&path("process"))).await;
    let held = walk.step(200, get(&company_path(BAKERY, "lock"))).await;
    assert_eq!(one(&held), json!({"payPeriodId": JANUARY}));
}

/// Completes the period with two operators.
pub(super) async fn complete_with_two_operators(walk: &mut Walk<'_>) {
    let path = |what: &str| period_path(BAKERY, JANUARY, what);
    let ids = ids(walk, BAKERY, JANUARY).await;
    let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "1001",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
            {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
        "deductions": [{"componentId": SAVINGS, "amount": "25.00"}]}]});
    walk.step(409, operator_post(&path("complete"), &handed_in)).await;
    let preview = walk.step(200, operator_post(&path("complete?dryrun=true"), &handed_in)).await;
    let request = path("completionrequest");
    let requested = walk.step(201, operator_post(&request, &handed_in)).await;
    assert_eq!(one(&requested)["totals"], one(&preview)["totals"]);
    walk.step(200, operator_post(&request, &handed_in)).await;
    walk.step_as_lead(409, operator_post(&request, &handed_in)).await;
    walk.step(200, get(&request)).await;
    assert_eq!(walk.step(200, get("/completionrequests")).await.members("payPeriodId"), [JANUARY]);
    let approve = path("completionrequest/approve");
    walk.step(403, action(&approve)).await;
    walk.step_as_lead(200, action(&format!("{approve}?dryrun=true"))).await;
    walk.step_as_lead(204, delete(&request)).await;
    walk.step(404, get(&request)).await;
    walk.step_as_lead(404, action(&approve)).await;
    walk.step(201, operator_post(&request, &handed_in)).await;
    let completed = walk.step_as_lead(200, action(&approve)).await;
    walk.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {BAKERY} {JANUARY}"));
    assert_eq!(one(&completed)["totals"], one(&preview)["totals"]);
    walk.step_as_lead(409, action(&approve)).await;
    let approved = walk.step(200, get(&request)).await;
    assert_eq!(one(&approved)["approvedBy"]["name"], "walk lead");
}

/// Reads the paid checks on both sides.
pub(super) async fn read_paid_checks(walk: &mut Walk<'_>) {
    let checks = format!("{}?payperiodid={JANUARY}", company_path(BAKERY, "checks"));
    let shown = walk.step(200, read(&checks).accept(PROCESSED_CHECKS)).await;
    // Ada gets 160.00 less her tax and savings, and Ben gets 168.00.
    assert_eq!(shown.members("netPay"), ["106.67", "168.00"]);
    let first = &shown.content()[0];
    let id = first["paycheckId"].as_str().expect("an id");
    walk.step(200, read(&format!("/workers/{ADA}/checks/{id}"))).await;
    let period = walk.step(200, read(&company_path(BAKERY, &format!("payperiods/{JANUARY}")))).await;
    assert_eq!(period.members("status"), ["COMPLETED"]);
    let path = |what: &str| period_path(BAKERY, JANUARY, what);
    let register = walk.step(200, get(&path("register"))).await;
    assert_eq!(register.members("netPay"), ["106.67", "168.00"]);
    let table = walk.step(200, get(&path("register")).accept("text/csv")).await;
    assert!(table.text().contains("106.67"), "{table:?}");
    let journal = one(&walk.step(200, get(&path("journal"))).await);
    assert_eq!(journal["totalDebit"], journal["totalCredit"]);
    walk.step(200, get(&path("journal")).accept("text/csv")).await;
    walk.step(400, Request::post_checks(BAKERY, &late_check(JANUARY))).await;
    walk.step(409, delete(&path(&format!("checks/{id}")))).await;
    walk.step(409, delete(&company_path(BAKERY, &format!("payperiods/{JANUARY}")))).await;
}

fn late_check(period: &str) -> Value {
    json!([{"workerId": BEN, "payPeriodId": period, "checkCorrelationId": "later",
        "earnings": [{"componentId": "HOURLY", "payHours": "4"}]}])
}

/// Reverses a check in the next period, which is paid too.
pub(super) async fn reverse_check(walk: &mut Walk<'_>) {
    let first = ids(walk, BAKERY, JANUARY).await.remove(0);
    let path = |what: &str| period_path(BAKERY, FEBRUARY, what);
    let reversals = path("reversals");
    let original = json!({"paycheckId": first});
    walk.step(201, Request::post_checks(BAKERY, &late_check(FEBRUARY))).await;
    walk.step(400, operator_post(&reversals, &json!({"paycheckId": "WALK-NONE"}))).await;
    let created = walk.step(201, operator_post(&reversals, &original)).await;
    walk.step(409, operator_post(&reversals, &original)).await;
    let id = one(&created)["paycheckId"].as_str().expect("an id").to_owned();
    walk.step(204, delete(&format!("{reversals}/{id}"))).await;
    walk.step(404, delete(&format!("{reversals}/{id}"))).await;
    walk.step(201, operator_post(&reversals, &original)).await;
    walk.step(200, action(&path("process"))).await;
    walk.step(201, operator_post(&path("completionrequest"), &json!({}))).await;
    walk.step_as_lead(200, action(&path("completionrequest/approve"))).await;
    walk.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {BAKERY} {FEBRUARY}"));
    let register = walk.step(200, get(&path("register"))).await;
    assert_eq!(register.members("netPay"), ["84.00", "-106.67"]);
    walk.step(200, get(&path("journal"))).await;
}

/// Executes the pay run of another company.
pub(super) async fn complete_other_period(walk: &mut Walk<'_>) {
    let path = |what: &str| period_path(FARM, "MARCH", what);
    walk.step(200, action(&path("process"))).await;
    assert_eq!(
        walk.step(200, get("/payruns?status=PROCESSING")).await.content().len(),
        2,
        "with that of BUSY"
    );
    walk.step_as_lead(201, operator_post(&path("completionrequest"), &json!({}))).await;
    walk.step(200, action(&path("completionrequest/approve"))).await;
    walk.expect_event(&format!("CLT_PYRN PAYRUN_COMPLETED {FARM} MARCH"));
    let totals = one(&walk.step(200, get(&company_path(FARM, "payperiods/MARCH"))).await)["totals"].clone();
    assert_eq!((&totals["checks"], &totals["netPay"]), (&json!(1), &json!("148.00")));
}
