//! The test cases of error codes: a request for each operation and each code that it can return.

use reqwest::Method;
use serde_json::{Value, json};

use super::row::{CodeCase, with_another_id};
use super::{files, lines, management, parts, workers};
use crate::operations::{CHECKS, OPERATIONS};
use crate::support::world::sample_worker_id;
use crate::support::{
    BARE, Caller, ENDED, FOREIGN, LOCKED, OPEN, Request, UNKNOWN, check_with, check_with_correlation_id,
    check_with_line, check_with_line_member, check_without, checks_document, valid_check, valid_request,
    with_member,
};

/// A request of an operation, and the error that it must cause.
#[derive(Debug)]
pub(super) struct OperationCodeCase {
    pub(super) operation: String,
    pub(super) refusal: &'static str,
    pub(super) request: Request,
}

pub(super) fn cases() -> Vec<OperationCodeCase> {
    let mut cases = Vec::new();
    for operation in OPERATIONS {
        let name = format!("{} {}", operation.method, operation.path);
        let of_operation = match operation.scope {
            None => token_cases(),
            Some(_) if operation.path == "/companies" => list_cases(),
            Some(_) if operation.path == "/management/events" => event_cases(),
            Some(_) if operation.path.starts_with("/management/") => {
                management::cases(operation.method, operation.path)
            }
            Some(_) => company_cases(operation.method, operation.path),
        };
        cases.extend(of_operation.into_iter().map(|(refusal, request)| OperationCodeCase {
            operation: name.clone(),
            refusal,
            request,
        }));
    }
    cases
}

fn token_cases() -> Vec<CodeCase> {
    const UNKNOWN_CLIENT_FORM: &str = "grant_type=client_credentials&client_id=nobody&client_secret=x";
    let good = Request::token(UNKNOWN_CLIENT_FORM);
    let mut in_query = good.clone();
    in_query.target.push_str("?client_id=nobody");
    vec![
        ("400 API-40", in_query),
        ("400 API-46", Request::token("client_id=nobody&client_secret=x")),
        ("400 API-47", Request::token(&format!("{UNKNOWN_CLIENT_FORM}&grant_type=client_credentials"))),
        ("400 API-48", Request::token("grant_type=password&client_id=nobody&client_secret=x")),
        ("401 API-102", good.clone()),
        ("405 API-59", Request { method: Method::GET, body: None, ..good.clone() }),
        ("406 API-75", good.clone().accept("text/html")),
        ("413 API-413", good.clone().body("x".repeat(3 * 1024 * 1024))),
        ("415 API-415", good.header("content-type", "application/json")),
    ]
}

fn list_cases() -> Vec<CodeCase> {
    let good = Request::get("/companies");
    vec![
        ("400 API-40", Request::get("/companies?displayid=")),
        ("401 API-102", good.clone().with_caller(Caller::Anonymous)),
        ("403 API-2", good.clone().with_caller(Caller::WithoutScope)),
        ("404 API-7", Request::get("/companies?displayid=99999999")),
        ("405 API-59", Request::new(Method::DELETE, "/companies")),
        ("406 API-75", good.accept("application/vnd.vendor.companies.v2+json")),
    ]
}

fn event_cases() -> Vec<CodeCase> {
    /// A well-formed cursor with a position that the event feed has not reached.
    const UNKNOWN_CURSOR: &str = "ef__________ZxGkn";
    let of = |query: &str| Request::get(format!("/management/events?{query}"));
    vec![
        ("400 API-40", of("domain=WRKR")),
        ("401 API-102", of("").with_caller(Caller::Anonymous)),
        ("403 API-2", of(&format!("companyid={FOREIGN}"))),
        ("403 API-68", of(&format!("companyid={ENDED}"))),
        ("404 API-7", of(&format!("companyid={UNKNOWN}"))),
        ("405 API-59", Request::new(Method::DELETE, "/management/events")),
        ("406 API-75", of("").accept("text/html")),
        ("410 API-410", of(&format!("after={UNKNOWN_CURSOR}"))),
    ]
}

