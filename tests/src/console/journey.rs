//! Tests the work of an operator from the first sign-in to a completed pay run. The operator uses only the
//! browser, and types no ids.

use serde_json::json;

use super::browser::{Browser, run_in_browser_on_every_database};
use crate::support::{Database, OPERATOR_KEY};

/// A script that returns the rows of the last saved template, and adds a tax to the row of each check.
const SAVED_FILES_SCRIPT: &str = "const rows = window.saved.filter(it => it !== '');
    return [rows[0], ...rows.slice(1).map(row => 
        [...row.split(',').slice(0, 3), '', 'tax', 'Income tax', '', arguments[0], 'EMPLOYEE_WITHHOLDING'].join(','))].join('\\n')";

/// A script that stores the lines of the next file that the page saves. The variable is `window.saved`.
const CATCH_SAVED_FILES_SCRIPT: &str = "const save = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        blob.text().then((text) => { window.saved = text.split('\\r\\n') });
        return save.call(URL, blob);
    }";

/// Opens a form with a button, fills it in, and creates the object.
async fn create_object(browser: &Browser, button: &str, fields: &[(&str, &str)], shown: &str) {
    browser.click_button(button).await;
    for (label, value) in fields {
        browser.fill_field(label, value).await;
    }
    browser.confirm_dialog("Create").await;
    browser.wait_for_text(shown).await;
}

/// Creates a company with a pay component.
async fn create_company(browser: &Browser) {
    browser.click_button("Companies").await;
    let fields =
        [("Display ID", "00990001"), ("Legal name", "Sample Bakery LLC"), ("Start date", "2026-01-01")];
    create_object(browser, "New company", &fields, "The company has no pay periods.").await;
    browser.click_button("Pay components").await;
    let fields = [("Name", "Hourly"), ("Classification type", "REGULAR"), ("Effect on pay", "ADDITION")];
    create_object(browser, "New pay component", &fields, "The pay component was created.").await;
}

/// Creates a worker with a default rate.
async fn create_worker(browser: &Browser) {
    browser.click_button("Workers").await;
    let fields = [("Given name", "Ann"), ("Family name", "Sample")];
    create_object(browser, "New worker", &fields, "The worker was created.").await;
    browser.click_button("Pay").await;
    browser.click_button("New pay rate").await;
    browser.set_checkbox("Default").await;
    for (label, value) in [("Rate type", "HOURLY_RATE"), ("Amount", "20"), ("Start date", "2026-01-01")] {
        browser.fill_field(label, value).await;
    }
    browser.confirm_dialog("Create").await;
    browser.wait_for_text("The pay rate was created.").await;
}

/// Creates a pay period with a check of 40 hours.
async fn create_pay_period(browser: &Browser) {
    browser.click_button("Sample Bakery LLC").await;
    let fields = [
        ("Interval code", "WEEKLY"),
        ("Start date", "2026-05-04"),
        ("End date", "2026-05-10"),
        ("Check date", "2026-05-15"),
    ];
    create_object(browser, "New pay period", &fields, "The pay period was created.").await;
    browser.click_button("Add a check").await;
    browser.select_option("Worker", "Ann Sample").await;
    browser.select_option("Component", "Hourly").await;
    browser.fill_field("Pay hours", "40").await;
    browser.confirm_dialog("Create").await;
    browser.wait_for_text("The check was added.").await;
    browser.wait_for_text("800.00").await;
}

/// Enters taxes with a mistake, corrects the mistake, and requests the completion.
async fn request_completion(browser: &Browser) {
    browser.click_button("Process").await;
    browser.confirm_dialog("Process").await;
    browser.click_button("Review and complete").await;
    browser.run_script(CATCH_SAVED_FILES_SCRIPT).await;
    browser.click_button("Download template").await;
    browser.wait_for_script_result("return window.saved !== undefined", &json!(true)).await;
    for (amount, shown) in [("96.125", "API-48"), ("96.12", "703.88")] {
        let file =
            browser.run_script(&SAVED_FILES_SCRIPT.replace("arguments[0]", &format!("'{amount}'"))).await;
        browser.fill_field("Text", file.as_str().expect("a file")).await;
        browser.click_button("Preview").await;
        browser.wait_for_text(shown).await;
    }
    browser.confirm_warnings().await;
    browser.click_button("Request completion").await;
    browser.confirm_dialog("Request").await;
    browser.wait_for_text("You requested this completion. Another operator must approve it.").await;
}

/// Creates a key of another operator and signs in with that key.
async fn sign_in_as_another_operator(browser: &Browser) {
    browser.click_button("Operators").await;
    create_object(
        browser,
        "New operator key",
        &[("Name", "ben"), ("Your operator key", OPERATOR_KEY)],
        "opk_",
    )
    .await;
    let key = browser.run_script("return document.querySelector('.secret code').textContent").await;
    browser.click_button("Sign out").await;
    browser.wait_for_text("Operator key").await;
    browser.sign_in_with(key.as_str().expect("a key")).await;
    browser.wait_for_text("pending completion requests").await;
}

/// Opens the completion request in the inbox, compares the amounts, and approves the completion.
async fn approve_completion(browser: &Browser) {
    browser.click_button("Approvals1, 1 pending").await;
    browser.wait_for_text("Sample Bakery LLC").await;
    browser.click_button("Review and approve").await;
    for shown in ["These are the figures that desk requested.", "800.00", "96.12", "703.88"] {
        browser.wait_for_text(shown).await;
    }
    browser.confirm_warnings().await;
    browser.click_button("Approve").await;
    browser.confirm_dialog("Approve").await;
    browser.wait_for_text("The pay period is completed.").await;
    browser.save_screenshot("completed").await;
    browser.click_button("open the journal").await;
    browser.wait_for_text("Debits").await;
}

/// This test runs on one database only, because operating a page by keyboard is slow.
#[test]
fn an_operator_completes_a_pay_run_by_keyboard_and_by_mouse() {
    run_in_browser_on_every_database(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            if matches!(server.database, Database::Sqlite(_)) {
                browser.switch_to_keyboard_only();
            }
            browser.sign_in().await;
            create_company(browser).await;
            create_worker(browser).await;
            create_pay_period(browser).await;
            request_completion(browser).await;
            sign_in_as_another_operator(browser).await;
            approve_completion(browser).await;
        },
    );
}
