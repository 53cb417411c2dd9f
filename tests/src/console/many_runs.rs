//! Tests of pay runs of many companies: filtered, and processed in one step.

use serde_json::json;

use super::browser::in_a_browser;
use crate::support::{FOREIGN, OPEN, Request};

#[test]
fn pay_runs_are_filtered_and_several_are_processed_with_a_result_for_each() {
    in_a_browser(async |server, browser| {
        let all = server.send(&Request::operator_get("/payruns")).await.each("legalName");
        assert!(all.contains(&format!("{FOREIGN} Example LLC")), "{all:?}");
        browser.sign_in().await;
        browser.go("/runs?company=OPEN").await;
        browser.sees("OPEN Example LLC").await;
        browser
            .until_run("return document.querySelector('#runs-company').value", &json!("OPEN Example LLC"))
            .await;
        let shown = browser.text().await;
        assert!(!shown.contains(FOREIGN), "runs of other companies are not shown: {shown}");
        browser
            .until_run("return document.querySelector('tfoot td:nth-child(7)')?.textContent", &json!("0"))
            .await;
        browser.press("Submit by").await;
        browser
            .until_run(
                "return document.querySelector('th[aria-sort=ascending]')?.textContent",
                &json!("Submit by ▲"),
            )
            .await;
        let address = browser.run("return location.hash").await;
        assert_eq!(address, "#/runs?company=OPEN&sort=submitby", "the order is in the address");
        browser.press("Select all open ones").await;
        browser.sees("Process 3 selected").await;
        browser.picture("pay-runs-selected").await;
        browser.press("Process 3 selected").await;
        browser.sees("You can open each pay period again until it is completed.").await;
        browser.confirm("Process").await;
        // A period in processing locks its company, so the company's other periods are rejected.
        browser.sees("1 of 3 pay periods are in processing.").await;
        browser.sees("2 pay periods were not processed.").await;
        browser.sees("API-10").await;
        let now = server.send(&Request::operator_get("/payruns?companyid=OPEN&status=PROCESSING")).await;
        assert_eq!(now.each("companyId"), [OPEN]);
        browser.go("/runs?overdue=yes&from=2100-01-01").await;
        browser.sees("No pay run matches these filters.").await;
    });
}
