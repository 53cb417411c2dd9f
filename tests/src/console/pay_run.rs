//! Tests that a person can preview and complete a pay run, reverse a check, and resend a failed delivery
//! without the documentation.

use serde_json::json;

use super::browser::{run_in_browser, run_in_browser_with};
use crate::support::{
    OPEN, Request, check_with_correlation_id, checks_document, on_every_database, register_hook,
};

const PERIOD_PAGE: &str = "/companies/OPEN/payperiods/ENTRY";

#[test]
fn a_pay_run_is_found_previewed_completed_and_booked() {
    run_in_browser(async |server, browser| {
        let added = server
            .send(&Request::post_checks(
                OPEN,
                &json!([check_with_correlation_id("one"), check_with_correlation_id("two")]),
            ))
            .await;
        assert_eq!(added.status, 201);
        browser.sign_in().await;
        browser.wait_for_text("OPEN Example LLC").await;
        browser.save_screenshot("home").await;
        browser.click_button("All pay runs").await;
        browser.wait_for_text("Submit by").await;
        browser.wait_for_text("OPEN Example LLC").await;
        browser.save_screenshot("pay-runs").await;
        browser.open_page(PERIOD_PAGE).await;
        browser.wait_for_text("entry").await;
        browser.click_button("Details").await;
        browser.wait_for_text("Taxes are entered when the pay period is completed.").await;
        browser.click_button("Process").await;
        browser.wait_for_text("This closes the pay period for checks").await;
        browser.confirm_dialog("Process").await;
        browser.wait_for_text("processing").await;
        browser.click_button("Completion").await;
        browser.wait_for_text("Ready to complete.").await;
        browser.confirm_warnings().await;
        browser.click_button("Complete").await;
        browser.wait_for_text("A completed check is never changed again").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
        browser.click_button("Journal").await;
        browser.wait_for_text("Debits").await;
        browser.save_screenshot("journal").await;
        let period = server.send(&Request::operator_get(PERIOD_PAGE)).await;
        assert_eq!(period.members("status"), ["COMPLETED"]);
    });
}

#[test]
fn an_empty_period_is_completed_only_after_a_confirmation() {
    run_in_browser(async |server, browser| {
        let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD_PAGE}/process"));
        assert_eq!(server.send(&process).await.status, 200);
        browser.sign_in().await;
        browser.open_page(PERIOD_PAGE).await;
        browser.click_button("Review and complete").await;
        browser.wait_for_text("The pay period cannot be completed with this data.").await;
        browser.wait_for_text("the pay period has no checks").await;
        browser.set_checkbox("No worker is paid in this period").await;
        browser.click_button("Preview").await;
        browser.wait_for_text("Ready to complete.").await;
        browser.click_button("Complete").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
    });
}

#[test]
fn a_request_of_one_operator_is_approved_by_another() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            assert_eq!(
                server
                    .send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")])))
                    .await
                    .status,
                201
            );
            let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD_PAGE}/process"));
            assert_eq!(server.send(&process).await.status, 200);
            browser.sign_in().await;
            browser.open_page(PERIOD_PAGE).await;
            browser.click_button("Review and complete").await;
            browser.confirm_warnings().await;
            browser.click_button("Request completion").await;
            browser.confirm_dialog("Request").await;
            browser.wait_for_text("Completion was requested by").await;
            browser.wait_for_text("You requested this completion. Another operator must approve it.").await;
            browser.click_button("Sign out").await;
            let another = json!({"name": "another operator"});
            let created = server.send(&Request::operator_post("/keys", &another)).await;
            let key = created.content()[0]["value"].as_str().expect("a key").to_owned();
            browser.wait_for_text("Operator key").await;
            browser.sign_in_with(&key).await;
            browser.wait_for_text("another operator").await;
            browser.open_page(PERIOD_PAGE).await;
            browser.click_button("Review and approve").await;
            browser.confirm_warnings().await;
            browser.click_button("Approve").await;
            browser.wait_for_text("never changed again").await;
            browser.confirm_dialog("Approve").await;
            browser.wait_for_text("The pay period is completed.").await;
        },
    );
}

#[test]
fn the_approver_previews_the_taxes_and_the_net_before_the_approval() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            let added =
                server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await;
            let id = added.members("paycheckId").remove(0);
            let send = async |step: &str, document: &serde_json::Value| {
                server.send(&Request::operator_post(&format!("{PERIOD_PAGE}/{step}"), document)).await
            };
            assert_eq!(send("process", &json!({})).await.status, 200);
            browser.sign_in().await;
            browser.open_page(&format!("{PERIOD_PAGE}?view=preview")).await;
            browser.wait_for_text("Ready to complete.").await;
            let taxes = json!({"checks": [{"paycheckId": id,
                "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                          {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}]}]});
            assert_eq!(send("completionrequest", &taxes).await.status, 201);
            browser.click_button("Sign out").await;
            let created = server.send(&Request::operator_post("/keys", &json!({"name": "ben"}))).await;
            browser.wait_for_text("Operator key").await;
            browser.sign_in_with(created.content()[0]["value"].as_str().expect("a key")).await;
            browser.wait_for_text("Sign out").await;
            browser.open_page(&format!("{PERIOD_PAGE}?view=preview")).await;
            browser.wait_for_text("Approval preview").await;
            browser.wait_for_text("These are the figures that desk requested.").await;
            for figure in ["28.33", "11.62", "131.67", "171.62"] {
                browser.wait_for_text(figure).await;
            }
            browser.confirm_warnings().await;
            browser.click_button("Approve").await;
            browser.confirm_dialog("Approve").await;
            browser.wait_until_text_is_gone("Withdraw the request").await;
            browser.wait_for_text("The pay period is completed.").await;
            let checks = server.send(&Request::operator_get(&format!("{PERIOD_PAGE}/checks"))).await;
            assert_eq!(checks.members("netPay"), ["131.67"]);
        },
    );
}

#[test]
fn a_step_that_another_operator_has_done_is_rejected_with_its_code() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page(PERIOD_PAGE).await;
        browser.click_button("Process").await;
        browser.wait_for_text("This closes the pay period").await;
        let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD_PAGE}/process"));
        assert_eq!(server.send(&process).await.status, 200);
        browser.confirm_dialog("Process").await;
        browser.wait_for_text("API-4").await;
        browser.wait_for_text("Request ").await;
        browser.click_button("Cancel").await;
        browser.reload().await;
        browser.wait_for_text("processing").await;
    });
}

