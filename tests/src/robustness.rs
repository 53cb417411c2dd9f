//! Tests unusual values at every position of a request. The server must report a fault and must not fail, and
//! the response must be the same on each database. The test client verifies the envelope and the documented
//! statuses, so these tests only exclude 500 and 503.

use serde_json::{Map, Value, json};

use crate::operations::OPERATIONS;
use crate::support::{
    Caller, OPEN, Request, Server, check_with_line, on_every_database, raw, valid_request, with_member,
};

/// Unusual texts that the test uses as values.
const UNUSUAL_TEXTS: &[&str] = &[
    "",
    " ",
    "\u{0}",
    "\u{1}",
    "\u{7f}",
    "\u{feff}",
    "\u{ffff}",
    "\u{10ffff}",
    "é",
    "💰",
    "'",
    "\\",
    "%00",
    "-1",
];

/// Returns values that the server does not expect in a member of a body.
fn unusual_values() -> Vec<Value> {
    let mut values: Vec<Value> = UNUSUAL_TEXTS.iter().map(|&text| text.into()).collect();
    values.push("x".repeat(65).into());
    values.push("9".repeat(400).into());
    values.extend([
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(i64::MIN),
    ]);
    values.extend([
        json!(f64::MAX),
        json!(5e-324),
        json!([]),
        json!({}),
        json!([[]]),
        json!([{}]),
        json!({"a": {}}),
    ]);
    values
}

/// Returns a check that contains every member.
fn full_check() -> Value {
    let line = json!({
        "componentId": "HOURLY", "payHours": "8", "payRate": "20", "payRateId": "NIGHT", "payUnits": "1",
        "payAmount": "5", "memoed": true, "lineDate": "2026-05-05", "jobId": "OVENS", "laborAssignmentId": "NIGHT",
        "organization": {"organizationId": "BAKERY", "name": "x"},
    });
    let check = with_member(check_with_line(line.clone()), "paycheckId", "NONE");
    let check = with_member(check, "blockAutoDistribution", true);
    with_member(with_member(check, "deductions", vec![line.clone()]), "informational", vec![line])
}

