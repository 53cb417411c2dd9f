//! Tests of pages that show earlier pay runs. The preview compares its amounts with the last pay run, and a
//! chart shows past pay runs.

use reqwest::Method;
use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser};
use crate::support::{OPEN, Request, Server, check_with_correlation_id};

const PREVIEW_PAGE: &str = "/companies/OPEN/payperiods/ENTRY?view=preview";
/// The maximum number of checks in a request.
const CHECKS_PER_BATCH: usize = 100;

async fn post_document(server: &Server, path: &str, document: &Value) {
    let response =
        server.send(&Request::operator_post(&format!("/companies/{OPEN}/payperiods{path}"), document)).await;
    assert!(response.is_success(), "{path}: {response:?}");
}

/// Creates a pay period of one day, adds checks with these workers and amounts, and completes it.
pub(super) async fn complete_run(
    server: &Server,
    id: &str,
    interval: &str,
    day: &str,
    checks: &[(&str, &str)],
) {
    let period = json!({"payPeriodId": id, "intervalCode": interval, "status": "ENTRY", "startDate": day,
        "endDate": day, "checkDate": day});
    post_document(server, "", &period).await;
    let check = |(number, (worker, amount)): (usize, &(&str, &str))| {
        json!({"workerId": worker, "payPeriodId": id, "checkCorrelationId": format!("{id}-{number}"),
            "earnings": [{"componentId": "BONUS", "payAmount": amount}]})
    };
    let checks: Vec<Value> = checks.iter().enumerate().map(check).collect();
    for batch in checks.chunks(CHECKS_PER_BATCH) {
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!(batch))).await.status, 201);
    }
    for step in ["process", "complete"] {
        post_document(server, &format!("/{id}/{step}"), &json!({})).await;
    }
}

/// Waits until the preview shows these changes since the last run.
async fn assert_pay_changes(browser: &Browser, expected: &[&str]) {
    let script = "return [...document.querySelectorAll('[aria-label=\"Pay by check\"] tbody td:last-child')]
        .map(it => it.querySelector('data')?.value ?? it.textContent)";
    browser.wait_for_script_result(script, &json!(expected)).await;
}

#[test]
fn a_pay_run_is_compared_with_the_previous_pay_run_of_the_same_interval() {
    run_in_browser(async |server, browser| {
        complete_run(server, "PAY", "BI_WEEKLY", "2026-05-08", &[("EMPLOYEE", "150")]).await;
        complete_run(server, "BONUSES", "MONTHLY", "2026-05-15", &[("COLLEAGUE", "5000")]).await;
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await.status,
            201
        );
        browser.sign_in().await;
        browser.open_page(PREVIEW_PAGE).await;
        browser.wait_for_text("The last run, May 8, 2026: 1 check").await;
        assert_pay_changes(browser, &["10.00"]).await;
        let text = browser.page_text().await;
        assert!(!text.contains("Net pay differs from the last run"), "{text}");
        assert!(!text.contains("Workers of the last run without a check."), "{text}");
    });
}

#[test]
fn a_check_is_reversed_into_a_named_period_and_its_reversal_is_no_change_of_pay() {
    run_in_browser(async |server, browser| {
        complete_run(server, "PAY", "BI_WEEKLY", "2026-05-08", &[("EMPLOYEE", "150")]).await;
        let entry = format!("/companies/{OPEN}/payperiods/ENTRY");
        let named = Request::operator_patch(&entry, &json!({"description": "Early May"}));
        assert_eq!(server.send(&named.header("if-match", "*")).await.status, 200);
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await.status,
            201
        );
        browser.sign_in().await;
        browser.open_page(&format!("/companies/{OPEN}/payperiods/PAY")).await;
        browser.click_button("Details").await;
        browser.click_button("Reverse the check").await;
        browser.select_option("Open period", "Early May").await;
        browser.confirm_dialog("Reverse").await;
        browser.wait_for_text("a new check in the pay period Early May").await;
        browser.open_page(PREVIEW_PAGE).await;
        assert_pay_changes(browser, &["10.00", "–"]).await;
    });
}

#[test]
fn the_change_of_a_worker_counts_every_check_of_the_last_run() {
    run_in_browser(async |server, browser| {
        let mut checks = vec![("COLLEAGUE", "1"); 1_002];
        for (at, amount) in [(0, "160"), (1_001, "215")] {
            checks[at] = ("EMPLOYEE", amount);
        }
        complete_run(server, "LARGE", "BI_WEEKLY", "2026-05-08", &checks).await;
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await.status,
            201
        );
        browser.sign_in().await;
        browser.open_page(PREVIEW_PAGE).await;
        assert_pay_changes(browser, &["-215.00"]).await;
    });
}

#[test]
fn a_period_of_the_first_year_is_completed() {
    run_in_browser(async |server, browser| {
        let period = json!({"payPeriodId": "FIRST", "intervalCode": "WEEKLY", "status": "ENTRY",
            "startDate": "0001-01-01", "endDate": "0001-01-07", "checkDate": "0001-01-08"});
        post_document(server, "", &period).await;
        post_document(server, "/FIRST/process", &json!({})).await;
        browser.sign_in().await;
        browser.open_page("/companies/OPEN/payperiods/FIRST?view=preview").await;
        browser.set_checkbox("No worker is paid in this period").await;
        browser.click_button("Preview").await;
        browser.wait_for_text("Ready to complete.").await;
        browser.click_button("Complete").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
    });
}

#[test]
fn the_chart_of_a_company_shows_the_latest_pay_runs() {
    run_in_browser(async |server, browser| {
        let period = |number: u32| {
            let day = format!("{}-{:02}-15", 2018 + number / 12, number % 12 + 1);
            json!({"payPeriodId": format!("P{number}"), "intervalCode": "MONTHLY", "status": "COMPLETED",
                "startDate": day, "endDate": day, "checkDate": day})
        };
        let company = json!({"companyId": "OLD", "displayId": "OLD", "legalName": "Example",
            "payPeriods": (0..72).map(period).collect::<Vec<_>>()});
        let import =
            Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
        let report = server.send_unchecked(&import.body(company.to_string())).await.text();
        assert!(report.contains("stored"), "{report}");
        browser.sign_in().await;
        browser.open_page("/companies/OLD").await;
        let label = "return document.querySelector('.chart [role=img]')?.getAttribute('aria-label').replaceAll(/\\s/g, ' ') ?? ''";
        // The company has 72 monthly pay runs. The chart shows only the last 60.
        let dates = "Gross and net by check date, Jan 15, 2019 – Dec 15, 2023";
        browser.wait_for_script_result(label, &json!(dates)).await;
    });
}
