//! Tests of the requests that a well-behaved receiver gets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_adapter_webhook::{Sender, SenderSettings};
use payroll_domain::SecretText;
use payroll_domain::delivery::{ErrorClass, Notification};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Authentication, SigningSecret};
use payroll_ports::deliveries::DeliveryTarget;
use payroll_ports::keys::{CurrentKeys, KEY_LENGTH, Key, KeyPurpose, KeySet};
use payroll_ports::secrets::signing_secret_text;
use payroll_ports::signing::SigningPair;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use ring::signature::{ED25519, UnparsedPublicKey};
use standardwebhooks::Webhook;

use crate::receiver::{ReceivedRequest, Receiver};
use crate::support::*;

#[tokio::test]
async fn a_notification_has_exactly_the_expected_bytes() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let reported = Notification {
        notification_id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff".to_owned(),
        company_id: Some("01K0COMPANY0000000000000AA".parse().unwrap()),
        worker_id: Some("01K0WORKER00000000000000BB".parse().unwrap()),
        ..notification()
    };
    sender(&receiver).send(&target("http://receiver.example/hook?key=1"), &reported, NOW).await;
    let received = receiver.next_request().await;
    assert_eq!(received.line, "POST /hook?key=1 HTTP/1.1");
    assert_eq!(
        String::from_utf8(received.body).unwrap(),
        concat!(
            r#"{"companyId":"01K0COMPANY0000000000000AA","workerId":"01K0WORKER00000000000000BB","#,
            r#""asOfDate":"2026-05-12T00:00:00.000+00:00","domains":["WRKR_DEM"],"action":"UPDATE","#,
            r#""notificationType":"WORKER_MESSAGE","notificationId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"}"#
        )
    );
}

