//! Tests of the management of hooks in the portal, in a real browser.

use serde_json::{Value, json};

use super::browser::{Browser, run_in_portal};
use crate::support::{OPEN, Request, Server, register_hook};

/// The path of the hook that the tests register.
const HOOK_PATH: &str = "/management/hooks/mine";

/// Reads the registered hook through the API.
async fn read_own_hook(server: &Server) -> Value {
    server.send(&Request::get(HOOK_PATH)).await.json()
}

/// Checks that axe-core finds no fault, and that the page is not wider than the screen.
pub(super) async fn assert_accessible(browser: &Browser, what: &str) {
    let faults = browser.accessibility_faults().await;
    assert!(faults.is_empty(), "{what}: {faults:#?}");
    let wider = "const wide = it => it ? it.scrollWidth - it.clientWidth : 0;
        return wide(document.documentElement) + wide(document.querySelector('dialog[open]'))";
    assert_eq!(browser.run_script(wider).await, 0, "{what} is wider than the screen");
}

/// Waits until the field with this label is marked as invalid and shows this code.
async fn wait_for_fault_at(browser: &Browser, label: &str, code: &str) {
    let script = format!(
        "const label = [...document.querySelectorAll('dialog[open] label')]
             .find(it => it.textContent.trim().startsWith({label:?}));
         const field = label?.control;
         if (field?.getAttribute('aria-invalid') !== 'true') return false;
         return field.getAttribute('aria-describedby').split(' ')
             .some(id => document.getElementById(id).textContent.includes({code:?}))"
    );
    browser.wait_for_script_result(&script, &json!(true)).await;
}

/// Registers the hook. The form first contains mistakes, which are then corrected at their fields.
async fn register_hook_in_portal(browser: &Browser) {
    browser.click_button("Hooks and deliveries").await;
    browser.wait_for_text("Your application has registered no hook.").await;
    browser.click_button("Register a hook").await;
    browser.confirm_dialog("Register").await;
    browser.wait_for_text("Correct the marked fields.").await;
    wait_for_fault_at(browser, "Address", "API-46").await;
    wait_for_fault_at(browser, "Type of authentication", "API-46").await;
    let focused = "return document.activeElement.labels[0].textContent";
    assert_eq!(browser.run_script(focused).await, "Address", "the first invalid field has the focus");
    assert_accessible(browser, "the form with faults").await;
    complete_registration(browser).await;
    browser.wait_for_text("Copy the signing secret now. It is shown only once.").await;
    browser.wait_for_text("whsec_").await;
    browser.wait_for_text("it is never shown again.").await;
    let focused = "return document.activeElement.getAttribute('aria-label')";
    assert_eq!(browser.run_script(focused).await, "New signing secret");
    assert_accessible(browser, "the secret").await;
    browser.click_button("I have copied it").await;
    browser.wait_until_text_is_gone("whsec_").await;
}

/// Fills in the form, first with a private address and without a password. Then corrects the address and the
/// password.
async fn complete_registration(browser: &Browser) {
    browser.fill_field("Address", "https://10.1.2.3/in").await;
    browser.set_checkbox("WRKR_ADD A worker was added.").await;
    browser.set_checkbox("CLT_ORG A company's organizational units changed.").await;
    browser.fill_field("Type of authentication", "BASIC_AUTH").await;
    browser.fill_field("Username", "ann").await;
    browser.fill_field("Hook ID", "mine").await;
    browser.select_option("Company", &format!("{OPEN} Example")).await;
    browser.click_button("Register").await;
    wait_for_fault_at(browser, "Password", "API-46").await;
    browser.fill_field("Password", "open-sesame").await;
    browser.click_button("Register").await;
    wait_for_fault_at(browser, "Address", "API-48").await;
    browser.fill_field("Address", "https://hooks.test/in").await;
    browser.click_button("Register").await;
}

/// Changes the address, the domains and the authentication of the hook.
async fn change_hook(server: &Server, browser: &Browser) {
    browser.click_button("Change").await;
    browser.fill_field("Address", "http://hooks.test:8080/in").await;
    browser.fill_field("Max attempts", "0").await;
    browser.confirm_dialog("Save").await;
    wait_for_fault_at(browser, "Address", "API-48").await;
    wait_for_fault_at(browser, "Max attempts", "API-48").await;
    browser.fill_field("Max attempts", "3").await;
    browser.set_checkbox("Ordered").await;
    browser.fill_field("Address", "https://hooks.test/other").await;
    browser.set_checkbox("CLT_ORG A company's organizational units changed.").await;
    browser.fill_field("Type of authentication", "APIKEY").await;
    browser.fill_field("API key", "a-key-of-mine").await;
    assert_accessible(browser, "the form of a stored hook").await;
    browser.click_button("Save").await;
    browser.wait_for_text("Hook mine is changed.").await;
    browser.wait_for_text("https://hooks.test/other").await;
    browser.wait_for_text("in order, one at a time, at most 3 attempts each").await;
    let changed = read_own_hook(server).await;
    assert_eq!((&changed["ordered"], &changed["maxAttempts"]), (&json!(true), &json!(3)));
    assert_eq!(
        (&changed["uri"], &changed["domains"], &changed["authType"]),
        (&json!("https://hooks.test/other"), &json!(["WRKR_ADD"]), &json!("APIKEY"))
    );
}

