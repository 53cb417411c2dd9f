//! Tests of totals near the limit of 64 bits, counted in ten-thousandths. Only imported amounts and their
//! reversals are that large.

use reqwest::Method;
use serde_json::{Value, json};

use super::reversal_request;
use crate::support::{Request, Server, on_every_database, with_member};

/// Returns a company with two completed periods and an open one. The completed checks have the largest
/// possible amount.
pub(super) fn company_with_huge_checks() -> Value {
    const MAX_AMOUNT: &str = "99999999999999.99";
    let paid = |period: &str, at: usize| {
        json!({"paycheckId": format!("HUGE-{period}-{at}"), "workerId": "HUGE-W", "checkType": "Regular",
            "grossEarnings": MAX_AMOUNT, "netPay": MAX_AMOUNT, "earnings": [{"componentId": "HUGE-P",
                "checkComponentId": format!("L{at}"), "name": "Bonus", "classificationType": "REGULAR",
                "effectOnPay": "ADDITION", "amount": MAX_AMOUNT}]})
    };
    let period = |id: &str, status: &str| {
        json!({"payPeriodId": id, "intervalCode": "WEEKLY", "status": status, "startDate": "2026-05-01",
            "endDate": "2026-05-07", "submitByDate": "2026-05-08", "checkDate": "2026-05-10"})
    };
    let completed = |id: &str| {
        with_member(period(id, "COMPLETED"), "checks", Value::from_iter((0..5).map(|at| paid(id, at))))
    };
    json!({"companyId": "HUGE", "displayId": "HUGE", "legalName": "Huge LLC",
        "payComponents": [{"componentId": "HUGE-P", "name": "Bonus", "classificationType": "REGULAR",
            "effectOnPay": "ADDITION"}],
        "workers": [{"workerId": "HUGE-W", "workerType": "EMPLOYEE",
            "name": {"familyName": "Sample", "givenName": "Ada"}}],
        "payPeriods": [completed("A"), completed("B"), period("C", "ENTRY")]})
}

#[test]
fn reversals_never_exceed_the_totals_of_a_period() {
    on_every_database(async |server| {
        import_company(server, &company_with_huge_checks().to_string()).await;
        let mut statuses = Vec::new();
        for id in ["A", "B"].iter().flat_map(|period| (0..5).map(move |at| format!("HUGE-{period}-{at}"))) {
            let reversal = reversal_request("HUGE", "C", &json!({"paycheckId": id}));
            statuses.push(server.send(&reversal).await.status);
        }
        // The totals of a period are stored in 64 bits as ten-thousandths, so their maximum is
        // 922,337,203,685,477.58. The tenth reversal would exceed this maximum.
        assert_eq!(statuses, [[201; 9].as_slice(), &[409]].concat());
        let read = Request::operator_get("/companies/HUGE/payperiods/C");
        let totals = server.send(&read).await.content()[0]["totals"].take();
        assert_eq!(totals["grossEarnings"], "-899999999999999.91");
        assert_eq!(server.send(&Request::operator_get("/payruns")).await.status, 200);
    });
}

#[test]
fn the_totals_of_all_pay_runs_may_exceed_64_bits() {
    on_every_database(async |server| {
        for company in ["HUGE", "VAST"] {
            let line = company_with_huge_checks().to_string().replace("HUGE", company);
            import_company(server, &line).await;
            let ids = ["A", "B"].iter().flat_map(|period| (0..5).map(move |at| format!("{period}-{at}")));
            for id in ids.take(9) {
                let reversal = json!({"paycheckId": format!("{company}-{id}")});
                assert_eq!(server.send(&reversal_request(company, "C", &reversal)).await.status, 201);
            }
        }
        let day = "checkdatefrom=2026-05-10&checkdateto=2026-05-10";
        let totals = server.send(&Request::operator_get(&format!("/payruns/totals?{day}"))).await;
        assert_eq!(totals.status, 200);
        assert_eq!(totals.content()[0]["grossEarnings"], "-1799999999999999.82");
    });
}

#[test]
fn the_pay_of_a_worker_may_exceed_64_bits() {
    on_every_database(async |server| {
        let mut company = company_with_huge_checks();
        company["workers"][0]["payStandards"] = json!({"payFrequency": "WEEKLY"});
        import_company(server, &company.to_string()).await;
        let scopes = json!({"scopes": ["read:workers", "read:payroll"]});
        let grant = Request::operator(Method::PUT, "/applications/partner/grants/HUGE").json(&scopes);
        assert_eq!(server.send(&grant).await.status, 201);
        let pay = server.send(&Request::get("/workers/HUGE-W/compensation/paystandards")).await;
        assert_eq!(pay.content()[0]["calculatedAnnualSalaryFromHistory"], "999999999999999.90", "{pay:?}");
    });
}