#[test]
fn a_delivery_is_found_and_resent() {
    run_in_browser(async |server, browser| {
        register_hook(&*server.store, "partner", "first").await;
        browser.sign_in().await;
        browser.open_page("/webhooks").await;
        browser.click_button("first").await;
        browser.wait_for_text("No delivery matches.").await;
        browser.click_button("Send a test").await;
        browser.wait_for_text("A test notification is queued.").await;
        browser.wait_for_text("(test)").await;
        browser.save_screenshot("hook").await;
        browser.run_script("document.querySelector('tbody a').click()").await;
        browser.wait_for_text("No request refers to this notification.").await;
        browser.click_button("Resend").await;
        browser.wait_for_text("The delivery is queued again.").await;
        browser.click_button("first").await;
        browser.click_button("Disable").await;
        browser.wait_for_text("Notifications are queued until you enable it.").await;
        browser.click_button("Enable").await;
        browser.wait_for_text("Pending deliveries are sent now.").await;
        browser.click_button("Resend many").await;
        browser.confirm_dialog("Resend").await;
        browser.wait_for_text("queued again.").await;
    });
}

#[test]
fn only_the_visible_checks_of_a_period_are_rendered() {
    run_in_browser(async |server, browser| {
        for batch in 0..5 {
            let some: Vec<_> =
                (0..50).map(|number| check_with_correlation_id(&format!("c{batch}-{number}"))).collect();
            assert_eq!(server.send(&Request::post_checks(OPEN, &json!(some))).await.status, 201);
        }
        browser.sign_in().await;
        browser.open_page(PERIOD_PAGE).await;
        browser.wait_for_text("250 rows").await;
        let rows = browser.run_script("return document.querySelectorAll('.windowed tbody tr').length").await;
        assert!(rows.as_u64().is_some_and(|rows| rows < 80), "{rows}");
        browser
            .run_script("const it = document.querySelector('.windowed'); it.scrollTop = it.scrollHeight")
            .await;
        let last = "return document.querySelector('.windowed tr[aria-rowindex=\"251\"] a') !== null";
        for _ in 0..200 {
            if browser.run_script(last).await == true {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the last check does not come into sight");
    });
}

#[test]
fn open_pay_runs_are_listed_and_filtered() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(1))).await.status, 201);
        let runs = server.send(&Request::operator_get("/payruns")).await;
        let of_open: Vec<_> = runs.content().into_iter().filter(|run| run["companyId"] == OPEN).collect();
        let entry = of_open.iter().find(|run| run["payPeriodId"] == "ENTRY").expect("the period");
        assert_eq!(entry["totals"]["checks"], 1);
        assert!(entry["legalName"].is_string() && entry["displayId"].is_string());
        let entered = server.send(&Request::operator_get("/payruns?status=PROCESSING")).await;
        assert!(entered.members("status").iter().all(|status| status == "PROCESSING"));
        let selected = async |query: &str| {
            let runs = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            runs.members("companyId").join(" ")
        };
        let all = selected("").await;
        assert!(all.contains(OPEN) && all.contains(' '), "{all}");
        let of_one = selected("companyid=OPEN").await;
        assert!(of_one.split(' ').all(|id| id == OPEN), "{of_one}");
        assert_eq!(selected("companyid=NOBODY").await, "");
        let day = entry["checkDate"].as_str().expect("a day").replace("T00:00:00Z", "");
        assert!(selected(&format!("checkdatefrom={day}&checkdateto={day}")).await.contains(OPEN));
        assert_eq!(selected("checkdatefrom=2100-01-01").await, "");
        // The submit-by date of the period is 2026-05-19, so the period is overdue from the next day.
        assert_eq!(selected("overdueon=2026-05-19").await, "");
        assert!(selected("overdueon=2026-05-20").await.contains(OPEN));
        for query in ["overdueon=soon", "checkdatefrom=", "companyid="] {
            let refused = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            assert_eq!(refused.status_and_code(), "400 API-40", "{query}");
        }
        for query in ["status=COMPLETED", "status=entry", "status=ENTRY&status=INITIAL", "limit=x", "x=1"] {
            let refused = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            assert_eq!(refused.status_and_code(), "400 API-40", "{query}");
        }
    });
}
