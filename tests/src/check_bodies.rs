//! Tests of invalid bodies in POST of checks: malformed, too deep, too large, with duplicate members,
//! incomplete. Each body gets a clear error, and nothing is stored.

use serde_json::{Value, json};

use crate::support::{
    OPEN, Request, check_with, check_with_correlation_id, checks_document, on_every_database, valid_check,
    with_member,
};

/// Sends each invalid body, and compares the status and the codes of the response with the expected ones.
fn assert_rejected(cases: Vec<(Vec<u8>, &'static str)>) {
    on_every_database(async |server| {
        for (body, refusal) in &cases {
            let response = server.send(&Request::post_checks_raw(OPEN, body.clone())).await;
            assert_eq!(response.status_and_code(), *refusal, "{:.80}", String::from_utf8_lossy(body));
        }
        assert_eq!(server.count_stored_checks().await, 0);
    });
}

/// Returns the JSON text of the valid check, in which `new` replaces the text `old`.
fn valid_check_text_with(old: &str, new: &str) -> Vec<u8> {
    let text = valid_check().to_string();
    assert!(text.contains(old), "{old} in {text}");
    text.replace(old, new).into_bytes()
}

#[test]
fn invalid_json_gets_only_api_40() {
    let cut = valid_check().to_string();
    let texts: Vec<Vec<u8>> = vec![
        b"x".to_vec(),
        b"{".to_vec(),
        cut.as_bytes()[..cut.len() - 1].to_vec(),
        format!("{cut} {cut}").into_bytes(),
        b"[1,]".to_vec(),
        b"{\"a\":01}".to_vec(),
        b"[NaN]".to_vec(),
        b"\"text\"".to_vec(),
        b"7".to_vec(),
        b"null".to_vec(),
        b"true".to_vec(),
        valid_check_text_with("a1", "a\u{1}1"),
    ];
    assert_rejected(texts.into_iter().map(|text| (text, "400 API-40")).collect());
}

#[test]
fn invalid_unicode_gets_only_api_40() {
    let mut latin = valid_check_text_with("a1", "a?1");
    let place = latin.iter().position(|byte| *byte == b'?').expect("the mark");
    latin[place] = 0xe9;
    let mut marked = vec![0xef, 0xbb, 0xbf];
    marked.extend(valid_check().to_string().into_bytes());
    let utf_16: Vec<u8> = valid_check().to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_rejected(vec![
        (latin, "400 API-40"),
        (marked, "400 API-40"),
        (utf_16, "400 API-40"),
        (valid_check_text_with("a1", "\\ud800"), "400 API-40"),
        (valid_check_text_with("a1", "\\udc00\\ud800"), "400 API-40"),
    ]);
}

#[test]
fn an_empty_body_gets_only_api_52() {
    let empty = ["", " \r\n\t", "[]", "{}", " [ ] "].map(|text| (text.as_bytes().to_vec(), "400 API-52"));
    assert_rejected(empty.to_vec());
}

#[test]
fn sixty_four_nesting_levels_are_accepted_and_one_more_is_rejected() {
    let nested = |levels: usize| {
        let unread = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        format!("{{\"unread\":{unread},\"workerId\":\"NOBODY\"}}").into_bytes()
    };
    let missing = "400 API-46 API-55 API-46 API-46";
    assert_rejected(vec![(nested(63), missing), (nested(64), "400 API-40"), (nested(100_000), "400 API-40")]);
}

#[test]
fn a_hundred_checks_are_stored_and_one_more_gets_413_api_44() {
    on_every_database(async |server| {
        let statuses = [
            server.send(&Request::post_checks(OPEN, &checks_document(100))).await.status_and_any_code(),
            server.send(&Request::post_checks(OPEN, &checks_document(101))).await.status_and_any_code(),
        ];
        assert_eq!(statuses, ["201", "413 API-44"]);
        assert_eq!(server.count_stored_checks().await, 100);
    });
}

#[test]
fn a_body_over_the_byte_limit_gets_413_api_44() {
    let padded = format!("{}{}", valid_check(), " ".repeat(2 * 1024 * 1024)).into_bytes();
    assert_rejected(vec![(padded, "413 API-44")]);
}

#[test]
fn a_duplicate_member_gets_api_47_and_has_no_value() {
    let twice = |member: &str| {
        valid_check_text_with(&format!("\"{member}\":"), &format!("\"{member}\":\"x\",\"{member}\":"))
    };
    on_every_database(async |server| {
        for (member, pointer) in [("workerId", "/workerId"), ("payHours", "/earnings/0/payHours")] {
            let response = server.send(&Request::post_checks_raw(OPEN, twice(member))).await;
            assert_eq!(response.faults(), [format!("API-47 {pointer}")]);
        }
    });
}

#[test]
fn a_number_with_an_exponent_gets_api_48_at_its_pointer() {
    on_every_database(async |server| {
        let body = valid_check_text_with("\"8\"", "8e0");
        let response = server.send(&Request::post_checks_raw(OPEN, body)).await;
        assert_eq!(response.faults(), ["API-48 /earnings/0/payHours"]);
    });
}

#[test]
fn ignored_members_may_have_any_value_and_may_be_duplicate() {
    on_every_database(async |server| {
        let unread = "\"a1\",\"checkDate\":7,\"checkDate\":8,\"unread\":null,\"unread\":{\"links\":[1e400]}";
        let response =
            server.send(&Request::post_checks_raw(OPEN, valid_check_text_with("\"a1\"", unread))).await;
        assert_eq!(response.status, 201, "{response:?}");
    });
}

#[test]
fn a_text_of_ten_thousand_characters_is_rejected_at_its_pointer() {
    let long = "x".repeat(10_000);
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for member in ["workerId", "payPeriodId", "checkCorrelationId", "paycheckId"] {
            let response = server.send(&Request::post_checks(OPEN, &check_with(member, long.clone()))).await;
            reported.push(response.status_and_any_code());
        }
        assert_eq!(reported, ["400 API-55", "400 API-40", "400 API-48", "201"]);
    });
}

#[test]
fn a_nul_in_an_id_is_rejected_at_its_pointer() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for member in ["workerId", "payPeriodId", "checkCorrelationId"] {
            let response = server.send(&Request::post_checks(OPEN, &check_with(member, "a\u{0}b"))).await;
            reported.extend(response.faults());
        }
        assert_eq!(reported, ["API-55 /workerId", "API-40 /payPeriodId", "API-48 /checkCorrelationId"]);
    });
}

#[test]
fn one_invalid_check_among_a_hundred_rejects_all() {
    on_every_database(async |server| {
        let mut all = checks_document(100);
        all[99] = with_member(check_with_correlation_id("last"), "workerId", "NOBODY");
        let response = server.send(&Request::post_checks(OPEN, &all)).await;
        assert_eq!(response.faults(), ["API-55 /99/workerId"]);
        assert_eq!(server.count_stored_checks().await, 0);
    });
}

#[test]
fn a_description_does_not_repeat_a_long_value() {
    on_every_database(async |server| {
        let secret = "very-secret".repeat(50);
        let response = server.send(&Request::post_checks(OPEN, &check_with("workerId", secret))).await;
        let descriptions: Vec<Value> = response.errors().iter().map(|it| it["description"].clone()).collect();
        assert!(!json!(descriptions).to_string().contains("very-secret"), "{descriptions:?}");
    });
}
