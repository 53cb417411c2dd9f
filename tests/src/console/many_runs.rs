//! Tests of pay runs of many companies: filtered, processed in one step, and completed in one step.

use serde_json::json;

use super::browser::{Browser, run_in_browser, run_in_browser_with};
use crate::support::{Caller, FOREIGN, OPEN, Request, Server, check_with_correlation_id};

const CSV_HEADER: &str =
    "companyId,payPeriodId,paycheckId,worker,gross,checkNumber,kind,name,componentId,amount,paidBy";

#[test]
fn pay_runs_are_filtered_and_several_are_processed_with_a_result_for_each() {
    run_in_browser(async |server, browser| {
        let all = server.send(&Request::operator_get("/payruns")).await.members("legalName");
        assert!(all.contains(&format!("{FOREIGN} Example LLC")), "{all:?}");
        browser.sign_in().await;
        browser.open_page("/runs?company=OPEN").await;
        browser.wait_for_text("OPEN Example LLC").await;
        browser
            .wait_for_script_result(
                "return document.querySelector('#runs-company').value",
                &json!("OPEN Example LLC"),
            )
            .await;
        let shown = browser.page_text().await;
        assert!(!shown.contains(FOREIGN), "runs of other companies are not shown: {shown}");
        browser
            .wait_for_script_result(
                "return document.querySelector('tfoot td:nth-child(7)')?.textContent",
                &json!("0"),
            )
            .await;
        browser.click_button("Submit by").await;
        browser
            .wait_for_script_result(
                "return document.querySelector('th[aria-sort=ascending]')?.textContent",
                &json!("Submit by ▲"),
            )
            .await;
        let address = browser.run_script("return location.hash").await;
        assert_eq!(address, "#/runs?company=OPEN&sort=submitby", "the order is in the address");
        browser.click_button("Select all open ones").await;
        browser.wait_for_text("Process 3 selected").await;
        browser.save_screenshot("pay-runs-selected").await;
        browser.click_button("Process 3 selected").await;
        browser.wait_for_text("Until then, you can reopen them.").await;
        browser.confirm_dialog("Process").await;
        // A period in processing locks its company, so the company's other periods cannot be processed.
        browser.wait_for_text("1 of 3 pay periods are in processing.").await;
        browser.wait_for_text("2 pay periods were not processed.").await;
        browser.wait_for_text("API-10").await;
        let now = server.send(&Request::operator_get("/payruns?companyid=OPEN&status=PROCESSING")).await;
        assert_eq!(now.members("companyId"), [OPEN]);
        browser.open_page("/runs?overdue=yes&from=2100-01-01").await;
        browser.wait_for_text("No pay run matches these filters.").await;
    });
}

#[test]
fn pay_runs_are_overdue_by_the_clock_of_the_server() {
    run_in_browser(async |server, browser| {
        // The clock of the server shows 2026-05-12, so a submit-by date on the day before is overdue.
        let late = json!({"submitByDate": "2026-05-11"});
        let change = Request::operator_patch(&format!("/companies/{OPEN}/payperiods/ENTRY"), &late);
        assert_eq!(server.send(&change).await.status, 200);
        browser.sign_in().await;
        let open = "Date.now = () => Date.parse('2100-01-01'); location.hash = '#/runs?overdue=yes'";
        browser.run_script(open).await;
        let statuses = "return [...document.querySelectorAll('[aria-label=\"Pay runs\"] tbody .status')]
            .map(it => it.textContent)";
        browser.wait_for_script_result(statuses, &json!(["overdue"])).await;
        browser.run_script("location.hash = '#/runs?company=FOREIGN'").await;
        browser.wait_for_script_result(statuses, &json!(["entry"])).await;
    });
}

