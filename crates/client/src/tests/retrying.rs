//! Tests of attempts, waits and idempotency keys.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::server::{Reply, Server};
use crate::error::{Error, Rejection};
use crate::retry::{MAX_DELAY, RetryPolicy, RetrySafety, parse_retry_after};
use crate::types::{CheckInput, CheckLineInput};

const BUSY: Reply = (503, "", r#"{"errors":[{"code":"API-503","description":"busy"}]}"#);
const ADDED: Reply = (
    201,
    "x-vendor-txid: 42\r\nidempotent-replayed: true\r\netag: \"7\"\r\n",
    r#"{"content":[],"links":[]}"#,
);

#[tokio::test]
async fn post_is_retried_with_the_same_key_and_body() {
    let server = Server::start(&[BUSY, (0, "", ""), ADDED]).await;
    let line = CheckLineInput::hours("HOURLY", "7.25".parse().unwrap());
    let check = CheckInput::new("W1", "P1", "row-1").earning(line);
    let added = server.client().add_checks("C1", "batch-1", &[check]).await.unwrap();
    assert!(added.is_empty());
    let received = server.received_requests();
    assert_eq!(received.len(), 3);
    for request in &received {
        assert!(request.head.starts_with("post /companies/c1/checks http/1.1"), "{}", request.head);
        assert_eq!(request.header("idempotency-key"), Some("batch-1"));
        assert_eq!(request.header("authorization"), Some("bearer t1"));
        assert_eq!(request.header("content-type"), Some("application/vnd.vendor.payroll.checks.v1+json"));
        assert_eq!(
            request.body,
            r#"[{"workerId":"W1","payPeriodId":"P1","checkCorrelationId":"row-1","earnings":[{"componentId":"HOURLY","payHours":"7.25"}]}]"#
        );
    }
}

#[tokio::test]
async fn a_post_without_a_key_gets_a_random_one_for_all_its_attempts() {
    let server = Server::start(&[BUSY, ADDED, (200, "etag: W/\"7\"\r\n", "{}")]).await;
    let client = server.client();
    let response = client.post("/workers/W1/contacts", &[1]).send::<Value>().await.unwrap();
    assert_eq!((response.status, response.is_replayed), (201, true));
    assert_eq!((response.request_id.as_deref(), response.etag.as_deref()), (Some("42"), Some("\"7\"")));
    let weak = client.post("/workers/W1/contacts", &[1]).send::<Value>().await.unwrap();
    assert_eq!(weak.etag, None);
    let received = server.received_requests();
    let keys: Vec<_> = received.iter().map(|it| it.header("idempotency-key").unwrap()).collect();
    assert_eq!(keys[0].len(), 32);
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
}

#[tokio::test]
async fn a_list_that_is_stored_in_part_is_an_error_with_the_stored_part() {
    let body = r#"{"content":[{"workerId":"W9"}],"errors":[{"code":"API-46","pointer":"/1/name"}]}"#;
    let server = Server::start(&[(207, "", body), (207, "", body)]).await;
    let client = server.client();
    let error = client.post("/companies/C1/workers", &[1, 2]).json::<Value>().await.unwrap_err();
    assert!(error.has_code("API-46"), "{error}");
    let Error::PartlyRejected(partial) = error else { panic!("{error}") };
    let stored: Value = partial.stored().unwrap();
    assert_eq!(stored["content"][0]["workerId"], "W9");
    let response = client.post("/companies/C1/workers", &[1, 2]).send::<Value>().await.unwrap();
    assert_eq!(response.status, 207);
}

#[tokio::test]
async fn a_request_for_bytes_accepts_any_media_type() {
    let server = Server::start(&[(200, "", "%PDF"), (200, "", "{}"), (200, "", "a")]).await;
    let client = server.client();
    assert_eq!(client.get("/workers/W1/documents/D1").bytes().await.unwrap().value, b"%PDF");
    client.get("/workers/W1").json::<Value>().await.unwrap();
    client.get("/workers/W1/documents/D1").accept("text/csv").bytes().await.unwrap();
    let received = server.received_requests();
    let accepted: Vec<_> = received.iter().map(|it| it.header("accept").unwrap()).collect();
    assert_eq!(accepted, ["*/*", "application/json", "text/csv"]);
}

#[tokio::test]
async fn patch_is_not_retried_after_a_lost_response() {
    for reply in [BUSY, (0, "", "")] {
        let server = Server::start(&[reply, ADDED]).await;
        let error = server.client().patch("/workers/W1", &[1]).json::<Value>().await.unwrap_err();
        assert!(matches!(error, Error::Rejected(_) | Error::Connection(_)), "{error:?}");
        assert_eq!(server.received_requests().len(), 1);
    }
    let server = Server::start(&[(429, "retry-after: 0\r\n", ""), ADDED]).await;
    server
        .client()
        .patch("/workers/W1", &[1])
        .if_match("\"7\"")
        .header("x-vendor-sid", "n1")
        .json::<Value>()
        .await
        .unwrap();
    assert_eq!(server.received_requests()[1].header("if-match"), Some("\"7\""));
    assert_eq!(server.received_requests()[1].header("x-vendor-sid"), Some("n1"));
}

#[tokio::test]
async fn attempts_are_limited_and_rejections_are_not_retried() {
    let server = Server::start(&[BUSY; 9]).await;
    let error = server.client().company("C1").await.unwrap_err();
    assert!(error.has_code("API-503"));
    assert_eq!(server.received_requests().len(), 4);

    let rejected = r#"{"errors":[{"code":"API-55","description":"no such worker","resolution":"Use another.","pointer":"/0/workerId","correlationId":"one"},
        {"code":"API-48","description":"too many","pointer":"/1/earnings/0/payHours"}]}"#;
    let server = Server::start(&[(400, "x-vendor-txid: 43\r\n", rejected)]).await;
    let error = server.client().add_checks("C1", "key", &[]).await.unwrap_err();
    let rejection = error.rejection().unwrap();
    assert_eq!((rejection.status, rejection.request_id.as_deref()), (400, Some("43")));
    let pointers: Vec<_> = rejection.errors.iter().map(|it| it.pointer.as_deref().unwrap()).collect();
    assert_eq!(pointers, ["/0/workerId", "/1/earnings/0/payHours"]);
    assert_eq!(rejection.errors[0].correlation_id.as_deref(), Some("one"));
    let text = "status 400: API-55 no such worker (/0/workerId), API-48 too many (/1/earnings/0/payHours)";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn an_attempt_without_a_response_ends_after_its_timeout() {
    let server = Server::start(&[(1, "", ""), ADDED, ADDED, ADDED]).await;
    // The first request gets no reply. On a busy machine, further attempts can also exceed the timeout, so
    // the script contains several replies.
    let client = server.builder().timeout(Duration::from_secs(2)).build().unwrap();
    client.get("/companies").json::<Value>().await.unwrap();
    assert!(server.received_requests().len() >= 2);
}