/// Returns copies of the value. In each copy, the unusual value `odd` replaces the value at another position.
fn invalid_variants(value: &Value, odd: &Value) -> Vec<Value> {
    let mut all = vec![odd.clone()];
    match value {
        Value::Object(members) => all.extend(members.iter().flat_map(|(name, member)| {
            let replace = |new| {
                let mut members: Map<String, Value> = members.clone();
                members.insert(name.clone(), new);
                Value::Object(members)
            };
            invalid_variants(member, odd).into_iter().map(replace).collect::<Vec<_>>()
        })),
        Value::Array(elements) => {
            all.extend(
                elements
                    .iter()
                    .flat_map(|element| invalid_variants(element, odd))
                    .map(|new| Value::Array(vec![new])),
            );
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

/// Sends requests and checks that the server does not fail.
async fn assert_no_server_error(server: &Server, requests: impl IntoIterator<Item = Request>) {
    for request in requests {
        let response = server.send(&request).await;
        assert!(response.status < 500, "{request:?}: {response:?}");
    }
}

#[test]
fn any_value_in_any_member_of_a_check_is_validated() {
    let bodies: Vec<Value> =
        unusual_values().iter().flat_map(|odd| invalid_variants(&full_check(), odd)).collect();
    on_every_database(async |server| {
        let request = |body: &Value| Request::post_checks(OPEN, body);
        assert_no_server_error(server, bodies.iter().map(request)).await;
    });
}

#[test]
fn any_value_in_any_member_of_a_custom_field_is_validated() {
    let fields = [
        json!({"customFieldName": "a", "categoryId": "GENERAL", "type": "TEXT", "textValue": "a", "maxTextLength": 9}),
        json!({"customFieldName": "b", "type": "BOOLEAN", "booleanValue": true, "required": true, "checkStub": true}),
        json!({"customFieldName": "c", "type": "DATE", "dateValue": "2026-05-05", "employeeEditable": true}),
        json!({"customFieldName": "d", "type": "NUMERIC__0_0000_", "numericValue": 1.5}),
        json!({"customFieldName": "e", "type": "DROPDOWN", "dropdown": [{"dropdownValue": "a", "dropdownDefault": true}]}),
    ];
    let odd = unusual_values();
    let bodies: Vec<Value> =
        fields.iter().flat_map(|field| odd.iter().flat_map(|odd| invalid_variants(field, odd))).collect();
    on_every_database(async |server| {
        let request = |body: &Value| Request::post_custom_field(OPEN, body);
        assert_no_server_error(server, bodies.iter().map(request)).await;
        let list = server.send(&Request::get(format!("/companies/{OPEN}/customfields"))).await;
        assert_eq!(list.status, 200, "whatever was let in can be read: {list:?}");
    });
}

/// Values that the server does not expect in a query parameter.
const UNUSUAL_PARAMETERS: &[&str] = &[
    "",
    "%00",
    "%FF",
    "%",
    "%zz",
    "%E2%82%AC",
    "-0",
    "00",
    "1e9",
    "2147483648",
    "99999999999999999999",
    "NaN",
    "null",
    "true%20",
    "%27%3B--",
    "%25",
    "+",
    "a&a",
    "%F0%9F%92%B0",
];

#[test]
fn any_value_of_any_parameter_is_validated() {
    on_every_database(async |server| {
        for operation in OPERATIONS.iter().filter(|it| it.method == "GET") {
            let good = valid_request("GET", operation.path, OPEN);
            let mark = if good.target.contains('?') { '&' } else { '?' };
            let names =
                ["offset", "limit", "displayid", "includelineage", "payperiodid", "filterbyuserid", "dryrun"];
            let with_parameter = |name: &str, value: &str| Request {
                target: format!("{}{mark}{name}={value}", good.target),
                ..good.clone()
            };
            let requests = names
                .iter()
                .flat_map(|name| UNUSUAL_PARAMETERS.iter().map(|value| with_parameter(name, value)));
            assert_no_server_error(server, requests).await;
        }
    });
}

/// Request headers to which the tests give unusual values.
const TESTED_HEADERS: &[&str] = &[
    "accept",
    "authorization",
    "content-type",
    "content-length",
    "etag",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "if-none-match",
    "range",
    "upgrade",
    "x-forwarded-host",
    "x-vendor-client-correlationid",
    "x-vendor-sid",
];

/// Values that the server does not expect in a request header.
const UNUSUAL_HEADER_VALUES: &[&[u8]] = &[
    b"",
    b" ",
    b",",
    b";",
    b"*",
    b"W/",
    b"\"",
    b"\xff\xfe",
    b"a\tb",
    b"-1",
    b"0",
    b"application/json;q=2",
    b"*/*;q=0",
    b"a/b/c",
    b"100-continue",
    b"h2c",
    b"bytes=0-",
    b"application/json;q=",
    b";q=1,,/,",
    b"[::1",
    b"a b",
    b"x@y:99999",
    b"..",
    b"%zz",
];

#[test]
fn any_value_of_any_header_is_validated() {
    on_every_database(async |server| {
        let token = server.authorization(Caller::Partner).await.expect("a token");
        for name in TESTED_HEADERS {
            for value in UNUSUAL_HEADER_VALUES {
                let mut bytes =
                    format!("GET /companies HTTP/1.1\r\nAuthorization: {token}\r\n{name}: ").into_bytes();
                bytes.extend(*value);
                bytes.extend(b"\r\nHost: x\r\nConnection: close\r\n\r\n");
                let response = raw::exchange_bytes(&server.address, &bytes).await;
                let status = raw::response_status(&response);
                assert!((200..500).contains(&status), "{name}: {value:?}: {response}");
            }
        }
    });
}

#[test]
fn text_of_any_language_is_returned_unchanged() {
    on_every_database(async |server| {
        let name = "Größe 大きさ 💰 \u{301}e \"'\\/<>&";
        let field = json!({"customFieldName": name, "type": "TEXT", "textValue": name});
        server.send(&Request::post_custom_field(OPEN, &field)).await;
        let listed = server.send(&Request::get(format!("/companies/{OPEN}/customfields"))).await.content();
        let last = listed.last().expect("the new field");
        assert_eq!((&last["customFieldName"], &last["textValue"]), (&json!(name), &json!(name)));
    });
}
