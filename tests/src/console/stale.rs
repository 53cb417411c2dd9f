//! Tests of pages whose data change on the server after the page has shown them. No action may apply to data
//! that the operator has not seen, and the page must show the next step.

use reqwest::Method;
use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser};
use crate::support::{OPEN, Request, Server, check_with_correlation_id};

const PERIOD_PATH: &str = "/companies/OPEN/payperiods/ENTRY";
const DEPOSITS_PATH: &str = "/workers/EMPLOYEE/directdeposits";

async fn add_check(server: &Server, name: &str) -> String {
    let added = server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id(name)]))).await;
    assert_eq!(added.status, 201);
    added.members("paycheckId").remove(0)
}

/// Returns a member of the worker's direct deposit `MAIN`.
async fn read_deposit_member(server: &Server, member: &str) -> Value {
    let shown = server.send(&Request::get(DEPOSITS_PATH)).await;
    shown.content().iter().find(|it| it["directDepositId"] == "MAIN").expect("the deposit")[member].clone()
}

/// Requests a new value of the direct deposit `MAIN` as an application.
async fn change_deposit(server: &Server, value: &str) {
    let change = Request::patch(format!("{DEPOSITS_PATH}/MAIN"), &json!({"value": value}));
    assert_eq!(server.send(&change).await.status, 202);
}

#[test]
fn a_changed_bank_account_is_shown_again_before_its_approval() {
    run_in_browser(async |server, browser| {
        let before = read_deposit_member(server, "value").await;
        change_deposit(server, "40").await;
        browser.sign_in().await;
        browser.open_page("/approvals").await;
        browser.wait_for_text("40").await;
        // The application changes the direct deposit before the dialog is opened, and again while the dialog
        // is open.
        change_deposit(server, "50").await;
        browser.click_button("Approve").await;
        browser.wait_for_text("Approve the bank account?").await;
        wait_for_dialog_text(browser, "50").await;
        change_deposit(server, "90").await;
        browser.confirm_dialog("Approve").await;
        browser.wait_for_text("The account has changed since it was shown.").await;
        wait_for_dialog_text(browser, "90").await;
        browser.save_screenshot("bank-account").await;
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
        assert_eq!(read_deposit_member(server, "value").await, before, "nothing was decided");
        browser.confirm_dialog("Approve").await;
        browser.wait_for_text("The bank account is approved.").await;
        let after = read_deposit_member(server, "value").await;
        assert!(after.as_str().is_some_and(|value| value.starts_with("90")), "{after}");
    });
}

/// Waits until the dialog contains this text.
async fn wait_for_dialog_text(browser: &Browser, text: &str) {
    let script =
        format!("return document.querySelector('dialog[open]')?.innerText.includes('{text}') ?? false");
    browser.wait_for_script_result(&script, &json!(true)).await;
}

#[test]
fn access_changed_by_another_operator_is_shown_before_an_overwrite() {
    run_in_browser(async |server, browser| {
        let path = "/applications/limited/grants/OPEN";
        browser.sign_in().await;
        browser.open_page("/companies/OPEN?view=access").await;
        let edit =
            "const row = [...document.querySelectorAll('tr')].find(it => it.cells[0]?.textContent.trim() === 'limited');
            const button = [...(row?.querySelectorAll('button') ?? [])].find(it => it.textContent === 'Edit');
            button?.click(); return button !== undefined";
        browser.wait_for_script_result(edit, &json!(true)).await;
        browser.wait_for_text("See social security numbers in full.").await;
        let tag = server.send(&Request::operator_get(path)).await.header("etag").to_owned();
        let put = Request::operator(Method::PUT, path).json(&json!({"scopes": ["read:companies"]}));
        assert!(server.send(&put.header("if-match", tag)).await.is_success());
        browser.confirm_dialog("Save").await;
        browser
            .wait_for_text("Another operator has changed the access of this application in the meantime.")
            .await;
        let ticked = "return document.querySelectorAll('dialog[open] input[type=checkbox]:checked').length";
        browser.wait_for_script_result(ticked, &json!(1)).await;
        let stored = server.send(&Request::operator_get(path)).await;
        assert_eq!(stored.content()[0]["scopes"], json!(["read:companies"]), "nothing was overwritten");
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("The access is saved.").await;
        let saved = server.send(&Request::operator_get(path)).await;
        assert_eq!(saved.content()[0]["scopes"], json!(["read:companies"]));
    });
}

