//! Tests of taxes and deductions of a pay run. An operator enters them as CSV or JSON, corrects and previews
//! them, and stores exactly the previewed values.

use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser, run_in_browser_with};
use crate::support::{OPEN, OPERATOR_KEY, Request, Server, check_with_correlation_id, with_member};

const PERIOD_PATH: &str = "/companies/OPEN/payperiods/ENTRY";
const CSV_HEADER: &str = "paycheckId,worker,gross,checkNumber,kind,name,componentId,amount,paidBy";
const NO_TAXES_LABEL: &str = "I confirm that the checks need no taxes";

/// Creates two checks of a period in processing.
async fn create_processing_period(server: &Server) -> [String; 2] {
    let added = server
        .send(&Request::post_checks(
            OPEN,
            &json!([check_with_correlation_id("one"), check_with_correlation_id("two")]),
        ))
        .await;
    change_period_state(server, "process").await;
    added.members("paycheckId").try_into().expect("two checks")
}

async fn change_period_state(server: &Server, step: &str) {
    let moved = server.send(&Request::operator_post(&format!("{PERIOD_PATH}/{step}"), &json!({}))).await;
    assert_eq!(moved.status, 200, "{step}");
}

/// Returns CSV with two taxes and a deduction of the first check, and an empty row for the second one.
fn completion_csv([one, two]: &[String; 2], kind: &str, amount: &str) -> String {
    format!(
        "{CSV_HEADER}\r\n\
         {one},Ann,160.00,1001,tax,\"Federal, Income\",,{amount},EMPLOYEE_WITHHOLDING\r\n\
         {one},Ann,160.00,,{kind},Social Security,,11.62,EMPLOYER_LIABILITY\r\n\
         {one},Ann,160.00,,deduction,,GARNISHMENT,20,\r\n\
         {two},Ann,160.00,,,,,,\r\n"
    )
}

/// Returns the lines, columns and texts of the faults that the page shows.
async fn read_shown_faults(browser: &Browser) -> Vec<String> {
    let script = "return [...document.querySelectorAll('[aria-label=\"Faults of the completion\"] tbody tr')]
        .map(row => [...row.cells].map(cell => cell.innerText).join(' | '))";
    let rows = browser.run_script(script).await;
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| row.as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks that the page fits a small screen and has no accessibility fault.
async fn assert_accessible(browser: &Browser) {
    browser.set_screen(375, true).await;
    let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.run_script(wider).await, 0, "the page is wider than the screen");
    let faults = browser.accessibility_faults().await;
    assert!(faults.is_empty(), "{faults:#?}");
    browser.set_screen(1280, false).await;
}

/// Returns the stored check with its number, taxes and deductions.
async fn read_check(server: &Server, paycheck_id: &str) -> Value {
    let checks = server.send(&Request::operator_get(&format!("{PERIOD_PATH}/checks"))).await.content();
    let check = checks.into_iter().find(|check| check["paycheckId"] == paycheck_id).expect("the check");
    let deductions = check["deductions"].as_array().into_iter().flatten();
    let deductions: Vec<_> = deductions.map(|line| json!([line["componentId"], line["amount"]])).collect();
    json!([check["checkNumber"], check["netPay"], check["taxes"], deductions])
}

