//! Tests of signing in, signing out, and expired sessions.

use payroll_server::config::Setting;
use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser, run_in_browser_with};
use super::portal_hooks::assert_accessible;
use crate::support::{OPEN, OPERATOR_KEY, READER_KEY, Request, Server, register_hook};

#[test]
fn a_wrong_key_is_rejected_and_a_valid_one_opens_the_console() {
    run_in_browser(async |_, browser| {
        browser.sign_in_with("opk_wrong").await;
        browser.wait_for_text("The server does not know this key.").await;
        browser.wait_for_text("API-102").await;
        assert_eq!(
            browser.run_script("return document.getElementById('key').value").await,
            "",
            "the key does not stay"
        );
        browser.wait_for_text("create the first key with payroll-server operator-key create NAME.").await;
        browser.save_screenshot("sign-in").await;
        browser.fill_field("Operator key", &format!("  {OPERATOR_KEY} ")).await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("Pay runs").await;
        assert_eq!(browser.run_script("return document.cookie").await, "", "no script reads the session");
        let stored = browser.run_script("return JSON.stringify({...localStorage, ...sessionStorage})").await;
        assert!(!stored.to_string().contains("op"), "{stored}");
        browser.reload().await;
        browser.wait_for_text("Sign out").await;
        browser.click_button("Sign out").await;
        browser.wait_for_text("Operator key").await;
        browser.reload().await;
        browser.wait_for_text("Operator key").await;
    });
}

#[test]
fn the_sign_in_page_leads_to_the_identity_provider_and_explains_a_failure() {
    run_in_browser_with(
        |settings| {
            settings.oidc_issuer = "http://127.0.0.1:1".to_owned();
            settings.oidc_client_id = "payroll".to_owned();
            settings.oidc_label = "Example Login".to_owned();
            settings.oidc_roles = Setting::read("clerks=payroll").expect("roles");
        },
        async |_, browser| {
            browser.open_page("/").await;
            browser.click_button("Sign in with Example Login").await;
            browser.wait_for_text("The identity provider cannot be reached.").await;
            assert_accessible(browser, "the sign-in page").await;
            assert_eq!(
                browser.run_script("return location.search").await,
                "",
                "a reload does not repeat the reason"
            );
            browser.sign_in().await;
        },
    );
}

#[test]
fn an_expired_session_leads_to_the_sign_in_page() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        server.clock.advance_seconds(10 * 60 * 60);
        browser.open_page("/applications").await;
        browser.wait_for_text("Your session has expired.").await;
        browser.sign_in().await;
        let keys = server.send(&Request::operator_get("/keys")).await.content();
        let own = keys.iter().find(|key| key["readOnly"] == false).expect("the key");
        let path = format!("/keys/{}", own["keyId"].as_str().expect("an id"));
        assert_eq!(server.send(&Request::operator_delete(&path)).await.status, 204);
        browser.open_page("/webhooks").await;
        browser.wait_for_text("Operator key").await;
    });
}

/// Fills in the form of a new company, and sends the form after the session has expired.
async fn create_company_after_expiry(server: &Server, browser: &Browser) {
    browser.open_page("/companies").await;
    browser.click_button("New company").await;
    browser.fill_field("Legal name", "Sample Bakery LLC").await;
    browser.fill_field("Display ID", "00990001").await;
    server.clock.advance_seconds(10 * 60 * 60);
    browser.confirm_dialog("Create").await;
    browser.wait_for_text("Your session has expired.").await;
}

async fn read_sample_companies(server: &Server) -> Vec<Value> {
    server.send(&Request::operator_get("/companies?name=Sample%20Bakery")).await.content()
}

#[test]
fn a_form_is_sent_after_its_operator_has_signed_in_again() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        create_company_after_expiry(server, browser).await;
        assert_accessible(browser, "the sign-in dialog").await;
        browser.fill_field("Operator key", "opk_wrong").await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("The server does not know this key.").await;
        assert_eq!(read_sample_companies(server).await, Vec::<Value>::new());
        browser.fill_field("Operator key", OPERATOR_KEY).await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("The company was created.").await;
        assert_eq!(read_sample_companies(server).await.len(), 1);
    });
}

#[test]
fn a_session_in_another_tab_continues_an_expired_page() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        create_company_after_expiry(server, browser).await;
        sign_in_in_another_tab(browser, OPERATOR_KEY).await;
        let announce = "localStorage.setItem('signed-in', 'yes');
            window.dispatchEvent(new StorageEvent('storage', {key: 'signed-in', newValue: 'yes'}))";
        browser.run_script(announce).await;
        browser.wait_for_text("The company was created.").await;
    });
}

