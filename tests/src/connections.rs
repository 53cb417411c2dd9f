//! Tests of clients that send incomplete requests or disconnect. No part of these requests is stored, and the
//! server continues.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::operations::CHECKS;
use crate::support::{
    Caller, OPEN, Request, Server, checks_document, on_every_database, on_every_database_with, raw,
    valid_check,
};

/// Returns the request line and the headers of a POST of checks. `length` is the header that announces the
/// body.
async fn request_head(server: &Server, length: &str) -> String {
    let token = server.authorization(Caller::Partner).await.expect("a token");
    format!(
        "POST /companies/{OPEN}/checks HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: {CHECKS}\r\n{length}\r\nConnection: close\r\n\r\n"
    )
}

/// Verifies that the server still responds and has stored nothing.
async fn assert_nothing_stored(server: &Server) {
    assert_eq!(server.send(&Request::get("/companies")).await.status, 200);
    assert_eq!(server.count_stored_checks().await, 0);
}

#[test]
fn an_incomplete_body_stores_nothing() {
    on_every_database(async |server| {
        let body = valid_check().to_string();
        let head = request_head(server, &format!("Content-Length: {}", body.len())).await;
        let half = format!("{head}{}", &body[..body.len() / 2]);
        let mut connection = raw::open_and_send(&server.address, half.as_bytes()).await;
        connection.shutdown().await.expect("the end is sent");
        let mut response = String::new();
        let _read = connection.read_to_string(&mut response).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 400"), "{response}");
        assert_nothing_stored(server).await;
    });
}

#[test]
fn clients_that_disconnect_during_a_body_store_nothing() {
    on_every_database(async |server| {
        let body = checks_document(100).to_string();
        let head = request_head(server, &format!("Content-Length: {}", body.len())).await;
        for part in 1..20 {
            let sent = format!("{head}{}", &body[..body.len() * part / 20]);
            drop(raw::open_and_send(&server.address, sent.as_bytes()).await);
        }
        assert_nothing_stored(server).await;
    });
}

#[test]
fn a_request_of_a_disconnected_client_is_stored_completely_or_not() {
    on_every_database(async |server| {
        let body = checks_document(100).to_string();
        let whole =
            format!("{}{body}", request_head(server, &format!("Content-Length: {}", body.len())).await);
        for _ in 0..10 {
            drop(raw::open_and_send(&server.address, whole.as_bytes()).await);
        }
        // The disconnected clients have left no lock, so the next write succeeds.
        assert_eq!(server.send(&Request::post_checks(OPEN, &valid_check())).await.status, 201);
        assert_eq!((server.count_stored_checks().await - 1) % 100, 0);
    });
}

