//! Tests that each change causes the right notification for the right hooks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::SecretText;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::Authentication;
use payroll_ports::secrets::signing_secret_text;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::json;
use standardwebhooks::Webhook;

use super::{
    SIGNING_SECRET, add_hook, add_hook_with_authentication, change_worker, count_in_state, oauth_client,
    run_with_receiver, wait_until_in_state, wait_until_queue_is_empty,
};
use crate::support::received::Received;
use crate::support::{Caller, OPEN, Receiver, Reply, Request, basic_authorization};

const WORKER_DOMAIN: EventDomain = EventDomain::WorkerEmployment;

/// Verifies the signature of a notification with a library that is independent of the code under test.
fn assert_signed(received: &Received) {
    let timestamp = received.header("webhook-timestamp").parse().expect("seconds");
    let verifier = Webhook::new(&signing_secret_text(&SIGNING_SECRET)).expect("a secret");
    let signature = verifier.sign(received.header("webhook-id"), timestamp, &received.body);
    let first = received.header("webhook-signature").split(' ').next();
    assert_eq!(signature.ok().as_deref(), first);
}

#[test]
fn a_receiver_without_the_secret_verifies_with_the_published_key() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let keys = Request::get("/.well-known/webhook-keys").with_caller(Caller::Anonymous);
            let keys = server.send_unchecked(&keys).await.json();
            let key = &keys["keys"][0];
            assert_eq!((&key["id"], &key["algorithm"]), (&json!("test"), &json!("Ed25519")));
            let text = key["publicKey"].as_str().and_then(|text| text.strip_prefix("whpk_")).expect("a key");
            let public = UnparsedPublicKey::new(&ED25519, STANDARD.decode(text).expect("base64"));
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            change_worker(server, 1).await;
            let received = receiver.wait_for_requests("/here", 1).await[0].clone();
            let header = |name: &str| received.header(name).to_owned();
            let mut message =
                format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).into_bytes();
            message.extend_from_slice(&received.body);
            let signature = header("webhook-signature");
            let signature = signature.split(' ').find_map(|it| it.strip_prefix("v1a,")).expect("a signature");
            let signature = STANDARD.decode(signature).expect("base64");
            public.verify(&message, &signature).expect("the key of the server has signed");
        },
    );
}

#[test]
fn a_change_arrives_signed_and_equals_its_event_in_the_feed() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            change_worker(server, 1).await;
            let received = receiver.wait_for_requests("/here", 1).await[0].clone();
            assert_signed(&received);
            let reported = received.json();
            let expected = json!({
                "companyId": OPEN, "workerId": "EMPLOYEE", "asOfDate": "2026-05-12T12:00:00.001+00:00",
                "domains": ["WRKR_EMPL"], "action": "UPDATE", "notificationType": "WORKER_MESSAGE",
                "notificationId": received.notification_id(),
            });
            assert_eq!((received.method.as_str(), reported), ("POST", expected));
            assert_eq!(received.header("content-type"), "application/json");
            let of_feed =
                format!("SELECT count(*) FROM events WHERE event_id = '{}'", received.notification_id());
            assert_eq!(server.database.query_number(&of_feed).await, 1);
            wait_until_in_state(&server.database, "DELIVERED", 1).await;
            let log = "/applications/partner/hooks/here/deliveries";
            let listed = server.send(&Request::operator_get(log)).await.content().remove(0);
            assert_eq!(listed.get("body"), None, "a list has no bodies");
            let one = format!("{log}/{}", listed["deliveryId"].as_str().expect("an id"));
            let shown = server.send(&Request::operator_get(&one)).await.content().remove(0);
            assert_eq!(shown["body"].as_str().map(str::as_bytes), Some(&*received.body), "to the byte");
            let minutes = server.send(&Request::operator_get("/health")).await.content().remove(0);
            let last = minutes["minutes"].as_array().and_then(|all| all.last().cloned()).expect("a minute");
            assert_eq!((&last["attempts"], &last["failedAttempts"]), (&json!(1), &json!(0)), "{last}");
        },
    );
}

