//! Tests of the API reference, which Swagger UI shows, in a real browser.

use serde_json::{Value, json};

use super::browser::{Browser, SCREENS, in_the_portal};

/// Clicks every element that a selector finds, up to the first three.
async fn click(browser: &Browser, selector: &str) {
    let found = format!(
        "const found = [...document.querySelectorAll('{selector}')].slice(0, 3);
         found.forEach(it => it.click()); return found.length > 0"
    );
    browser.until_run(&found, &json!(true)).await;
}

async fn has_no_faults(browser: &Browser, state: &str) {
    let faults = browser.faults_of_access().await;
    assert_eq!(faults, Vec::<Value>::new(), "{state}");
}

#[test]
fn the_reference_has_no_faults_of_access() {
    in_the_portal(async |_, browser| {
        for (width, dark) in SCREENS {
            browser.shown_on(width, dark).await;
            browser.open("docs/").await;
            browser.until_run("return document.querySelectorAll('.opblock').length > 50", &json!(true)).await;
            has_no_faults(browser, &format!("closed, {width}")).await;
            click(browser, ".opblock-summary-control").await;
            browser.until_run("return document.querySelectorAll('.responses-table').length", &json!(3)).await;
            has_no_faults(browser, &format!("open, {width}")).await;
            click(browser, ".try-out__btn").await;
            browser.until_run("return document.querySelectorAll('.execute').length > 0", &json!(true)).await;
            has_no_faults(browser, &format!("in use, {width}")).await;
            click(browser, ".btn.authorize").await;
            browser.wait_for_text("Available authorizations").await;
            has_no_faults(browser, &format!("dialog, {width}")).await;
        }
    });
}
