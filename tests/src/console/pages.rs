//! Tests of the console's pages for search, editing, applications, access requests, audit log, import,
//! sandbox.

use reqwest::Method;
use serde_json::json;

use super::browser::{run_in_browser, run_in_browser_with};
use crate::support::{BARE, CHILD_TAX_ID, OPEN, Request, check_with_correlation_id};

const WORKER_PAGE: &str = "/companies/OPEN/workers/EMPLOYEE";

/// A name that would run as a script if a page did not escape it.
const SCRIPT_INJECTION: &str = "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>";

#[test]
fn the_search_finds_objects_by_name_id_and_account_number() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/find").await;
        browser.fill_field("Name, id", "OPEN").await;
        browser.click_button("Search").await;
        browser.wait_for_text("Company").await;
        browser.fill_field("Name, id", "EMPLOYEE").await;
        browser.click_button("Search").await;
        browser.wait_for_text("Worker").await;
        browser.fill_field("Name, id", "ENTRY").await;
        browser.click_button("Search").await;
        browser.wait_for_text("Pay period").await;
        browser.fill_field("Name, id", "partner").await;
        browser.click_button("Search").await;
        browser.wait_for_text("Application").await;
        browser.fill_field("Name, id", "nobody at all").await;
        browser.click_button("Search").await;
        browser.wait_for_text("Nothing was found.").await;
        browser.open_page("/no/such/page").await;
        browser.wait_for_text("There is no such page.").await;
    });
}

#[test]
fn the_search_opens_by_keyboard_and_opens_the_selected_result() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        let open = "return document.querySelector('dialog[open] [role=combobox]') !== null";
        for (shortcut, text, result, heading) in [
            ("\u{e009}k", "empl", "EMPLOYEE Sample", "Employee ID"),
            ("/", "OPEN", "OPEN Example LLC", "Account number"),
            ("\u{e009}k", "audit", "Audit and events", "Kind"),
        ] {
            browser.send_keys(shortcut).await;
            browser.wait_for_script_result(open, &json!(true)).await;
            assert_eq!(browser.accessibility_faults().await, Vec::<serde_json::Value>::new());
            browser.send_keys(text).await;
            let first = "return document.querySelector('dialog [role=option]')?.textContent ?? ''";
            for _ in 0..200 {
                if browser.run_script(first).await.as_str().is_some_and(|it| it.starts_with(result)) {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            browser.save_screenshot("search").await;
            browser.send_keys("\u{e007}").await;
            browser.wait_for_text(heading).await;
            browser.wait_for_script_result(open, &json!(false)).await;
            browser.run_script("location.hash = '#/trail?view=events'").await;
            browser.wait_for_text("Domain").await;
        }
    });
}

#[test]
fn a_tax_identity_is_masked_until_requested_and_the_request_is_logged() {
    run_in_browser(async |server, browser| {
        let identity = json!({"legalId": {"legalIdType": "SSN", "legalIdValue": CHILD_TAX_ID}});
        let patch = Request::operator_patch(WORKER_PAGE, &identity).header("if-match", "*");
        assert_eq!(server.send(&patch).await.status, 200);
        browser.sign_in().await;
        browser.open_page(WORKER_PAGE).await;
        browser.wait_for_text("*****6789").await;
        browser.click_button("Show the tax identity").await;
        browser.wait_for_text(CHILD_TAX_ID).await;
        browser.click_button("Hide the tax identity").await;
        browser.wait_until_text_is_gone(CHILD_TAX_ID).await;
        browser.click_button("History").await;
        browser.wait_for_text("The full tax ID was shown.").await;
        assert!(!browser.page_text().await.contains(CHILD_TAX_ID));
        browser.click_button("Sign out").await;
        browser.wait_for_text("Operator key").await;
        browser.sign_in_with(crate::support::READER_KEY).await;
        browser.open_page(WORKER_PAGE).await;
        browser.wait_for_text("*****6789").await;
        assert!(!browser.page_text().await.contains("Show"), "a key for reading cannot ask");
    });
}