#[tokio::test]
async fn absent_members_are_omitted_and_test_calls_are_marked() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let reported = Notification {
        company_id: None,
        worker_id: None,
        pay_period_id: Some("period".parse().unwrap()),
        domain: EventDomain::PayrunCompleted,
        test: true,
        ..notification()
    };
    sender(&receiver).send(&target("http://receiver.example/"), &reported, NOW).await;
    let body = String::from_utf8(receiver.next_request().await.body).unwrap();
    assert!(body.starts_with(r#"{"payperiodId":"period","asOfDate""#), "{body}");
    assert!(body.contains(r#""notificationType":"TEST_MESSAGE""#), "{body}");
    assert!(body.ends_with(r#","test":true}"#), "{body}");
}

#[tokio::test]
async fn path_and_query_of_an_address_are_sent_unchanged() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let sender = sender(&receiver);
    for (path, request_target) in [
        ("/a|b{c}^`[d]?q={e}|^`[f]'&g=h%20i", "/a|b%7Bc%7D^%60[d]?q={e}|^`[f]%27&g=h%20i"),
        ("/\u{e4}?\u{f6}=\u{1f600}#part", "/%C3%A4?%C3%B6=%F0%9F%98%80"),
        ("", "/"),
        ("?only=query", "/?only=query"),
    ] {
        let sent = sender.send(&target(&format!("http://{HOST}{path}")), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false), "{path}");
        assert_eq!(receiver.next_request().await.line, format!("POST {request_target} HTTP/1.1"));
    }
}

#[tokio::test]
async fn a_2xx_is_success_with_the_beginning_of_its_body() {
    let receiver = Receiver::responding_with("HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\n\r\nqueue").await;
    let sent = sender(&receiver).send(&target("http://receiver.example/"), &notification(), NOW).await;
    assert_eq!(
        sent,
        payroll_adapter_webhook::SendResult { status: Some(202), ..accepted_result("queue", false) }
    );
}

#[tokio::test]
async fn connections_are_reused_by_all_hooks_of_a_host() {
    let receiver = Receiver::responding_with("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let sender = sender(&receiver);
    for path in ["a", "b", "a"] {
        let sent =
            sender.send(&target(&format!("http://receiver.example/{path}")), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("ok", false));
    }
    assert_eq!(receiver.connection_count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn surplus_bytes_after_a_response_are_ignored() {
    let receiver =
        Receiver::responding_with(format!("{ACCEPTED_RESPONSE}HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n"))
            .await;
    let sender = sender(&receiver);
    for _ in 0..50 {
        let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false));
    }
    assert_eq!(receiver.connection_count(), 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_connection_closed_by_the_response_is_not_reused() {
    let receiver =
        Receiver::responding_once_with("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            .await;
    let sender = sender(&receiver);
    for _ in 0..50 {
        let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_request_on_a_closed_connection_is_retried_in_the_same_attempt() {
    let receiver = Receiver::responding_once_with(ACCEPTED_RESPONSE).await;
    let sender = sender(&receiver);
    for number in 0..200 {
        let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false), "{number}");
    }
}

#[tokio::test]
async fn a_request_without_a_response_on_a_reused_connection_is_resent_once() {
    let mut receiver = Receiver::new(async |mut connection| {
        connection.read_request().await;
        connection.write(ACCEPTED_RESPONSE).await;
        connection.read_request().await;
    })
    .await;
    let sender = sender(&receiver);
    for _ in 0..2 {
        let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false));
    }
    let received =
        [receiver.next_request().await, receiver.next_request().await, receiver.next_request().await];
    assert_eq!(received[1].headers, received[2].headers);
    assert_eq!((receiver.connection_count(), receiver.try_next_request().is_none()), (2, true));
}

#[tokio::test]
async fn each_request_has_the_static_credentials() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let sender = sender(&receiver);
    sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
    let received = receiver.next_request().await;
    assert_eq!(received.header("authorization"), Some("Basic cGF5cm9sbDpzd29yZGZpc2g="));
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert!(received.header("user-agent").unwrap().starts_with("payroll-server/"));

    let key = Authentication::ApiKey { header: "x-api-key".to_owned(), key: SecretText::new("k-1") };
    sender.send(&target_with_authentication("http://receiver.example/", key), &notification(), NOW).await;
    let received = receiver.next_request().await;
    assert_eq!((received.header("x-api-key"), received.header("authorization")), (Some("k-1"), None));
}

#[tokio::test]
async fn a_credential_that_cannot_be_a_header_is_an_internal_error() {
    let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let key = Authentication::ApiKey { header: "x-api-key".to_owned(), key: SecretText::new("a\r\nb: c") };
    let target = target_with_authentication("http://receiver.example/", key);
    let sent = sender(&receiver).send(&target, &notification(), NOW).await;
    assert_eq!((sent, receiver.connection_count()), (failed_result(ErrorClass::Internal), 0));
}

#[tokio::test]
async fn a_standard_verifier_accepts_the_signature() {
    let received = send_and_receive_request(&target("http://receiver.example/")).await;
    assert_eq!(verify_with_each_secret(&received, &[[7; 32], [8; 32]]), [true, false]);
    assert_eq!(received.header("webhook-id"), Some(notification().notification_id.as_str()));
}

#[tokio::test]
async fn both_secrets_sign_while_the_old_one_is_valid() {
    let old = SigningSecret([8; 32]);
    let rotated = |until| DeliveryTarget {
        old_signing_secret: Some((old, until)),
        ..target("http://receiver.example/")
    };
    let during = send_and_receive_request(&rotated(current_time().plus_seconds(60))).await;
    assert_eq!(verify_with_each_secret(&during, &[[7; 32], [8; 32], [9; 32]]), [true, true, false]);
    assert_eq!(during.header("webhook-signature").unwrap().split(' ').count(), 2);
    let after = send_and_receive_request(&rotated(current_time())).await;
    assert_eq!(verify_with_each_secret(&after, &[[7; 32], [8; 32]]), [true, false]);
}

/// Verifies the signature of each server key pair with its public key, like a receiver that has no secret.
#[tokio::test]
async fn each_key_of_the_server_signs_for_receivers_with_its_public_key() {
    let key = |id, byte| Key::new(id, [byte; KEY_LENGTH]).unwrap();
    let set = |active, others| CurrentKeys::from(KeySet::new(active, others).unwrap());
    let public = |key: &Key| {
        let pair = SigningPair::derive(key, KeyPurpose::WebhookSigning).unwrap();
        UnparsedPublicKey::new(&ED25519, pair.public_key().to_vec())
    };
    let (old, new) = (key("old", 1), key("new", 2));
    let keys = set(old.clone(), Vec::new());
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let sender =
        Sender::new(SenderSettings { keys: Some(keys.clone()), ..settings(receiver.address) }).unwrap();
    let mut verified = Vec::new();
    for next in [
        set(old.clone(), Vec::new()),
        set(new.clone(), vec![old.clone()]),
        set(new.clone(), vec![old.clone().revoke()]),
    ] {
        keys.replace(KeySet::clone(&next.current()));
        sender.send(&target("http://receiver.example/"), &notification(), current_time()).await;
        let received = receiver.next_request().await;
        assert_eq!(verify_with_each_secret(&received, &[[7; 32]]), [true], "the secret signs, too");
        let header = |name| received.header(name).unwrap();
        let message =
            [header("webhook-id"), header("webhook-timestamp"), &String::from_utf8_lossy(&received.body)]
                .join(".");
        let signatures: Vec<Vec<u8>> = header("webhook-signature")
            .split(' ')
            .filter_map(|signature| STANDARD.decode(signature.strip_prefix("v1a,")?).ok())
            .collect();
        let signed_with = |key: &Key| {
            signatures.iter().filter(|it| public(key).verify(message.as_bytes(), it).is_ok()).count()
        };
        verified.push((signatures.len(), signed_with(&old), signed_with(&new)));
    }
    assert_eq!(verified, [(1, 1, 0), (2, 1, 1), (1, 0, 1)]);
}

async fn send_and_receive_request(target: &DeliveryTarget) -> ReceivedRequest {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let sent = sender(&receiver).send(target, &notification(), current_time()).await;
    assert_eq!(sent, accepted_result("", false));
    receiver.next_request().await
}

/// Returns the current time, because the verifier uses the system clock.
#[expect(clippy::disallowed_methods, reason = "the verifier reads the real clock")]
fn current_time() -> payroll_domain::date::Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    payroll_domain::date::Timestamp::from_micros(0).plus_seconds(since.as_secs().try_into().unwrap())
}

fn verify_with_each_secret(received: &ReceivedRequest, secrets: &[[u8; 32]]) -> Vec<bool> {
    let header = |(name, value): &(String, String)| {
        (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
    };
    let headers: HeaderMap = received.headers.iter().map(header).collect();
    let verdict = |secret: &[u8; 32]| {
        let verifier = Webhook::new(&signing_secret_text(&SigningSecret(*secret))).unwrap();
        verifier.verify(&received.body, &headers).is_ok()
    };
    secrets.iter().map(verdict).collect()
}
