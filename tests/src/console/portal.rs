//! Tests of the portal in a real browser, as a partner's developer uses it.

use serde_json::json;

use super::browser::{Browser, run_in_portal};
use super::portal_hooks::assert_accessible;
use crate::support::{
    CLIENT_ID, CLIENT_SECRET, Client, OPEN, Request, Response, Server, check_with_correlation_id,
    on_every_database, on_every_database_with, register_hook,
};

/// Sends a GET without a token to the partners' listener, outside its API.
async fn get_without_token(server: &Server, path: &str) -> Response {
    Client::new(&server.base).send_unchecked(&Request::get(path), None).await.expect("an answer")
}

#[test]
fn the_portal_exists_if_configured_and_explains_the_codes() {
    on_every_database(async |server| {
        for path in ["/portal", "/portal/", "/portal/codes.json", "/portal/styles/main.css"] {
            assert_eq!(get_without_token(server, path).await.status, 404, "{path}");
        }
    });
    on_every_database_with(
        |settings| settings.portal = true,
        async |server| {
            let page = get_without_token(server, "/portal/").await;
            assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
            let policy = page.header("content-security-policy");
            assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
            assert_eq!(get_without_token(server, "/portal").await.header("location"), "portal/");
            assert_eq!(get_without_token(server, "/portal/portal/main.js").await.status, 200);
            assert_eq!(
                get_without_token(server, "/portal/pages/main.js").await.status,
                404,
                "a page of operators"
            );
            let codes = get_without_token(server, "/portal/codes.json").await.json();
            let codes = codes.as_array().expect("a list");
            assert!(codes.iter().any(|row| row["code"] == "API-55" && row["status"] == 400));
            assert_eq!(server.send(&Request::operator_get("/companies")).await.status, 200);
        },
    );
    on_every_database_with(
        |settings| settings.sandbox = true,
        async |server| {
            assert_eq!(get_without_token(server, "/portal/").await.status, 200, "a sandbox has one")
        },
    );
}

#[test]
fn a_wrong_secret_is_rejected_and_neither_secret_nor_token_is_stored() {
    run_in_portal(async |_, browser| {
        browser.open_page("/").await;
        browser.fill_field("API key", CLIENT_ID).await;
        browser.fill_field("Secret", "pks_wrong").await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("API-102").await;
        assert_eq!(
            browser.run_script("return document.getElementById('secret').value").await,
            "",
            "it does not stay"
        );
        browser.fill_field("Secret", &format!(" {CLIENT_SECRET} ")).await;
        browser.click_button("Sign in").await;
        browser.wait_for_text("Sign out").await;
        let read_storage = "return JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie";
        assert_eq!(browser.run_script(read_storage).await, "{}");
        assert!(
            !browser
                .run_script("return document.documentElement.outerHTML")
                .await
                .to_string()
                .contains(CLIENT_SECRET)
        );
        browser.reload().await;
        browser.wait_for_text("Secret").await;
        assert!(!browser.page_text().await.contains("Sign out"), "the token has ended with the page");
    });
}

const EXPIRED_TOKEN_TEXT: &str = "Your access token has expired.";

async fn sign_in_again(browser: &Browser, (client_id, secret): (&str, &str)) {
    browser.fill_field("API key", client_id).await;
    browser.fill_field("Secret", secret).await;
    browser.click_button("Sign in").await;
}

/// Composes a check, and sends it after the token has expired.
async fn send_check_after_expiry(server: &Server, browser: &Browser) {
    browser.click_button("Check composer").await;
    browser.fill_field("Company", OPEN).await;
    browser.fill_field("Open pay period", "ENTRY").await;
    browser.fill_field("Worker", "EMPLOYEE").await;
    browser.fill_field("Pay component", "BONUS").await;
    browser.fill_field("Paid by", "payAmount").await;
    browser.fill_field("Amount", "100.50").await;
    browser.wait_for_text("The check is valid.").await;
    server.clock.advance_seconds(60 * 60 + 1);
    browser.click_button("Add the check").await;
    browser.wait_for_text(EXPIRED_TOKEN_TEXT).await;
}

async fn count_stored_checks(server: &Server) -> usize {
    server.send(&Request::operator_get("/companies/OPEN/payperiods/ENTRY/checks")).await.content().len()
}