/// Changes the hook with another request while its form is open. Saving the form then fails, and the form is
/// cancelled.
async fn save_outdated_hook(server: &Server, browser: &Browser) {
    browser.click_button("Change").await;
    browser.fill_field("Address", "https://hooks.test/mine").await;
    let meanwhile = Request::patch(HOOK_PATH, &json!({"uri": "https://hooks.test/theirs"}));
    assert_eq!(server.send(&meanwhile).await.status, 200);
    browser.click_button("Save").await;
    browser.wait_for_text("API-412").await;
    browser.click_button("Cancel").await;
    browser.wait_for_text("https://hooks.test/theirs").await;
    let focus = "[...document.querySelectorAll('button')].find(it => it.textContent === 'Change').focus()";
    browser.run_script(focus).await;
    browser.send_keys("\u{e007}").await;
    browser.confirm_dialog("Cancel").await;
    browser.wait_for_script_result("return document.activeElement.textContent", &json!("Change")).await;
}

#[test]
fn a_hook_is_registered_changed_and_deleted_by_forms() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        browser.set_screen(390, false).await;
        register_hook_in_portal(browser).await;
        let registered = read_own_hook(server).await;
        assert_eq!(registered["domains"], json!(["WRKR_ADD", "CLT_ORG"]));
        assert_eq!((&registered["companyId"], &registered["authType"]), (&json!(OPEN), &json!("BASIC_AUTH")));
        browser.set_screen(1280, false).await;
        browser.click_button("mine").await;
        browser.wait_for_text("No delivery matches.").await;
        browser.set_screen(390, true).await;
        assert_accessible(browser, "the page of the hook").await;
        change_hook(server, browser).await;
        save_outdated_hook(server, browser).await;

        browser.click_button("Rotate the secret").await;
        browser.confirm_dialog("Rotate").await;
        browser.wait_for_text("whsec_").await;
        browser.wait_for_text("The previous secret is valid until").await;
        assert_accessible(browser, "the rotated secret").await;
        browser.click_button("I have copied it").await;
        browser.wait_until_text_is_gone("whsec_").await;

        browser.click_button("Delete").await;
        browser.wait_for_text("You cannot undo this.").await;
        assert_accessible(browser, "the confirmation").await;
        browser.confirm_dialog("Delete").await;
        browser.wait_for_text("Hook mine is deleted.").await;
        browser.wait_for_text("Your application has registered no hook.").await;
        assert_eq!(server.send(&Request::get(HOOK_PATH)).await.status, 404);
    });
}

#[test]
fn deliveries_are_replayed_by_a_range_of_times() {
    run_in_portal(async |server, browser| {
        register_hook(&*server.store, "partner", "first").await;
        browser.sign_in_to_the_portal().await;
        browser.open_page("/hooks/first").await;
        browser.click_button("Send a test").await;
        browser.wait_for_text("(test)").await;
        browser.click_button("Resend many").await;
        browser.set_checkbox("Only failed deliveries").await;
        browser.confirm_dialog("Resend").await;
        browser.wait_for_text("API-").await;
        browser.fill_field("Queued from", "12026-01-01T00:00").await;
        browser.click_button("Resend").await;
        wait_for_fault_at(browser, "Queued from", "API-48").await;
        assert_accessible(browser, "the range with a fault").await;
        browser.fill_field("Queued from", "2001-01-01T00:00").await;
        browser.fill_field("Queued before", "2002-01-01T00:00").await;
        browser.click_button("Resend").await;
        browser.wait_for_text("0 deliveries are queued again.").await;
        browser.click_button("Resend many").await;
        browser.fill_field("Queued before", "2999-01-01T00:00").await;
        browser.click_button("Resend").await;
        browser.wait_for_text("1 delivery is queued again.").await;
    });
}

#[test]
fn the_event_catalogue_describes_each_domain() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        browser.click_button("Event catalogue").await;
        browser.wait_for_text("Worker added").await;
        let domains = server.send(&Request::get("/management/domains")).await.json();
        let shown = browser
            .run_script("return [...document.querySelectorAll('h2 code')].map(it => it.textContent)")
            .await;
        let sorted = |list: &Value| {
            let mut words: Vec<String> = serde_json::from_value(list.clone()).expect("a list of words");
            words.sort();
            words
        };
        assert_eq!(sorted(&shown), sorted(&domains));
        browser.wait_for_text("\"PAYRUN_MESSAGE\"").await;
        browser.save_screenshot("portal-events").await;
    });
}
