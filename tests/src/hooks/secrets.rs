//! Tests that a hook's secrets are shown only when they are created. No other response, no audit log entry
//! and no log line may contain them.

use reqwest::Method;
use serde_json::{Value, json};

use super::deliveries::{ACCEPTING_ADDRESS, wait_for_newest_delivery};
use super::receiver::Receiver;
use super::{HOOKS_PATH, hook_path, post_action, register_hook};
use crate::support::hooks::registration;
use crate::support::{
    Process, Request, on_every_database_kind, on_every_database_with, token_form, with_member,
};

/// The text that each secret of these hooks contains.
const STORED_SECRET: &str = "open-sesame";

/// Returns all types of authentication.
fn authentications() -> Vec<(&'static str, Value)> {
    let client = |kind: &str| {
        let url = "http://taking.test/token?key=open-sesame-url";
        json!({"authType": kind, "tokenUrl": url, "clientId": "ann", "clientSecret": "open-sesame-client"})
    };
    vec![
        ("basic", json!({"authType": "BASIC_AUTH", "username": "ann", "password": "open-sesame-password"})),
        ("key", json!({"authType": "APIKEY", "apiKey": "open-sesame-key", "apiKeyHeader": "x-key"})),
        ("oauth", client("OAUTH2")),
        ("oauth-basic", client("OAUTH2_BASIC")),
    ]
}

#[test]
fn no_response_and_no_row_of_the_audit_log_contains_a_secret() {
    let receiver = Receiver::start();
    on_every_database_with(
        |settings| receiver.map_hosts(settings),
        async |server| {
            let mut reported = Vec::new();
            let mut secrets = vec![STORED_SECRET.to_owned()];
            for (id, authentication) in authentications() {
                let members = [("uri", json!(ACCEPTING_ADDRESS)), ("authentication", authentication.clone())];
                let mut hook = register_hook(server, id, &members).await;
                secrets.push(hook["signingSecret"].take().as_str().expect("a secret").to_owned());
                reported.push(hook.to_string());
                let rotated = post_action(server, id, "/rotate-secret").await.json();
                secrets.push(rotated["signingSecret"].as_str().expect("a secret").to_owned());
                let change = Request::patch(hook_path(id, ""), &json!({"authentication": authentication}));
                let bad = Request::patch(
                    hook_path(id, ""),
                    &json!({"uri": "https://open-sesame.test:1/open-sesame"}),
                );
                for request in [change, bad, Request::get(hook_path(id, "")), Request::get(HOOKS_PATH)] {
                    reported.push(server.send(&request).await.text());
                }
                reported.push(post_action(server, id, "/test").await.text());
                wait_for_newest_delivery(server, id, |it| it["attemptCount"] == 1).await;
                reported.push(server.send(&Request::get(hook_path(id, "/deliveries"))).await.text());
                reported.push(post_action(server, id, "/enable").await.text());
            }
            for path in ["/audit?limit=1000", "/hooks", "/applications/partner/hooks/key"] {
                reported.push(server.send(&Request::operator_get(path)).await.text());
            }
            server.send(&Request::new(Method::DELETE, hook_path("basic", ""))).await;
            reported.push(server.send(&Request::operator_get("/audit?limit=1000")).await.text());
            for text in reported {
                assert!(!secrets.iter().any(|secret| text.contains(secret.as_str())), "{text}");
            }
        },
    );
}

#[test]
fn a_server_that_logs_everything_logs_no_secret() {
    let receiver = Receiver::start();
    on_every_database_kind(async |database| {
        let hosts = receiver.host_mappings();
        let settings = ["--webhook-hosts", &hosts, "--webhook-allow-http", "true", "--log-level", "trace"];
        let process = Process::serve_with(database, &settings);
        let token = process.client.request_token(token_form()).await;
        let send =
            async |request: &Request| process.client.send(request, Some(&token)).await.expect("an answer");
        let mut secrets = vec![STORED_SECRET.to_owned(), "key=hidden".to_owned(), token.clone()];
        for (id, authentication) in authentications() {
            let hook = with_member(with_member(registration(), "hookId", id), "uri", ACCEPTING_ADDRESS);
            let registered =
                send(&Request::post(HOOKS_PATH, &with_member(hook, "authentication", authentication))).await;
            assert_eq!(registered.status, 201, "{registered:?}");
            let secret = registered.json()["signingSecret"].as_str().expect("a secret").to_owned();
            secrets.extend([secret.trim_start_matches("whsec_").to_owned(), secret]);
            send(&Request::new(Method::POST, hook_path(id, "/test"))).await;
            loop {
                let log = send(&Request::get(hook_path(id, "/deliveries"))).await;
                if log.content().iter().all(|delivery| delivery["attemptCount"] != 0) {
                    break;
                }
            }
        }
        let log = process.stop_and_read_log();
        assert!(log.contains("/management/hooks/{hookId}/test"), "it did log: {log:.2000}");
        for secret in secrets {
            let line = log.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "{secret} is in the log");
        }
    });
}