#[test]
fn a_document_is_added_on_the_page_of_a_worker() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page(&format!("{WORKER_PAGE}?view=documents")).await;
        browser.wait_for_text("The worker has no document.").await;
        browser.upload_file("document-file", "page.html", "<html></html>").await;
        browser.wait_for_text("must be a PDF, PNG, JPEG, text or CSV file").await;
        browser.upload_file("document-file", "Note.txt", "Dear Zoë,").await;
        browser.wait_for_text("Note.txt was added.").await;
        browser.wait_for_text("10 bytes").await;
        let list = server.send(&Request::operator_get(&format!("{WORKER_PAGE}/documents"))).await;
        assert_eq!(list.members("name"), ["Note.txt"]);
        assert!(browser.accessibility_faults().await.is_empty());
    });
}

#[test]
fn the_second_of_two_editors_of_a_worker_sees_both_versions() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page(WORKER_PAGE).await;
        browser.click_button("Edit the worker").await;
        browser.click_button("Edit as JSON").await;
        let faster =
            Request::operator_patch(WORKER_PAGE, &json!({"clockId": "faster"})).header("if-match", "*");
        assert_eq!(server.send(&faster).await.status, 200);
        browser.fill_field("Document", "{").await;
        browser.confirm_dialog("Save").await;
        let problem = "return document.getElementById('document-problem').innerText !== ''";
        assert_eq!(browser.run_script(problem).await, true, "what is no JSON is not sent");
        browser.click_button("Cancel").await;
        browser.click_button("Edit the worker").await;
        browser.click_button("Edit as JSON").await;
        let others = json!({"clockId": "faster still", "employeeId": "E-77"});
        let slower = Request::operator_patch(WORKER_PAGE, &others).header("if-match", "*");
        assert_eq!(server.send(&slower).await.status, 200);
        let script = "return JSON.stringify({...JSON.parse(document.getElementById('document').value), clockId: 'mine'})";
        let mine = browser.run_script(script).await;
        browser.fill_field("Document", mine.as_str().expect("a document")).await;
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("Another operator has changed this object while you edited it.").await;
        browser.wait_for_text("faster still").await;
        browser.click_button("Keep my changes").await;
        browser.confirm_dialog("Save").await;
        browser.wait_for_text("mine").await;
        browser.click_button("History").await;
        let worker = server.send(&Request::operator_get(WORKER_PAGE)).await.content().remove(0);
        assert_eq!([&worker["clockId"], &worker["employeeId"]], ["mine", "E-77"]);
        browser.wait_for_text("/clockId").await;
    });
}

#[test]
fn names_that_look_like_scripts_are_displayed_as_text() {
    run_in_browser(async |server, browser| {
        let stored = async |request: Request| {
            let response = server.send(&request.header("if-match", "*")).await;
            assert!(response.is_success(), "a name that would be a script is a name: {response:?}");
            response
        };
        let name = json!({"name": {"givenName": SCRIPT_INJECTION, "familyName": SCRIPT_INJECTION}});
        stored(Request::operator_patch(
            &format!("/companies/{OPEN}"),
            &json!({"legalName": SCRIPT_INJECTION}),
        ))
        .await;
        stored(Request::operator_patch(WORKER_PAGE, &name)).await;
        stored(Request::operator_patch("/applications/partner", &json!({"name": SCRIPT_INJECTION}))).await;
        let period = format!("/companies/{OPEN}/payperiods/ENTRY");
        stored(Request::operator_patch(&period, &json!({"description": SCRIPT_INJECTION}))).await;
        let component = format!("/companies/{OPEN}/paycomponents/HOURLY");
        stored(Request::operator_patch(&component, &json!({"name": SCRIPT_INJECTION}))).await;
        let created = stored(Request::operator_post("/keys", &json!({"name": SCRIPT_INJECTION}))).await;
        let added =
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await;
        assert_eq!(added.status, 201);
        // The name of the operator key contains a script, and every page shows this name.
        browser.sign_in_with(created.content()[0]["value"].as_str().expect("a key")).await;
        browser.wait_for_text("Sign out").await;
        for page in [
            "/",
            "/companies/OPEN",
            "/companies",
            "/companies/OPEN?view=workers",
            "/companies/OPEN?view=components",
            "/companies/OPEN?view=history",
            "/companies/OPEN/payperiods/ENTRY",
            WORKER_PAGE,
            "/applications",
            "/applications/partner",
            "/trail",
            "/find?text=OPEN",
            "/find?text=%3Cimg%20src%3Dx%20onerror%3D%22window.ran%3D1%22%3E",
            "/%3Cscript%3E",
        ] {
            browser.open_page(page).await;
            browser.wait_for_text("onerror").await;
            browser.wait_until_text_is_gone("Loading").await;
            assert_eq!(
                browser.run_script("return window.ran ?? null").await,
                serde_json::Value::Null,
                "{page}"
            );
        }
    });
}

