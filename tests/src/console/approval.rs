//! Tests of the page for access requests in a real browser.

use serde_json::json;

use super::browser::{Browser, run_in_browser};
use crate::access_requests::request_link_token;
use crate::support::{FOREIGN, OPEN, OPERATOR_KEY, Request};

/// Opens the page of an access request, and shows the request by entering an operator key.
async fn open_access_request_in_browser(browser: &Browser, token: &str, key: &str) {
    browser.open(&format!("approve/{token}")).await;
    browser.fill_field("Operator key", key).await;
    browser.click_button("Show the request").await;
}

fn grant_request() -> Request {
    Request::operator_get(&format!("/applications/partner/grants/{FOREIGN}"))
}

#[test]
fn a_request_is_approved_in_part_on_its_page() {
    run_in_browser(async |server, browser| {
        let token = request_link_token(server).await;
        open_access_request_in_browser(browser, &token, "opk_wrong").await;
        browser.wait_for_text("The server does not know this key.").await;
        open_access_request_in_browser(browser, &token, OPERATOR_KEY).await;
        for shown in ["partner (partner)", FOREIGN, "read:companies", "read:payroll"] {
            browser.wait_for_text(shown).await;
        }
        browser.run_script("document.querySelector('[value=\"read:payroll\"]').click()").await;
        browser.click_button("Approve").await;
        browser.wait_for_text("Approved: read:companies").await;
        assert_eq!(server.send(&grant_request()).await.content()[0]["scopes"], json!(["read:companies"]));
    });
}

#[test]
fn a_request_is_rejected_on_its_page_and_its_link_becomes_invalid() {
    run_in_browser(async |server, browser| {
        let token = request_link_token(server).await;
        open_access_request_in_browser(browser, &token, OPERATOR_KEY).await;
        browser.wait_for_text("partner (partner)").await;
        browser.click_button("Reject").await;
        browser.wait_for_text("Rejected.").await;
        assert_eq!(server.send(&grant_request()).await.status, 404);
        open_access_request_in_browser(browser, &token, OPERATOR_KEY).await;
        browser.wait_for_text("This request is no longer there").await;
    });
}

#[test]
fn a_key_without_permission_cannot_decide() {
    run_in_browser(async |server, browser| {
        let token = request_link_token(server).await;
        for (key, lacks) in [
            (json!({"name": "one", "companyIds": [OPEN]}), "the operator key is restricted to companies"),
            (json!({"name": "payroll", "role": "payroll"}), "The operator key has the role payroll"),
        ] {
            let key = server.send(&Request::operator_post("/keys", &key)).await.members("value").remove(0);
            browser.open("").await;
            open_access_request_in_browser(browser, &token, &key).await;
            if lacks.contains("role") {
                browser.click_button("Approve").await;
            }
            browser
                .wait_for_text("Only an administrator's key that is not restricted to companies can decide")
                .await;
            browser.wait_for_text(lacks).await;
            assert!(!browser.page_text().await.contains("only reads"));
        }
    });
}
