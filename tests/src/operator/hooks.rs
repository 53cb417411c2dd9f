//! Tests of the operator's view of all applications' hooks, and of enabling and disabling them.

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, only_object};
use crate::support::{Caller, Request, Response, Server, on_every_database, register_hook};

/// A hook of the partner.
const HOOK_PATH: &str = "/applications/partner/hooks/first";

async fn register_first_hook(server: &Server) {
    for (application, hook) in [("partner", "first"), ("other", "theirs"), ("partner", "second")] {
        register_hook(&*server.store, application, hook).await;
    }
}

async fn post_without_body(server: &Server, path: &str) -> Response {
    server.send(&Request::operator(Method::POST, path)).await
}

/// Returns the ids of listed hooks.
fn hook_ids(response: &Response) -> Vec<String> {
    let hooks = response.json()["content"].as_array().cloned().unwrap_or_default();
    hooks.iter().map(|hook| hook["hookId"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn hooks_are_listed_for_all_applications_or_for_one() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        assert_eq!(hook_ids(&get(server, "/hooks").await), ["first", "theirs", "second"]);
        let of_one = get(server, "/hooks?applicationid=partner&limit=1&offset=1").await;
        assert_eq!(
            (hook_ids(&of_one), &of_one.json()["metadata"]["pagination"]["total"]),
            (vec!["second".to_owned()], &json!(2))
        );
        assert_eq!(hook_ids(&get(server, "/hooks?applicationid=NOBODY").await), Vec::<String>::new());
        assert_eq!(get(server, "/hooks?applicationid=a%20b").await.status_and_code(), "400 API-40");
        assert_eq!(get(server, "/hooks?limit=x").await.status_and_code(), "400 API-40");
    });
}

#[test]
fn a_hook_is_shown_with_its_queue_and_without_secrets() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        let shown = get(server, HOOK_PATH).await;
        let hook = only_object(&shown);
        assert_eq!(hook["uri"], "https://127.0.0.1/in", "without its query");
        assert_eq!((&hook["applicationId"], &hook["authType"]), (&json!("partner"), &json!("BASIC_AUTH")));
        assert_eq!(hook["queue"], json!({"waiting": 0, "failures": 0, "expired": 0}));
        let everything = [shown, get(server, "/hooks").await, get(server, "/audit?kind=hook").await];
        for response in everything {
            let text = response.json().to_string();
            for secret in ["open-sesame", "hidden", "whsec_"] {
                assert!(!text.contains(secret), "{secret} in {text}");
            }
        }
    });
}

#[test]
fn disabling_and_enabling_a_hook_is_logged_with_its_author() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        for (action, active) in [("disable", false), ("disable", false), ("enable", true), ("enable", true)] {
            let response = post_without_body(server, &format!("{HOOK_PATH}/{action}")).await;
            assert_eq!(
                (response.status, &only_object(&response)["active"]),
                (200, &json!(active)),
                "{action}"
            );
            assert_eq!(only_object(&get(server, HOOK_PATH).await)["active"], json!(active));
        }
        let audit_log = get(server, "/audit?kind=hook&resourceid=partner%2Ffirst").await.json();
        let rows = audit_log["content"].as_array().expect("rows");
        let reported = |row: &Value| format!("{} {}", row["actor"]["name"], row["action"]);
        let rows: Vec<_> = rows.iter().map(reported).collect();
        assert_eq!(rows[..2], [r#""desk" "update""#, r#""desk" "update""#], "{audit_log}");
    });
}

#[test]
fn an_unknown_hook_gets_404_before_any_fault_of_the_request() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        for hook in ["partner/hooks/theirs", "nobody/hooks/first", "a%20b/hooks/first", "partner/hooks/a%20b"]
        {
            let path = format!("/applications/{hook}");
            assert_eq!(get(server, &path).await.status_and_code(), "404 API-7", "{path}");
            for action in ["enable", "disable"] {
                let request = Request::operator_post(&format!("{path}/{action}"), &json!({"nonsense": 1}));
                assert_eq!(server.send(&request).await.status_and_code(), "404 API-7", "{path}");
            }
        }
        let enable = format!("{HOOK_PATH}/enable");
        let nonsense = Request::operator_post(&enable, &json!({"nonsense": 1}));
        assert_eq!(server.send(&nonsense).await.status_and_code(), "400 API-48");
        let reader = Request::operator(Method::POST, &enable).with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&reader).await.status_and_code(), "403 API-2");
        let reader = Request::operator_get("/hooks").with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&reader).await.status, 200);
    });
}

#[test]
fn the_state_of_the_complete_queue_is_reported() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        assert_eq!(post_without_body(server, &format!("{HOOK_PATH}/disable")).await.status, 200);
        let summary = only_object(&get(server, "/hooks/summary").await);
        let count = |name: &str| summary[name].as_u64().expect("a number");
        assert_eq!(["activeHooks", "inactiveHooks", "failingHooks"].map(count), [2, 1, 0]);
        assert_eq!(["waiting", "retrying", "held"].map(count), [0, 0, 0]);
    });
}

