//! Tests of tokens, and of the secrecy of the client's credentials.

use futures_util::future::join_all;
use serde_json::Value;

use super::server::{Reply, Server};
use crate::{Client, Error};

const EMPTY: Reply = (200, "", "{}");
const EXPIRED: Reply = (401, "", r#"{"errors":[{"code":"API-102","description":"expired"}]}"#);

#[tokio::test]
async fn concurrent_requests_share_one_token_request() {
    let server = Server::start(&[EMPTY; 8]).await;
    let client = server.client();
    let requests = (0..8).map(|_| client.get("/companies").json::<Value>());
    assert!(join_all(requests).await.into_iter().all(|it| it.is_ok()));
    assert_eq!((server.token_request_count(), server.received_requests().len()), (1, 8));
}

#[tokio::test]
async fn a_rejected_token_is_renewed_once() {
    let server = Server::start(&[EXPIRED, EMPTY, EMPTY]).await;
    let client = server.client();
    client.get("/companies").json::<Value>().await.unwrap();
    client.get("/companies").json::<Value>().await.unwrap();
    let received = server.received_requests();
    let tokens: Vec<_> = received.iter().map(|it| it.header("authorization").unwrap()).collect();
    assert_eq!(tokens, ["bearer t1", "bearer t2", "bearer t2"]);

    let server = Server::start(&[EXPIRED, EXPIRED, EMPTY]).await;
    let error = server.client().get("/companies").json::<Value>().await.unwrap_err();
    assert!(error.has_code("API-102"));
    assert_eq!((server.token_request_count(), server.received_requests().len()), (2, 2));
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let server = Server::start(&[EMPTY; 2]).await;
    let headers = "content-type: application/json\r\n";
    let token = r#"{"access_token":"short","token_type":"Bearer","expires_in":0}"#;
    server.reply_to_token_requests(&[(200, headers, token)]);
    let client = server.client();
    client.get("/companies").json::<Value>().await.unwrap();
    client.get("/companies").json::<Value>().await.unwrap();
    let received = server.received_requests();
    assert_eq!(received[1].header("authorization"), Some("bearer t2"));
}

#[tokio::test]
async fn token_request_is_retried_after_429_but_not_after_401() {
    let server = Server::start(&[EMPTY]).await;
    server.reply_to_token_requests(&[(429, "retry-after: 0\r\n", "")]);
    server.client().get("/companies").json::<Value>().await.unwrap();

    let server = Server::start(&[]).await;
    let body = r#"{"error":"invalid_client","errors":[{"code":"API-102","description":"wrong secret"}]}"#;
    server.reply_to_token_requests(&[(401, "", body)]);
    let error = server.client().get("/companies").json::<Value>().await.unwrap_err();
    assert!(error.has_code("API-102"), "{error}");
    assert_eq!((server.token_request_count(), server.received_requests().len()), (1, 0));
}

#[tokio::test]
async fn no_output_shows_a_secret_or_a_token() {
    let server = Server::start(&[]).await;
    // The token response is invalid but contains a token, which the error must not show.
    server.reply_to_token_requests(&[(
        200,
        "content-type: application/json\r\n",
        r#"{"access_token":"tok-hidden","x"#,
    )]);
    let client = server.client();
    let error = client.get("/companies").json::<Value>().await.unwrap_err();
    let list = client.workers("C1").query("familyname", "pks_");
    let builder = Client::builder("https://payroll.example.com", "id", "pks_hidden");
    let verifier = crate::webhook::Verifier::new(["whsec_aGlkZGVu"]).unwrap();
    let request = client.post("/management/hooks", "pks_").query("a", "pks_").header("b", "pks_");
    for text in [
        format!("{client:?} {error:?} {error} {request:?} {list:?}"),
        format!("{builder:?} {:?} {verifier:?}", builder.clone().build()),
    ] {
        assert!(!text.contains("hidden\"") && !text.contains("pks_") && !text.contains("tok-"), "{text}");
        assert!(!text.contains("104, 105"), "{text}");
    }
}

#[test]
fn plain_http_is_accepted_only_on_this_machine() {
    let build = |address: &str| Client::new(address, "id", "secret");
    for good in
        ["https://payroll.example.com/", "http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1"]
    {
        build(good).unwrap();
    }
    for bad in [
        "http://payroll.example.com",
        "ftp://a.example",
        "nonsense",
        "https://u:p@a.example",
        "https://a.example/?a=b",
    ] {
        assert!(matches!(build(bad), Err(Error::Invalid(_))), "{bad}");
    }
    Client::builder("http://payroll.internal", "id", "secret").allow_plain_http().build().unwrap();
    assert!(Client::builder("https://a.example", "id", "secret").attempts(0).build().is_err());
}

#[tokio::test]
async fn invalid_paths_are_rejected_and_segments_are_escaped() {
    let server = Server::start(&[]).await;
    let client = server.client();
    for id in ["..", "."] {
        assert!(matches!(client.company(id).await, Err(Error::Invalid(_))), "{id}");
    }
    for path in ["companies", "/companies?a=b", "/companies/../x", "/a b"] {
        assert!(matches!(client.get(path).json::<Value>().await, Err(Error::Invalid(_))), "{path}");
    }
    assert_eq!(server.received_requests().len(), 0);
    assert_eq!(crate::path(&["a/b", "c?d#e%"]), "/a%2Fb/c%3Fd%23e%25");
}
