//! Tests of verifying new addresses. The receivers repeat the challenge, respond with something else, or
//! never respond.

use reqwest::Method;
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{HOOKS_PATH, hook_path, post_action, post_hook, read_delivery_log, register_hook};
use crate::support::hooks::registration;
use crate::support::{Request, Response, Server, Settings, on_every_database_with, with_member};

const ECHO_ADDRESS: &str = "http://taking.test/echo?tenant=7";

/// Runs a test on servers that verify new addresses, with a receiver at `taking.test`.
fn run_with_verification(test: impl AsyncFn(&mut Server, &Receiver)) {
    let receiver = Receiver::start();
    let settings = |settings: &mut Settings| {
        receiver.map_hosts(settings);
        settings.webhook_verify_addresses = true;
    };
    on_every_database_with(settings, async |server| test(server, &receiver).await);
}

async fn try_register(server: &Server, uri: &str) -> Response {
    post_hook(server, &with_member(registration(), "uri", uri)).await
}

fn error_description(response: &Response) -> String {
    response.json()["errors"][0]["description"].as_str().expect("a text").to_owned()
}

#[test]
fn a_receiver_that_repeats_the_challenge_is_registered() {
    run_with_verification(async |server, receiver| {
        assert_eq!(try_register(server, ECHO_ADDRESS).await.status, 201);
        let sent = receiver.challenges();
        assert_eq!(sent.len(), 1, "{sent:?}");
        let challenge =
            sent[0].strip_prefix("/echo?tenant=7&challenge=").expect("the address, with a challenge");
        assert!(challenge.starts_with("whc_") && challenge.len() == 47, "{challenge}");
    });
}

#[test]
fn a_receiver_without_the_challenge_is_rejected_and_not_called_again() {
    run_with_verification(async |server, receiver| {
        for (path, seen) in [
            ("/other", "the response has another body"),
            ("/gone", "the response has the status 404"),
            ("/long", "the response has another body"),
            ("/hang", "no response came (TIMEOUT)"),
        ] {
            let refused = try_register(server, &format!("http://taking.test{path}")).await;
            assert_eq!(
                (refused.status_and_code().as_str(), refused.faults()),
                ("400 API-48", vec!["API-48 /uri".to_owned()])
            );
            let description = error_description(&refused);
            assert!(
                description.contains("parameter challenge") && description.ends_with(seen),
                "{description}"
            );
        }
        let nobody = try_register(server, "https://hooks.test/in").await;
        assert!(error_description(&nobody).ends_with("no response came (CONNECT)"), "{nobody:?}");
        assert_eq!(server.send(&Request::get(HOOKS_PATH)).await.json(), json!([]));
        assert_eq!(receiver.challenges().len(), 4, "one for each");
    });
}

#[test]
fn a_hook_is_verified_again_only_if_its_address_changes() {
    run_with_verification(async |server, receiver| {
        register_hook(server, "mine", &[("uri", json!(ECHO_ADDRESS))]).await;
        let change = async |change: Value| {
            server.send(&Request::new(Method::PATCH, hook_path("mine", "")).json(&change)).await
        };
        receiver.challenges();
        let refused = change(json!({"url": "http://taking.test/other"})).await;
        assert_eq!(
            (refused.status_and_code().as_str(), refused.faults()),
            ("400 API-48", vec!["API-48 /url".to_owned()])
        );
        assert_eq!(server.send(&Request::get(hook_path("mine", ""))).await.json()["uri"], ECHO_ADDRESS);
        assert_eq!(receiver.challenges().len(), 1);
        assert_eq!(change(json!({"uri": ECHO_ADDRESS, "domains": ["CLT_DEM"]})).await.status, 200);
        assert_eq!(receiver.challenges(), Vec::<String>::new(), "it is the same address");
        assert_eq!(change(json!({"uri": "http://taking.test/echo"})).await.status, 200);
        assert_eq!(receiver.challenges().len(), 1);
    });
}

#[test]
fn verifications_of_an_application_are_limited_per_minute() {
    run_with_verification(async |server, receiver| {
        for _ in 0..10 {
            assert_eq!(try_register(server, "http://taking.test/other").await.status, 400);
        }
        let refused = try_register(server, ECHO_ADDRESS).await;
        assert_eq!((refused.status_and_code().as_str(), refused.header("retry-after")), ("429 API-429", "6"));
        assert_eq!(receiver.challenges().len(), 10);
        server.clock.advance_seconds(6);
        assert_eq!(try_register(server, ECHO_ADDRESS).await.status, 201);
        receiver.challenges();
    });
}

#[test]
fn replays_of_a_hook_are_limited_per_minute() {
    on_every_database_with(
        |_| (),
        async |server| {
            for id in ["mine", "other"] {
                register_hook(server, id, &[]).await;
                post_action(server, id, "/test").await;
            }
            let delivery = read_delivery_log(server, "mine", "").await[0]["deliveryId"]
                .as_str()
                .expect("an id")
                .to_owned();
            let one = async || post_action(server, "mine", &format!("/deliveries/{delivery}/replay")).await;
            let many = async |id: &str| {
                server.send(&Request::post(hook_path(id, "/replay"), &json!({"from": "2026-01-01"}))).await
            };
            for _ in 0..5 {
                assert_eq!((one().await.status, many("mine").await.status), (202, 202));
            }
            for refused in [one().await, many("mine").await] {
                assert_eq!(
                    (refused.status_and_code().as_str(), refused.header("retry-after")),
                    ("429 API-429", "6")
                );
            }
            assert_eq!(many("other").await.status, 202, "another hook has its own limit");
            server.clock.advance_seconds(6);
            assert_eq!(many("mine").await.status, 202);
        },
    );
}