#[tokio::test]
async fn unreachable_server_is_a_connect_error() {
    let listener = tokio::net::TcpSocket::new_v4().unwrap();
    listener.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let builder = crate::Client::builder(&address, "id", "pks_hidden").first_delay(Duration::from_millis(1));
    let error = builder.build().unwrap().company("C1").await.unwrap_err();
    assert!(matches!(error, Error::Connect(_)), "{error:?}");
}

fn rejection(status: u16, retry_after: Option<u64>) -> Error {
    let retry_after = retry_after.map(Duration::from_secs);
    Error::Rejected(Rejection { status, errors: Vec::new(), request_id: None, retry_after })
}

#[test]
fn retry_delay_follows_retry_after_or_doubles() {
    let policy = RetryPolicy::default();
    let delay = |attempt, error: &Error| policy.retry_delay(attempt, error, RetrySafety::Safe, 0);
    assert_eq!(delay(1, &rejection(429, Some(7))), Some(Duration::from_secs(7)));
    assert_eq!(delay(1, &rejection(409, Some(2))), Some(Duration::from_secs(2)));
    assert_eq!(delay(1, &rejection(503, Some(61))), None);
    for error in [rejection(400, None), rejection(409, None), rejection(500, None), rejection(423, Some(1))] {
        assert_eq!(delay(1, &error), None, "{error}");
    }
    assert_eq!(delay(1, &Error::Timeout), Some(Duration::from_millis(250)));
    assert_eq!(delay(2, &Error::Timeout), Some(Duration::from_millis(500)));
    assert_eq!(delay(3, &Error::Timeout), Some(Duration::from_secs(1)));
    assert_eq!(delay(4, &Error::Timeout), None);
    assert_eq!(policy.retry_delay(1, &Error::Timeout, RetrySafety::Unsafe, 0), None);
    let many = RetryPolicy { attempts: 10, ..policy };
    assert!(many.retry_delay(9, &Error::Timeout, RetrySafety::Safe, u64::MAX).unwrap() <= MAX_DELAY);
}

#[test]
fn retry_after_is_a_number_of_seconds_or_a_date() {
    let now = UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
    assert_eq!(parse_retry_after(" 12 ", now), Some(Duration::from_secs(12)));
    assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
    assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
    assert_eq!(parse_retry_after("soon", now), None);
}
