//! Tests of the preview of a completion (specification §10.14): its content, and that nothing is stored.

use reqwest::Method;
use serde_json::{Value, json};

use super::{add_and_process_checks, completion_request, period_status, read_checks, step_request};
use crate::support::world::{company, component, period, rate, worker};
use crate::support::{
    Caller, LOCKED, OPEN, Request, Response, Server, check_with_correlation_id, checks_document,
    grant_to_application, import_line, on_every_database, with_member,
};

/// A company with two consecutive open periods.
const COMPANY_ID: &str = "RUNS";

fn preview_request(company: &str, period: &str, document: &Value) -> Request {
    let path = format!("/companies/{company}/payperiods/{period}/complete?dryrun=true");
    Request::operator_post(&path, document)
}

/// Returns the preview of the period `ENTRY`, to which the valid checks belong.
async fn send_preview(server: &Server, document: &Value) -> Response {
    server.send(&preview_request(OPEN, "ENTRY", document)).await
}

/// Returns the JSON of each element in a list of a response.
fn list_rows(response: &Response, list: &str) -> Vec<Value> {
    response.content()[0][list].as_array().expect("a list").clone()
}

/// Returns data that a completion would change: the status and version of the period, and the numbers of rows
/// in some tables.
async fn stored_state(server: &Server) -> (String, String, [i64; 3]) {
    let path = format!("/companies/{OPEN}/payperiods/ENTRY");
    let tag = server.send(&Request::operator_get(&path)).await.header("etag").to_owned();
    let count =
        async |table: &str| server.database.query_number(&format!("SELECT count(*) FROM {table}")).await;
    let counts = [count("audit").await, count("events").await, count("idempotency_keys").await];
    (period_status(server).await, tag, counts)
}

#[test]
fn a_preview_shows_the_later_result_of_the_completion() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let handed_in = json!({"checks": [{"paycheckId": ids[0],
            "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                      {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
            "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
        let previewed = send_preview(server, &handed_in).await;
        let expected = json!({"checks": 2, "workers": 1, "grossEarnings": "320.00", "netPay": "271.67",
            "employeeTaxes": "28.33", "employerTaxes": "11.62", "deductions": "20.00",
            "employerCost": "331.62"});
        assert_eq!((previewed.status, &previewed.content()[0]["totals"]), (200, &expected));
        assert_eq!(list_rows(&previewed, "faults"), Vec::<Value>::new());
        let tag = previewed.header("etag").to_owned();
        let completed = server.send(&completion_request(&handed_in).if_match(&tag)).await;
        assert_eq!(completed.status, 200, "the tag is that of the period");
        assert_eq!(completed.content()[0]["totals"], expected);
        let of =
            |check: &Value| ["paycheckId", "grossEarnings", "netPay"].map(|member| check[member].clone());
        let reported: Vec<_> = list_rows(&previewed, "checks").iter().map(of).collect();
        assert_eq!(reported, read_checks(server).await.content().iter().map(of).collect::<Vec<_>>());
        let deducted = |check: &Value| ["employeeTaxes", "deductions"].map(|member| check[member].clone());
        let deducted: Vec<_> = list_rows(&previewed, "checks").iter().map(deducted).collect();
        assert_eq!(json!(deducted), json!([["28.33", "20.00"], ["0.00", "0.00"]]));
    });
}

#[test]
fn a_preview_of_an_open_or_processing_period_stores_nothing() {
    on_every_database(async |server| {
        server.send(&Request::post_checks(OPEN, &checks_document(2))).await;
        for expected in ["ENTRY", "PROCESSING"] {
            let before = stored_state(server).await;
            let request = preview_request(OPEN, "ENTRY", &json!({"checks": []})).idempotency_key("preview");
            let previewed = server.send(&request).await;
            assert_eq!((previewed.status, previewed.header("idempotent-replayed")), (200, ""));
            assert_eq!(server.send(&request).await.body, previewed.body, "a key is not used");
            assert_eq!((&before.0[..], stored_state(server).await), (expected, before.clone()));
            if expected == "ENTRY" {
                let late = Request::post_checks(OPEN, &check_with_correlation_id("late"));
                assert_eq!(server.send(&late).await.status, 201, "no client is locked out");
                assert_eq!(server.send(&step_request("process")).await.status, 200);
            }
        }
    });
}

#[test]
fn a_preview_reports_the_same_faults_as_the_completion() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(3)).await;
        let deduction = |component: &str, amount: &str| json!([{"componentId": component, "amount": amount}]);
        let handed_in = json!({"checks": [
            {"paycheckId": ids[1], "deductions": deduction("GARNISHMENT", "160.01")},
            {"paycheckId": ids[0], "deductions": deduction("BONUS", "1")},
            {"paycheckId": "SOMEBODYS"}]});
        let previewed = send_preview(server, &handed_in).await;
        let faults = list_rows(&previewed, "faults");
        assert_eq!((previewed.status, faults.len()), (200, 3));
        assert!(faults[0]["description"].as_str().expect("a sentence").contains(&ids[1]), "{faults:?}");
        assert_eq!(server.send(&completion_request(&handed_in)).await.errors(), faults);
        let reported: Vec<_> =
            list_rows(&previewed, "checks").iter().map(|it| it["paycheckId"].clone()).collect();
        assert_eq!(reported, ids[2..]);
        assert_eq!(previewed.content()[0]["totals"]["netPay"], "160.00", "of the checks without faults");
        let malformed = json!({"checks": [{"paycheckId": ids[0], "tax": []}]});
        assert_eq!(send_preview(server, &malformed).await.faults(), ["API-48 /checks/0/tax"]);
    });
}

