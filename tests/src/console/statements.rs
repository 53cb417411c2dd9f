//! Tests of pay statements of a completed pay period, on screen and printed.

use reqwest::Method;
use serde_json::{Value, json};

use super::browser::{Browser, run_in_browser};
use crate::support::{OPEN, Request, check_with_correlation_id};

const PERIOD_PAGE: &str = "/companies/OPEN/payperiods/ENTRY";

#[test]
fn each_check_of_a_completed_period_has_a_statement_on_a_separate_sheet() {
    run_in_browser(async |server, browser| {
        let added = server
            .send(&Request::post_checks(
                OPEN,
                &json!([check_with_correlation_id("one"), check_with_correlation_id("two")]),
            ))
            .await;
        let ids = added.members("paycheckId");
        browser.sign_in().await;
        browser.open_page(&format!("{PERIOD_PAGE}/statements")).await;
        browser.wait_for_text("There are no statements.").await;
        let process = Request::operator(Method::POST, &format!("{PERIOD_PAGE}/process"));
        assert_eq!(server.send(&process).await.status, 200);
        let taxes = json!([
            {"name": "Sample Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
            {"name": "Sample Employer Tax", "amount": "5.00", "paidBy": "EMPLOYER_LIABILITY"},
        ]);
        let deductions = json!([{"componentId": "GARNISHMENT", "amount": "20.00"}]);
        let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17", "taxes": taxes, "deductions": deductions}]});
        let complete = Request::operator_post(&format!("{PERIOD_PAGE}/complete"), &handed_in);
        assert_eq!(server.send(&complete).await.status, 200);

        browser.open_page(PERIOD_PAGE).await;
        browser.click_button("the pay statements").await;
        browser.wait_for_text("Sample Income Tax").await;
        let text = browser.page_text().await;
        assert!(!text.contains("Sample Employer Tax"), "what the employer pays is not on it: {text}");
        let register = server.send(&Request::operator_get(&format!("{PERIOD_PAGE}/register"))).await;
        let net = |at: usize| register.content()[at]["netPay"].as_str().expect("a net").to_owned();
        let shown = "return [...document.querySelectorAll('.statement .facts:last-child')]
            .map(it => [...it.querySelectorAll('data')].map(value => value.value))";
        let gross = register.content()[0]["grossEarnings"].clone();
        let expected = json!([[gross, "28.33", "20.00", net(0)], [gross, "0.00", "0.00", net(1)]]);
        browser.wait_for_script_result(shown, &expected).await;
        assert_eq!(count_pages(&browser.print_pdf().await), 2);
        browser.save_screenshot("statements").await;
        let archive = read_downloaded_text(browser).await;
        for (id, shown) in ids.iter().zip(["Sample Income Tax", "0.00"]) {
            let [_, file] =
                archive.splitn(2, &format!("{id}.html")).collect::<Vec<_>>().try_into().expect("a file");
            let file = file.split("</html>").next().expect("a page");
            assert!(file.contains("<!DOCTYPE html>") && file.contains("<style>"), "{file}");
            assert!(file.contains(shown) && !file.contains("Sample Employer Tax"), "{file}");
        }
        assert_eq!(archive.matches("<!DOCTYPE html>").count(), 2, "one page for each statement");

        browser.open_page(PERIOD_PAGE).await;
        browser.click_button("Details").await;
        browser.click_button("Pay statement").await;
        browser.wait_for_text("Sample Income Tax").await;
        browser
            .wait_for_script_result("return document.querySelectorAll('.statement').length", &Value::from(1))
            .await;
        assert_eq!(count_pages(&browser.print_pdf().await), 1);
    });
}

#[test]
fn a_statement_has_the_figures_of_the_preview() {
    run_in_browser(async |server, browser| {
        let mut tipped = check_with_correlation_id("tipped");
        tipped["earnings"]
            .as_array_mut()
            .expect("lines")
            .push(json!({"componentId": "TIPS", "payAmount": "30"}));
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([tipped]))).await.status, 201);
        let post = async |step: &str| {
            server
                .send(&Request::operator_post(&format!("{PERIOD_PAGE}/{step}"), &json!({})))
                .await
                .content()
                .remove(0)
        };
        let preview = post("complete?dryrun=true").await["checks"][0].clone();
        post("process").await;
        post("complete").await;
        browser.sign_in().await;
        browser.open_page(&format!("{PERIOD_PAGE}/statements")).await;
        browser.wait_for_text("Earned, not paid out").await;
        let shown =
            "return [...document.querySelectorAll('.statement .facts:last-child data')].map(it => it.value)";
        let figure = |member: &str| preview[member].clone();
        let expected = json!([
            figure("grossEarnings"),
            "30.00",
            figure("employeeTaxes"),
            figure("deductions"),
            figure("netPay")
        ]);
        browser.wait_for_script_result(shown, &expected).await;
        assert_eq!(expected, json!(["190.00", "30.00", "0.00", "0.00", "160.00"]));
    });
}

/// Returns the content of the ZIP archive, whose files are not compressed.
async fn read_downloaded_text(browser: &Browser) -> String {
    let watch = "const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.saved = blob; return make(blob); }";
    browser.run_script(watch).await;
    browser.click_button("Download all as ZIP").await;
    browser.wait_for_script_result("return window.saved !== undefined", &json!(true)).await;
    let text = browser.run_script("return window.saved.text()").await;
    text.as_str().expect("a text").to_owned()
}

/// Returns the number of pages in a PDF, which is the first `/Count` in the file.
fn count_pages(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let count = text.split("/Count ").nth(1).expect("a number of pages");
    let digits: String = count.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}
