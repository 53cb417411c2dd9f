//! Tests of the API reference, which Swagger UI shows, in a real browser.

use serde_json::{Value, json};

use super::browser::{Browser, SCREEN_SIZES, run_in_portal};

/// Clicks the elements that a selector finds, but at most the first three.
async fn click_element(browser: &Browser, selector: &str) {
    let found = format!(
        "const found = [...document.querySelectorAll('{selector}')].slice(0, 3);
         found.forEach(it => it.click()); return found.length > 0"
    );
    browser.wait_for_script_result(&found, &json!(true)).await;
}

async fn assert_no_faults(browser: &Browser, state: &str) {
    let faults = browser.accessibility_faults().await;
    assert_eq!(faults, Vec::<Value>::new(), "{state}");
}

#[test]
fn the_reference_has_no_accessibility_faults() {
    run_in_portal(async |_, browser| {
        for (width, dark) in SCREEN_SIZES {
            browser.set_screen(width, dark).await;
            browser.open("docs/").await;
            browser
                .wait_for_script_result(
                    "return document.querySelectorAll('.opblock').length > 50",
                    &json!(true),
                )
                .await;
            assert_no_faults(browser, &format!("closed, {width}")).await;
            click_element(browser, ".opblock-summary-control").await;
            browser
                .wait_for_script_result(
                    "return document.querySelectorAll('.responses-table').length",
                    &json!(3),
                )
                .await;
            assert_no_faults(browser, &format!("open, {width}")).await;
            click_element(browser, ".try-out__btn").await;
            browser
                .wait_for_script_result(
                    "return document.querySelectorAll('.execute').length > 0",
                    &json!(true),
                )
                .await;
            assert_no_faults(browser, &format!("in use, {width}")).await;
            click_element(browser, ".btn.authorize").await;
            browser.wait_for_text("Available authorizations").await;
            assert_no_faults(browser, &format!("dialog, {width}")).await;
        }
    });
}
