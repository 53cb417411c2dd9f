//! Tests of the order and the limits of a hook's notifications, as partners and operators see them.

use serde_json::{Value, json};

use super::{HOOKS_PATH, hook_path, register_hook};
use crate::support::{Request, Server, on_every_database};

async fn patch_hook(server: &Server, body: &Value) -> crate::support::Response {
    server.send(&Request::patch(hook_path("mine", ""), body)).await
}

#[test]
fn hook_options_are_shown_only_if_they_differ_from_the_default() {
    on_every_database(async |server| {
        let plain = register_hook(server, "mine", &[]).await;
        let limits = json!({"ordered": true, "maxAttempts": 20, "maxPerSecond": 5});
        let members: Vec<_> = limits.as_object().unwrap().iter().collect();
        let sent: Vec<_> = members.iter().map(|(name, value)| (name.as_str(), (*value).clone())).collect();
        let registered = register_hook(server, "limited", &sent).await;
        for (member, value) in &members {
            assert_eq!((plain.get(*member), &registered[*member]), (None, *value));
        }
        let changed = patch_hook(server, &limits).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let operator = Request::operator_get("/applications/partner/hooks/mine");
        let shown = [
            changed.json(),
            server.send(&Request::get(hook_path("mine", ""))).await.json(),
            server.send(&Request::get(HOOKS_PATH)).await.json()[0].clone(),
            server.send(&operator).await.content()[0].clone(),
        ];
        for hook in &shown {
            assert!(members.iter().all(|(member, value)| hook[*member] == **value), "{hook}");
        }
        let default = json!({"ordered": false, "maxAttempts": null});
        let mut expected = shown[1].clone();
        expected.as_object_mut().unwrap().retain(|name, _| name != "ordered" && name != "maxAttempts");
        assert_eq!(patch_hook(server, &default).await.json(), expected, "the other limit remains");
    });
}

#[test]
fn invalid_hook_options_change_nothing() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        for (body, fault) in [
            (json!({"ordered": 1}), "API-48 /ordered"),
            (json!({"maxAttempts": 1001}), "API-48 /maxAttempts"),
            (json!({"maxPerSecond": "0"}), "API-48 /maxPerSecond"),
            (json!({"maxPerSecond": ""}), "API-46 /maxPerSecond"),
        ] {
            assert_eq!(patch_hook(server, &body).await.faults()[0], fault, "{body}");
        }
        let hook = server.send(&Request::get(hook_path("mine", ""))).await.json();
        assert!(hook.get("ordered").is_none() && hook.get("maxAttempts").is_none(), "{hook}");
    });
}

#[test]
fn a_hook_with_too_many_pending_deliveries_cannot_become_ordered() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let disable = "/applications/partner/hooks/mine/disable";
        assert_eq!(server.send(&Request::operator(reqwest::Method::POST, disable)).await.status, 200);
        let fill = "WITH RECURSIVE numbers (number) AS \
            (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 10001) \
            INSERT INTO deliveries (hook, event_id, company_id, domain, action, as_of, queued, due) \
            SELECT hook, 'event-' || number, 'ACME', 'CLT_ORG', 'UPDATE', 1, 1, 1 \
            FROM numbers CROSS JOIN hooks";
        server.database.execute(fill).await;
        assert_eq!(patch_hook(server, &json!({"ordered": true})).await.status_and_code(), "409 API-409");
        assert_eq!(
            patch_hook(server, &json!({"maxAttempts": 3})).await.status,
            200,
            "limits do not depend on it"
        );
        server.database.execute("DELETE FROM deliveries WHERE event_id = 'event-1'").await;
        assert_eq!(patch_hook(server, &json!({"ordered": true})).await.status, 200);
        assert_eq!(
            server.database.query_number("SELECT count(*) FROM deliveries WHERE ordered").await,
            10_000
        );
    });
}
