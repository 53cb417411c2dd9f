//! Tests of forms in which operators create, edit and delete objects. The forms show faults at the fields,
//! and referenced objects by name.

use serde_json::{Value, json};

use super::browser::{Browser, SCREEN_SIZES, run_in_browser};
use crate::support::{BARE, OPEN, OPERATOR_KEY, Request, Server};

/// A script that returns the label of the focused field, and the text below the field.
const FOCUS_SCRIPT: &str = "const field = document.activeElement;
    const text = (id) => document.getElementById(id)?.textContent ?? '';
    const described = (field.getAttribute('aria-describedby') ?? '').split(' ').map(text);
    return [field.labels?.[0]?.textContent ?? '', field.getAttribute('aria-invalid'), described.at(-1)]";

/// The pages with form dialogs, and the buttons that open these dialogs.
const PAGES_WITH_DIALOGS: &[(&str, &str)] = &[
    ("/companies", "New company"),
    ("/companies/OPEN", "New pay period"),
    ("/companies/OPEN", "Edit the company"),
    ("/companies/OPEN", "Delete"),
    ("/companies/OPEN?view=workers", "New worker"),
    ("/companies/OPEN?view=components", "New pay component"),
    ("/companies/OPEN?view=lists", "New organization"),
    ("/companies/OPEN?view=lists", "New custom field"),
    ("/companies/OPEN?view=lists", "New labor assignment"),
    ("/companies/OPEN?view=access", "Give access"),
    ("/companies/OPEN/workers/EMPLOYEE", "Edit the worker"),
    ("/companies/OPEN/workers/EMPLOYEE?view=pay", "New pay rate"),
    ("/companies/OPEN/workers/EMPLOYEE?view=pay", "New recurring component"),
    ("/companies/OPEN/payperiods/ENTRY", "Add a check"),
    ("/applications", "New application"),
    ("/applications/partner", "Create a secret"),
    ("/applications/partner", "Register a public key"),
    ("/keys", "New operator key"),
];

async fn read_list(server: &Server, path: &str) -> Vec<Value> {
    server.send(&Request::operator_get(path)).await.content()
}

/// Waits until the form shows its fields.
async fn wait_for_form(browser: &Browser) {
    let there = "return document.querySelector('dialog[open]') !== null
        && !document.querySelector('dialog[open]').innerText.includes('Loading')";
    browser.wait_for_script_result(there, &json!(true)).await;
}

#[test]
fn every_dialog_is_accessible_on_every_screen_in_light_and_dark() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        for (width, dark) in SCREEN_SIZES {
            browser.set_screen(width, dark).await;
            for (page, button) in PAGES_WITH_DIALOGS {
                browser.open_page("/no").await;
                browser.open_page(page).await;
                browser.click_button(button).await;
                wait_for_form(browser).await;
                let faults = browser.accessibility_faults().await;
                assert!(faults.is_empty(), "{page} {button}: {faults:#?}");
                let wider =
                    "const it = document.querySelector('dialog'); return it.scrollWidth - it.clientWidth";
                assert_eq!(browser.run_script(wider).await, 0, "{page} {button} is wider than the screen");
                browser.click_button("Cancel").await;
            }
        }
    });
}

#[test]
fn faults_of_the_server_are_shown_and_corrected_at_their_fields() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/companies").await;
        browser.click_button("New company").await;
        browser.fill_field("Legal name", "Sample Bakery LLC").await;
        browser.open_section("More fields").await;
        browser.fill_field("Company ID", "not an id").await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("Correct the marked fields. Nothing was stored.").await;
        browser
            .wait_for_script_result(
                FOCUS_SCRIPT,
                &json!(["Display ID", "true", "API-46 displayId is missing"]),
            )
            .await;
        browser.save_screenshot("form").await;
        browser.fill_field("Display ID", "00990001").await;
        browser.fill_field("Company ID", "").await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("The company was created.").await;
        browser.wait_for_text("The company has no pay periods.").await;
        let created = read_list(server, "/companies?name=Sample%20Bakery").await;
        assert_eq!(created[0]["displayId"], "00990001");
        browser.click_button("Edit the company").await;
        browser.fill_field("Legal name", "Sample Bakery Inc").await;
        browser.select_option("Parent company", "Bare Example LLC").await;
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("The changes are saved.").await;
        browser.wait_for_text("Sample Bakery Inc").await;
        let changed = read_list(server, "/companies?name=Sample%20Bakery").await;
        assert_eq!(
            (&changed[0]["parentCompanyId"], &changed[0]["displayId"]),
            (&json!(BARE), &json!("00990001"))
        );
        browser.click_button("Delete").await;
        browser.wait_for_text("Delete Sample Bakery Inc?").await;
        browser.confirm_dialog("Delete").await;
        browser.wait_for_text("The company was deleted.").await;
        assert_eq!(read_list(server, "/companies?name=Sample%20Bakery").await, Vec::<Value>::new());
    });
}

