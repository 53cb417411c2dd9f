//! Tests of the validator for responses and notifications, with hand-made examples that violate an OpenAPI
//! description.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::operations::JSON;
use crate::support::description::Description;
use crate::support::received::Received;
use crate::support::{Request, Response, on_every_database};

/// Returns an OpenAPI description with one operation and one webhook.
fn test_description() -> Description {
    let things = json!({"$ref": "#/components/schemas/Things"});
    let part =
        json!({"type": "object", "properties": {"madeDate": {"type": "string", "format": "date-time"}}});
    let parts = json!({"type": "array", "items": {"anyOf": [part, {"type": "integer"}]}});
    let id = json!({"required": true, "schema": {"type": "string"}});
    let refused = json!({"type": "object", "properties": {"errors": {"type": "array"}}});
    let example = json!({"value": {"errors": [{"code": "API-2"}]}});
    let responses = json!({
        "403": {"content": {JSON: {"schema": refused, "examples": {"NotAuthorized": example}}}},
        "200": {"headers": {"x-id": id}, "content": {JSON: {"schema": things}}},
        "204": {"description": "Nothing."},
    });
    let reported = json!({
        "parameters": [{"name": "webhook-signature", "in": "header", "required": true}],
        "requestBody": {"content": {JSON: {"schema": things}}},
    });
    let description = json!({
        "paths": {"/things/{thingId}": {"get": {"responses": responses}}},
        "webhooks": {"THINGS": {"post": reported}},
        "components": {"schemas": {"Things": {
            "type": "object",
            "properties": {"parts": parts, "domains": {"type": "array"}},
        }}},
    });
    Description::read(&description.to_string())
}

