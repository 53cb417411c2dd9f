//! Tests of the statuses, and of docs/errors.md, which is generated from the codes.

use std::fmt::Write;
use std::path::Path;

use actix_web::body::MessageBody;

use super::*;

/// The environment variable that makes the test rewrite docs/errors.md instead of comparing it.
const UPDATE_VARIABLE: &str = "UPDATE_DOCS";

/// The introduction of the page docs/errors.md.
const PAGE_PREAMBLE: &str = r#"# Codes and statuses

This page lists the codes in the order of their status, with cause and resolution. A test generates this page:

```sh not-run: it writes this page
UPDATE_DOCS=1 cargo test -p payroll-adapter-http docs_errors_md
```

Every error response has the form `{"errors": [{"code": …, "description": …, "resolution": …, "pointer": …, "correlationId": …}]}`. The last three members are optional ([Errors of a batch](guides/send-hours.md#errors-of-a-batch)). All errors of a request are reported together. If their statuses differ, the status is 400.

Most codes have commands that reproduce them on the demo, `cargo run -- demo`. Copy the values that the demo prints into the first two of the following lines. Each command prints the response and its status.

```sh
BASE=http://127.0.0.1:8080 KEY=pkc_… SECRET=pks_…
OPERATOR=http://127.0.0.1:8081/operator/v1 OPERATOR_KEY=opk_…
```

```sh
ask() { curl -sS -w '\nHTTP %{http_code}\n' "$@"; }
TOKEN=$(curl -sS $BASE/auth/oauth/v2/token -d grant_type=client_credentials \
  -d client_id=$KEY -d client_secret=$SECRET | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
CHECKS="Content-Type: application/vnd.vendor.payroll.checks.v1+json"
COMPANY=00DEMO0001COMPANY001
```
"#;

#[test]
fn docs_errors_md_matches_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let printed = render_codes_page();
    if std::env::var_os(UPDATE_VARIABLE).is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == printed, "docs/errors.md is out of date: run this test with {UPDATE_VARIABLE}=1");
}

/// The file `causes.md` has a section for each reason, with a request that causes the reason.
const CAUSES: &str = include_str!("causes.md");

fn render_codes_page() -> String {
    let mut page = String::from(PAGE_PREAMBLE);
    let mut rows: Vec<_> =
        Reason::ALL.iter().map(|reason| (status_for_kind(reason.kind()).as_u16(), *reason)).collect();
    rows.sort_by_key(|(status, _)| *status);
    for (status, reason) in rows {
        writeln!(page, "\n## {status} {}\n\n{}.", reason.code(), capitalize_first(reason.summary())).unwrap();
        if let Some(resolution) = reason.resolution() {
            writeln!(page, "\n**Resolution:** {resolution}").unwrap();
        }
        writeln!(page, "\n{}", find_cause_section(reason)).unwrap();
    }
    page
}

fn capitalize_first(summary: &str) -> String {
    summary[..1].to_uppercase() + &summary[1..]
}

fn find_cause_section(reason: Reason) -> &'static str {
    let head = format!("\n## {reason:?}\n");
    let (_, rest) = CAUSES.split_once(&head).expect("causes.md has a section for each reason");
    rest.split("\n## ").next().unwrap_or(rest).trim()
}

#[test]
fn every_section_of_causes_md_has_a_reason() {
    let names = CAUSES.split("\n## ").skip(1).filter_map(|section| section.lines().next());
    for name in names {
        assert!(Reason::ALL.iter().any(|reason| format!("{reason:?}") == name), "{name}");
    }
}

fn render_failure(failure: Failure) -> (u16, serde_json::Value, HttpResponse) {
    let response = failure.into_response("request");
    let status = response.status().as_u16();
    let (response, body) = response.into_parts();
    let body = body.try_into_bytes().unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default(), response.set_body(()).map_into_boxed_body())
}

#[test]
fn faults_get_the_status_they_share_and_otherwise_400() {
    let both = |second: Reason| {
        Failure::from(Violations::from(Reason::CheckNotModifiable).with_faults([second.into()]))
    };
    assert_eq!(render_failure(both(Reason::CheckNotModifiable)).0, 405);
    assert_eq!(render_failure(both(Reason::ForeignWorker)).0, 400);
}

#[test]
fn an_error_has_code_and_pointer_and_omits_absent_members() {
    let fault = Violation::new(Reason::MethodUnsupported, "No.");
    let (_, body, response) = render_failure(fault.into());
    assert_eq!(body.to_string(), r#"{"errors":[{"code":"API-59","description":"No."}]}"#);
    assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
}

#[test]
fn only_405_lists_the_permitted_methods() {
    let reported = |reason: Reason| {
        let methods = HeaderValue::from_static("GET, POST");
        render_failure(Failure::from(reason).with_allow_header(methods)).2.headers().contains_key(ALLOW)
    };
    assert!(reported(Reason::MethodUnsupported) && reported(Reason::CheckNotModifiable));
    assert!(!reported(Reason::PeriodClosed) && !reported(Reason::CompanyLocked));
}

#[test]
fn an_error_of_the_token_operation_contains_the_oauth_error() {
    let failure =
        Failure::from(Violation::new(Reason::TooManyRequests, "Wait.")).with_oauth_error("invalid_request");
    let (status, body, _) = render_failure(failure.with_oauth_error("ignored"));
    assert_eq!(
        (status, &body["error"], &body["error_description"]),
        (429, &"invalid_request".into(), &"Wait.".into())
    );
}

#[test]
fn storage_errors_are_reported_by_status_without_details() {
    let secret = || "postgres://user:password@host".into();
    let corrupt =
        StoreError::Corrupt { table: "companies", key: "secret".to_owned(), problem: "secret".to_owned() };
    let cases = [
        (StoreError::Unavailable(secret()), 503, "API-503"),
        (StoreError::CompanyBusy, 423, "API-10"),
        (StoreError::TotalTooLarge, 409, "API-409"),
        (corrupt, 500, "API-1"),
        (StoreError::Bug(secret()), 500, "API-1"),
    ];
    for (error, expected, code) in cases {
        let (status, body, response) = render_failure(error.into());
        assert_eq!((status, &body["errors"][0]["code"]), (expected, &code.into()));
        assert_eq!(response.headers().contains_key(RETRY_AFTER), [503, 423].contains(&expected));
        assert!(!body.to_string().contains("secret") && !body.to_string().contains("password"));
    }
}