#[test]
fn a_secret_is_rotated_and_shown_once() {
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/applications").await;
        browser.wait_for_text("partner").await;
        browser.open_page("/applications/partner").await;
        browser.wait_for_text("read:payroll").await;
        browser.save_screenshot("application").await;
        browser.click_button("Create a secret").await;
        browser.wait_for_text("keep working").await;
        browser.confirm_dialog("Create").await;
        browser.wait_for_text("pks_").await;
        browser.click_button("I have copied it").await;
        browser.wait_until_text_is_gone("pks_").await;
        browser.click_button("Create a secret").await;
        browser.wait_for_text("stops working immediately").await;
        browser.click_button("Cancel").await;
        browser
            .run_script("[...document.querySelectorAll('[aria-label=Secrets] button')].at(-1).click()")
            .await;
        browser.confirm_dialog("Revoke").await;
        browser.wait_until_text_is_gone("Revoke the secret?").await;
    });
}

#[test]
fn a_request_for_access_is_decided() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/access-requests").await;
        browser.wait_for_text("No access request is pending.").await;
        crate::access_requests::request_link_token(server).await;
        browser.reload().await;
        browser.click_button("Grant").await;
        browser.wait_for_text("Grant access?").await;
        browser.confirm_dialog("Grant").await;
        browser.wait_for_text("No access request is pending.").await;
    });
}

#[test]
fn the_audit_log_shows_differences_and_its_page_shows_events() {
    run_in_browser(async |server, browser| {
        let patch = Request::operator_patch(WORKER_PAGE, &json!({"clockId": "4711"})).header("if-match", "*");
        assert_eq!(server.send(&patch).await.status, 200);
        browser.sign_in().await;
        browser.open_page("/trail?kind=worker").await;
        browser.wait_for_text("/clockId").await;
        browser.wait_for_text("4711").await;
        browser.save_screenshot("trail").await;
        browser.click_button("Events").await;
        browser.wait_for_text("WRKR_").await;
        browser.fill_field("Domain", "NO_DOMAIN").await;
        browser.wait_for_text("API-40").await;
    });
}

#[test]
fn a_file_is_validated_before_its_import_and_shows_its_faults() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/transfer").await;
        let choose = |text: &str| {
            format!(
                "const data = new DataTransfer(); data.items.add(new File([{}], 'companies.ndjson'));
                 const field = document.getElementById('file'); field.files = data.files;
                 field.dispatchEvent(new Event('change', {{bubbles: true}}))",
                json!(text)
            )
        };
        let good = "{\"companyId\":\"NEW\",\"displayId\":\"00990001\",\"legalName\":\"Example Farm\"}\n";
        browser.wait_for_text("Choose a file").await;
        browser.run_script(&choose(&format!("{good}{{\"companyId\":\"BAD\",\"legalName\":1}}\n"))).await;
        browser.click_button("Check file").await;
        browser.wait_for_text("1 of 2 companies have faults.").await;
        browser.wait_for_text("/legalName").await;
        browser.save_screenshot("import").await;
        browser.run_script(&choose(good)).await;
        browser.click_button("Check file").await;
        browser.wait_for_text("All 1 companies can be imported.").await;
        assert_eq!(server.send(&Request::operator_get("/companies/NEW")).await.status, 404);
        browser.click_button("Import").await;
        browser.wait_for_text("All 1 companies are stored.").await;
        assert_eq!(server.send(&Request::operator_get("/companies/NEW")).await.status, 200);
    });
}