/// Returns the values of the first check after the import of the file.
fn expected_check() -> Value {
    json!(["1001", "111.67",
        [{"name": "Federal, Income", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
         {"name": "Social Security", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
        [["GARNISHMENT", "20.00"]]])
}

#[test]
fn taxes_from_a_file_are_corrected_previewed_and_stored() {
    run_in_browser(async |server, browser| {
        let ids = create_processing_period(server).await;
        browser.sign_in().await;
        browser.open_page(PERIOD_PATH).await;
        browser.click_button("Review and complete").await;
        browser.wait_for_text("No check has taxes.").await;
        browser.upload_file("completion-file", "taxes.csv", &completion_csv(&ids, "levy", "28.333")).await;
        browser.wait_for_text("Read as CSV. Checks: 1. Taxes: 1. Deductions: 1. Rows without a tax").await;
        browser.wait_for_text("Your input has changed since the preview.").await;
        browser.click_button("Preview").await;
        browser.wait_for_text("Faults: 1.").await;
        assert_eq!(
            read_shown_faults(browser).await,
            ["3 | kind | – | The kind is levy. Write tax or deduction."]
        );
        // Some spreadsheet programs end a line only with a carriage return.
        let file = completion_csv(&ids, "tax", "28.333").replace("\r\n", "\r");
        browser.upload_file("completion-file", "taxes.csv", &file).await;
        browser.click_button("Preview").await;
        browser.wait_for_text("API-48").await;
        assert_accessible(browser).await;
        browser.run_script("document.getElementById('completion-file').scrollIntoView()").await;
        browser.save_screenshot("taxes-fault").await;
        let [fault] = read_shown_faults(browser).await.try_into().expect("one fault");
        assert!(fault.starts_with("2 | amount | ") && fault.contains(&ids[0]), "{fault}");
        browser.fill_field("Text", &completion_csv(&ids, "tax", "28.33").replace("\r\n", "\n")).await;
        browser.click_button("Preview").await;
        for shown in ["Ready to complete.", "28.33", "20.00", "111.67", "271.67", "331.62"] {
            browser.wait_for_text(shown).await;
        }
        browser.wait_until_text_is_gone("No check has taxes.").await;
        assert_accessible(browser).await;
        browser
            .run_script("document.querySelector('[aria-label=\"Pay by check\"]').scrollIntoView(false)")
            .await;
        browser.save_screenshot("preview").await;
        browser.fill_field("Text", "").await;
        browser.wait_for_text("Preview it again.").await;
        browser.wait_until_text_is_gone("Ready to complete.").await;
        browser.fill_field("Text", &completion_csv(&ids, "tax", "28.33").replace("\r\n", "\n")).await;
        browser.click_button("Preview").await;
        browser.confirm_warnings().await;
        browser.click_button("Complete").await;
        browser.wait_for_text("Complete the pay period?").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
        assert_eq!(read_check(server, &ids[0]).await, expected_check());
    });
}

#[test]
fn one_operator_requests_a_completion_with_a_file_and_another_approves_it() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            let ids = create_processing_period(server).await;
            browser.sign_in().await;
            browser.open_page(PERIOD_PATH).await;
            browser.click_button("Review and complete").await;
            browser.upload_file("completion-file", "taxes.csv", &completion_csv(&ids, "tax", "28.33")).await;
            browser.wait_for_text("Taxes: 2.").await;
            browser.click_button("Preview").await;
            browser.wait_for_text("111.67").await;
            browser.confirm_warnings().await;
            browser.click_button("Request completion").await;
            browser.confirm_dialog("Request").await;
            browser.wait_for_text("Completion was requested by").await;
            browser.click_button("Sign out").await;
            let created = server.send(&Request::operator_post("/keys", &json!({"name": "ben"}))).await;
            browser.wait_for_text("Operator key").await;
            browser.sign_in_with(created.content()[0]["value"].as_str().expect("a key")).await;
            browser.wait_for_text("Sign out").await;
            browser.open_page(PERIOD_PATH).await;
            browser.click_button("Review and approve").await;
            for shown in ["Approval preview", "28.33", "20.00", "111.67", "271.67", "331.62"] {
                browser.wait_for_text(shown).await;
            }
            browser.confirm_warnings().await;
            browser.click_button("Approve").await;
            browser.confirm_dialog("Approve").await;
            browser.wait_for_text("The pay period is completed.").await;
            assert_eq!(read_check(server, &ids[0]).await, expected_check());
        },
    );
}

#[test]
fn a_period_changed_after_its_preview_is_not_completed_and_the_text_is_kept() {
    run_in_browser(async |server, browser| {
        let ids = create_processing_period(server).await;
        browser.sign_in().await;
        browser.open_page(PERIOD_PATH).await;
        browser.click_button("Review and complete").await;
        let document = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "1001", "taxes": [
            {"name": "Federal, Income", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
            {"name": "Social Security", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
            "deductions": [{"componentId": "GARNISHMENT", "amount": "20"}]}]})
        .to_string();
        browser.fill_field("Text", &document.replacen(':', "", 1)).await;
        browser.click_button("Preview").await;
        browser.wait_for_text("not JSON at line 1 column").await;
        browser.fill_field("Text", &document.replace("GARNISHMENT", "BONUS")).await;
        browser.click_button("Preview").await;
        browser.wait_for_text("/checks/0/deductions/0/componentId").await;
        browser.fill_field("Text", &document).await;
        browser.click_button("Preview").await;
        browser.wait_for_text("271.67").await;
        browser.confirm_warnings().await;
        change_period_state(server, "reopen").await;
        assert_eq!(
            server
                .send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("late")])))
                .await
                .status,
            201
        );
        change_period_state(server, "process").await;
        browser.click_button("Complete").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period has changed since the preview.").await;
        browser.wait_for_text("API-412").await;
        let text = "return document.getElementById('completion-text').value";
        assert_eq!(browser.run_script(text).await, json!(document));
        let period = server.send(&Request::operator_get(PERIOD_PATH)).await;
        assert_eq!(period.members("status"), ["PROCESSING"]);
        browser.click_button("Preview").await;
        browser.wait_for_text("431.67").await;
        browser.confirm_warnings().await;
        browser.click_button("Complete").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
        assert_eq!(read_check(server, &ids[0]).await, expected_check());
    });
}

