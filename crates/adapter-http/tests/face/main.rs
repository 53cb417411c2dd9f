//! Tests of the partner API and the operator API over a socket, with an unavailable store. These tests check
//! the responses before the first store access, and the responses to the failure of the store.
//!
//! The acceptance tests check everything that depends on the store, with a real store.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

mod access_store;
mod archive_store;
mod attacks;
mod files_store;
mod operator;
mod operator_store;
mod server;
mod service;
mod store;
mod tls;
mod worker_store;

use payroll_adapter_http::routes;
use server::{Server, ServerResponse};

fn envelope_code(response: &ServerResponse) -> String {
    response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn malformed_paths_get_404_with_the_envelope() {
    let server = Server::start();
    for path in [
        "//",
        "//companies",
        "/companies/",
        "/companies//checks",
        "/x%00",
        "/%2e%2e/companies",
        "/companies/../x",
        "/companies/%ff/x",
        "*",
    ] {
        let response = server.get(path).await;
        assert_eq!((response.status, envelope_code(&response)), (404, "API-7".to_owned()), "{path}");
    }
    let response = server.get(&format!("/companies/{}", "x".repeat(10_000))).await;
    assert_eq!((response.status, envelope_code(&response)), (414, "API-414".to_owned()));
    let response = server.get(&format!("/companies?{}", "x".repeat(60_000))).await;
    assert_eq!((response.status, envelope_code(&response)), (414, "API-414".to_owned()));
}

#[tokio::test]
async fn requests_rejected_by_the_http_library_get_the_envelope() {
    let server = Server::start();
    let long = "x".repeat(200_000);
    let cases = [
        ("GET /companies\x00 HTTP/1.1\r\nHost: h\r\n\r\n".to_owned(), 400, "API-40"),
        ("nonsense\r\n\r\n".to_owned(), 400, "API-40"),
        ("GET /companies HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n".to_owned(), 400, "API-40"),
        (format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "x".repeat(66_000)), 414, "API-414"),
        (format!("GET /companies HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "x".repeat(40_000)), 431, "API-431"),
        (format!("GET /companies HTTP/1.1\r\nHost: h\r\nX: {long}\r\n\r\n"), 431, "API-431"),
        (format!("GET /companies HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: y\r\n".repeat(200)), 431, "API-431"),
    ];
    for (request, status, code) in cases {
        let response = server.send(request.as_bytes()).await;
        let start = request.chars().take(60).collect::<String>();
        assert_eq!((response.status, envelope_code(&response)), (status, code.to_owned()), "{start}");
        assert!(response.header("x-vendor-txid").is_some(), "{start}");
    }
}

#[tokio::test]
async fn unusual_request_lines_get_the_usual_errors() {
    let server = Server::start();
    let cases = [
        ("GET http://elsewhere/companies HTTP/1.1\r\nHost: h\r\n\r\n", 401, "API-102"),
        ("GET /companies HTTP/1.0\r\n\r\n", 401, "API-102"),
        ("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 404, "API-7"),
        ("BREW /companies HTTP/1.1\r\nHost: h\r\n\r\n", 405, "API-59"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "API-40"),
        ("GET /companies#top HTTP/1.1\r\nHost: h\r\n\r\n", 400, "API-40"),
        ("GET /companies?limit=1#top HTTP/1.1\r\nHost: h\r\n\r\n", 400, "API-40"),
        ("GET /companies HTTP/1.1\r\nHost: h\r\nX-Note: #1\r\n\r\n", 401, "API-102"),
    ];
    for (request, status, code) in cases {
        let response = server.send(request.as_bytes()).await;
        assert_eq!((response.status, envelope_code(&response)), (status, code.to_owned()), "{request}");
    }
}

#[tokio::test]
async fn every_operation_lists_its_methods_and_requires_a_token() {
    let server = Server::start();
    for route in routes() {
        let path = route.path.replace("{companyId}", "A");
        let response = server.request(route.method, &path, &[], "").await;
        assert_eq!(response.status == 401, route.token, "{route:?}");
        let options = server.request("OPTIONS", &path, &[], "").await;
        assert!(
            options.status == 204 && options.header("allow").unwrap().contains(route.method),
            "{route:?}"
        );
        let response = server.request("TRACE", &path, &[], "").await;
        assert_eq!((response.status, response.header("allow")), (405, options.header("allow")), "{route:?}");
    }
}

#[tokio::test]
async fn a_request_in_progress_finishes_before_the_server_stops() {
    let server = Server::start();
    let mut connection = server.connect().await;
    connection
        .send(&format!(
            "POST /auth/oauth/v2/token HTTP/1.1\r\nHost: h\r\n{FORM}\r\nContent-Length: 3\r\n\r\na"
        ))
        .await;
    // The server has one thread. A response on another connection therefore shows that the thread has
    // already accepted the first connection.
    server.get("/x").await;
    let stopping = tokio::spawn(server.stop());
    connection.send("=b").await;
    assert_eq!(connection.read_response().await.status, 400);
    stopping.await.unwrap();
}

#[tokio::test]
async fn options_lists_the_methods() {
    let server = Server::start();
    let response = server.request("DELETE", "/companies", &[], "").await;
    assert_eq!((response.status, envelope_code(&response)), (405, "API-59".to_owned()));
    assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert!(response.json()["errors"][0].get("resolution").is_none());
    let response = server.request("OPTIONS", "/auth/oauth/v2/token", &[], "").await;
    assert_eq!(
        (response.status, response.header("allow"), response.body.len()),
        (204, Some("OPTIONS, POST"), 0)
    );
}

#[tokio::test]
async fn a_caller_without_a_valid_token_is_challenged() {
    let server = Server::start();
    for (header, challenge) in [
        (None, "Bearer"),
        (Some("Authorization: Basic eDp5"), "Bearer"),
        (Some("Authorization: Bearer x.y.z"), "Bearer error=\"invalid_token\""),
    ] {
        let response = server.request("GET", "/companies", &Vec::from_iter(header), "").await;
        assert_eq!((response.status, envelope_code(&response)), (401, "API-102".to_owned()));
        assert_eq!(response.header("www-authenticate"), Some(challenge));
    }
}

#[tokio::test]
async fn every_response_has_an_id_and_echoes_a_valid_correlation_id() {
    let server = Server::start();
    let sent = ["x-vendor-client-correlationid: my-id"];
    let (one, two) = (
        server.request("GET", "/x", &sent, "").await,
        server.request("OPTIONS", "/companies", &sent, "").await,
    );
    assert_ne!(one.header("x-vendor-txid").unwrap(), two.header("x-vendor-txid").unwrap());
    assert_eq!(one.header("x-vendor-client-correlationid"), Some("my-id"));
    assert_eq!((one.header("vary"), two.header("vary")), (Some("Accept"), Some("Accept")));
}

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";
const VALID_TOKEN_REQUEST: &str = "grant_type=client_credentials&client_id=key&client_secret=secret";

#[tokio::test]
async fn a_token_request_is_rejected_with_an_oauth_error() {
    let server = Server::start();
    let cases = [
        ("/auth/oauth/v2/token", vec![], VALID_TOKEN_REQUEST, 415, "API-415", "invalid_request"),
        (
            "/auth/oauth/v2/token",
            vec!["Content-Type: application/json"],
            "{}",
            415,
            "API-415",
            "invalid_request",
        ),
        (
            "/auth/oauth/v2/token?client_secret=x",
            vec![FORM],
            VALID_TOKEN_REQUEST,
            400,
            "API-40",
            "invalid_request",
        ),
        ("/auth/oauth/v2/token", vec![FORM], "grant_type=x", 400, "API-48", "unsupported_grant_type"),
        ("/auth/oauth/v2/token", vec![FORM], "", 400, "API-46", "invalid_request"),
        (
            "/auth/oauth/v2/token",
            vec![FORM, "Accept: text/html"],
            VALID_TOKEN_REQUEST,
            406,
            "API-75",
            "invalid_request",
        ),
        (
            "/auth/oauth/v2/token",
            vec![FORM, "Authorization: Basic !"],
            "grant_type=client_credentials",
            401,
            "API-102",
            "invalid_client",
        ),
    ];
    for (path, headers, body, status, code, error) in cases {
        let response = server.request("POST", path, &headers, body).await;
        assert_eq!((response.status, envelope_code(&response)), (status, code.to_owned()), "{path} {body}");
        assert_eq!(response.json()["error"], error, "{path} {body}");
        assert_eq!(response.header("cache-control"), Some("no-store"));
        assert_eq!(response.header("www-authenticate").is_some(), status == 401);
    }
}

#[tokio::test]
async fn a_large_or_slow_body_is_rejected() {
    let server = Server::start_with_short_timeouts();
    let response = server.request("POST", "/auth/oauth/v2/token", &[FORM], &"x".repeat(3_000_000)).await;
    assert_eq!((response.status, envelope_code(&response)), (413, "API-413".to_owned()));
    let half =
        format!("POST /auth/oauth/v2/token HTTP/1.1\r\nHost: h\r\n{FORM}\r\nContent-Length: 10\r\n\r\nhalf");
    let response = server.send(half.as_bytes()).await;
    assert_eq!((response.status, envelope_code(&response)), (408, "API-408".to_owned()));
}

#[tokio::test]
async fn a_connection_without_a_request_gets_408() {
    let server = Server::start_with_short_timeouts();
    let response = server.send(b"GET /companies HTTP/1.1\r\nHost:").await;
    assert_eq!((response.status, envelope_code(&response)), (408, "API-408".to_owned()));
}

#[tokio::test]
async fn an_idle_connection_and_an_incomplete_later_head_are_closed() {
    let server = Server::start_with_short_timeouts();
    for later in ["", "GET /companies HTTP/1.1\r\nHost:"] {
        let mut connection = server.connect().await;
        connection.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n").await;
        assert_eq!(connection.read_response().await.status, 404);
        connection.send(later).await;
        connection.wait_until_closed().await;
    }
}

#[tokio::test]
async fn an_unavailable_storage_gets_503_and_a_panic_gets_500() {
    let server = Server::start();
    let response = server.request("POST", "/auth/oauth/v2/token", &[FORM], VALID_TOKEN_REQUEST).await;
    assert_eq!((response.status, envelope_code(&response)), (503, "API-503".to_owned()));
    assert!(response.header("retry-after").is_some());
    let panics = VALID_TOKEN_REQUEST.replace("key", store::PANICKING_CLIENT_ID);
    let response = server.request("POST", "/auth/oauth/v2/token", &[FORM], &panics).await;
    assert_eq!((response.status, envelope_code(&response)), (500, "API-1".to_owned()));
}

#[tokio::test]
async fn too_many_token_requests_of_a_client_from_one_address_get_429() {
    let server = Server::start();
    for _ in 0..server::REQUESTS_PER_MINUTE {
        assert_eq!(
            server.request("POST", "/auth/oauth/v2/token", &[FORM], VALID_TOKEN_REQUEST).await.status,
            503
        );
    }
    let response = server.request("POST", "/auth/oauth/v2/token", &[FORM], VALID_TOKEN_REQUEST).await;
    assert_eq!((response.status, envelope_code(&response)), (429, "API-429".to_owned()));
    assert!(response.header("retry-after").is_some() && response.header("ratelimit").is_some());
    let other = VALID_TOKEN_REQUEST.replace("key", "other");
    assert_eq!(server.request("POST", "/auth/oauth/v2/token", &[FORM], &other).await.status, 503);
}