#[test]
fn an_expired_page_sends_nothing_after_discarding_or_for_another_operator() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        create_company_after_expiry(server, browser).await;
        browser.click_button("Discard my input and leave the page").await;
        browser.wait_until_text_is_gone("Your session has expired.").await;
        browser.sign_in().await;
        create_company_after_expiry(server, browser).await;
        let key = new_key(server, &json!({"name": "ben"})).await;
        browser.fill_field("Operator key", &key).await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("ben (administrator)").await;
        browser.wait_for_text("New company").await;
        let is_open = "return document.querySelector('dialog[open]') !== null";
        assert_eq!(browser.run_script(is_open).await, false);
        assert_eq!(read_sample_companies(server).await, Vec::<Value>::new());
    });
}

#[test]
fn a_read_only_key_shows_no_write_action() {
    run_in_browser_with(
        |settings| settings.sandbox = true,
        async |_, browser| {
            browser.sign_in_with(READER_KEY).await;
            browser.wait_for_text("reader (auditor)").await;
            for (page, there) in [
                (format!("/companies/{OPEN}"), "Pay periods"),
                (format!("/companies/{OPEN}/payperiods/ENTRY"), "Your role can read pay periods"),
                (format!("/companies/{OPEN}/workers/EMPLOYEE"), "Employee ID"),
                (format!("/companies/{OPEN}/workers/EMPLOYEE?view=pay"), "Pay rates"),
                (format!("/companies/{OPEN}?view=lists"), "Job titles"),
                ("/companies".to_owned(), "Account number"),
                ("/keys".to_owned(), "Operator keys"),
                ("/applications/partner".to_owned(), "Access to companies"),
                ("/transfer".to_owned(), "Your role cannot import"),
                ("/sandbox".to_owned(), "Server time"),
            ] {
                browser.open_page(&page).await;
                browser.wait_for_text(there).await;
                for writing in [
                    "Process",
                    "Edit",
                    "New ",
                    "Delete",
                    "Revoke",
                    "Give access",
                    "Create a secret",
                    "Check file",
                    "Reset the sandbox",
                ] {
                    assert!(!browser.page_text().await.contains(writing), "{page}: {writing}");
                }
            }
        },
    );
}

#[test]
fn a_payroll_key_imports_spreadsheets_but_no_companies() {
    run_in_browser(async |server, browser| {
        let key = new_key(server, &json!({"name": "clerk", "role": "payroll"})).await;
        browser.sign_in_with(&key).await;
        browser.open_page("/transfer").await;
        browser.upload_file("file", "companies.ndjson", "{}\n").await;
        browser.wait_for_text("You can import only CSV files.").await;
        let file = "workerId,workerType,name.givenName,name.familyName\nS-1,EMPLOYEE,Ann,Sample\n";
        browser.upload_file("file", "workers.csv", file).await;
        browser.select_option("Into company", "Bare Example LLC").await;
        browser.click_button("Check file").await;
        browser.wait_for_text("The file has no faults.").await;
    });
}

/// Creates an operator key and returns its value.
async fn new_key(server: &Server, document: &Value) -> String {
    server.send(&Request::operator_post("/keys", document)).await.members("value").remove(0)
}

#[test]
fn support_resends_notifications_and_sees_no_audit_log() {
    run_in_browser(async |server, browser| {
        register_hook(&*server.store, "partner", "first").await;
        let key = new_key(server, &json!({"name": "Partner desk", "role": "support"})).await;
        browser.sign_in_with(&key).await;
        browser.wait_for_text("Partner desk (support)").await;
        browser.wait_for_text("Webhooks").await;
        assert!(!browser.page_text().await.contains("Import and export"));
        for (page, there, hidden) in [
            ("/webhooks/partner/first".to_owned(), "Send a test", "Import and export"),
            ("/trail".to_owned(), "Events", "Audit log"),
            ("/approvals".to_owned(), "Approvals", "Bank accounts"),
            (format!("/companies/{OPEN}/workers/EMPLOYEE"), "Employee ID", "History"),
            (format!("/companies/{OPEN}"), "Pay periods", "New "),
            (format!("/companies/{OPEN}?view=lists"), "Custom employment types", "API-2"),
        ] {
            browser.open_page(&page).await;
            browser.wait_for_text(there).await;
            browser.wait_until_text_is_gone("Loading").await;
            assert!(!browser.page_text().await.contains(hidden), "{page}: {hidden}");
            let disables =
                "return [...document.querySelectorAll('button')].some(it => it.textContent === 'Disable')";
            assert_eq!(browser.run_script(disables).await, false, "{page}");
        }
    });
}