/// Returns the test cases of an operation on a company: the cases of all operations on companies, and the
/// cases of this operation only.
fn company_cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let on = |company: &str| valid_request(method, path, company);
    let without_404 = ["contacttypes", "customemploymenttypes", "payfrequencies"];
    let is_without = without_404.iter().any(|list| path.ends_with(list));
    let not_found = if is_without { "403 API-2" } else { "404 API-7" };
    let mut rows = vec![
        ("401 API-102", on(OPEN).with_caller(Caller::Malformed)),
        ("403 API-2", on(FOREIGN)),
        ("403 API-2", on(OPEN).with_caller(Caller::WithoutGrant)),
        ("403 API-68", on(ENDED)),
        ("405 API-59", Request { method: Method::PUT, ..on(OPEN) }),
        ("406 API-75", on(OPEN).accept("application/vnd.vendor.nothing.v1+json")),
        (not_found, on(UNKNOWN)),
    ];
    rows.extend(match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("DELETE", "checks") => removal_cases(&on),
        ("DELETE", "{paycheckId}") => vec![
            ("400 API-51", Request { method: Method::DELETE, ..valid_request("GET", path, OPEN) }),
            ("404 API-7", with_another_id(on(OPEN))),
            ("423 API-10", on(LOCKED)),
        ],
        ("POST", "checks") if path.starts_with("/workers/") => worker_check_cases(),
        ("POST", "checks") => add_checks_cases(),
        ("POST", "customfieldscategories") => category_cases(),
        ("POST", "workers") => workers::cases(),
        (_, "checkcomponents" | "{checkComponentId}") => lines::cases(method, path),
        ("POST", "jobs") => job_cases(on(OPEN)),
        ("PATCH", "{jobId}") => job_change_cases(on(OPEN)),
        ("POST", "payrates" | "communications")
        | ("POST" | "PATCH", "paycomponents" | "federaltax" | "statetaxes" | "directdeposits")
        | (
            "PATCH" | "DELETE",
            "{rateId}"
            | "{communicationId}"
            | "{workerComponentId}"
            | "{directDepositId}"
            | "{workerCustomFieldId}"
            | "{contactId}",
        ) => parts::cases(method, path),
        ("POST", "documents" | "profileimage") | ("DELETE", "{documentId}" | "profileimage") => {
            files::cases(method, path)
        }
        ("POST", "customfields" | "contacts") if path.starts_with("/workers/") => parts::cases(method, path),
        ("PATCH" | "DELETE", "{workerId}") => parts::worker_cases(method, path),
        ("POST", _) => field_cases(),
        ("PATCH", "{categoryId}") => category_change_cases(),
        ("PATCH", _) => field_change_cases(),
        ("DELETE", _) => {
            vec![("404 API-7", with_another_id(on(OPEN))), ("412 API-412", on(OPEN).if_match("\"1\""))]
        }
        (_, "checks") => {
            vec![
                ("400 API-40", with_query(on(OPEN), "?payperiodid=NONE")),
                ("400 API-49", with_query(on(OPEN), "")),
            ]
        }
        (_, "{companyId}") => {
            vec![("400 API-40", Request::get(format!("/companies/{OPEN}?includelineage=maybe")))]
        }
        ("GET", "{jobId}" | "{jobTitleId}" | "{laborAssignmentId}" | "{locationId}") => {
            vec![
                ("400 API-40", with_query(on(OPEN), "?asof=yesterday")),
                ("404 API-7", with_another_id(on(OPEN))),
            ]
        }
        (_, one) if one.starts_with('{') => vec![("404 API-7", with_another_id(on(OPEN)))],
        ("GET", "statetaxes") if path.starts_with("/companies") => Vec::new(),
        ("GET", "compensation" | "paystandards" | "i9status" | "profileimage") => Vec::new(),
        _ => vec![("400 API-40", with_query(on(OPEN), "?limit=-1"))],
    });
    rows
}