#[test]
fn a_composed_check_is_sent_after_its_application_has_signed_in_again() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        send_check_after_expiry(server, browser).await;
        assert_accessible(browser, "the sign-in dialog of the portal").await;
        assert!(!browser.page_text().await.contains("Check composer"), "the page is hidden");
        sign_in_again(browser, (CLIENT_ID, "pks_wrong")).await;
        browser.wait_for_text("API-102").await;
        assert_eq!(count_stored_checks(server).await, 0);
        sign_in_again(browser, (CLIENT_ID, CLIENT_SECRET)).await;
        browser.wait_for_text("The check is stored with the id").await;
        assert_eq!(count_stored_checks(server).await, 1);
        browser.click_button("Sign out").await;
        browser.wait_for_text("Secret").await;
        browser.wait_until_text_is_gone(EXPIRED_TOKEN_TEXT).await;
    });
}

#[test]
fn a_composed_check_is_not_sent_after_discarding_or_by_another_application() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        send_check_after_expiry(server, browser).await;
        browser.click_button("Discard my input and leave the page").await;
        browser.wait_until_text_is_gone(EXPIRED_TOKEN_TEXT).await;
        sign_in_again(browser, (CLIENT_ID, CLIENT_SECRET)).await;
        browser.wait_for_text("Sign out").await;
        send_check_after_expiry(server, browser).await;
        let created =
            server.send(&Request::operator_post("/applications", &json!({"name": "Bookkeeper"}))).await;
        let other = created.content().remove(0);
        let (id, secret) = (other["clientId"].as_str(), other["secrets"][0]["value"].as_str());
        let (id, secret) = (id.expect("an id"), secret.expect("a secret"));
        sign_in_again(browser, (id, secret)).await;
        browser.wait_for_text(id).await;
        browser.wait_until_text_is_gone(EXPIRED_TOKEN_TEXT).await;
        browser.wait_for_text("Choose a company first.").await;
        assert_eq!(count_stored_checks(server).await, 0);
    });
}

#[test]
fn own_requests_are_listed_with_their_faults_explained() {
    run_in_portal(async |server, browser| {
        let mut wrong = check_with_correlation_id("one");
        wrong["workerId"] = json!("<img src=x onerror=alert(1)>");
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([wrong]))).await.status, 400);
        let unknown = Request::get("/workers/<b>nobody<b>").with_caller(crate::support::Caller::Partner);
        assert!(server.send_unchecked(&unknown).await.status >= 400);
        browser.sign_in_to_the_portal().await;
        // The server writes the request log shortly after the response, so the test refreshes the page until
        // the entry appears.
        for _ in 0..200 {
            if browser.page_text().await.contains("the worker does not belong to this company") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            browser.click_button("Refresh").await;
        }
        browser.wait_for_text("the worker does not belong to this company. Use a worker id from").await;
        browser.save_screenshot("portal-requests").await;
        browser.run_script("document.querySelector('tbody a[aria-label^=\"Status 400\"]').click()").await;
        browser.wait_for_text("Rejected request").await;
        for seen in ["API-55", "/0/workerId", "Only the first 8 KiB are stored."] {
            browser.wait_for_text(seen).await;
        }
        let faults = browser.accessibility_faults().await;
        assert!(faults.is_empty(), "the details: {faults:#?}");
        browser.save_screenshot("portal-request").await;
        browser.open_page("/requests/none").await;
        browser.wait_for_text("The details of this request are not stored.").await;
        browser.open_page("/").await;
        browser.fill_field("Status", "5xx").await;
        browser.wait_for_text("No request matches.").await;
    });
}

#[test]
fn hooks_are_tested_and_their_deliveries_resent() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        browser.click_button("Hooks and deliveries").await;
        browser.wait_for_text("Your application has registered no hook.").await;
        register_hook(&*server.store, "partner", "first").await;
        browser.click_button("Requests").await;
        browser.click_button("Hooks and deliveries").await;
        browser.click_button("first").await;
        browser.wait_for_text("No delivery matches.").await;
        browser.click_button("Send a test").await;
        browser.wait_for_text("A test notification is queued.").await;
        browser.wait_for_text("(test)").await;
        browser.save_screenshot("portal-hook").await;
        browser.run_script("document.querySelector('tbody a').click()").await;
        browser.wait_for_text("No request refers to this notification.").await;
        browser.click_button("Resend").await;
        browser.wait_for_text("The delivery is queued again.").await;
        browser.click_button("first").await;
        browser.click_button("Resend many").await;
        browser.confirm_dialog("Resend").await;
        browser.wait_for_text("queued again.").await;
        let disable = "/applications/partner/hooks/first/disable";
        let disabled = server.send(&Request::operator(reqwest::Method::POST, disable)).await;
        assert_eq!(disabled.status, 200);
        browser.click_button("Refresh").await;
        browser.click_button("Enable").await;
        browser.wait_for_text("Pending deliveries are sent now.").await;
        browser.open_page("/hooks/none").await;
        browser.wait_for_text("API-7").await;
        browser.wait_for_text("Request ").await;
    });
}