#[test]
fn an_open_period_is_processed_although_partners_add_checks() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page(PERIOD_PATH).await;
        browser.click_button("Process").await;
        add_check(server, "one").await;
        browser.confirm_dialog("Process").await;
        browser.wait_for_text("Reopen").await;
        // Another operator reopens and processes the period again, so the version on the page is outdated.
        let reopen = Request::operator_post(&format!("{PERIOD_PATH}/reopen"), &json!({}));
        assert_eq!(server.send(&reopen).await.status, 200);
        let process = Request::operator_post(&format!("{PERIOD_PATH}/process"), &json!({}));
        assert_eq!(server.send(&process).await.status, 200);
        browser.click_button("Reopen").await;
        browser.confirm_dialog("Reopen").await;
        browser.wait_for_text("The pay period has changed. Review it, and confirm again.").await;
        browser.wait_until_text_is_gone("Reopen the pay period?").await;
        browser.click_button("Reopen").await;
        browser.confirm_dialog("Reopen").await;
        browser.wait_for_text("Process").await;
        let period = server.send(&Request::operator_get(PERIOD_PATH)).await;
        assert_eq!(period.members("status"), ["ENTRY"]);
    });
}

#[test]
fn a_check_is_deleted_after_the_changed_period_was_shown_again() {
    run_in_browser(async |server, browser| {
        add_check(server, "one").await;
        browser.sign_in().await;
        browser.open_page(PERIOD_PATH).await;
        browser.click_button("Details").await;
        // An application adds a check in the meantime, so the version on the page is outdated.
        let left = add_check(server, "two").await;
        browser.click_button("Delete the check").await;
        browser.confirm_dialog("Delete").await;
        browser.wait_for_text("The pay period has changed. Review the check, and delete it again.").await;
        browser.wait_until_text_is_gone("Delete the check?").await;
        browser.wait_for_text("2 rows").await;
        browser.click_button("Details").await;
        browser.click_button("Delete the check").await;
        browser.confirm_dialog("Delete").await;
        browser.wait_for_text("The check is deleted.").await;
        browser.wait_for_text("1 row").await;
        browser.wait_until_text_is_gone("Delete the check?").await;
        let details = "return document.querySelector('section.unfolded[aria-label=Details]') === null";
        browser.wait_for_script_result(details, &json!(true)).await;
        let now = server.send(&Request::operator_get(&format!("{PERIOD_PATH}/checks"))).await;
        assert_eq!(now.members("paycheckId"), [left]);
    });
}

#[test]
fn a_dialog_that_is_submitted_twice_at_once_sends_one_request() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/runs?company=OPEN").await;
        browser.wait_for_text("OPEN Example LLC").await;
        browser.click_button("Select all open ones").await;
        browser.wait_for_text("Process 3 selected").await;
        browser.click_button("Process 3 selected").await;
        browser.wait_for_text("Until then, you can reopen them.").await;
        let twice = "const button = document.querySelector('dialog[open] button[type=submit]'); button.click(); button.click()";
        browser.run_script(twice).await;
        browser.wait_for_text("1 of 3 pay periods are in processing.").await;
        browser.wait_for_text("2 pay periods were not processed.").await;
        // The button was clicked twice, but the pay periods must be processed once. A second attempt would
        // fail for all three pay periods.
        let text = browser.page_text().await;
        assert!(!text.contains("0 of 3 pay periods are in processing."), "{text}");
    });
}