#[test]
fn a_test_notification_arrives_as_described_and_is_marked() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            let call = Request::new(reqwest::Method::POST, "/management/hooks/here/test");
            assert_eq!(server.send(&call).await.status, 202);
            // The receiver validates each notification against the description.
            let reported = receiver.wait_for_requests("/here", 1).await[0].json();
            assert_eq!(
                (&reported["test"], &reported["notificationType"]),
                (&json!(true), &json!("TEST_MESSAGE"))
            );
        },
    );
}

/// Makes the receiver issue a token to every client.
fn respond_with_tokens(receiver: &Receiver) {
    receiver.reply_with(|received| match received.target.starts_with("/token") {
        true => Reply::Json(json!({"access_token": "a-token", "token_type": "Bearer", "expires_in": 3600})),
        false => Reply::Status(204),
    });
}

#[test]
fn every_registered_method_of_authentication_is_used() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            respond_with_tokens(receiver);
            let password = SecretText::new("the password");
            let methods = [
                ("basic", Authentication::Basic { username: "us".to_owned(), password }),
                ("key", super::api_key_authentication()),
                ("oauth", Authentication::OAuth2(oauth_client())),
                ("oauth-basic", Authentication::OAuth2Basic(oauth_client())),
            ];
            for (id, authentication) in methods {
                add_hook_with_authentication(&*server.store, "partner", id, WORKER_DOMAIN, authentication)
                    .await;
            }
            change_worker(server, 1).await;
            wait_until_queue_is_empty(&server.database).await;
            let shown = |path: &str, header: &str| receiver.requests_to(path)[0].header(header).to_owned();
            assert_eq!(shown("/basic", "authorization"), basic_authorization("us", "the password"));
            assert_eq!(shown("/key", "x-key"), "the key");
            assert_eq!(shown("/oauth", "authorization"), "Bearer a-token");
            assert_eq!(shown("/oauth-basic", "authorization"), "Bearer a-token");
            let tokens = receiver.requests_to("/token");
            assert!(
                tokens.iter().any(|it| it.header("authorization") == basic_authorization("us", "the-secret"))
            );
            assert!(tokens.iter().any(|it| it.target.contains("client_id=us&client_secret=the-secret")));
            let ids: Vec<_> = ["/basic", "/key", "/oauth", "/oauth-basic"]
                .iter()
                .map(|path| receiver.requests_to(path)[0].notification_id())
                .collect();
            assert!(ids.iter().all(|id| *id == ids[0]), "the same notification on every hook");
        },
    );
}

#[test]
fn a_revoked_grant_cancels_pending_deliveries_and_is_reported() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "workers", WORKER_DOMAIN).await;
            add_hook(&*server.store, "partner", "access", EventDomain::CompanyAccess).await;
            receiver
                .reply_with(|received| Reply::Status(if received.target == "/workers" { 500 } else { 204 }));
            change_worker(server, 1).await;
            wait_until_in_state(&server.database, "RETRYING", 1).await;
            let withdrawn = Request::operator_delete("/applications/partner/grants/OPEN");
            assert_eq!(server.send(&withdrawn).await.status, 204);
            let reported = receiver.wait_for_requests("/access", 1).await[0].json();
            assert_eq!(
                (&reported["domains"][0], &reported["action"]),
                (&json!("CLT_ACCESS"), &json!("DELETE"))
            );
            wait_until_queue_is_empty(&server.database).await;
            assert_eq!(count_in_state(&server.database, "CANCELLED").await, 1);
            assert_eq!(receiver.requests_to("/workers").len(), 1);
        },
    );
}

#[test]
fn an_application_gets_no_notifications_of_companies_without_a_grant() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "other", "other", WORKER_DOMAIN).await;
            add_hook(&*server.store, "partner", "partner", WORKER_DOMAIN).await;
            change_worker(server, 1).await;
            receiver.wait_for_requests("/partner", 1).await;
            wait_until_queue_is_empty(&server.database).await;
            assert!(receiver.requests_to("/other").is_empty());
        },
    );
}
