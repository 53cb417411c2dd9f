//! Tests of the inbox of approvals, and of the warnings that must be confirmed before a pay period is
//! completed.

use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser, run_in_browser_with};
use super::last_run::complete_run;
use crate::support::{OPEN, Request, Server, check_with_correlation_id, with_member};

const PERIOD_PATH: &str = "/companies/OPEN/payperiods/ENTRY";
const NO_TAXES_LABEL: &str = "I confirm that the checks need no taxes";

async fn post_document(server: &Server, path: &str, document: &Value) -> Value {
    let response = server.send(&Request::operator_post(path, document)).await;
    assert!(response.is_success(), "{path}: {response:?}");
    response.content()[0].clone()
}

/// Creates a period in processing with one check.
async fn create_processing_period(server: &Server) {
    assert_eq!(
        server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await.status,
        201
    );
    post_document(server, &format!("{PERIOD_PATH}/process"), &json!({})).await;
}

/// Signs in with a new key of this name.
async fn sign_in_as(server: &Server, browser: &Browser, name: &str) {
    let key = post_document(server, "/keys", &json!({"name": name})).await;
    browser.sign_in_with(key["value"].as_str().expect("a key")).await;
    browser.wait_for_text("Sign out").await;
}

/// A script that returns the number next to “Approvals” in the navigation, with its text for screen readers.
const BADGE_SCRIPT: &str =
    "return document.querySelector('nav .badge')?.textContent.replace(/\\s+/g, '') ?? ''";

async fn read_disabled_state(browser: &Browser, button: &str) -> Value {
    let script = format!(
        "return [...document.querySelectorAll('button')].find(it => it.textContent === '{button}')?.disabled ?? null"
    );
    browser.run_script(&script).await
}

#[test]
fn an_approval_removes_a_request_from_the_inbox_of_the_other_operator() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            browser.sign_in().await;
            browser.click_button("Approvals").await;
            browser.wait_for_text("No completion request is pending.").await;
            assert_eq!(browser.run_script(BADGE_SCRIPT).await, "");
            create_processing_period(server).await;
            post_document(server, &format!("{PERIOD_PATH}/completionrequest"), &json!({})).await;
            browser.reload().await;
            browser.wait_for_script_result(BADGE_SCRIPT, &json!("1,1pending")).await;
            browser.wait_for_text("desk (you)").await;
            browser.click_button("View").await;
            browser.wait_for_text("You requested this completion. Another operator must approve it.").await;
            assert_eq!(
                read_disabled_state(browser, "Approve").await,
                Value::Null,
                "the requester has no button"
            );
            browser.click_button("Sign out").await;
            browser.wait_for_text("Operator key").await;
            sign_in_as(server, browser, "ben").await;
            browser.open_page("/approvals").await;
            browser.wait_for_text("OPEN Example LLC").await;
            browser.save_screenshot("approvals").await;
            browser.click_button("Review and approve").await;
            browser.confirm_warnings().await;
            browser.click_button("Approve").await;
            browser.confirm_dialog("Approve").await;
            browser.wait_for_text("The pay period is completed.").await;
            browser.wait_for_text("desk requested it, and ben approved it").await;
            browser.wait_for_script_result(BADGE_SCRIPT, &json!("")).await;
            browser.click_button("open the journal").await;
            browser.wait_for_text("Debits").await;
        },
    );
}

#[test]
fn a_request_that_was_replaced_after_its_preview_is_not_approved() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            create_processing_period(server).await;
            let request = format!("{PERIOD_PATH}/completionrequest");
            post_document(server, &request, &json!({})).await;
            sign_in_as(server, browser, "ben").await;
            browser.open_page(&format!("{PERIOD_PATH}?view=preview")).await;
            browser.confirm_warnings().await;
            browser.click_button("Approve").await;
            browser.wait_for_text("Approve the completion?").await;
            let withdrawn = Request::operator_delete(&request).header("if-match", "*");
            assert_eq!(server.send(&withdrawn).await.status, 204);
            let checks = server.send(&Request::operator_get(&format!("{PERIOD_PATH}/checks"))).await;
            let tax = json!({"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"});
            let other =
                json!({"checks": [{"paycheckId": checks.content()[0]["paycheckId"], "taxes": [tax]}]});
            post_document(server, &request, &other).await;
            browser.confirm_dialog("Approve").await;
            browser.wait_for_text("The request has changed since the preview.").await;
            browser.wait_for_text("API-412").await;
            browser.wait_for_text("131.67").await;
            let period = server.send(&Request::operator_get(PERIOD_PATH)).await;
            assert_eq!(period.members("status"), ["PROCESSING"]);
        },
    );
}