#[test]
fn rows_of_a_spreadsheet_are_validated_with_their_lines_and_then_imported() {
    run_in_browser(async |server, browser| {
        browser.sign_in().await;
        browser.open_page("/transfer").await;
        let choose = |text: &str| {
            format!(
                "const data = new DataTransfer(); data.items.add(new File([{}], 'workers.csv'));
                 const field = document.getElementById('file'); field.files = data.files;
                 field.dispatchEvent(new Event('change', {{bubbles: true}}))",
                json!(text)
            )
        };
        browser.wait_for_text("Choose a file").await;
        let head = "workerId,workerType,name.givenName,name.familyName,hireDate\n";
        browser
            .run_script(&choose(&format!(
                "{head}S-1,EMPLOYEE,Ann,Sample,01/02/2026\nS-2,NOBODY,Bo,Sample,\n"
            )))
            .await;
        browser.select_option("Into company", "Bare Example LLC").await;
        browser.click_button("Check file").await;
        browser.wait_for_text("Nothing is stored. Faults: 2.").await;
        browser.wait_for_text("hireDate").await;
        browser.save_screenshot("spreadsheet").await;
        browser.run_script(&choose(&format!("{head}S-1,EMPLOYEE,Ann,Sample,2026-01-02\n"))).await;
        browser.select_option("Into company", "Bare Example LLC").await;
        browser.click_button("Check file").await;
        browser.wait_for_text("Nothing is stored yet. Workers: 1 new").await;
        let path = format!("/companies/{BARE}/workers/S-1");
        assert_eq!(server.send(&Request::operator_get(&path)).await.status, 404);
        browser.click_button("Import").await;
        browser.wait_for_text("All rows are stored. Workers: 1 new").await;
        assert_eq!(server.send(&Request::operator_get(&path)).await.status, 200);
    });
}

#[test]
fn a_repeated_import_says_that_nothing_new_is_stored() {
    run_in_browser(async |server, browser| {
        let period = format!("/companies/{OPEN}/payperiods/ENTRY");
        let named = Request::operator_patch(&period, &json!({"description": "Early May"}));
        assert_eq!(server.send(&named.header("if-match", "*")).await.status, 200);
        browser.sign_in().await;
        browser.open_page("/transfer").await;
        browser.wait_for_text("Choose a file").await;
        let rows = "workerId,componentId,payHours\nEMPLOYEE,HOURLY,8\n";
        browser.upload_file("file", "checks.csv", rows).await;
        browser.select_option("Into company", "OPEN Example LLC").await;
        browser.select_option("Pay period", "Early May").await;
        let import = async || {
            browser.click_button("Check file").await;
            browser.wait_for_text("Nothing is stored yet. Checks: 1.").await;
            browser.click_button("Import").await;
        };
        import().await;
        browser.wait_for_text("All rows are stored. Checks: 1.").await;
        let deletion = Request::operator_delete(&format!("{period}/checks?deletebyoperators=true"));
        assert!(server.send(&deletion).await.is_success());
        import().await;
        browser.wait_for_text("Nothing new is stored.").await;
    });
}

#[test]
fn only_a_sandbox_has_the_page_with_the_clock() {
    run_in_browser_with(
        |settings| settings.sandbox = true,
        async |_, browser| {
            browser.sign_in().await;
            browser.click_button("Sandbox").await;
            browser.click_button("Advance by 5 minutes").await;
            browser.wait_for_text("300").await;
            browser.fill_field("Company", OPEN).await;
            browser.click_button("Send").await;
            browser.wait_for_text("/workerId").await;
            browser.fill_field("Worker", "EMPLOYEE").await;
            browser.click_button("Send").await;
            browser.wait_for_text("Sent: ").await;
            browser.click_button("Reset to the server machine's time").await;
            browser.wait_until_text_is_gone("300").await;
        },
    );
    run_in_browser(async |_, browser| {
        browser.sign_in().await;
        browser.open_page("/sandbox").await;
        browser.wait_for_text("There is no such page.").await;
        assert!(!browser.page_text().await.contains("Sandbox"));
        browser.open_page("/health").await;
        browser.wait_for_text("dispatcher").await;
    });
    // The next test needs no browser. A server that is not a sandbox has no `/sandbox` paths.
    crate::support::on_every_database(async |server| {
        let clock = Request::operator(Method::GET, "/sandbox/clock");
        assert_eq!(server.send_unchecked(&clock).await.status, 404);
    });
}
