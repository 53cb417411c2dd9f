//! Signing in, signing out, and sessions that end.

use super::browser::{in_a_browser, in_a_browser_with};
use crate::support::{OPEN, OPERATOR_KEY, READER_KEY, Request};

#[test]
fn a_wrong_key_is_refused_in_words_and_a_right_one_opens_the_console() {
    in_a_browser(async |_, browser| {
        browser.sign_in_with("opk_wrong").await;
        browser.sees("The server does not know this key.").await;
        browser.sees("API-102").await;
        assert_eq!(
            browser.run("return document.getElementById('key').value").await,
            "",
            "the key does not stay"
        );
        browser.picture("sign-in").await;
        browser.fill("Operator key", &format!("  {OPERATOR_KEY} ")).await;
        browser.press("Sign in").await;
        browser.sees("Pay runs").await;
        assert_eq!(browser.run("return document.cookie").await, "", "no script reads the session");
        let kept = browser.run("return JSON.stringify({...localStorage, ...sessionStorage})").await;
        assert!(!kept.to_string().contains("op"), "{kept}");
        browser.reload().await;
        browser.sees("Sign out").await;
        browser.press("Sign out").await;
        browser.sees("Operator key").await;
        browser.reload().await;
        browser.sees("Operator key").await;
    });
}

#[test]
fn a_session_that_has_ended_leads_to_the_sign_in_page() {
    in_a_browser(async |server, browser| {
        browser.sign_in().await;
        server.clock.move_seconds(10 * 60 * 60);
        browser.go("/applications").await;
        browser.sees("Your session has expired.").await;
        browser.sign_in().await;
        let keys = server.send(&Request::operator_get("/keys")).await.content();
        let own = keys.iter().find(|key| key["readOnly"] == false).expect("the key");
        let path = format!("/keys/{}", own["keyId"].as_str().expect("an id"));
        assert_eq!(server.send(&Request::operator_delete(&path)).await.status, 204);
        browser.go("/webhooks").await;
        browser.sees("Operator key").await;
    });
}

#[test]
fn a_key_for_reading_shows_nothing_that_writes() {
    in_a_browser_with(
        |settings| settings.sandbox = true,
        async |_, browser| {
            browser.sign_in_with(READER_KEY).await;
            browser.sees("(read only)").await;
            for (page, there) in [
                (format!("/companies/{OPEN}"), "Pay periods"),
                (format!("/companies/{OPEN}/payperiods/ENTRY"), "Your key is read only."),
                (format!("/companies/{OPEN}/workers/EMPLOYEE"), "Employee ID"),
                (format!("/companies/{OPEN}/workers/EMPLOYEE?view=pay"), "Pay rates"),
                (format!("/companies/{OPEN}?view=lists"), "Job titles"),
                ("/companies".to_owned(), "Account number"),
                ("/keys".to_owned(), "Operator keys"),
                ("/applications/partner".to_owned(), "Access to companies"),
                ("/transfer".to_owned(), "Your key is read only."),
                ("/sandbox".to_owned(), "Server time"),
            ] {
                browser.go(&page).await;
                browser.sees(there).await;
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
                    assert!(!browser.text().await.contains(writing), "{page}: {writing}");
                }
            }
        },
    );
}