/// Types a text into the search field with this label. Waits until the offered results have these additional
/// texts.
async fn assert_field_suggestions(browser: &Browser, label: &str, text: &str, expected: &[&str]) {
    browser.fill_field(label, text).await;
    let script = "return [...document.querySelectorAll('dialog[open] [role=option]')]
        .map(it => (it.querySelector('.hint')?.textContent ?? '').replaceAll(/\\s/g, ' ')).sort()";
    browser.wait_for_script_result(script, &json!(expected)).await;
}

#[test]
fn workers_with_the_same_name_are_offered_with_their_ids() {
    run_in_browser(async |server, browser| {
        let name = json!({"name": {"givenName": "EMPLOYEE", "familyName": "Sample"}});
        let rename = Request::operator_patch(&format!("/companies/{OPEN}/workers/COLLEAGUE"), &name);
        assert_eq!(server.send(&rename).await.status, 200);
        browser.sign_in().await;
        browser.open_page("/companies/OPEN/payperiods/ENTRY").await;
        browser.click_button("Add a check").await;
        assert_field_suggestions(browser, "Worker", "EMPLOYEE Sample", &["COLLEAGUE", "EMPLOYEE"]).await;
    });
}

#[test]
fn pay_periods_with_the_same_title_are_offered_with_their_days_and_ids() {
    run_in_browser(async |server, browser| {
        let patch = async |change: Value| {
            let path = format!("/companies/{OPEN}/payperiods/ENTRY");
            assert_eq!(server.send(&Request::operator_patch(&path, &change)).await.status, 200);
        };
        browser.sign_in().await;
        browser.open_page("/companies/OPEN/payperiods/COMPLETED").await;
        browser.click_button("Details").await;
        browser.click_button("Reverse the check").await;
        let ids = ["Check date May 22, 2026 · ENTRY", "Check date May 22, 2026 · INITIAL"];
        assert_field_suggestions(browser, "Open period", "May", &ids).await;
        patch(json!({"checkDate": "2026-05-29"})).await;
        let days = ["Check date May 22, 2026", "Check date May 29, 2026"];
        assert_field_suggestions(browser, "Open period", "may", &days).await;
        patch(json!({"description": "May bonus"})).await;
        let described = ["Check date May 22, 2026", "May 4 – 17, 2026 · Check date May 29, 2026"];
        assert_field_suggestions(browser, "Open period", "MAY", &described).await;
    });
}

#[test]
fn an_operator_key_is_created_shown_once_and_revoked() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.click_button("Operators").await;
        browser.wait_for_text("desk (you)").await;
        browser.click_button("New operator key").await;
        browser.fill_field("Name", "ben").await;
        let default = "return [...document.querySelectorAll('dialog[open] select option')]
            .filter(it => it.value === '').map(it => it.textContent)";
        browser.wait_for_script_result(default, &json!(["Default: Administrator"])).await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("API-102").await;
        browser.fill_field("Your operator key", OPERATOR_KEY).await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("It is shown only once.").await;
        browser.wait_for_text("opk_").await;
        browser.click_button("I have copied it").await;
        browser.wait_until_text_is_gone("opk_").await;
        assert!(read_list(server, "/keys").await.iter().any(|key| key["name"] == "ben"));
        let revoke = "const row = [...document.querySelectorAll('tr')].find(it => it.cells[0]?.textContent === 'ben');
            const button = [...(row?.querySelectorAll('button') ?? [])].find(it => it.textContent === 'Revoke');
            button?.click(); return button !== undefined";
        browser.wait_for_script_result(revoke, &json!(true)).await;
        browser.wait_for_text("All browser sessions of the key end.").await;
        browser.confirm_dialog("Revoke").await;
        browser.wait_for_text("The operator key was revoked.").await;
        assert!(read_list(server, "/keys").await.iter().all(|key| key["name"] != "ben"));
    });
}

