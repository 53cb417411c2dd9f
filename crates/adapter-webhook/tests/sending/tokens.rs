//! Tests of receivers that require a token, and of the servers that grant it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use payroll_adapter_webhook::{SendLimits, SendResult, Sender, SenderSettings};
use payroll_domain::SecretText;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::{Address, Authentication, OAuthClient};
use payroll_ports::deliveries::DeliveryTarget;

use crate::receiver::Receiver;
use crate::support::*;

/// Starts a server that grants a new token for each request: `t0`, `t1` and so on.
async fn start_token_server(expires_in: &'static str) -> Receiver {
    let count = Arc::new(AtomicUsize::new(0));
    Receiver::new(move |mut connection| {
        let count = Arc::clone(&count);
        async move {
            while connection.read_request().await.is_some() {
                let number = count.fetch_add(1, Ordering::SeqCst);
                let body = format!(r#"{{"access_token":"t{number}","expires_in":{expires_in}}}"#);
                connection.write(ok_response(&body)).await;
            }
        }
    })
    .await
}

/// Starts a receiver that accepts only notifications with this `Authorization` header.
async fn receiver_requiring_token(authorization: &'static str) -> Receiver {
    Receiver::new(move |mut connection| async move {
        while let Some(received) = connection.read_request().await {
            let known = received.header("authorization") == Some(authorization);
            let response = if known {
                ok_response("")
            } else {
                "HTTP/1.1 401 x\r\ncontent-length: 2\r\n\r\nno".to_owned()
            };
            connection.write(response).await;
        }
    })
    .await
}

fn ok_response(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn sender_with_token_server(receiver: &Receiver, tokens: &Receiver) -> Sender {
    sender_with_limits(receiver, tokens, long_limits())
}

fn sender_with_limits(receiver: &Receiver, tokens: &Receiver, limits: SendLimits) -> Sender {
    let mut given = SenderSettings { limits, ..settings(receiver.address) };
    given.mapped_hosts.insert("tokens.example".to_owned(), tokens.address);
    Sender::new(given).unwrap()
}

fn oauth_client() -> OAuthClient {
    OAuthClient {
        token_url: Address::from_stored("http://tokens.example:7/token?tenant=1").unwrap(),
        client_id: "id:1".to_owned(),
        client_secret: SecretText::new("a+b/c="),
        scope: Some("hooks write".to_owned()),
    }
}

fn target_with_query_credentials() -> DeliveryTarget {
    target_with_authentication("http://receiver.example/", Authentication::OAuth2(oauth_client()))
}

#[tokio::test]
async fn token_request_can_send_credentials_in_the_query() {
    let (mut tokens, mut receiver) =
        (start_token_server("3600").await, receiver_requiring_token("Bearer t0").await);
    let sent = sender_with_token_server(&receiver, &tokens)
        .send(&target_with_query_credentials(), &notification(), NOW)
        .await;
    assert_eq!(sent, accepted_result("", false));
    assert_eq!(receiver.next_request().await.header("authorization"), Some("Bearer t0"));
    let request = tokens.next_request().await;
    let line = "POST /token?tenant=1&client_id=id%3A1&client_secret=a%2Bb%2Fc%3D HTTP/1.1";
    assert_eq!(request.line, line);
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!((request.header("authorization"), request.header("host")), (None, Some("tokens.example:7")));
    assert_eq!(String::from_utf8(request.body).unwrap(), "grant_type=client_credentials&scope=hooks+write");
}

#[tokio::test]
async fn token_request_can_send_credentials_in_the_header() {
    let (mut tokens, receiver) =
        (start_token_server("3600").await, receiver_requiring_token("Bearer t0").await);
    let target =
        target_with_authentication("http://receiver.example/", Authentication::OAuth2Basic(oauth_client()));
    let sent = sender_with_token_server(&receiver, &tokens).send(&target, &notification(), NOW).await;
    assert_eq!(sent, accepted_result("", false));
    let request = tokens.next_request().await;
    assert_eq!(request.line, "POST /token?tenant=1 HTTP/1.1");
    // The decoded credentials are `id%3A1:a%2Bb%2Fc%3D`, because each part is form-encoded first
    // (RFC 6749 §2.3.1).
    assert_eq!(request.header("authorization"), Some("Basic aWQlM0ExOmElMkJiJTJGYyUzRA=="));
    assert_eq!(String::from_utf8(request.body).unwrap(), "grant_type=client_credentials&scope=hooks+write");
}

#[tokio::test]
async fn a_token_is_cached_until_shortly_before_it_expires() {
    for (expires_in, last_second) in
        [("3600", 3_569), (r#""3600""#, 3_569), ("20", 9), ("3600.5", 3_569), ("1e99", 86_369), ("null", 269)]
    {
        let (tokens, mut receiver) =
            (start_token_server(expires_in).await, Receiver::responding_with(ACCEPTED_RESPONSE).await);
        let sender = sender_with_token_server(&receiver, &tokens);
        for (second, token) in [(0, "Bearer t0"), (last_second, "Bearer t0"), (last_second + 1, "Bearer t1")]
        {
            sender.send(&target_with_query_credentials(), &notification(), NOW.plus_seconds(second)).await;
            let used = receiver.next_request().await;
            assert_eq!(used.header("authorization"), Some(token), "{expires_in} after {second} s");
        }
    }
}

/// Tests responses that the crate `oauth2` alone would reject. The crate requires the status 200, a JSON
/// media type, the member `token_type`, and an integer in `expires_in`.
#[tokio::test]
async fn nonstandard_token_responses_are_accepted() {
    for (head, body) in [
        ("HTTP/1.1 201 Created", r#"{"access_token":"t"}"#),
        ("HTTP/1.1 200 OK\r\ncontent-type: text/html", r#"{"access_token":"t","token_type":null}"#),
        ("HTTP/1.1 200 OK", r#"{"access_token":"t","expires_in":-1,"scope":["a"],"refresh_token":7}"#),
        ("HTTP/1.1 200 OK", r#"{"access_token":"t","expires_in":[]}"#),
        ("HTTP/1.1 200 OK", r#"{"access_token":"t","expires_in":"NaN"}"#),
        ("HTTP/1.1 200 OK", r#"{"access_token":"t","expires_in":"an hour"}"#),
    ] {
        let response = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let (tokens, receiver) =
            (Receiver::responding_with(response).await, receiver_requiring_token("Bearer t").await);
        let sent = sender_with_token_server(&receiver, &tokens)
            .send(&target_with_query_credentials(), &notification(), NOW)
            .await;
        assert_eq!(sent, accepted_result("", false), "{head} {body}");
    }
}

#[tokio::test]
async fn a_rejected_token_is_fetched_again_once() {
    let (mut tokens, mut receiver) =
        (start_token_server("3600").await, receiver_requiring_token("Bearer t1").await);
    let sender = sender_with_token_server(&receiver, &tokens);
    for _ in 0..2 {
        assert_eq!(
            sender.send(&target_with_query_credentials(), &notification(), NOW).await,
            accepted_result("", false)
        );
    }
    let used = [receiver.next_request().await, receiver.next_request().await, receiver.next_request().await];
    let used = used.each_ref().map(|received| received.header("authorization").unwrap());
    assert_eq!(used, ["Bearer t0", "Bearer t1", "Bearer t1"]);
    assert!(
        tokens.try_next_request().is_some()
            && tokens.try_next_request().is_some()
            && tokens.try_next_request().is_none()
    );
}

#[tokio::test]
async fn a_receiver_that_rejects_every_token_gets_two_requests() {
    let (mut tokens, mut receiver) =
        (start_token_server("3600").await, receiver_requiring_token("nothing").await);
    let sent = sender_with_token_server(&receiver, &tokens)
        .send(&target_with_query_credentials(), &notification(), NOW)
        .await;
    let refused = SendResult {
        status: Some(401),
        response_body: Some("no".to_owned()),
        ..failed_result(ErrorClass::Status)
    };
    assert_eq!(sent, refused);
    for requests in [&mut tokens, &mut receiver] {
        assert!(
            requests.try_next_request().is_some()
                && requests.try_next_request().is_some()
                && requests.try_next_request().is_none()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_attempts_share_one_token_request() {
    let (mut tokens, receiver) =
        (start_token_server("3600").await, receiver_requiring_token("Bearer t0").await);
    let sender = Arc::new(sender_with_token_server(&receiver, &tokens));
    let send = || {
        let sender = Arc::clone(&sender);
        tokio::spawn(async move { sender.send(&target_with_query_credentials(), &notification(), NOW).await })
    };
    let sent = join_all((0..100).map(|_| send())).await;
    assert!(sent.iter().all(|sent| *sent.as_ref().unwrap() == accepted_result("", false)), "{sent:?}");
    assert!(tokens.try_next_request().is_some() && tokens.try_next_request().is_none());
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_the_response_is_not_stored() {
    let too_long = ok_response(&format!(r#"{{"access_token":"{}"}}"#, "t".repeat(70_000)));
    for response in [
        "HTTP/1.1 400 x\r\ncontent-length: 8\r\n\r\npassword",
        "HTTP/1.1 302 x\r\nlocation: http://receiver.example/\r\ncontent-length: 0\r\n\r\n",
        &ok_response("password"),
        &ok_response(r#"{"access_token":1}"#),
        &ok_response(r#"{"access_token":""}"#),
        &ok_response("{\"access_token\":\"a\\nb\"}"),
        &ok_response(r#"{"token_type":"Bearer"}"#),
        &too_long,
        "garbage",
    ] {
        let (tokens, receiver) =
            (Receiver::responding_with(response).await, Receiver::responding_with(ACCEPTED_RESPONSE).await);
        let sent = sender_with_token_server(&receiver, &tokens)
            .send(&target_with_query_credentials(), &notification(), NOW)
            .await;
        assert_eq!((sent, receiver.connection_count()), (failed_result(ErrorClass::Token), 0), "{response}");
    }
}

#[tokio::test]
async fn a_failed_token_request_is_not_cached() {
    let tokens = Receiver::new(async |mut connection| {
        let number = connection.number;
        connection.read_request().await;
        let response = if number == 0 {
            "HTTP/1.1 503 x\r\n\r\n".to_owned()
        } else {
            ok_response(r#"{"access_token":"t"}"#)
        };
        connection.write(response).await;
    })
    .await;
    let receiver = receiver_requiring_token("Bearer t").await;
    let sender = sender_with_token_server(&receiver, &tokens);
    assert_eq!(
        sender.send(&target_with_query_credentials(), &notification(), NOW).await,
        failed_result(ErrorClass::Token)
    );
    assert_eq!(
        sender.send(&target_with_query_credentials(), &notification(), NOW).await,
        accepted_result("", false)
    );
}

#[tokio::test]
async fn forbidden_token_address_gets_no_connection() {
    let (tokens, receiver) =
        (start_token_server("3600").await, Receiver::responding_with(ACCEPTED_RESPONSE).await);
    let lookup = ChangingLookup::new(&[&["127.0.0.1"]]);
    let sender = Sender::new(SenderSettings { lookup, ..settings(receiver.address) }).unwrap();
    for host in ["name.example", "127.0.0.1", "[::ffff:127.0.0.1]"] {
        let token_url = Address::from_stored(&format!("http://{host}:{}/", tokens.address.port())).unwrap();
        let oauth = Authentication::OAuth2(OAuthClient { token_url, ..oauth_client() });
        let sent = sender
            .send(&target_with_authentication("http://receiver.example/", oauth), &notification(), NOW)
            .await;
        assert_eq!(sent, failed_result(ErrorClass::Token), "{host}");
    }
    assert_eq!((tokens.connection_count(), receiver.connection_count()), (0, 0));
}

#[tokio::test]
async fn without_a_token_the_receiver_gets_no_request() {
    for beginning in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"] {
        let tokens = Receiver::new(move |mut connection| async move {
            connection.read_request().await;
            connection.write(beginning).await;
            connection.wait_until_closed().await;
        })
        .await;
        let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
        let sender = sender_with_limits(&receiver, &tokens, short_limits());
        let sent = sender.send(&target_with_query_credentials(), &notification(), NOW).await;
        assert_eq!((sent, receiver.connection_count()), (failed_result(ErrorClass::Token), 0), "{beginning}");
    }
}