/// Returns the test cases of the operation that removes the checks of a pay period.
fn removal_cases(on: &impl Fn(&str) -> Request) -> Vec<CodeCase> {
    vec![
        ("400 API-40", with_query(on(OPEN), "?payperiodid=NONE&deletebyuserid=true")),
        ("400 API-40", with_query(on(OPEN), "?payperiodid=ENTRY&deletebyuserid=false")),
        ("400 API-49", with_query(on(OPEN), "?payperiodid=ENTRY")),
        ("400 API-51", with_query(on(OPEN), "?payperiodid=COMPLETED&deletebyuserid=true")),
        ("423 API-10", on(LOCKED)),
    ]
}

/// Replaces the query in the URL of the request.
fn with_query(mut request: Request, query: &str) -> Request {
    let path = request.target.split('?').next().unwrap_or_default();
    request.target = format!("{path}{query}");
    request
}

fn valid_field() -> Value {
    json!({"customFieldName": "Hat size", "type": "NUMERIC"})
}

fn add_checks_cases() -> Vec<CodeCase> {
    let open = |body: Value| Request::post_checks(OPEN, &body);
    let line = |member: &str, value: &str| open(check_with_line_member(member, value));
    vec![
        ("400 API-28", open(check_with_line(json!({"componentId": "BONUS", "payAmount": "10000"})))),
        ("400 API-40", open(check_with("payPeriodId", "NONE"))),
        ("400 API-46", open(check_without("workerId"))),
        ("400 API-47", line("payUnits", "1")),
        ("400 API-48", line("payHours", "eight")),
        ("400 API-51", open(check_with("payPeriodId", "COMPLETED"))),
        ("400 API-52", open(json!([]))),
        (
            "400 API-53",
            open(json!([
                check_with_correlation_id("a"),
                with_member(check_with_correlation_id("b"), "payPeriodId", "INITIAL")
            ])),
        ),
        ("400 API-54", open(json!([check_with_correlation_id("a"), check_without("workerId")]))),
        ("400 API-55", open(check_with("workerId", "NOBODY"))),
        ("400 API-56", open(json!([check_with_correlation_id("a"), check_with_correlation_id("a")]))),
        (
            "400 API-57",
            open(with_member(check_with_line_member("componentId", "OVERTIME"), "workerId", "EXEMPT")),
        ),
        ("400 API-60", line("componentId", "GARNISHMENT")),
        ("400 API-65", line("componentId", "SAVINGS")),
        ("400 API-69", line("payRateId", "FUTURE")),
        ("400 API-70", open(check_with("workerId", "RATELESS"))),
        ("405 API-51", open(check_with("paycheckId", "PROCESSED-1"))),
        ("413 API-44", open(checks_document(101))),
        ("415 API-415", open(valid_check()).header("content-type", "text/plain")),
        ("423 API-10", Request::post_checks(LOCKED, &valid_check())),
    ]
}

/// Returns the test cases of the operation that adds checks at the path of a worker. Cases with an invalid
/// worker in the path are omitted.
fn worker_check_cases() -> Vec<CodeCase> {
    let to =
        |worker: &str, request: Request| Request { target: format!("/workers/{worker}/checks"), ..request };
    let of = |body: &Value| to("EMPLOYEE", Request::post_checks(OPEN, body));
    let mut rows = vec![
        ("400 API-46", of(&check_without("payPeriodId"))),
        ("400 API-54", of(&json!([check_with_correlation_id("a"), check_without("payPeriodId")]))),
        ("400 API-48", of(&check_with("workerId", "COLLEAGUE"))),
        (
            "423 API-10",
            to(sample_worker_id(LOCKED), Request::post_checks(LOCKED, &check_without("workerId"))),
        ),
    ];
    let others = add_checks_cases()
        .into_iter()
        .filter(|(refusal, _)| !["400 API-46", "400 API-54", "400 API-55", "423 API-10"].contains(refusal));
    rows.extend(others.map(|(refusal, request)| {
        let body: Value =
            serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
        let first = if body.is_array() { &body[0] } else { &body };
        let worker = first["workerId"].as_str().unwrap_or("EMPLOYEE").to_owned();
        (refusal, to(&worker, request))
    }));
    rows
}