#[test]
fn an_application_gets_a_secret_and_access_to_a_company_by_name() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/applications").await;
        browser.click_button("New application").await;
        browser.fill_field("Name", "Time clocks").await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("pks_").await;
        browser.click_button("Time clocks").await;
        browser.wait_for_text("The application has access to no company.").await;
        browser.click_button("Give access").await;
        browser.select_option("Company", "OPEN Example LLC").await;
        browser.wait_for_text("See social security numbers in full.").await;
        browser.tick_scope("read:payroll").await;
        browser.save_screenshot("access").await;
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("The access is saved.").await;
        browser.wait_for_text("OPEN Example LLC").await;
        let application = read_list(server, "/applications").await;
        let application = application.iter().find(|it| it["name"] == "Time clocks").expect("it");
        let path = format!("/applications/{}/grants", application["applicationId"].as_str().expect("an id"));
        assert_eq!(read_list(server, &path).await[0]["scopes"], json!(["read:payroll"]));
        browser.open_page(&format!("/companies/{OPEN}?view=access")).await;
        browser.wait_for_text("Time clocks").await;
        browser.open_page("/applications").await;
        browser.click_button("Time clocks").await;
        browser.wait_for_text("OPEN Example LLC").await;
        browser.run_script("[...document.querySelectorAll('[aria-label=\"Access to companies\"] button')].at(-1).click()").await;
        browser.confirm_dialog("Revoke").await;
        browser.wait_for_text("The access is revoked.").await;
        assert_eq!(read_list(server, &path).await, Vec::<Value>::new());
    });
}

#[test]
fn a_public_key_is_registered_for_an_application() {
    const KEY_FIELD_LABEL: &str = "Public key (JSON web key)";
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/applications/partner").await;
        browser.click_button("Register a public key").await;
        browser.fill_field(KEY_FIELD_LABEL, "-----BEGIN PUBLIC KEY-----").await;
        browser.click_button("Register").await;
        browser.wait_for_text("The text is not JSON.").await;
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
        let key = |more: &str| {
            let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
            format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}"{more}}}"#)
        };
        browser.fill_field(KEY_FIELD_LABEL, &key(r#","d":"private""#)).await;
        browser.click_button("Register").await;
        browser.wait_for_text("d is part of a private key").await;
        browser.fill_field(KEY_FIELD_LABEL, &key("")).await;
        browser.click_button("Register").await;
        browser.wait_for_text("Public key (EdDSA) kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k").await;
    });
}

#[test]
fn an_open_pay_period_is_edited_and_deleted_on_its_page() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/companies/OPEN/payperiods/ENTRY").await;
        browser.click_button("Edit the pay period").await;
        browser.wait_for_text("Submit by").await;
        browser.fill_field("Check date", "2026-12-24").await;
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("The changes are saved.").await;
        let period = server.send(&Request::operator_get("/companies/OPEN/payperiods/ENTRY")).await;
        assert_eq!(period.members("checkDate"), ["2026-12-24T00:00:00Z"]);
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
        browser.click_button("Delete").await;
        browser.confirm_dialog("Delete").await;
        browser.wait_for_text("The pay period was deleted.").await;
        browser.wait_for_text("Pay periods").await;
        let gone = server.send(&Request::operator_get("/companies/OPEN/payperiods/ENTRY")).await;
        assert_eq!(gone.status, 404);
        browser.open_page("/companies/OPEN/payperiods/COMPLETED").await;
        browser.wait_for_text("Journal").await;
        browser.wait_until_text_is_gone("Edit the pay period").await;
    });
}