/// Processes a period of each of two companies, and leaves a third company with an empty period. Returns the
/// check of the first period.
async fn process_two_periods(server: &Server) -> String {
    let added = server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await;
    let foreign = json!([{"workerId": "FOREIGN-WORKER", "payPeriodId": "FOREIGN-PERIOD", "checkCorrelationId": "two",
        "earnings": [{"componentId": "FOREIGN-COMPONENT", "payAmount": "100"}]}]);
    let foreign = Request::post_checks(FOREIGN, &foreign).with_caller(Caller::Other);
    assert_eq!(server.send(&foreign).await.status, 201);
    for (company, period) in [(OPEN, "ENTRY"), (FOREIGN, "FOREIGN-PERIOD")] {
        let process = format!("/companies/{company}/payperiods/{period}/process");
        assert_eq!(server.send(&Request::operator_post(&process, &json!({}))).await.status, 200);
    }
    added.members("paycheckId").remove(0)
}

/// Selects all pay runs in processing, and opens the page for their taxes and deductions with this button.
async fn select_all_pay_runs(browser: &Browser, button: &str) {
    browser.sign_in().await;
    browser.open_page("/runs?status=PROCESSING").await;
    browser.wait_for_text(&format!("{FOREIGN} Example LLC")).await;
    browser.click_button("Select all in processing").await;
    browser.click_button(button).await;
    browser.wait_for_text("Taxes and deductions of 3 pay runs").await;
}

/// Returns a CSV file for two pay runs, with a tax for the check of the first pay run.
fn csv_file(paycheck_id: &str, period: &str, amount: &str) -> String {
    format!(
        "{CSV_HEADER}\r\n\
         OPEN,{period},{paycheck_id},Ann,160.00,1001,tax,Income Tax,,{amount},EMPLOYEE_WITHHOLDING\r\n\
         FOREIGN,FOREIGN-PERIOD,UNUSED,Ben,100.00,,,,,,\r\n"
    )
}

#[test]
fn several_pay_runs_are_completed_with_one_file_and_a_result_for_each() {
    run_in_browser(async |server, browser| {
        let paycheck = process_two_periods(server).await;
        select_all_pay_runs(browser, "Complete 3 selected").await;
        browser.upload_file("runs-file", "taxes.csv", &csv_file(&paycheck, "OTHER", "28.33")).await;
        browser.wait_for_text("File: taxes.csv").await;
        browser.click_button("Preview all").await;
        browser.wait_for_text("Line 2, payPeriodId: This pay run is not among the selected ones.").await;
        browser.upload_file("runs-file", "faulty.csv", &csv_file(&paycheck, "ENTRY", "28.333")).await;
        browser.wait_for_text("File: faulty.csv").await;
        browser.click_button("Preview all").await;
        browser.wait_for_text("Line 2, amount: API-48").await;
        browser.wait_for_text("Complete 0 pay runs").await;
        let faults = browser.accessibility_faults().await;
        assert!(faults.is_empty(), "{faults:#?}");
        browser.upload_file("runs-file", "taxes.csv", &csv_file(&paycheck, "ENTRY", "28.33")).await;
        browser.wait_for_text("File: taxes.csv").await;
        browser.click_button("Preview all").await;
        browser.wait_for_text("28.33").await;
        browser.wait_for_text("No check has taxes.").await;
        browser.save_screenshot("pay-runs-completed").await;
        // Another operator reopens the second pay run in the meantime, so the server rejects its completion.
        browser
            .run_script("document.querySelectorAll('[aria-label=Previews] input[type=checkbox]').forEach(it => it.click())")
            .await;
        browser.wait_for_text("Complete 2 pay runs").await;
        let reopen = format!("/companies/{FOREIGN}/payperiods/FOREIGN-PERIOD/reopen");
        assert_eq!(server.send(&Request::operator_post(&reopen, &json!({}))).await.status, 200);
        browser.click_button("Complete 2 pay runs").await;
        browser.wait_for_text("Employer cost").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("Completed: 1 of 2 pay runs.").await;
        browser.wait_for_text("One pay period was not completed.").await;
        // The page does not send the completed pay run again. For the rejected pay run, it requires a new
        // preview.
        browser.wait_for_text("Not completed. Press “Preview all” again.").await;
        browser.wait_for_text("Complete 0 pay runs").await;
        let check = server.send(&Request::operator_get("/companies/OPEN/payperiods/ENTRY/checks")).await;
        assert_eq!(check.members("netPay"), ["131.67"]);
        let period = server.send(&Request::operator_get("/companies/OPEN/payperiods/ENTRY")).await;
        assert_eq!(period.members("status"), ["COMPLETED"]);
    });
}