fn field_cases() -> Vec<CodeCase> {
    let post = |field: Value| Request::post_custom_field(OPEN, &field);
    vec![
        ("400 API-40", post(json!(7))),
        ("400 API-40", Request::post_custom_field(OPEN, &valid_field()).body("{")),
        ("400 API-46", post(json!({"customFieldName": "Hat size"}))),
        ("400 API-47", post(with_member(valid_field(), "textValue", "large"))),
        ("400 API-48", post(json!({"customFieldName": "Hat size", "type": "COLOUR"}))),
        ("400 API-48", post(json!({"customFieldName": "Badge", "type": "TEXT"}))),
        ("400 API-52", post(json!({}))),
        ("413 API-413", post(valid_field()).body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", post(valid_field()).header("content-type", CHECKS)),
        ("415 API-415", Request::post_custom_field(BARE, &valid_field()).without_header("content-type")),
    ]
}

fn field_change_cases() -> Vec<CodeCase> {
    let good = Request::patch(format!("/companies/{OPEN}/customfields/SHIRT"), &json!({"required": true}));
    let patch = |body: Value| good.clone().json(&body);
    vec![
        ("400 API-40", good.clone().body("{")),
        ("400 API-46", patch(json!({"customFieldName": null}))),
        ("400 API-47", patch(json!({"textValue": "large"}))),
        ("400 API-48", patch(json!({"customFieldName": "Badge"}))),
        ("400 API-52", patch(json!({}))),
        ("404 API-7", with_another_id(good.clone())),
        ("412 API-412", good.clone().if_match("\"1\"")),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]
}

fn category_cases() -> Vec<CodeCase> {
    let good = Request::post(
        format!("/companies/{OPEN}/customfieldscategories"),
        &json!({"categoryName": "Footwear"}),
    );
    let post = |body: Value| good.clone().json(&body);
    vec![
        ("400 API-40", good.clone().body("{")),
        ("400 API-46", post(json!({"default": false}))),
        ("400 API-47", good.clone().body(r#"{"categoryName": "A", "categoryName": "B"}"#)),
        ("400 API-48", post(json!({"categoryName": "Uniform"}))),
        ("400 API-52", post(json!({}))),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]
}

fn job_cases(good: Request) -> Vec<CodeCase> {
    let post = |job: Value| good.clone().json(&job);
    vec![
        ("400 API-40", post(json!(7))),
        ("400 API-46", post(json!({"startDate": "2026-01-01"}))),
        ("400 API-47", good.clone().body(r#"{"jobName": "A", "jobName": "B"}"#)),
        ("400 API-48", post(json!({"jobName": "A", "jobNumber": {"segment1": "LONG", "segment2": "B"}}))),
        ("400 API-52", post(json!({}))),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]
}

fn job_change_cases(good: Request) -> Vec<CodeCase> {
    let patch = |job: Value| good.clone().json(&job);
    vec![
        ("400 API-34", patch(json!({"endDate": "1999-01-01"}))),
        ("400 API-40", good.clone().body("{")),
        ("400 API-46", patch(json!({"jobName": null}))),
        ("400 API-47", good.clone().body(r#"{"jobName": "A", "jobName": "B"}"#)),
        ("400 API-48", patch(json!({"jobNumber": {"segment1": "LONG"}}))),
        ("400 API-52", patch(json!({}))),
        ("404 API-7", with_another_id(good.clone())),
        ("412 API-412", good.clone().if_match("\"1\"")),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]
}

fn category_change_cases() -> Vec<CodeCase> {
    let good = valid_request("PATCH", "/companies/{companyId}/customfieldscategories/{categoryId}", OPEN);
    let patch = |body: Value| good.clone().json(&body);
    vec![
        ("400 API-40", good.clone().body("{")),
        ("400 API-46", patch(json!({"categoryName": null}))),
        ("400 API-47", good.clone().body(r#"{"categoryName": "A", "categoryName": "B"}"#)),
        ("400 API-48", patch(json!({"categoryName": "General"}))),
        ("400 API-52", patch(json!({}))),
        ("404 API-7", with_another_id(good.clone())),
        ("412 API-412", good.clone().if_match("\"1\"")),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]
}