#[test]
fn a_request_of_another_operator_is_shown_after_a_conflict() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            create_processing_period(server).await;
            sign_in_as(server, browser, "ben").await;
            browser.open_page(&format!("{PERIOD_PATH}?view=preview")).await;
            browser.confirm_warnings().await;
            post_document(server, &format!("{PERIOD_PATH}/completionrequest"), &json!({})).await;
            browser.click_button("Request completion").await;
            browser.confirm_dialog("Request").await;
            browser.wait_for_text("These are the figures that desk requested.").await;
        },
    );
}

async fn terminate_worker(server: &Server, id: &str, day: &str) {
    let status = json!({"currentStatus": {"statusType": "TERMINATED", "effectiveDate": day}});
    let patch = Request::operator_patch(&format!("/companies/OPEN/workers/{id}"), &status);
    assert_eq!(server.send(&patch.header("if-match", "*")).await.status, 200);
}

#[test]
fn each_warning_must_be_confirmed_before_the_completion() {
    run_in_browser(async |server, browser| {
        complete_run(server, "EARLIER", "BI_WEEKLY", "2026-05-08", &[("EMPLOYEE", "500")]).await;
        let other = with_member(check_with_correlation_id("other"), "workerId", "COLLEAGUE");
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([other]))).await.status, 201);
        // The pay period begins on 2026-05-04. Of the two terminated workers, only the colleague still worked
        // on this day.
        terminate_worker(server, "EMPLOYEE", "2026-05-03").await;
        terminate_worker(server, "COLLEAGUE", "2026-05-04").await;
        create_processing_period(server).await;
        browser.sign_in().await;
        browser.open_page(&format!("{PERIOD_PATH}?view=preview")).await;
        browser.wait_for_text("Checks of terminated workers.").await;
        let named = "return [...document.querySelectorAll('.warned')]
            .filter(it => it.textContent.includes('Checks of terminated workers.'))
            .map(it => it.querySelectorAll('li').length)";
        browser.wait_for_script_result(named, &json!([1])).await;
        browser.wait_for_text("Net pay differs from the last run by more than 20 percent.").await;
        browser.wait_for_text("Check each warning and tick it to continue.").await;
        browser.save_screenshot("warnings").await;
        browser.set_checkbox(NO_TAXES_LABEL).await;
        assert_eq!(read_disabled_state(browser, "Complete").await, true, "a warning is left");
        browser.set_checkbox("I confirm the net pay").await;
        assert_eq!(read_disabled_state(browser, "Complete").await, true, "a warning is left");
        browser.set_checkbox("I confirm the checks of terminated workers").await;
        browser.wait_until_text_is_gone("Check each warning and tick it to continue.").await;
        assert_eq!(read_disabled_state(browser, "Complete").await, false);
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
    });
}

#[test]
fn bank_accounts_are_approved_and_rejected_in_the_inbox() {
    run_in_browser(async |server, browser| {
        let deposit = json!({"paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING", "value": "100",
            "routingNumber": "122100024", "accountNumber": "1234567865"});
        let list = "/workers/EMPLOYEE/directdeposits";
        assert_eq!(server.send(&Request::post(list, &deposit)).await.status, 202);
        let change = Request::patch(format!("{list}/MAIN"), &json!({"value": "40"}));
        assert_eq!(server.send(&change).await.status, 202);
        browser.sign_in().await;
        browser.wait_for_script_result(BADGE_SCRIPT, &json!("2,2pending")).await;
        browser.open_page("/approvals").await;
        browser.wait_for_text("Checking *****7865").await;
        browser.click_button("Reject").await;
        browser.wait_for_text("Reject the bank account?").await;
        browser.confirm_dialog("Reject").await;
        browser.wait_for_script_result(BADGE_SCRIPT, &json!("1,1pending")).await;
        let is_listed = "return document.body.textContent.includes('*****7865')";
        browser.wait_for_script_result(is_listed, &json!(false)).await;
        browser.click_button("Approve").await;
        browser.wait_for_text("Approve the bank account?").await;
        browser.confirm_dialog("Approve").await;
        browser.wait_for_text("No bank account is pending.").await;
        browser.wait_for_script_result(BADGE_SCRIPT, &json!("")).await;
        let shown = server.send(&Request::get(list)).await;
        let statuses = shown.members("status");
        // The approval was the last one, so no direct deposit is pending any more.
        assert!(!statuses.contains(&"PENDING".to_owned()), "{statuses:?}");
    });
}