#[test]
fn a_slow_body_gets_408() {
    let short_timeouts = |settings: &mut crate::support::Settings| settings.body_timeout_seconds = 1;
    on_every_database_with(short_timeouts, async |server| {
        let head = request_head(server, "Content-Length: 100").await;
        let response = raw::exchange_bytes(&server.address, format!("{head}[{{").as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 408") && response.contains("API-408"), "{response}");
        assert_nothing_stored(server).await;
    });
}

#[test]
fn a_chunked_body_is_accepted() {
    on_every_database(async |server| {
        let head = request_head(server, "Transfer-Encoding: chunked").await;
        let body = valid_check().to_string();
        let whole = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        assert!(raw::exchange_bytes(&server.address, whole.as_bytes()).await.starts_with("HTTP/1.1 201"));
    });
}

/// Returns chunked bodies with a malformed chunk. Some bodies continue after the malformed chunk, so the
/// server responds before it has read all bytes.
fn invalid_chunks() -> Vec<String> {
    let large = "[".repeat(60_000);
    let padding = "x".repeat(300_000);
    vec![
        "zz\r\n[]\r\n0\r\n\r\n".to_owned(),
        "1\r\n[\r\nzz\r\n]\r\n0\r\n\r\n".to_owned(),
        "1\r\n[]\r\n0\r\n\r\n".to_owned(),
        "1;\u{1}\r\n[\r\n0\r\n\r\n".to_owned(),
        "ffffffffffffffffff\r\n[".to_owned(),
        format!("{:x}\r\n{large}\r\n-\r\n", large.len()),
        format!("zz{padding}"),
        format!("2\r\n[]\r\n0 0\r\n{padding}"),
    ]
}

#[test]
fn an_invalid_chunk_always_gets_a_response() {
    on_every_database(async |server| {
        let post = request_head(server, "Transfer-Encoding: chunked").await;
        let operator = server.authorization(Caller::Operator).await.expect("a key");
        let import = format!(
            "POST /operator/v1/applications HTTP/1.1\r\nHost: x\r\nAuthorization: {operator}\r\n\
             Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        for chunks in invalid_chunks() {
            for (address, head) in [(&server.address, &post), (&server.operator_address, &import)] {
                for _ in 0..5 {
                    // The headers and the body are sent separately and together. When they are separate, the
                    // server already processes the request when the malformed chunk arrives.
                    let mut connection = raw::open_and_send(address, head.as_bytes()).await;
                    let apart = raw::send_and_read(&mut connection, chunks.as_bytes()).await;
                    let together = raw::exchange_bytes(address, format!("{head}{chunks}").as_bytes()).await;
                    for response in [apart, together] {
                        let reported = response.starts_with("HTTP/1.1 400") && response.contains("API-40");
                        assert!(reported, "{:?}: {response:?}", &chunks[..chunks.len().min(40)]);
                    }
                }
            }
        }
        assert_nothing_stored(server).await;
    });
}

#[test]
fn the_body_of_a_rejected_request_is_not_the_next_request() {
    on_every_database(async |server| {
        let token = server.authorization(Caller::Partner).await.expect("a token");
        let hidden = format!("GET /companies HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n");
        let refused = format!(
            "POST /companies/{OPEN}/checks HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{hidden}",
            hidden.len()
        );
        let last = "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let responses = raw::exchange_bytes(&server.address, format!("{refused}{last}").as_bytes()).await;
        assert!(responses.starts_with("HTTP/1.1 401") && !responses.contains("HTTP/1.1 200"), "{responses}");
    });
}

#[test]
fn a_length_over_the_limit_is_rejected_before_the_body() {
    on_every_database(async |server| {
        let head = request_head(server, "Content-Length: 99999999999").await;
        let response = raw::exchange_bytes(&server.address, head.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 413") && response.contains("API-44"), "{response}");
    });
}

#[test]
fn duplicate_lengths_and_a_length_with_chunks_are_rejected() {
    on_every_database(async |server| {
        for lengths in
            ["Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nTransfer-Encoding: chunked"]
        {
            let head = request_head(server, lengths).await;
            let response =
                raw::exchange_bytes(&server.address, format!("{head}[]\r\n0\r\n\r\n").as_bytes()).await;
            assert!(response.is_empty() || response.starts_with("HTTP/1.1 400"), "{lengths}: {response}");
        }
        assert_nothing_stored(server).await;
    });
}

#[test]
fn a_caller_that_expects_100_continue_gets_status_100() {
    on_every_database(async |server| {
        let body = valid_check().to_string();
        let length = format!("Content-Length: {}\r\nExpect: 100-continue", body.len());
        let mut connection =
            raw::open_and_send(&server.address, request_head(server, &length).await.as_bytes()).await;
        let mut go = [0; 25];
        connection.read_exact(&mut go).await.expect("a go");
        connection.write_all(body.as_bytes()).await.expect("the server reads");
        let mut response = String::new();
        connection.read_to_string(&mut response).await.expect("an answer");
        assert!(go.starts_with(b"HTTP/1.1 100") && response.contains("HTTP/1.1 201"), "{go:?} {response}");
    });
}

#[test]
fn an_unknown_method_gets_405_and_an_invalid_one_is_rejected() {
    on_every_database(async |server| {
        let response = async |method: &str| {
            let head = format!("{method} /companies HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            raw::exchange_bytes(&server.address, head.as_bytes()).await
        };
        for method in ["FOO", "PROPFIND", "get", "CONNECT"] {
            let reported = response(method).await;
            assert!(
                reported.starts_with("HTTP/1.1 405") && reported.contains("API-59"),
                "{method}: {reported}"
            );
        }
        assert!(response("G@T").await.starts_with("HTTP/1.1 400"));
    });
}

#[test]
fn invalid_http_never_gets_an_error_page_of_the_framework() {
    on_every_database(async |server| {
        for garbage in
            ["\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"]
        {
            let response = raw::exchange_bytes(&server.address, garbage.as_bytes()).await;
            let body = response.split("\r\n\r\n").nth(1).unwrap_or_default();
            assert!(body.is_empty() || body.starts_with("{\"errors\""), "{garbage:?}: {response}");
        }
        assert_nothing_stored(server).await;
    });
}