/// Imports the company in this line, which must be stored.
async fn import_company(server: &Server, line: &str) {
    let import = Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
    let imported = server.send_unchecked(&import.body(line.to_owned())).await.text();
    assert!(imported.contains(r#""result":"stored""#), "{imported}");
}

/// Imports a company of [`company_with_huge_checks`] with these amounts of the checks in the two periods.
async fn import_checks(server: &Server, amounts: [&[&str]; 2]) {
    let mut company = company_with_huge_checks();
    for (period, amounts) in amounts.iter().enumerate() {
        let checks = company["payPeriods"][period]["checks"].as_array_mut().expect("checks");
        checks.truncate(amounts.len());
        checks.iter_mut().zip(*amounts).for_each(|(check, amount)| set_amount(check, amount));
    }
    import_company(server, &company.to_string()).await;
}

/// Sets the gross, the net and the amount of the only line of a check.
fn set_amount(check: &mut Value, amount: &str) {
    for member in ["/grossEarnings", "/netPay", "/earnings/0/amount"] {
        *check.pointer_mut(member).expect("the member") = json!(amount);
    }
}

/// Reverses the checks of both periods in the order of the company, and returns the ids of the reversals.
async fn reverse_checks(server: &Server, counts: [usize; 2]) -> Vec<String> {
    let mut ids = Vec::new();
    for (period, count) in ["A", "B"].into_iter().zip(counts) {
        for check in 0..count {
            let reversal = json!({"paycheckId": format!("HUGE-{period}-{check}")});
            let added = server.send(&reversal_request("HUGE", "C", &reversal)).await;
            assert_eq!(added.status, 201, "{added:?}");
            ids.extend(added.members("paycheckId"));
        }
    }
    ids
}

async fn read_gross(server: &Server) -> Value {
    let period = server.send(&Request::operator_get("/companies/HUGE/payperiods/C")).await;
    assert_eq!(period.status, 200, "{period:?}");
    assert_eq!(server.send(&Request::operator_get("/payruns/totals")).await.status, 200);
    period.content()[0]["totals"]["grossEarnings"].clone()
}

const MAX_AMOUNT: &str = "99999999999999.99";
const MIN_AMOUNT: &str = "-99999999999999.99";

#[test]
fn a_deletion_never_exceeds_the_totals_of_a_period() {
    on_every_database(async |server| {
        import_checks(
            server,
            [&[MAX_AMOUNT, MIN_AMOUNT, MIN_AMOUNT, MIN_AMOUNT, MIN_AMOUNT], &[MIN_AMOUNT; 5]],
        )
        .await;
        let reversals = reverse_checks(server, [5, 5]).await;
        assert_eq!(read_gross(server).await, "799999999999999.92");
        for name in ["D", "E"] {
            let mut company = company_with_huge_checks();
            let mut period = company["payPeriods"][0].take();
            let mut check = period["checks"][0].take();
            set_amount(&mut check, MIN_AMOUNT);
            check["paycheckId"] = json!(format!("HUGE-{name}"));
            (period["payPeriodId"], period["checks"]) = (json!(name), json!([check]));
            company["payPeriods"] = json!([period]);
            import_company(server, &company.to_string()).await;
        }
        let reverse =
            |name: &str| reversal_request("HUGE", "C", &json!({"paycheckId": format!("HUGE-{name}")}));
        assert_eq!(server.send(&reverse("D")).await.status, 201);
        assert_eq!(read_gross(server).await, "899999999999999.91");
        assert_eq!(server.send(&reverse("E")).await.status_and_code(), "409 API-409");

        // The first reversal is negative. Without this reversal, the total would become too large.
        let path = format!("/companies/HUGE/payperiods/C/reversals/{}", reversals[0]);
        let deletion = Request::operator(Method::DELETE, &path);
        assert_eq!(server.send(&deletion).await.status_and_code(), "409 API-409");
        assert_eq!(read_gross(server).await, "899999999999999.91");
        let other = format!("/companies/HUGE/payperiods/C/reversals/{}", reversals[1]);
        assert_eq!(server.send(&Request::operator(Method::DELETE, &other)).await.status, 204);
        assert_eq!(server.send(&deletion).await.status, 204);
        assert_eq!(read_gross(server).await, "899999999999999.91");
    });
}

#[test]
fn a_check_of_a_partner_never_exceeds_the_totals_of_a_period() {
    on_every_database(async |server| {
        // The sum of the reversals is 922337203685470.00, which is 7.58 below the maximum.
        import_checks(
            server,
            [&[MIN_AMOUNT; 5], &[MIN_AMOUNT, MIN_AMOUNT, MIN_AMOUNT, MIN_AMOUNT, "-22337203685470.09"]],
        )
        .await;
        reverse_checks(server, [5, 5]).await;
        let gross = read_gross(server).await;
        assert_eq!(gross, "922337203685470.00");
        let grant = Request::operator(Method::PUT, "/applications/partner/grants/HUGE")
            .json(&json!({"scopes": ["read:payroll", "write:payroll"]}));
        assert_eq!(server.send(&grant).await.status, 201);
        let product = json!({"products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}]});
        assert_eq!(server.send(&Request::operator_patch("/companies/HUGE", &product)).await.status, 200);
        let check = |amount: &str| {
            json!([{"workerId": "HUGE-W", "payPeriodId": "C", "checkCorrelationId": amount,
                "earnings": [{"componentId": "HUGE-P", "payAmount": amount}]}])
        };
        let refused = server.send(&Request::post_checks("HUGE", &check("7.59"))).await;
        assert_eq!(refused.status_and_code(), "409 API-409", "{refused:?}");
        assert_eq!(read_gross(server).await, gross);
        assert_eq!(server.send(&Request::post_checks("HUGE", &check("7.57"))).await.status, 201);
        assert_eq!(read_gross(server).await, "922337203685477.57");
    });
}

#[test]
fn a_check_whose_lines_exceed_the_totals_is_not_reversed() {
    on_every_database(async |server| {
        let mut company = company_with_huge_checks();
        let line = company["payPeriods"][0]["checks"][0]["earnings"][0].clone();
        let lines = (0..10).map(|at| with_member(line.clone(), "checkComponentId", json!(format!("L{at}"))));
        company["payPeriods"][0]["checks"][0]["earnings"] = Value::from_iter(lines);
        import_company(server, &company.to_string()).await;
        let reversal = reversal_request("HUGE", "C", &json!({"paycheckId": "HUGE-A-0"}));
        assert_eq!(server.send(&reversal).await.status_and_code(), "409 API-409");
    });
}