#[test]
fn the_other_pay_runs_are_previewed_again_after_some_are_completed() {
    run_in_browser(async |server, browser| {
        let paycheck = process_two_periods(server).await;
        select_all_pay_runs(browser, "Complete 3 selected").await;
        browser.upload_file("runs-file", "taxes.csv", &csv_file(&paycheck, "ENTRY", "28.33")).await;
        browser.wait_for_text("File: taxes.csv").await;
        browser.click_button("Preview all").await;
        browser.wait_for_text("28.33").await;
        browser
            .run_script("document.querySelectorAll('[aria-label=Previews] input[type=checkbox]').forEach(it => it.click())")
            .await;
        browser.wait_for_text("Complete 2 pay runs").await;
        // Another operator completes the second pay run in the meantime.
        let complete = format!("/companies/{FOREIGN}/payperiods/FOREIGN-PERIOD/complete");
        assert_eq!(server.send(&Request::operator_post(&complete, &json!({}))).await.status, 200);
        browser.click_button("Complete 2 pay runs").await;
        browser.confirm_dialog("Complete").await;
        browser.wait_for_text("Completed: 1 of 2 pay runs.").await;
        browser.wait_for_text("Taxes and deductions of 2 pay runs").await;
        let listed = "return [...document.querySelectorAll('[aria-label=\"Pay runs\"] tbody tr')]
            .map(it => it.querySelector('a')?.textContent)";
        browser.wait_for_script_result(listed, &json!(["BUSY Example LLC"])).await;
        // The file still contains rows of the pay run that was completed in the meantime, so the preview
        // reports a fault.
        browser.click_button("Preview all").await;
        let fault = "return [...document.querySelectorAll('[aria-label=Previews] tbody tr')]
            .find(it => it.cells[0].textContent.startsWith('FOREIGN Example LLC'))?.cells[5].textContent
            .includes('the pay period is COMPLETED') ?? false";
        browser.wait_for_script_result(fault, &json!(true)).await;
        browser.wait_for_text("Complete 0 pay runs").await;
    });
}

#[test]
fn a_warning_about_several_pay_runs_names_its_workers() {
    run_in_browser(async |server, browser| {
        // After this request, the worker has two checks in the pay period.
        let second = Request::post_checks(OPEN, &json!([check_with_correlation_id("two")]));
        assert_eq!(server.send(&second).await.status, 201);
        process_two_periods(server).await;
        let worker = server.send(&Request::operator_get("/companies/OPEN/workers/EMPLOYEE")).await;
        let family_name = worker.content().remove(0)["name"]["familyName"].clone();
        select_all_pay_runs(browser, "Complete 3 selected").await;
        browser.click_button("Preview all").await;
        browser.wait_for_text("Workers with several checks.").await;
        let names = format!(
            "return [...document.querySelectorAll('[aria-label=Previews] li li')]
                .some(it => it.textContent.includes({family_name}))"
        );
        browser.wait_for_script_result(&names, &json!(true)).await;
    });
}

#[test]
fn the_completion_of_several_pay_runs_is_requested_with_two_operators() {
    run_in_browser_with(
        |settings| settings.two_person_completion = true,
        async |server, browser| {
            let paycheck = process_two_periods(server).await;
            select_all_pay_runs(browser, "Request completion of 3 selected").await;
            browser.upload_file("runs-file", "taxes.csv", &csv_file(&paycheck, "ENTRY", "28.33")).await;
            browser.wait_for_text("File: taxes.csv").await;
            browser.click_button("Preview all").await;
            browser.wait_for_text("28.33").await;
            browser.click_button("Request completion of 1 pay run").await;
            browser.confirm_dialog("Request").await;
            browser.wait_for_text("The completion of 1 of 1 pay run is requested.").await;
            let requests = server.send(&Request::operator_get("/completionrequests")).await;
            assert_eq!(requests.members("companyId"), [OPEN], "the pay run without taxes had no tick");
        },
    );
}
