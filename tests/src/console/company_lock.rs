//! Tests of the lock of a company: operators set, see and release it on the company's page.

use serde_json::{Value, json};

use super::browser::run_in_browser;
use crate::support::{OPEN, Request, check_with_correlation_id};

const LOCK_PATH: &str = "/companies/OPEN/lock";

#[test]
fn a_company_is_locked_and_unlocked_on_its_page() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/companies/OPEN").await;
        browser.click_button("Lock").await;
        browser.wait_for_text("Lock the company?").await;
        browser.fill_field("Reason", "Month end <b>").await;
        browser.fill_field("Ends", "2001-01-01T12:00").await;
        browser.confirm_dialog("Lock").await;
        browser.wait_for_text("API-48").await;
        browser.fill_field("Ends", "").await;
        browser.confirm_dialog("Lock").await;
        browser.wait_for_text("Month end <b>. Applications cannot add checks.").await;
        browser.save_screenshot("locked").await;
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
        let lock = server.send(&Request::operator_get(LOCK_PATH)).await.content().remove(0);
        assert_eq!(lock["reason"], "Month end <b>", "{lock}");
        let add = Request::post_checks(OPEN, &json!([check_with_correlation_id("locked")]));
        assert_eq!(server.send(&add).await.status, 423);

        browser.click_button("Unlock").await;
        browser.confirm_dialog("Unlock").await;
        browser.wait_until_text_is_gone("Applications cannot add checks.").await;
        assert_eq!(server.send(&Request::operator_get(LOCK_PATH)).await.status, 404);
        assert_eq!(server.send(&add).await.status, 201);
    });
}

#[test]
fn a_lock_of_another_operator_and_of_a_pay_period_is_explained() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/companies/OPEN").await;
        browser.click_button("Lock").await;
        let other = Request::operator_put(LOCK_PATH, &json!({"reason": "Correction"}));
        assert!(server.send(&other).await.is_success());
        browser.confirm_dialog("Lock").await;
        browser.wait_for_text("the company is locked by").await;
        browser.click_button("Cancel").await;
        browser.wait_for_text("Correction. Applications cannot add checks.").await;
        let unlocked = server.send(&Request::operator_delete(LOCK_PATH)).await;
        assert_eq!(unlocked.status, 204);

        let process = Request::operator_post("/companies/OPEN/payperiods/ENTRY/process", &json!({}));
        assert!(server.send(&process).await.is_success());
        browser.open_page("/companies").await;
        browser.open_page("/companies/OPEN").await;
        browser.wait_for_text("complete or reopen the period").await;
        assert!(!browser.page_text().await.contains("Unlock"));
        browser.click_button("pay period").await;
        browser.wait_for_text("Completion").await;
    });
}
