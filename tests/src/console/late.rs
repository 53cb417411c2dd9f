//! Tests of responses that arrive after the operator has done something else.

use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser};

const ENTER_KEY: &str = "\u{e007}";

/// A script that delays the bodies of responses whose URL contains a text, until the page calls `release`.
const HOLD_RESPONSES_SCRIPT: &str = "const held = new Promise((release) => { window.release = release; });
    for (const name of ['json', 'text']) {
        const read = Response.prototype[name];
        Response.prototype[name] = async function () {
            if (this.url.includes(arguments_of_test)) await held;
            return read.call(this);
        };
    }";

/// Delays the responses of requests whose URL contains this text, until `release_responses` is called.
async fn delay_responses(browser: &Browser, part: &str) {
    browser.run_script(&HOLD_RESPONSES_SCRIPT.replace("arguments_of_test", &json!(part).to_string())).await;
}

async fn release_responses(browser: &Browser) {
    browser.run_script("window.release()").await;
}

/// Returns whether the button with this text is disabled.
async fn read_disabled_state(browser: &Browser, button: &str) -> Value {
    let script = format!(
        "return [...document.querySelectorAll('button')].find(it => it.textContent.trim() === '{button}')?.disabled ?? null"
    );
    browser.run_script(&script).await
}

#[test]
fn a_validated_file_cannot_be_imported_into_another_company() {
    run_in_browser(async |_, browser| {
        let file = "workerId,workerType,name.givenName,name.familyName\nS-1,EMPLOYEE,Ann,Sample\n";
        browser.sign_in().await;
        browser.open_page("/transfer").await;
        browser.upload_file("file", "workers.csv", file).await;
        browser.select_option("Into company", "Bare Example LLC").await;
        delay_responses(browser, "/workerchanges").await;
        browser.click_button("Check file").await;
        browser.select_option("Into company", "OPEN Example LLC").await;
        release_responses(browser).await;
        let checks = "return [...document.querySelectorAll('button')].find(it => it.textContent === 'Check file').disabled";
        browser.wait_for_script_result(checks, &json!(false)).await;
        assert!(!browser.page_text().await.contains("The file has no faults."));
        assert_eq!(read_disabled_state(browser, "Import").await, true, "OPEN was not checked");
        browser.click_button("Check file").await;
        browser.wait_for_text("The file has no faults.").await;
        assert_eq!(read_disabled_state(browser, "Import").await, false);
        browser.select_option("Into company", "Bare Example LLC").await;
        browser.wait_until_text_is_gone("The file has no faults.").await;
        assert_eq!(read_disabled_state(browser, "Import").await, true);
    });
}

#[test]
fn escape_does_not_close_a_form_that_is_being_saved() {
    const ESCAPE_KEY: &str = "\u{e00c}";
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/companies").await;
        browser.click_button("New company").await;
        browser.fill_field("Legal name", "Sample Bakery LLC").await;
        delay_responses(browser, "/operator/v1/companies").await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("Saving …").await;
        // A page can suppress the first Escape. Chromium closes the dialog on the second Escape even if the
        // page suppresses it.
        browser.press_keys(&[ESCAPE_KEY]).await;
        browser.press_keys(&[ESCAPE_KEY]).await;
        assert_eq!(read_disabled_state(browser, "Cancel").await, true);
        release_responses(browser).await;
        browser.wait_for_text("API-46 displayId is missing").await;
        let name = "return [...document.querySelectorAll('dialog[open] input')].some(it => it.value === 'Sample Bakery LLC')";
        assert_eq!(browser.run_script(name).await, true, "the input is still there");
        browser.press_keys(&[ESCAPE_KEY]).await;
        browser
            .wait_for_script_result("return document.querySelector('dialog[open]') === null", &json!(true))
            .await;
    });
}

/// Waits until the first visible result of a search has this name. Without a name, waits until no result is
/// visible.
async fn wait_for_first_option(browser: &Browser, name: Option<&str>) {
    let script = "return [...document.querySelectorAll('[role=option]')]
        .find(it => it.checkVisibility())?.firstChild.textContent ?? null";
    browser.wait_for_script_result(script, &json!(name)).await;
}

#[test]
fn a_picker_selects_no_result_of_an_earlier_text() {
    run_in_browser(async |_, browser| {
        let value = "return document.getElementById('into-company').value";
        browser.sign_in().await;
        browser.open_page("/transfer").await;
        browser.upload_file("file", "workers.csv", "workerId\n").await;
        browser.fill_field("Into company", "Bare").await;
        wait_for_first_option(browser, Some("Bare Example LLC")).await;
        delay_responses(browser, "/operator/v1/companies").await;
        browser.fill_field("Into company", "BUSY").await;
        browser.send_keys(ENTER_KEY).await;
        assert_eq!(browser.run_script(value).await, "BUSY", "nothing is selected");
        wait_for_first_option(browser, None).await;
        release_responses(browser).await;
        wait_for_first_option(browser, Some("BUSY Example LLC")).await;
        browser.send_keys(ENTER_KEY).await;
        browser.wait_for_script_result(value, &json!("BUSY Example LLC")).await;
        assert_eq!(read_disabled_state(browser, "Check file").await, false);
    });
}

#[test]
fn the_search_opens_no_result_of_an_earlier_text() {
    run_in_browser(async |_, browser| {
        let is_open = "return document.querySelector('dialog[open] [role=combobox]') !== null";
        browser.sign_in().await;
        browser.send_keys("\u{e009}k").await;
        browser.wait_for_script_result(is_open, &json!(true)).await;
        browser.send_keys("audit").await;
        wait_for_first_option(browser, Some("Audit and events")).await;
        delay_responses(browser, "/operator/v1/search").await;
        // Control and A select the text, and the next key replaces the selected text.
        browser.send_keys("\u{e009}a\u{e000}OPEN").await;
        browser.send_keys(ENTER_KEY).await;
        assert_eq!(browser.run_script(is_open).await, true, "nothing is opened");
        release_responses(browser).await;
        wait_for_first_option(browser, Some("OPEN Example LLC")).await;
        browser.send_keys(ENTER_KEY).await;
        browser.wait_for_text("Account number").await;
        assert_eq!(browser.run_script("return location.hash").await, "#/companies/OPEN");
    });
}
