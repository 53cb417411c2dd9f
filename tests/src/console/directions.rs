//! Tests of texts in other scripts and locales. A name must not change the direction of the text around it,
//! and all numbers use the same digits.

use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser, run_in_portal};
use super::last_run::complete_run;
use crate::support::{OPEN, Request, Server, check_with_correlation_id};

/// A name that mirrors the text after it, unless the page isolates the name.
const MIRRORED_NAME: &str = "\u{202e}nnA";

/// Gives this name to a worker, a company, a pay component and the open pay period.
async fn set_mirrored_names(server: &Server) {
    for (path, change) in [
        (format!("/companies/{OPEN}"), json!({"legalName": MIRRORED_NAME})),
        (
            format!("/companies/{OPEN}/workers/EMPLOYEE"),
            json!({"name": {"givenName": MIRRORED_NAME, "familyName": "Sample"}}),
        ),
        (format!("/companies/{OPEN}/payperiods/ENTRY"), json!({"description": MIRRORED_NAME})),
        (format!("/companies/{OPEN}/paycomponents/BONUS"), json!({"name": MIRRORED_NAME})),
    ] {
        let renamed = server.send(&Request::operator_patch(&path, &change)).await;
        assert_eq!(renamed.status, 200, "{path}: {renamed:?}");
    }
}

/// A script that returns the texts with the name that the page does not isolate. The name would change the
/// direction of the text around it.
const NOT_ISOLATED_SCRIPT: &str = "const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        const isIsolated = parentElement.closest('bdi') || /\\u2068[^\\u2069]*\\u202e[^\\u2069]*\\u2069/.test(data);
        if (data.includes('\\u202e') && !isIsolated) texts.push(data);
    }
    return texts";

async fn assert_names_are_isolated(browser: &Browser, page: &str) {
    browser.wait_for_text(MIRRORED_NAME).await;
    browser.wait_until_text_is_gone("Loading").await;
    assert_eq!(browser.run_script(NOT_ISOLATED_SCRIPT).await, json!([]), "{page}");
}

#[test]
fn a_name_does_not_change_the_direction_of_the_text_around_it() {
    run_in_browser(async |server, browser| {
        set_mirrored_names(server).await;
        complete_run(server, "EARLIER", "BI_WEEKLY", "2026-05-08", &[("EMPLOYEE", "20")]).await;
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await.status,
            201
        );
        browser.sign_in().await;
        for page in [
            "/runs",
            "/companies",
            "/companies/OPEN",
            "/companies/OPEN?view=workers",
            "/companies/OPEN?view=components",
            "/companies/OPEN/payperiods/ENTRY",
            "/companies/OPEN/payperiods/EARLIER/statements",
            "/companies/OPEN/workers/EMPLOYEE",
            "/find?text=OPEN",
            "/trail",
        ] {
            browser.open_page(page).await;
            assert_names_are_isolated(browser, page).await;
        }
        browser.open_page("/companies/OPEN/workers/EMPLOYEE").await;
        browser.click_button("Delete").await;
        assert_names_are_isolated(browser, "the dialog").await;
        browser.click_button("Cancel").await;
        browser.open_page("/companies/OPEN/payperiods/ENTRY?view=preview").await;
        browser.wait_for_text("Checks that are more than twice as high as the last one.").await;
        assert_names_are_isolated(browser, "the preview").await;
        // The amount follows the mirrored name. The digits of the amount must stay in their normal order.
        let order = "const text = [...document.querySelectorAll('.warned li')]
                .flatMap(it => [...it.childNodes]).find(it => it.nodeType === 3 && it.data.includes('160.00'));
            const left = (at) => {
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(text, at + 1);
                return range.getBoundingClientRect().left;
            };
            const at = text.data.indexOf('160.00');
            return left(at) < left(at + 1) && left(at + 1) < left(at + 2)";
        browser.wait_for_script_result(order, &json!(true)).await;
    });
}

#[test]
fn a_name_does_not_change_the_direction_of_the_portal() {
    run_in_portal(async |server, browser| {
        set_mirrored_names(server).await;
        browser.sign_in_to_the_portal().await;
        browser.click_button("Check composer").await;
        browser.fill_field("Company", OPEN).await;
        let options = "return document.body.textContent.split('\\u202e').length > 4";
        browser.wait_for_script_result(options, &json!(true)).await;
        assert_eq!(browser.run_script(NOT_ISOLATED_SCRIPT).await, json!([]));
    });
}

/// Makes the browser prefer this locale for the pages that it loads from now on.
async fn set_locale(browser: &Browser, locale: &str) {
    let agent = browser.run_script("return navigator.userAgent").await;
    let parameters = json!({"userAgent": agent, "acceptLanguage": locale});
    let command = json!({"cmd": "Emulation.setUserAgentOverride", "params": parameters});
    browser.driver.post_command("goog/cdp/execute", &command).await;
    browser.reload().await;
    browser.wait_for_script_result("return navigator.language", &json!(locale)).await;
}

#[test]
fn all_figures_have_the_same_digits_and_calendar_in_every_locale() {
    run_in_browser(async |server, browser| {
        let checks: Vec<Value> =
            (0..3).map(|number| check_with_correlation_id(&number.to_string())).collect();
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!(checks))).await.status, 201);
        browser.sign_in().await;
        // The default calendars of `fa` and `th` are not the Gregorian one.
        for locale in ["ar-EG", "fa", "th"] {
            set_locale(browser, locale).await;
            for page in
                ["/runs?company=OPEN", "/companies/OPEN", "/companies/OPEN/payperiods/ENTRY", "/health"]
            {
                browser.open_page(page).await;
                browser.wait_for_heading().await;
                browser.wait_until_text_is_gone("Loading").await;
                let others = "return document.body.textContent.match(/(?![0-9])\\p{Nd}+/gu) ?? []";
                browser
                    .wait_for_script_result(
                        "return /\\d/.test(document.querySelector('main').textContent)",
                        &json!(true),
                    )
                    .await;
                assert_eq!(browser.run_script(others).await, json!([]), "{locale}, {page}");
            }
            browser.open_page("/companies/OPEN/payperiods/ENTRY").await;
            let has_year = "return /20\\d\\d/.test(document.querySelector('main').textContent)";
            browser.wait_for_script_result(has_year, &json!(true)).await;
        }
    });
}

#[test]
fn a_statement_has_hours_and_amounts_in_the_format_of_the_locale() {
    run_in_browser(async |server, browser| {
        let mut check = check_with_correlation_id("hours");
        check["earnings"][0]["payHours"] = json!("7.5");
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([check]))).await.status, 201);
        for step in ["process", "complete"] {
            let path = format!("/companies/{OPEN}/payperiods/ENTRY/{step}");
            assert_eq!(server.send(&Request::operator_post(&path, &json!({}))).await.status, 200, "{step}");
        }
        browser.sign_in().await;
        set_locale(browser, "de-DE").await;
        browser.open_page(&format!("/companies/{OPEN}/payperiods/ENTRY/statements")).await;
        let line = "const line = document.querySelector('.statement tbody tr');
            return line && [...line.cells].slice(1).map(it => it.textContent)";
        browser.wait_for_script_result(line, &json!(["7,5", "20,0000", "150,00"])).await;
    });
}
