//! Tests of the console's appearance and accessibility: on small screens, in dark mode, by keyboard, with a
//! screen reader.

use super::browser::{Browser, SCREEN_SIZES, run_in_browser, run_in_browser_with, run_in_portal};
use crate::support::hooks::log_failed_request;
use crate::support::{OPEN, Request, checks_document, register_hook};

const ACCESSIBLE_PAGES: &[&str] = &[
    "/",
    "/runs",
    "/companies",
    "/companies/OPEN",
    "/companies/OPEN?view=workers",
    "/companies/OPEN?view=components",
    "/companies/OPEN?view=lists",
    "/companies/OPEN?view=access",
    "/companies/OPEN?view=details",
    "/companies/OPEN?view=history",
    "/companies/OPEN/payperiods/ENTRY",
    "/companies/OPEN/payperiods/ENTRY?view=preview",
    "/companies/OPEN/payperiods/ENTRY?view=journal",
    "/companies/OPEN/payperiods/COMPLETED/statements",
    "/companies/OPEN/workers/EMPLOYEE",
    "/companies/OPEN/workers/EMPLOYEE?view=pay",
    "/companies/OPEN/workers/EMPLOYEE?view=documents",
    "/companies/OPEN/workers/EMPLOYEE?view=taxes",
    "/companies/OPEN/workers/EMPLOYEE?view=history",
    "/webhooks",
    "/webhooks/partner/first",
    "/find?text=OPEN",
    "/applications",
    "/applications/partner",
    "/applications/partner/requests/FAILED",
    "/access-requests",
    "/keys",
    "/trail",
    "/trail?view=events",
    "/transfer",
    "/health",
    "/sandbox",
    "/no/such/page",
];

async fn assert_accessible(browser: &Browser, page: &str) {
    browser.open_page(page).await;
    browser.wait_for_heading().await;
    browser.wait_until_text_is_gone("Loading").await;
    let faults = browser.accessibility_faults().await;
    assert!(faults.is_empty(), "{page}: {faults:#?}");
    let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.run_script(wider).await, 0, "{page} is wider than the screen");
}

#[test]
fn every_page_is_accessible_on_every_screen_in_light_and_dark() {
    run_in_browser_with(
        |settings| settings.sandbox = true,
        async |server, browser| {
            register_hook(&*server.store, "partner", "first").await;
            log_failed_request(&*server.store).await;
            assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(1))).await.status, 201);
            browser.open_page("/").await;
            browser.wait_for_text("Operator key").await;
            assert!(browser.accessibility_faults().await.is_empty(), "the sign-in page");
            browser.sign_in().await;
            for (width, dark) in SCREEN_SIZES {
                browser.set_screen(width, dark).await;
                for page in ACCESSIBLE_PAGES {
                    assert_accessible(browser, page).await;
                }
            }
        },
    );
}

const PAGES_OF_THE_PORTAL: &[&str] =
    &["/", "/requests/FAILED", "/hooks", "/hooks/first", "/events", "/composer", "/no/such/page"];

#[test]
fn every_portal_page_is_accessible_on_every_screen_in_light_and_dark() {
    run_in_portal(async |server, browser| {
        register_hook(&*server.store, "partner", "first").await;
        log_failed_request(&*server.store).await;
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(1))).await.status, 201);
        browser.open_page("/").await;
        browser.wait_for_text("API key").await;
        assert!(browser.accessibility_faults().await.is_empty(), "the sign-in page");
        browser.sign_in_to_the_portal().await;
        for (width, dark) in SCREEN_SIZES {
            browser.set_screen(width, dark).await;
            for page in PAGES_OF_THE_PORTAL {
                assert_accessible(browser, page).await;
            }
            browser.open_page("/composer").await;
            browser.fill_field("Company", OPEN).await;
            browser.wait_for_text("The check has faults.").await;
            let faults = browser.accessibility_faults().await;
            assert!(faults.is_empty(), "the composer with faults: {faults:#?}");
        }
    });
}

#[test]
fn the_console_can_be_used_with_the_keyboard_only() {
    run_in_browser_with(
        |_| (),
        async |_, browser| {
            browser.open_page("/").await;
            browser.wait_for_text("Operator key").await;
            browser.send_keys(&format!("{}\u{e007}", crate::support::OPERATOR_KEY)).await;
            browser.wait_for_text("Sign out").await;
            browser.open_page("/companies/OPEN/payperiods/ENTRY").await;
            browser.wait_for_text("Process").await;
            browser.run_script("[...document.querySelectorAll('button')].find(it => it.textContent === 'Process').focus()").await;
            browser.send_keys("\u{e007}").await;
            browser.wait_for_text("This closes the pay period").await;
            let within = "return document.querySelector('dialog').contains(document.activeElement)";
            assert_eq!(browser.run_script(within).await, true, "the dialog has the focus");
            browser.send_keys("\u{e00c}").await;
            browser.wait_until_text_is_gone("This closes the pay period").await;
            let back = "return document.activeElement.textContent";
            assert_eq!(browser.run_script(back).await, "Process", "the focus is back where it was");
        },
    );
}

/// The maximum compressed size of a page of the console, in bytes.
const MAX_PAGE_BYTES: i64 = 210_000;

#[test]
#[expect(clippy::print_stdout, reason = "how long it takes is to be read where it is measured")]
fn the_first_page_is_small_and_rendered() {
    run_in_browser(async |_, browser| {
        browser.open_page("/").await;
        browser.wait_for_text("Operator key").await;
        let script = "const entries = ['resource', 'navigation'].flatMap((kind) => performance.getEntriesByType(kind));
            const [paint] = performance.getEntriesByName('first-contentful-paint');
            return {bytes: entries.reduce((sum, it) => sum + it.encodedBodySize, 0),
                files: entries.length, paint: Math.round(paint ? paint.startTime : -1)}";
        let loaded = browser.run_script(script).await;
        // The time until the page appears is printed for docs/console.md. The test does not limit this time,
        // because a busy machine may be slow.
        println!("the first paint of the console: {loaded}");
        assert!(loaded["paint"].as_i64().is_some_and(|paint| paint >= 0), "{loaded}");
        assert!(
            loaded["bytes"].as_i64().is_some_and(|bytes| (1..MAX_PAGE_BYTES).contains(&bytes)),
            "{loaded}"
        );
    });
}