#[test]
fn a_key_for_payroll_of_one_company_shows_only_this_company() {
    run_in_browser(async |server, browser| {
        let document =
            json!({"name": "Ann, laptop", "operatorName": "Ann", "role": "payroll", "companyIds": [OPEN]});
        browser.sign_in_with(&new_key(server, &document).await).await;
        browser.wait_for_text("Ann (payroll)").await;
        browser.wait_for_text("Pay runs due").await;
        for hidden in ["Applications", "Webhooks", "Operators", "Health", "Access requests"] {
            assert!(!browser.page_text().await.contains(hidden), "{hidden}");
        }
        browser.open_page(&format!("/companies/{OPEN}/payperiods/ENTRY")).await;
        browser.wait_for_text("Process").await;
        browser.open_page("/companies").await;
        browser.wait_for_text("Account number").await;
        assert!(!browser.page_text().await.contains("New company"));
        browser.open_page("/transfer").await;
        browser.wait_for_text("Export").await;
        assert!(!browser.page_text().await.contains("Check file"));
    });
}

#[test]
fn a_new_key_has_an_operator_a_role_and_an_expiry() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/keys").await;
        browser.click_button("New operator key").await;
        browser.wait_for_text("Reads who works where and what is paid, and resends notifications.").await;
        browser.fill_field("Name", "Ann, laptop").await;
        browser.fill_field("Operator name", "Ann").await;
        browser.fill_field("Your operator key", OPERATOR_KEY).await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("It is shown only once.").await;
        browser.click_button("I have copied it").await;
        browser.wait_for_text("Ann, laptop").await;
        let row = "const row = [...document.querySelectorAll('tr')].find(it => it.cells[0]?.textContent === 'Ann, laptop');
            return [...(row?.cells ?? [])].slice(1, 4).map(it => it.textContent).join()";
        browser.wait_for_script_result(row, &json!("Ann,payroll,all")).await;
    });
}

/// Signs in with a key in another tab. All tabs of the browser share the cookie of the session.
async fn sign_in_in_another_tab(browser: &Browser, key: &str) {
    let script = "return fetch('operator/v1/sessions', {method: 'POST', headers: {Authorization: `Bearer ${arguments[0]}`}})
        .then(it => it.status)";
    assert_eq!(browser.run_script_with(script, json!(key)).await, 201);
}

/// Changes the open pay period to the state processing, with the button on the page.
async fn process_period(browser: &Browser) {
    browser.click_button("Process").await;
    browser.confirm_dialog("Process").await;
}

#[test]
fn a_page_of_another_operator_stores_nothing_and_offers_to_reload() {
    run_in_browser(async |server, browser| {
        let key = new_key(server, &json!({"name": "ben"})).await;
        let period = format!("/companies/{OPEN}/payperiods/ENTRY");
        browser.sign_in().await;
        browser.open_page(&period).await;
        browser.wait_for_text("Process").await;
        sign_in_in_another_tab(browser, &key).await;
        process_period(browser).await;
        browser.wait_for_text("ben (administrator) has signed in in another tab of this browser.").await;
        browser.wait_for_text("This page belongs to desk. Nothing was stored.").await;
        browser.wait_for_text("nothing was stored, because ben is signed in now").await;
        assert!(!browser.page_text().await.contains("X-CSRF-Token"));
        assert_eq!(browser.accessibility_faults().await, Vec::<Value>::new());
        assert_eq!(server.send(&Request::operator_get(&period)).await.members("status"), ["ENTRY"]);
        let reload = "[...document.querySelectorAll('button')].find(it => it.textContent.trim() === 'Reload the page').click()";
        browser.run_script(reload).await;
        browser.wait_for_text("ben (administrator)").await;
        browser.wait_until_text_is_gone("Reload the page").await;
        process_period(browser).await;
        browser.wait_for_text("processing").await;
    });
}

#[test]
fn a_page_uses_the_new_session_of_its_operator() {
    run_in_browser(async |server, browser| {
        let period = format!("/companies/{OPEN}/payperiods/ENTRY");
        browser.sign_in().await;
        browser.open_page(&period).await;
        browser.wait_for_text("Process").await;
        sign_in_in_another_tab(browser, OPERATOR_KEY).await;
        process_period(browser).await;
        browser.wait_for_text("processing").await;
        assert_eq!(server.send(&Request::operator_get(&period)).await.members("status"), ["PROCESSING"]);
    });
}
