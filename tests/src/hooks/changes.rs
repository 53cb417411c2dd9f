//! Tests of changing, deleting and enabling a hook, and of rotating its secret.

use reqwest::Method;
use serde_json::{Value, json};

use super::{HOOKS_PATH, hook_path, post_action, register_hook};
use crate::support::{Request, Server, on_every_database};

async fn patch_hook(server: &Server, body: &Value) -> crate::support::Response {
    server.send(&Request::patch(hook_path("mine", ""), body)).await
}

async fn read_hook_with_etag(server: &Server) -> (String, Value) {
    let response = server.send(&Request::get(hook_path("mine", ""))).await;
    (response.header("etag").to_owned(), response.json())
}

#[test]
fn a_change_replaces_the_given_members_and_keeps_the_others() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let (tag, before) = read_hook_with_etag(server).await;
        let changed = patch_hook(server, &json!({"domains": "CLT_ORG"})).await;
        let mut expected = before.clone();
        expected["domains"] = json!(["CLT_ORG"]);
        assert_eq!((changed.status, changed.json()), (200, expected.clone()));
        let (new_tag, after) = read_hook_with_etag(server).await;
        assert_eq!((after, changed.header("etag")), (expected.clone(), new_tag.as_str()));
        assert_ne!(tag, new_tag);
        let key = json!({"authType": "APIKEY", "apiKey": "k"});
        let changed =
            patch_hook(server, &json!({"url": "https://hooks.test/other?a=1", "authentication": key})).await;
        expected["uri"] = json!("https://hooks.test/other?a=1");
        expected["authType"] = json!("APIKEY");
        assert_eq!(changed.json(), expected);
        assert_eq!(patch_hook(server, &expected).await.json(), expected, "it may be sent back as it is");
    });
}

#[test]
fn a_change_is_validated_like_a_registration() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let before = read_hook_with_etag(server).await;
        for (body, fault) in [
            (json!({"uri": "https://10.1.2.3/"}), "API-48 /uri"),
            (json!({"url": "https://no-such-host.invalid/"}), "API-48 /url"),
            (json!({"domains": []}), "API-46 /domains"),
            (json!({"authentication": {"authType": "BASIC_AUTH"}}), "API-46 /authentication/username"),
            (json!({"hookId": "other"}), "API-48 /hookId"),
            (json!({"active": false}), "API-48 /active"),
            (json!({"createdDate": "2026-01-01T00:00:00.000Z"}), "API-48 /createdDate"),
            (json!({"createdDate": 5}), "API-48 /createdDate"),
        ] {
            assert_eq!(patch_hook(server, &body).await.faults()[0], fault, "{body}");
        }
        assert_eq!(read_hook_with_etag(server).await, before);
    });
}

#[test]
fn a_change_of_an_outdated_version_is_rejected() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let (tag, _) = read_hook_with_etag(server).await;
        let change =
            |tag: &str| Request::patch(hook_path("mine", ""), &json!({"domains": "CLT_ORG"})).if_match(tag);
        assert_eq!(server.send(&change(&tag)).await.status, 200);
        for stale in [tag.as_str(), "W/\"1\"", "\"x\""] {
            assert_eq!(server.send(&change(stale)).await.status_and_code(), "412 API-412", "{stale}");
        }
        let (now, _) = read_hook_with_etag(server).await;
        assert_eq!(server.send(&change(&format!("\"x\", {now}"))).await.status, 200);
        assert_eq!(server.send(&change("*")).await.status, 200);
    });
}

#[test]
fn the_etag_of_a_hook_identifies_its_version() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let (tag, _) = read_hook_with_etag(server).await;
        let again = Request::get(hook_path("mine", "")).header("if-none-match", tag);
        assert_eq!(server.send(&again).await.status, 304);
        let list = server.send(&Request::get(HOOKS_PATH)).await;
        let list_again = Request::get(HOOKS_PATH).header("if-none-match", list.header("etag"));
        assert_eq!(server.send(&list_again).await.status, 304);
        let path = "/applications/partner/hooks/mine/disable";
        assert_eq!(server.send(&Request::operator(Method::POST, path)).await.status, 200);
        assert_eq!((server.send(&again).await.status, server.send(&list_again).await.status), (200, 200));
    });
}

#[test]
fn a_removed_hook_is_deleted_with_its_deliveries() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let remove = Request::new(Method::DELETE, hook_path("mine", ""));
        assert_eq!(server.send(&remove).await.status, 204);
        assert_eq!(server.send(&remove).await.status_and_code(), "404 API-7");
        assert_eq!(
            server.send(&Request::get(hook_path("mine", "/deliveries"))).await.status_and_code(),
            "404 API-7"
        );
        assert_eq!(server.send(&Request::get(HOOKS_PATH)).await.json(), json!([]));
        register_hook(server, "mine", &[]).await;
    });
}

#[test]
fn an_application_enables_its_disabled_hook() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let path = "/applications/partner/hooks/mine/disable";
        server.send(&Request::operator(Method::POST, path)).await;
        assert_eq!(read_hook_with_etag(server).await.1["active"], json!(false));
        for body in [None, Some("{}"), Some(r#"{"unknown": 1}"#)] {
            let request = Request::new(Method::POST, hook_path("mine", "/enable"));
            let request = match body {
                Some(body) => request.header("content-type", "application/json").body(body),
                None => request,
            };
            let enabled = server.send(&request).await;
            assert_eq!((enabled.status, &enabled.json()["active"]), (200, &json!(true)));
        }
    });
}

#[test]
fn a_new_secret_is_shown_once_and_the_old_one_is_valid_for_a_day() {
    on_every_database(async |server| {
        let first = register_hook(server, "mine", &[]).await;
        let request = Request::new(Method::POST, hook_path("mine", "/rotate-secret")).idempotency_key("once");
        let response = server.send(&request).await;
        let rotated = response.json();
        assert_eq!((response.status, response.header("cache-control")), (200, "no-store"));
        assert_ne!(rotated["signingSecret"], first["signingSecret"]);
        assert!(rotated["signingSecret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")));
        assert!(
            rotated["oldSecretValidUntil"].as_str().is_some_and(|day| day.starts_with("2026-05-13T12:00:0"))
        );
        let again = server.send(&request).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"));
        assert_eq!(again.json()["signingSecret"], Value::Null);
        assert_eq!(again.json()["oldSecretValidUntil"], rotated["oldSecretValidUntil"]);
        let other = post_action(server, "mine", "/rotate-secret").await.json();
        assert_ne!(other["signingSecret"], rotated["signingSecret"]);
    });
}
