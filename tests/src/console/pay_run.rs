//! Tests that a person can preview and complete a pay run, reverse a check, and resend a failed delivery
//! without the documentation.

use serde_json::json;

use super::browser::{in_a_browser, in_a_browser_with};
use crate::support::{OPEN, Request, check, checks, on_every_database, register_hook};

const PERIOD: &str = "/companies/OPEN/payperiods/ENTRY";

#[test]
fn a_pay_run_is_found_previewed_completed_and_booked() {
    in_a_browser(async |server, browser| {
        let added = server.send(&Request::post_checks(OPEN, &json!([check("one"), check("two")]))).await;
        assert_eq!(added.status, 201);
        browser.sign_in().await;
        browser.sees("OPEN Example LLC").await;
        browser.picture("home").await;
        browser.press("All pay runs").await;
        browser.sees("Submit by").await;
        browser.sees("OPEN Example LLC").await;
        browser.picture("pay-runs").await;
        browser.go(PERIOD).await;
        browser.sees("entry").await;
        browser.press("Details").await;
        browser.sees("Taxes are entered when the pay period is completed.").await;
        browser.press("Process").await;
        browser.sees("Applications can no longer add or delete checks").await;
        browser.confirm("Process").await;
        browser.sees("processing").await;
        browser.press("Completion").await;
        browser.sees("Ready to complete.").await;
        browser.accept_warnings().await;
        browser.press("Complete").await;
        browser.sees("A completed check is never changed again").await;
        browser.confirm("Complete").await;
        browser.sees("The pay period is completed.").await;
        browser.press("Journal").await;
        browser.sees("Debits").await;
        browser.picture("journal").await;
        let period = server.send(&Request::operator_get(PERIOD)).await;
        assert_eq!(period.each("status"), ["COMPLETED"]);
    });
}

#[test]
fn a_check_is_removed_only_from_the_displayed_version_of_a_period() {
    in_a_browser(async |server, browser| {
        let add = async |name: &str| {
            let added = server.send(&Request::post_checks(OPEN, &json!([check(name)]))).await;
            assert_eq!(added.status, 201);
            added.each("paycheckId").remove(0)
        };
        add("one").await;
        browser.sign_in().await;
        browser.go(PERIOD).await;
        browser.press("Details").await;
        // Another check is added in the meantime, so the displayed version is outdated.
        let left = add("two").await;
        browser.press("Delete the check").await;
        browser.confirm("Delete").await;
        browser.sees("API-412").await;
        browser.go("/").await;
        browser.go(PERIOD).await;
        browser.press("Details").await;
        browser.press("Delete the check").await;
        browser.confirm("Delete").await;
        browser.sees_no("Delete the check?").await;
        let now = server.send(&Request::operator_get(&format!("{PERIOD}/checks"))).await;
        assert_eq!(now.each("paycheckId"), [left]);
    });
}

#[test]
fn an_empty_period_is_completed_only_after_a_confirmation() {
    in_a_browser(async |server, browser| {
        let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD}/process"));
        assert_eq!(server.send(&process).await.status, 200);
        browser.sign_in().await;
        browser.go(PERIOD).await;
        browser.press("Review and complete").await;
        browser.sees("The pay period cannot be completed like this.").await;
        browser.sees("the pay period has no checks").await;
        browser.tick("No worker is paid in this period").await;
        browser.press("Preview").await;
        browser.sees("Ready to complete.").await;
        browser.press("Complete").await;
        browser.confirm("Complete").await;
        browser.sees("The pay period is completed.").await;
    });
}

#[test]
fn a_request_of_one_operator_is_approved_by_another() {
    in_a_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            assert_eq!(server.send(&Request::post_checks(OPEN, &json!([check("one")]))).await.status, 201);
            let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD}/process"));
            assert_eq!(server.send(&process).await.status, 200);
            browser.sign_in().await;
            browser.go(PERIOD).await;
            browser.press("Review and complete").await;
            browser.accept_warnings().await;
            browser.press("Request completion").await;
            browser.confirm("Request").await;
            browser.sees("Completion was requested by").await;
            browser.sees("You requested this completion. Another operator must approve it.").await;
            browser.press("Sign out").await;
            let another = json!({"name": "another operator"});
            let made = server.send(&Request::operator_post("/keys", &another)).await;
            let key = made.content()[0]["value"].as_str().expect("a key").to_owned();
            browser.sees("Operator key").await;
            browser.sign_in_with(&key).await;
            browser.sees("another operator").await;
            browser.go(PERIOD).await;
            browser.press("Review and approve").await;
            browser.accept_warnings().await;
            browser.press("Approve").await;
            browser.sees("never changed again").await;
            browser.confirm("Approve").await;
            browser.sees("The pay period is completed.").await;
        },
    );
}