#[test]
fn a_test_notification_of_a_disabled_hook_is_stored_and_can_be_resent() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        assert_eq!(post_without_body(server, &format!("{HOOK_PATH}/disable")).await.status, 200);
        let queued = post_without_body(server, &format!("{HOOK_PATH}/test")).await;
        let delivery = only_object(&queued);
        assert_eq!(
            (queued.status, &delivery["test"], &delivery["state"]),
            (202, &json!(true), &json!("WAITING"))
        );
        let id = delivery["deliveryId"].as_str().expect("an id");
        let log = get(server, &format!("{HOOK_PATH}/deliveries?state=WAITING")).await.json();
        assert_eq!(log["content"], json!([delivery]));
        let one = format!("{HOOK_PATH}/deliveries/{id}");
        let mut shown = only_object(&get(server, &one).await);
        let body = shown.as_object_mut().and_then(|members| members.remove("body")).expect("what is sent");
        assert!(body.as_str().is_some_and(|it| it.contains("notification")), "{body}");
        assert_eq!(shown, delivery, "the rest is as in the list");
        assert_eq!(only_object(&get(server, HOOK_PATH).await)["queue"]["waiting"], 1);
        assert_eq!(only_object(&get(server, "/hooks/summary").await)["held"], 1);
        let again = post_without_body(server, &format!("{one}/replay")).await;
        let replayed = only_object(&again);
        assert_eq!((again.status, &replayed["replayed"]), (202, &json!(true)));
        assert_eq!(replayed["notificationId"], delivery["notificationId"], "it is the same one");
    });
}

#[test]
fn many_deliveries_are_replayed_together_with_their_number() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        assert_eq!(post_without_body(server, &format!("{HOOK_PATH}/disable")).await.status, 200);
        for _ in 0..3 {
            assert_eq!(post_without_body(server, &format!("{HOOK_PATH}/test")).await.status, 202);
        }
        let replay = async |body: &Value| {
            server.send(&Request::operator_post(&format!("{HOOK_PATH}/replay"), body)).await
        };
        let end =
            |state: &str| format!("UPDATE deliveries SET state = '{state}', due = NULL, ended = queued");
        let failed = json!({"failed": true});
        assert_eq!(
            only_object(&replay(&failed).await),
            json!({"replayed": 0}),
            "pending deliveries are sent anyway"
        );
        server.database.execute(&end("DELIVERED")).await;
        assert_eq!(only_object(&replay(&failed).await), json!({"replayed": 0}), "they have arrived");
        let all = replay(&json!({"from": "2020-01-01"})).await;
        assert_eq!((all.status, only_object(&all)), (202, json!({"replayed": 3})));
        server.database.execute(&end("EXPIRED")).await;
        assert_eq!(only_object(&replay(&failed).await), json!({"replayed": 3}));
        assert_eq!(replay(&json!({})).await.status_and_code(), "400 API-46");
        assert_eq!(replay(&json!({"failed": "yes"})).await.status_and_code(), "400 API-48");
    });
}

#[test]
fn deliveries_of_an_unknown_hook_get_404_and_invalid_parameters_are_reported() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        for hook in ["partner/hooks/theirs", "nobody/hooks/first"] {
            for below in ["deliveries", "deliveries?limit=x", "deliveries/nothing"] {
                let path = format!("/applications/{hook}/{below}");
                assert_eq!(get(server, &path).await.status_and_code(), "404 API-7", "{path}");
            }
            for below in ["test", "replay", "deliveries/nothing/replay"] {
                let request = Request::operator_post(&format!("/applications/{hook}/{below}"), &json!([]));
                assert_eq!(server.send(&request).await.status_and_code(), "404 API-7", "{hook} {below}");
            }
        }
        for query in ["state=waiting", "domain=x", "from=x", "to=x", "limit=0", "before=1"] {
            let response = get(server, &format!("{HOOK_PATH}/deliveries?{query}")).await;
            assert_eq!(response.status_and_code(), "400 API-40", "{query}");
        }
    });
}

#[test]
fn a_test_with_an_idempotency_key_is_queued_once() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        assert_eq!(post_without_body(server, &format!("{HOOK_PATH}/disable")).await.status, 200);
        let test =
            Request::operator(Method::POST, &format!("{HOOK_PATH}/test")).header("idempotency-key", "one");
        let (first, again) = (server.send(&test).await, server.send(&test).await);
        assert_eq!((first.status, again.status, &first.body), (202, 202, &again.body));
        assert_eq!(only_object(&get(server, HOOK_PATH).await)["queue"]["waiting"], 1);
    });
}

#[test]
fn a_conditional_request_gets_304_until_the_data_changes() {
    on_every_database(async |server| {
        register_first_hook(server).await;
        for path in ["/hooks", "/hooks/summary", HOOK_PATH, &format!("{HOOK_PATH}/deliveries")] {
            let tag = get(server, path).await.header("etag").to_owned();
            let ask = Request::operator_get(path).header("if-none-match", tag);
            assert_eq!(server.send(&ask).await.status, 304, "{path}");
            for step in ["disable", "test"] {
                assert!(post_without_body(server, &format!("{HOOK_PATH}/{step}")).await.status < 300);
            }
            assert_eq!(server.send(&ask).await.status, 200, "{path}");
        }
    });
}