fn response(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Response {
    let header = |(name, value): &(&'static str, &'static str)| {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    let headers: HeaderMap = headers.iter().map(header).collect();
    Response { status, headers, body: body.as_bytes().to_vec() }
}

/// Headers of a response that match the description.
const HEADERS: &[(&str, &str)] = &[("x-id", "1"), ("content-type", JSON)];

#[test]
fn an_invalid_response_is_reported_with_operation_and_pointer() {
    const PLAIN_TEXT_HEADERS: &[(&str, &str)] = &[("x-id", "1"), ("content-type", "text/plain")];
    const HEADERS_WITHOUT_ID: &[(&str, &str)] = &[("content-type", JSON)];
    let cases = [
        (response(200, HEADERS, r#"{"parts": [1, {"madeDate": "2026-06-05T00:00:00Z"}]}"#), None),
        (response(204, &[], ""), None),
        (response(403, HEADERS, r#"{"errors": [{"code": "API-2"}]}"#), None),
        (
            response(403, HEADERS, r#"{"errors": [{"code": "API-2"}, {"code": "API-7"}]}"#),
            Some("403 /errors/1/code: API-7 is not described for this status"),
        ),
        (response(202, HEADERS, "{}"), Some("202: this status is not described")),
        (response(200, PLAIN_TEXT_HEADERS, "{}"), Some("200: the Content-Type text/plain is not described")),
        (response(200, HEADERS_WITHOUT_ID, "{}"), Some("200: there is no header x-id")),
        (response(200, HEADERS, ""), Some("200: there is no body")),
        (response(200, HEADERS, "{"), Some("200: not JSON: EOF while parsing an object at line 1 column 1")),
        (response(204, &[], "{}"), Some("204: its body is not described")),
        (response(200, HEADERS, "[]"), Some(r#"200: [] is not of type "object""#)),
        (
            response(200, HEADERS, r#"{"more": 1}"#),
            Some("200: Additional properties are not allowed ('more' was unexpected)"),
        ),
        (
            response(200, HEADERS, r#"{"parts": [1, {"more": 1}]}"#),
            Some("200 /parts/1: Additional properties are not allowed ('more' was unexpected)"),
        ),
        (
            response(200, HEADERS, r#"{"parts": [{"madeDate": "today"}]}"#),
            Some(r#"200 /parts/0/madeDate: "today" is not a "date-time""#),
        ),
    ];
    let (described, request) = (test_description(), Request::get("/things/1?some=query"));
    for (response, fault) in cases {
        let expected: Vec<_> =
            fault.map(|fault| format!("GET /things/{{thingId}} {fault}")).into_iter().collect();
        // If a value does not match any of several schemas, the faults of the closest schema are reported.
        assert_eq!(described.faults(&request, &response), expected);
    }
}

#[test]
fn a_response_to_an_unknown_operation_is_not_checked() {
    let described = test_description();
    for request in [Request::get("/things"), Request::get("/things/"), Request::post("/things/1", &json!({}))]
    {
        assert_eq!(described.faults(&request, &response(418, &[], "?")), Vec::<String>::new(), "{request:?}");
    }
}

#[test]
fn an_invalid_notification_is_reported_with_its_domain() {
    let received = |domain: &str, more: Value| Received {
        method: "POST".to_owned(),
        target: "/in".to_owned(),
        headers: [("webhook-id", "1"), ("webhook-signature", "v1,a"), ("content-type", JSON)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        body: json!({"domains": [domain], "parts": more}).to_string().into_bytes(),
    };
    let described = test_description();
    let faults = |received: &Received| described.notification_faults(received);
    let good = received("THINGS", json!([1]));
    assert_eq!(faults(&good), Vec::<String>::new());
    assert_eq!(faults(&received("OTHERS", json!([]))), [r#"POST "OTHERS": this webhook is not described"#]);
    assert_eq!(
        faults(&received("THINGS", json!({}))),
        [r#"POST "THINGS" /parts: {} is not of type "array""#]
    );
    let mut unsigned = good;
    unsigned.headers.remove("webhook-signature");
    assert_eq!(faults(&unsigned), [r#"POST "THINGS": there is no header webhook-signature"#]);
}

#[test]
fn the_description_of_the_operator_api_is_public() {
    on_every_database(async |server| {
        let response = server.operator_get("/openapi.json").await;
        assert_eq!(
            (response.status, response.text().as_str()),
            (200, Description::OPERATOR_DESCRIPTION_TEXT)
        );
        let page = server.operator_get("/docs/").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    });
}

#[test]
fn responses_are_checked_against_the_served_description_with_closed_objects() {
    on_every_database(async |server| {
        let served = server.send(&Request::get("/openapi.json")).await.text();
        assert_eq!(served, Description::PARTNER_TEXT);
        let request = Request::get("/companies/OPEN");
        let mut response = server.send(&request).await;
        let mut body = response.json();
        body["content"][0]["legalId"]["undeclared"] = json!(true);
        response.body = body.to_string().into_bytes();
        assert_eq!(
            Description::partner_description().faults(&request, &response),
            [
                "GET /companies/{companyId} 200 /content/0/legalId: Additional properties are not allowed ('undeclared' was unexpected)"
            ]
        );
    });
}

#[test]
fn a_completed_check_with_a_member_of_an_open_check_is_reported() {
    on_every_database(async |server| {
        let request = Request::get("/companies/OPEN/checks?payperiodid=COMPLETED").accept(JSON);
        let mut response = server.send(&request).await;
        let mut body = response.json();
        body["content"][0]["blockAutoDistribution"] = json!(true);
        response.body = body.to_string().into_bytes();
        assert!(
            !Description::partner_description().faults(&request, &response).is_empty(),
            "of the other state"
        );
    });
}

#[test]
fn every_example_fits_its_schema() {
    for text in [Description::PARTNER_TEXT, Description::OPERATOR_DESCRIPTION_TEXT] {
        let faults = Description::find_example_faults(text);
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

#[test]
fn the_description_is_compressed_only_for_clients_that_accept_gzip() {
    on_every_database(async |server| {
        let request = Request::get("/openapi.json");
        let plain = server.send(&request).await;
        assert_eq!((plain.header("content-encoding"), plain.header("vary")), ("", "Accept-Encoding"));
        for refusing in ["identity", "gzip;q=0"] {
            let response = server.send(&request.clone().header("accept-encoding", refusing)).await;
            assert_eq!(response.body, plain.body, "{refusing}");
        }
        let gzip = server.send_unchecked(&request.header("accept-encoding", "br, gzip")).await;
        assert_eq!((gzip.status, gzip.header("content-encoding")), (200, "gzip"));
        assert_eq!(gzip.body[..2], [0x1f, 0x8b]);
        assert!(gzip.body.len() < plain.body.len() / 10, "{}", gzip.body.len());
        assert_ne!(gzip.header("etag"), plain.header("etag"));
    });
}
