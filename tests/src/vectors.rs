//! Tests that the API returns the faults that the test vectors of the domain crate expect. Programs that
//! embed the rules use the same test vectors.

use std::collections::BTreeMap;

use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{
    Request, Response, START_TIME, Server, grant_to_application, import_line, on_every_database,
};

/// A JSON object whose members are kept as raw text, because the order of their members matters.
type RawObject = BTreeMap<String, Box<RawValue>>;

fn read_vectors() -> RawObject {
    serde_json::from_str(include_str!("../../crates/domain/vectors/checks.json")).expect("an object")
}

fn member_value(object: &RawObject, name: &str) -> Value {
    object.get(name).map_or(Value::Null, |member| serde_json::from_str(member.get()).expect("JSON"))
}

/// Sends the body of a test vector as a dry run.
async fn send_case(server: &mut Server, company_id: &str, case: &RawObject) -> Response {
    let text = member_value(case, "text");
    let body = text.as_str().map_or_else(|| case["body"].get().to_owned(), str::to_owned);
    let mut request = Request::post_checks_raw(company_id, body);
    request.target.push_str("?dryrun=true");
    server.send(&request).await
}

/// Returns the code, pointer and correlation id of each error in a response.
fn faults(response: &Response) -> Value {
    if response.is_success() {
        return json!([]);
    }
    let mut errors = response.errors();
    for error in &mut errors {
        let members = error.as_object_mut().expect("an object");
        members.retain(|name, _| matches!(name.as_str(), "code" | "pointer" | "correlationId"));
    }
    errors.into()
}

#[test]
fn the_api_returns_the_results_of_the_test_vectors() {
    let vectors = read_vectors();
    assert_eq!(Timestamp::parse(member_value(&vectors, "now").as_str().expect("text")), Ok(START_TIME));
    let companies = member_value(&vectors, "companies");
    let cases: Vec<RawObject> = serde_json::from_str(vectors["cases"].get()).expect("objects");
    on_every_database(async |server| {
        for company in companies.as_object().expect("companies by name").values() {
            import_line(&*server.store, company).await;
            grant_to_application(
                &*server.store,
                "partner",
                company["companyId"].as_str().expect("an id"),
                Scopes::all(),
            )
            .await;
        }
        // The application of this test has sent no checks before. Test vectors that expect the rejection of a
        // correlation id that was used before are therefore skipped.
        for case in cases.iter().filter(|case| !case.contains_key("usedCorrelationIds")) {
            let company = &companies[member_value(case, "company").as_str().expect("a name")];
            let response = send_case(server, company["companyId"].as_str().expect("an id"), case).await;
            assert_eq!(faults(&response), member_value(case, "faults"), "{}: {response:?}", case["name"]);
        }
    });
}