#[test]
fn a_preview_of_an_impossible_completion_is_rejected_with_the_reason() {
    on_every_database(async |server| {
        let path = |period: &str, query: &str| format!("/companies/{OPEN}/payperiods/{period}/{query}");
        let post = |path: String| Request::operator(Method::POST, &path);
        for (request, expected) in [
            (post(path("ENTRY", "complete?dryrun=yes")), "400 API-40"),
            (post(path("ENTRY", "complete?dryrun")), "400 API-40"),
            (post(path("ENTRY", "complete?dryrun=true&dryrun=true")), "400 API-40"),
            (post(path("ENTRY", "complete?dry=true")), "400 API-40"),
            (post(path("ENTRY", "process?dryrun=true")), "400 API-40"),
            (post(path("ENTRY", "complete?dryrun=true")).header("idempotency-key", ""), "400 API-40"),
            (post(path("NOWHERE", "complete?dryrun=yes")), "404 API-7"),
            (post(path("NOWHERE", "complete?dryrun=true")), "404 API-7"),
            (post(path("COMPLETED", "complete?dryrun=true")), "409 API-409"),
            (post(path("ENTRY", "complete?dryrun=true")).if_match("\"1\""), "412 API-412"),
            (post(path("ENTRY", "complete?dryrun=true")).with_caller(Caller::OperatorReader), "403 API-2"),
            (post(path("ENTRY", "complete?dryrun=false")), "409 API-409"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
        let locked = server.send(&preview_request(LOCKED, "LOCKED-PERIOD", &json!({}))).await;
        assert_eq!(locked.status, 200, "a lock stops writes alone");
    });
}

/// Creates the company with a completed pay run. The workers A, B and C have one check each in this pay run.
async fn create_company_with_pay_run(server: &Server) {
    let rates =
        |id: &str| json!([with_member(rate(&format!("{id}-RATE"), 1, "HOURLY_RATE", "20"), "default", true)]);
    let mut runs = company(COMPANY_ID, "00090009");
    runs["payComponents"] = json!([component("HOURLY", "ADDITION")]);
    runs["workers"] =
        ["A", "B", "C"].map(|id| with_member(worker(id, "EMPLOYEE"), "payRates", rates(id))).into();
    let last = with_member(period("LAST", "INITIAL"), "checkDate", "2026-05-21");
    runs["payPeriods"] = json!([last, period("NEXT", "INITIAL")]);
    import_line(&*server.store, &runs).await;
    grant_to_application(&*server.store, "partner", COMPANY_ID, payroll_domain::access::Scopes::all()).await;
    let checks = json!([
        check_with_hours("LAST", "A", "8"),
        check_with_hours("LAST", "B", "8"),
        check_with_hours("LAST", "C", "8")
    ]);
    assert_eq!(server.send(&Request::post_checks(COMPANY_ID, &checks)).await.status, 201);
    for step in ["process", "complete"] {
        assert_eq!(server.send(&super::transition_request(COMPANY_ID, "LAST", step)).await.status, 200);
    }
}

fn check_with_hours(period: &str, worker: &str, hours: &str) -> Value {
    json!({
        "workerId": worker, "payPeriodId": period, "checkCorrelationId": format!("{worker}-{hours}"),
        "earnings": [{"componentId": "HOURLY", "payHours": hours}],
    })
}

/// Returns each warning of a preview with its worker.
fn warning_texts(previewed: &Response) -> Vec<String> {
    let text = |warning: &Value, member: &str| warning[member].as_str().unwrap_or("-").to_owned();
    let shown = |warning: &Value| format!("{} {}", text(warning, "warning"), text(warning, "workerId"));
    list_rows(previewed, "warnings").iter().map(shown).collect()
}

#[test]
fn a_preview_warns_of_differences_from_the_last_pay_run() {
    on_every_database(async |server| {
        create_company_with_pay_run(server).await;
        let empty = server.send(&preview_request(COMPANY_ID, "NEXT", &json!({}))).await;
        let expected = ["NO_CHECKS -", "WORKER_MISSING A", "WORKER_MISSING B", "WORKER_MISSING C"];
        assert_eq!(warning_texts(&empty), expected);
        let checks = json!([
            check_with_hours("NEXT", "A", "16.01"),
            check_with_hours("NEXT", "B", "16"),
            check_with_hours("NEXT", "B", "1")
        ]);
        let ids = server.send(&Request::post_checks(COMPANY_ID, &checks)).await.members("paycheckId");
        let previewed = server.send(&preview_request(COMPANY_ID, "NEXT", &json!({}))).await;
        let expected = ["WORKER_MISSING C", "CHECK_MORE_THAN_DOUBLED A", "WORKER_WITH_SEVERAL_CHECKS B"];
        assert_eq!(warning_texts(&previewed), expected);
        let listed = list_rows(&previewed, "warnings");
        assert_eq!((&listed[1]["paycheckId"], &listed[2]["paycheckId"]), (&json!(ids[0]), &Value::Null));
        assert!(listed.iter().all(|it| it["description"].is_string()), "{listed:?}");
        assert_eq!(previewed.content()[0]["warningsLeftOut"], 0);
    });
}

#[test]
fn a_preview_warns_of_repeated_taxes_and_check_numbers() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let tax = |payer: &str| json!({"name": "A tax", "amount": "1.00", "paidBy": payer});
        let input = |second: &str, second_number: &str| {
            json!({"checks": [
                {"paycheckId": ids[0], "checkNumber": "1001", "taxes": [tax("EMPLOYEE_WITHHOLDING"), tax(second)]},
                {"paycheckId": ids[1], "checkNumber": second_number},
            ]})
        };
        let without = send_preview(server, &input("EMPLOYER_LIABILITY", "1002")).await;
        assert_eq!(warning_texts(&without), ["WORKER_WITH_SEVERAL_CHECKS EMPLOYEE"]);
        let repeated = input("EMPLOYEE_WITHHOLDING", "1001");
        let previewed = send_preview(server, &repeated).await;
        let warnings = list_rows(&previewed, "warnings");
        let reported: Vec<_> =
            warnings.iter().skip(1).map(|it| (&it["warning"], &it["paycheckId"])).collect();
        let expected = [("TAX_REPEATED", &ids[0]), ("CHECK_NUMBER_REPEATED", &ids[1])];
        assert_eq!(json!(reported), json!(expected));
        // A duplicate tax causes only a warning, because two entries of a tax can be intended. The completion
        // succeeds.
        assert_eq!(server.send(&completion_request(&repeated)).await.status, 200);
    });
}

