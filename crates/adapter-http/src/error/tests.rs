//! Statuses of refusals, and docs/errors.md, which is printed from them.

use std::fmt::Write;
use std::path::Path;

use actix_web::body::MessageBody;

use super::*;

/// Set to rewrite docs/errors.md instead of comparing it.
const UPDATE: &str = "UPDATE_DOCS";

#[test]
fn docs_errors_md_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let printed = page();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == printed, "docs/errors.md is out of date: run this test with {UPDATE}=1");
}

fn page() -> String {
    let mut page = String::from(
        "# Codes and statuses\n\n\
         Printed from the table in `crates/domain/src/code.rs` and the mapping in \
         `crates/adapter-http/src/error.rs` by a test; to print it again:\n\n\
         ```sh\nUPDATE_DOCS=1 cargo test -p payroll-adapter-http docs_errors_md\n```\n\n\
         Several faults of one request are answered together; where their statuses differ, with 400.\n\n\
         | Status | Code | When | What to do |\n|---|---|---|---|\n",
    );
    let mut rows: Vec<_> =
        Reason::ALL.iter().map(|reason| (status(reason.kind()).as_u16(), *reason)).collect();
    rows.sort_by_key(|(status, _)| *status);
    for (status, reason) in rows {
        let resolution = reason.resolution().unwrap_or("–");
        writeln!(page, "| {status} | {} | {} | {resolution} |", reason.code(), reason.summary()).unwrap();
    }
    page
}

fn answer(failure: Failure) -> (u16, serde_json::Value, HttpResponse) {
    let response = failure.into_response("request");
    let status = response.status().as_u16();
    let (response, body) = response.into_parts();
    let body = body.try_into_bytes().unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default(), response.set_body(()).map_into_boxed_body())
}

#[test]
fn faults_of_one_status_keep_it_and_others_together_are_400() {
    let both =
        |second: Reason| Failure::from(Violations::from(Reason::CheckNotModifiable).and([second.into()]));
    assert_eq!(answer(both(Reason::CheckNotModifiable)).0, 405);
    assert_eq!(answer(both(Reason::ForeignWorker)).0, 400);
}

#[test]
fn an_error_says_code_and_place_and_leaves_out_what_it_lacks() {
    let fault = Violation::new(Reason::MethodUnsupported, "No.");
    let (_, body, response) = answer(fault.into());
    assert_eq!(body.to_string(), r#"{"errors":[{"code":"API-59","description":"No."}]}"#);
    assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
}

#[test]
fn every_405_and_nothing_else_tells_the_methods() {
    let told = |reason: Reason| {
        let methods = HeaderValue::from_static("GET, POST");
        answer(Failure::from(reason).allowing(methods)).2.headers().contains_key(ALLOW)
    };
    assert!(told(Reason::MethodUnsupported) && told(Reason::CheckNotModifiable));
    assert!(!told(Reason::PeriodClosed) && !told(Reason::CompanyLocked));
}

#[test]
fn an_error_of_the_token_operation_says_it_for_oauth_too() {
    let failure =
        Failure::from(Violation::new(Reason::TooManyRequests, "Wait.")).with_oauth_error("invalid_request");
    let (status, body, _) = answer(failure.with_oauth_error("ignored"));
    assert_eq!(
        (status, &body["error"], &body["error_description"]),
        (429, &"invalid_request".into(), &"Wait.".into())
    );
}

#[test]
fn what_the_storage_did_is_told_by_status_and_never_in_words() {
    let secret = || "postgres://user:password@host".into();
    let corrupt =
        StoreError::Corrupt { table: "companies", key: "secret".to_owned(), problem: "secret".to_owned() };
    let cases = [
        (StoreError::Unavailable(secret()), 503, "API-503"),
        (StoreError::CompanyBusy, 423, "API-10"),
        (corrupt, 500, "API-1"),
        (StoreError::Bug(secret()), 500, "API-1"),
    ];
    for (error, expected, code) in cases {
        let (status, body, response) = answer(error.into());
        assert_eq!((status, &body["errors"][0]["code"]), (expected, &code.into()));
        assert_eq!(response.headers().contains_key(RETRY_AFTER), expected != 500);
        assert!(!body.to_string().contains("secret") && !body.to_string().contains("password"));
    }
}
