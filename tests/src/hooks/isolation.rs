//! Tests that no application can see or change the hooks of another one, and that revoked permissions take
//! effect immediately.

use reqwest::Method;
use serde_json::json;

use super::{HOOKS_PATH, hook_path, register_hook};
use crate::support::{Caller, Request, on_every_database};

#[test]
fn another_application_cannot_see_a_hook() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let before = server.send(&Request::get(hook_path("mine", ""))).await.json();
        let request = |method: &str, below: &str| {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            Request::new(method, hook_path("mine", below)).with_caller(Caller::Other)
        };
        for theirs in [
            request("GET", ""),
            request("DELETE", ""),
            request("PATCH", "").json(&json!({"domains": "CLT_ORG"})),
            request("GET", "/deliveries"),
            request("POST", "/test"),
            request("POST", "/enable"),
            request("POST", "/rotate-secret"),
            request("POST", "/replay").json(&json!({"failed": true})),
        ] {
            assert_eq!(server.send(&theirs).await.status_and_code(), "404 API-7", "{theirs:?}");
        }
        assert_eq!(server.send(&Request::get(HOOKS_PATH).with_caller(Caller::Other)).await.json(), json!([]));
        assert_eq!(server.send(&Request::get(hook_path("mine", ""))).await.json(), before);
    });
}

#[test]
fn a_revoked_scope_stops_the_next_request() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let scopes = async |scopes: serde_json::Value| {
            let patch = json!({"webhookScopes": scopes});
            let response = server.send(&Request::operator_patch("/applications/partner", &patch)).await;
            assert_eq!(response.status, 200, "{response:?}");
        };
        let reported = async || {
            let read = server.send(&Request::get(hook_path("mine", ""))).await.status_and_any_code();
            let write =
                server.send(&Request::patch(hook_path("mine", ""), &json!({"domains": "CLT_ORG"}))).await;
            (read, write.status_and_any_code())
        };
        assert_eq!(reported().await, ("200".to_owned(), "200".to_owned()));
        scopes(json!(["read:webhooks"])).await;
        assert_eq!(reported().await, ("200".to_owned(), "403 API-2".to_owned()));
        scopes(json!([])).await;
        assert_eq!(reported().await, ("403 API-2".to_owned(), "403 API-2".to_owned()));
    });
}

#[test]
fn rejections_follow_the_order_of_the_specification() {
    on_every_database(async |server| {
        let worst = Request::post(hook_path("none", "/replay"), &json!({}))
            .header("content-type", "text/plain")
            .accept("text/html");
        let typed = worst.clone().header("content-type", "application/json");
        let accepted = typed.clone().without_header("accept");
        let mut reported = Vec::new();
        for request in [
            &worst.clone().with_caller(Caller::Malformed),
            &worst,
            &typed,
            &accepted.clone().with_caller(Caller::WithoutScope),
            &accepted,
        ] {
            reported.push(server.send(request).await.status_and_code());
        }
        assert_eq!(reported, ["401 API-102", "415 API-415", "406 API-75", "403 API-2", "404 API-7"]);
    });
}