#[test]
fn a_preview_warns_if_the_company_lacks_payroll_on_the_check_date() {
    on_every_database(async |server| {
        let added = server.send(&Request::post_checks(OPEN, &checks_document(1))).await;
        assert_eq!(added.status, 201);
        let before = send_preview(server, &json!({})).await;
        assert_eq!(warning_texts(&before), [""; 0]);
        // The company's payroll product starts on 2020-01-01, which is after the new check date.
        let path = format!("/companies/{OPEN}/payperiods/ENTRY");
        let moved = Request::operator_patch(&path, &json!({"checkDate": "2019-12-31"}));
        assert_eq!(server.send(&moved).await.status, 200);
        let previewed = send_preview(server, &json!({})).await;
        assert_eq!(warning_texts(&previewed), ["PRODUCT_MISSING -"]);
        let refused = server.send(&Request::post_checks(OPEN, &checks_document(1))).await;
        assert_eq!(refused.status_and_code(), "400 API-65");
    });
}

#[test]
fn without_an_earlier_pay_run_there_is_no_comparison() {
    on_every_database(async |server| {
        let refused = send_preview(server, &json!({})).await;
        assert_eq!(warning_texts(&refused), ["NO_CHECKS -"]);
        assert_eq!(list_rows(&refused, "faults")[0]["code"], "API-409", "it has to be allowed");
        let allowed = send_preview(server, &json!({"allowEmpty": true})).await;
        assert_eq!(
            (warning_texts(&allowed), list_rows(&allowed, "faults").len()),
            (warning_texts(&refused), 0)
        );
    });
}

#[test]
fn a_preview_of_many_checks_lists_all_checks() {
    on_every_database(async |server| {
        let mut ids = Vec::new();
        for batch in 0..4 {
            let checks: Value =
                (0..100).map(|number| check_with_correlation_id(&format!("{batch}-{number}"))).collect();
            ids.extend(server.send(&Request::post_checks(OPEN, &checks)).await.members("paycheckId"));
        }
        let previewed = send_preview(server, &json!({})).await;
        let reported: Vec<_> =
            list_rows(&previewed, "checks").iter().map(|it| it["paycheckId"].clone()).collect();
        assert_eq!(reported, ids);
        assert_eq!(previewed.content()[0]["totals"]["grossEarnings"], "64000.00");
    });
}