#[test]
fn a_period_without_taxes_needs_a_confirmation_and_the_template_lists_its_checks() {
    run_in_browser(async |server, browser| {
        let ids = create_processing_period(server).await;
        browser.sign_in().await;
        browser.open_page(&format!("{PERIOD_PATH}?view=preview")).await;
        browser.wait_for_text("No check has taxes.").await;
        let disabled = "return [...document.querySelectorAll('button')]
            .find(it => it.textContent === 'Complete').disabled";
        assert_eq!(browser.run_script(disabled).await, true);
        let catch = "const save = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { window.saved = text.split('\\r\\n') });
                return save.call(URL, blob);
            }";
        browser.run_script(catch).await;
        browser.click_button("Download template").await;
        let name = &read_stored_name(server).await;
        let rows = ids.each_ref().map(|id| format!("{id},{name},160.00,,,,,,"));
        browser
            .wait_for_script_result("return window.saved ?? null", &json!([CSV_HEADER, rows[0], rows[1], ""]))
            .await;
        browser.set_checkbox(NO_TAXES_LABEL).await;
        browser.confirm_warnings().await;
        browser.click_button("Complete").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("The pay period is completed.").await;
    });
}

#[test]
fn typed_taxes_survive_navigation_and_the_end_of_the_session() {
    const TEXT_SCRIPT: &str = "return document.getElementById('completion-text')?.value";
    const STORED_SCRIPT: &str = "return JSON.stringify({...localStorage, ...sessionStorage})";
    run_in_browser(async |server, browser| {
        let typed = json!(
            completion_csv(&create_processing_period(server).await, "tax", "28.33").replace("\r\n", "\n")
        );
        browser.sign_in().await;
        browser.open_page(&format!("{PERIOD_PATH}?view=preview")).await;
        browser.fill_field("Text", typed.as_str().expect("a text")).await;
        browser.open_page("/companies/OPEN/payperiods/INITIAL?view=preview").await;
        browser.wait_for_text("initial").await;
        browser.wait_for_script_result(TEXT_SCRIPT, &json!("")).await;
        browser.run_script("history.back()").await;
        browser.wait_for_script_result(TEXT_SCRIPT, &typed).await;
        server.clock.advance_seconds(10 * 60 * 60);
        browser.click_button("Preview").await;
        browser.wait_for_text("Your session has expired.").await;
        browser.fill_field("Operator key", OPERATOR_KEY).await;
        browser.click_button("Sign in").await;
        browser.wait_for_script_result(TEXT_SCRIPT, &typed).await;
        // The page keeps the entered text only in memory, and not in the browser's storage.
        browser.wait_for_script_result(STORED_SCRIPT, &json!(r#"{"signed-in":"yes"}"#)).await;
        browser.click_button("Preview").await;
        browser.wait_for_text("Ready to complete.").await;
        browser.click_button("Sign out").await;
        browser.wait_for_text("Operator key").await;
        browser.fill_field("Operator key", OPERATOR_KEY).await;
        browser.click_button("Sign in").await;
        browser.wait_for_script_result(TEXT_SCRIPT, &json!("")).await;
    });
}

/// Returns the name in the payroll register of the worker whom the first check pays.
async fn read_stored_name(server: &Server) -> String {
    let register = server.send(&Request::operator_get(&format!("{PERIOD_PATH}/register"))).await;
    let check = &register.content()[0];
    let names = ["givenName", "familyName"].map(|name| check[name].as_str().unwrap_or_default().to_owned());
    names.join(" ")
}

#[test]
fn a_reversal_does_not_hide_that_no_check_has_taxes() {
    run_in_browser(async |server, browser| {
        let [one, _other] = create_processing_period(server).await;
        let taxes = json!([{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
            {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}]);
        let completion = json!({"checks": [{"paycheckId": one, "taxes": taxes}]});
        let completed = Request::operator_post(&format!("{PERIOD_PATH}/complete"), &completion);
        assert_eq!(server.send(&completed).await.status, 200);
        let period = format!("/companies/{OPEN}/payperiods/INITIAL");
        let check = with_member(check_with_correlation_id("next"), "payPeriodId", "INITIAL");
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([check]))).await.status, 201);
        let reversal = json!({"paycheckId": one});
        let reversed = Request::operator_post(&format!("{period}/reversals"), &reversal);
        assert_eq!(server.send(&reversed).await.status, 201);
        let processed = Request::operator_post(&format!("{period}/process"), &json!({}));
        assert_eq!(server.send(&processed).await.status, 200);
        browser.sign_in().await;
        browser.open_page(&format!("{period}?view=preview")).await;
        browser.wait_for_text("28.33").await;
        browser.wait_for_text("No check has taxes.").await;
    });
}