/// Returns the fault that the composer shows at the field with this label.
async fn read_fault_at(browser: &Browser, label: &str) -> String {
    let script = format!(
        "const label = [...document.querySelectorAll('label')].find(it => it.textContent.startsWith({label:?}));
         const field = label.control;
         return field.getAttribute('aria-invalid') + ' ' +
             document.getElementById(field.getAttribute('aria-describedby')).textContent"
    );
    browser.run_script(&script).await.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_check_is_validated_during_its_composition_and_sent_once() {
    run_in_portal(async |server, browser| {
        let script =
            json!({"name": {"familyName": "<img src=x onerror=\"window.ran=1\">", "givenName": "Ann"}});
        // The worker's name contains a script. The check composer shows this name in its list of workers.
        let worker = "/companies/OPEN/workers/COLLEAGUE";
        let renamed = Request::operator_patch(worker, &script).header("if-match", "*");
        assert_eq!(server.send(&renamed).await.status, 200);
        browser.sign_in_to_the_portal().await;
        browser.click_button("Check composer").await;
        browser.wait_for_text("Choose a company first.").await;
        browser.fill_field("Company", OPEN).await;
        browser.wait_for_text("The check has faults.").await;
        assert!(read_fault_at(browser, "Worker").await.starts_with("true API-46"));
        browser.fill_field("Open pay period", "ENTRY").await;
        browser.fill_field("Worker", "EMPLOYEE").await;
        assert_eq!(browser.run_script("return window.ran === undefined").await, true, "a name is text");
        browser.fill_field("Pay component", "GARNISHMENT").await;
        browser.fill_field("Hours", "8").await;
        browser.wait_for_text("API-60").await;
        assert!(read_fault_at(browser, "Pay component").await.contains("API-60"));
        browser.fill_field("Pay component", "BONUS").await;
        browser.fill_field("Paid by", "payAmount").await;
        browser.fill_field("Amount", "10000").await;
        browser.wait_for_text("API-28").await;
        assert!(read_fault_at(browser, "Amount").await.starts_with("true API-28"));
        browser.save_screenshot("portal-composer").await;
        let sends = "return [...document.querySelectorAll('button')].find(it => it.textContent === 'Add the \
            check').disabled";
        assert_eq!(browser.run_script(sends).await, true, "an invalid check is not sent");
        browser.fill_field("Amount", "100.50").await;
        browser.fill_field("Correlation id", "it's one").await;
        browser.wait_for_text("The check is valid.").await;
        assert!(browser.page_text().await.contains(r"it'\''s one"), "the line can be pasted into a shell");
        let stored = Request::operator_get("/companies/OPEN/payperiods/ENTRY/checks");
        assert_eq!(server.send(&stored).await.content().len(), 0, "it was validated and not stored");
        browser.click_button("Add the check").await;
        browser.wait_for_text("The check is stored with the id").await;
        browser.click_button("Add the check").await;
        browser.wait_for_text("The check is stored with the id").await;
        let checks = server.send(&stored).await.content();
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!(checks[0]["checkCorrelationId"], "it's one");
    });
}

/// A script that returns the number of completed requests to a path that ends with `/checks`.
const COUNT_SENT_CHECKS_SCRIPT: &str =
    "return performance.getEntriesByType('resource').filter(it => it.name.endsWith('/checks')).length";

#[test]
fn a_check_that_was_changed_and_changed_back_is_stored_once() {
    run_in_portal(async |server, browser| {
        browser.sign_in_to_the_portal().await;
        browser.click_button("Check composer").await;
        browser.fill_field("Company", OPEN).await;
        for (label, value) in [
            ("Open pay period", "ENTRY"),
            ("Worker", "EMPLOYEE"),
            ("Pay component", "BONUS"),
            ("Paid by", "payAmount"),
            ("Amount", "8"),
        ] {
            browser.fill_field(label, value).await;
        }
        browser.wait_for_text("The check is valid.").await;
        browser.click_button("Add the check").await;
        browser.wait_for_text("Sending it again does not store a second check.").await;
        browser.fill_field("Amount", "9").await;
        browser.wait_until_text_is_gone("Sending it again").await;
        browser.wait_for_text("The check is valid.").await;
        browser.fill_field("Amount", "8").await;
        browser.wait_for_text("Sending it again does not store a second check.").await;
        browser.click_button("Add the check").await;
        browser.wait_for_script_result(COUNT_SENT_CHECKS_SCRIPT, &json!(2)).await;
        let stored = Request::operator_get("/companies/OPEN/payperiods/ENTRY/checks");
        let checks = server.send(&stored).await.content();
        assert_eq!(checks.len(), 1, "{checks:?}");
    });
}