#[test]
fn the_approver_previews_the_taxes_and_the_net_before_the_approval() {
    in_a_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            let added = server.send(&Request::post_checks(OPEN, &json!([check("one")]))).await;
            let id = added.each("paycheckId").remove(0);
            let send = async |step: &str, document: &serde_json::Value| {
                server.send(&Request::operator_post(&format!("{PERIOD}/{step}"), document)).await
            };
            assert_eq!(send("process", &json!({})).await.status, 200);
            browser.sign_in().await;
            browser.go(&format!("{PERIOD}?view=preview")).await;
            browser.sees("Ready to complete.").await;
            let taxes = json!({"checks": [{"paycheckId": id,
                "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                          {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}]}]});
            assert_eq!(send("completionrequest", &taxes).await.status, 201);
            browser.press("Sign out").await;
            let made = server.send(&Request::operator_post("/keys", &json!({"name": "ben"}))).await;
            browser.sees("Operator key").await;
            browser.sign_in_with(made.content()[0]["value"].as_str().expect("a key")).await;
            browser.sees("Sign out").await;
            browser.go(&format!("{PERIOD}?view=preview")).await;
            browser.sees("Approval preview").await;
            browser.sees("The figures that desk requested.").await;
            for figure in ["28.33", "11.62", "131.67", "171.62"] {
                browser.sees(figure).await;
            }
            browser.accept_warnings().await;
            browser.press("Approve").await;
            browser.confirm("Approve").await;
            browser.sees_no("Withdraw the request").await;
            browser.sees("The pay period is completed.").await;
            let checks = server.send(&Request::operator_get(&format!("{PERIOD}/checks"))).await;
            assert_eq!(checks.each("netPay"), ["131.67"]);
        },
    );
}

#[test]
fn a_step_that_another_operator_has_done_is_rejected_with_its_code() {
    in_a_browser(async |server, browser| {
        browser.sign_in().await;
        browser.go(PERIOD).await;
        browser.press("Process").await;
        browser.sees("Applications can no longer").await;
        let process = Request::operator(reqwest::Method::POST, &format!("{PERIOD}/process"));
        assert_eq!(server.send(&process).await.status, 200);
        browser.confirm("Process").await;
        browser.sees("API-4").await;
        browser.sees("Request ").await;
        browser.press("Cancel").await;
        browser.reload().await;
        browser.sees("processing").await;
    });
}

#[test]
fn a_delivery_is_found_and_resent() {
    in_a_browser(async |server, browser| {
        register_hook(&*server.store, "partner", "first").await;
        browser.sign_in().await;
        browser.go("/webhooks").await;
        browser.press("first").await;
        browser.sees("No delivery matches.").await;
        browser.press("Send a test").await;
        browser.sees("The test call is queued.").await;
        browser.sees("(test)").await;
        browser.picture("hook").await;
        browser.run("document.querySelector('tbody a').click()").await;
        browser.sees("No request refers to this notification.").await;
        browser.press("Resend").await;
        browser.sees("The delivery is queued again.").await;
        browser.press("first").await;
        browser.press("Disable").await;
        browser.sees("Nothing is sent until you enable it.").await;
        browser.press("Enable").await;
        browser.sees("Pending deliveries are sent now.").await;
        browser.press("Resend many").await;
        browser.confirm("Resend").await;
        browser.sees("queued again.").await;
    });
}

#[test]
fn only_the_visible_checks_of_a_period_are_rendered() {
    in_a_browser(async |server, browser| {
        for batch in 0..5 {
            let some: Vec<_> = (0..50).map(|number| check(&format!("c{batch}-{number}"))).collect();
            assert_eq!(server.send(&Request::post_checks(OPEN, &json!(some))).await.status, 201);
        }
        browser.sign_in().await;
        browser.go(PERIOD).await;
        browser.sees("250 rows").await;
        let rows = browser.run("return document.querySelectorAll('.windowed tbody tr').length").await;
        assert!(rows.as_u64().is_some_and(|rows| rows < 80), "{rows}");
        browser.run("const it = document.querySelector('.windowed'); it.scrollTop = it.scrollHeight").await;
        let last = "return document.querySelector('.windowed tr[aria-rowindex=\"251\"] a') !== null";
        for _ in 0..200 {
            if browser.run(last).await == true {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the last check does not come into sight");
    });
}

#[test]
fn open_pay_runs_are_listed_and_filtered() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks(1))).await.status, 201);
        let runs = server.send(&Request::operator_get("/payruns")).await;
        let of_open: Vec<_> = runs.content().into_iter().filter(|run| run["companyId"] == OPEN).collect();
        let entry = of_open.iter().find(|run| run["payPeriodId"] == "ENTRY").expect("the period");
        assert_eq!(entry["totals"]["checks"], 1);
        assert!(entry["legalName"].is_string() && entry["displayId"].is_string());
        let entered = server.send(&Request::operator_get("/payruns?status=PROCESSING")).await;
        assert!(entered.each("status").iter().all(|status| status == "PROCESSING"));
        let selected = async |query: &str| {
            let runs = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            runs.each("companyId").join(" ")
        };
        let all = selected("").await;
        assert!(all.contains(OPEN) && all.contains(' '), "{all}");
        let of_one = selected("companyid=OPEN").await;
        assert!(of_one.split(' ').all(|id| id == OPEN), "{of_one}");
        assert_eq!(selected("companyid=NOBODY").await, "");
        let day = entry["checkDate"].as_str().expect("a day").replace("T00:00:00Z", "");
        assert!(selected(&format!("checkdatefrom={day}&checkdateto={day}")).await.contains(OPEN));
        assert_eq!(selected("checkdatefrom=2100-01-01").await, "");
        // The test data contain this submit-by date.
        assert_eq!(selected("overdueon=2026-05-19").await, "");
        assert!(selected("overdueon=2026-05-20").await.contains(OPEN));
        for query in ["overdueon=soon", "checkdatefrom=", "companyid="] {
            let refused = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            assert_eq!(refused.refusal(), "400 API-40", "{query}");
        }
        for query in ["status=COMPLETED", "status=entry", "status=ENTRY&status=INITIAL", "limit=x", "x=1"] {
            let refused = server.send(&Request::operator_get(&format!("/payruns?{query}"))).await;
            assert_eq!(refused.refusal(), "400 API-40", "{query}");
        }
    });
}
