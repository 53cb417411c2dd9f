//! Tests of the delivery log, test calls and replays.

use payroll_server::config::Setting;
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{hook_path, member_values, post_action, read_delivery_log, register_hook};
use crate::support::{OPEN, Request, Server, Settings, on_every_database, on_every_database_with};

/// The maximum number of reads of the delivery log. If no delivery has arrived by then, the test fails.
const MAX_READS: usize = 20_000;
/// The URL of a receiver that accepts everything.
pub(super) const ACCEPTING_ADDRESS: &str = "http://taking.test/in?key=hidden";

/// Waits until the newest delivery of a hook fulfills a condition, and returns it.
pub(super) async fn wait_for_newest_delivery(
    server: &Server,
    id: &str,
    awaited: impl Fn(&Value) -> bool,
) -> Value {
    for _ in 0..MAX_READS {
        let response = server.send(&Request::get(hook_path(id, "/deliveries?limit=1"))).await;
        match response.content().into_iter().next() {
            Some(delivery) if awaited(&delivery) => return delivery,
            _ => tokio::task::yield_now().await,
        }
    }
    panic!("it never came: {:?}", server.send(&Request::get(hook_path(id, "/deliveries"))).await);
}

pub(super) fn has_state(state: &'static str) -> impl Fn(&Value) -> bool {
    move |delivery| delivery["state"] == state
}

/// Changes a worker. The change creates an event of the domain WRKR_DEM.
pub(super) async fn change_worker(server: &Server, birth_date: &str) {
    let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
    let response = server.send(&Request::operator_patch(&path, &json!({"birthDate": birth_date}))).await;
    assert_eq!(response.status, 200, "{response:?}");
}

#[test]
fn a_test_notification_arrives_marked_and_is_listed_with_its_attempt() {
    let receiver = Receiver::start();
    on_every_database_with(
        |settings| receiver.map_hosts(settings),
        async |server| {
            register_hook(server, "mine", &[("uri", json!(ACCEPTING_ADDRESS)), ("companyId", json!(OPEN))])
                .await;
            let accepted = post_action(server, "mine", "/test").await;
            let queued = accepted.content()[0].clone();
            assert_eq!(
                (accepted.status, &queued["test"], &queued["domain"]),
                (202, &json!(true), &json!("WRKR_DEM"))
            );
            let delivery = wait_for_newest_delivery(server, "mine", has_state("DELIVERED")).await;
            let attempt = &delivery["attempts"][0];
            let reported =
                ["number", "cause", "status", "answer", "answerCut"].map(|name| attempt[name].clone());
            assert_eq!(
                reported,
                [json!(1), json!("TEST"), json!(200), json!("taken"), json!(false)],
                "{delivery}"
            );
            assert_eq!((&delivery["deliveryId"], attempt.get("error")), (&queued["deliveryId"], None));
            let sent = receiver.notifications().remove(0);
            assert_eq!(sent["notificationId"], delivery["notificationId"]);
            assert_eq!([&sent["notificationType"], &sent["test"]], [&json!("TEST_MESSAGE"), &json!(true)]);
            assert_eq!(sent["companyId"], OPEN);
            let path = hook_path(
                "mine",
                &format!("/deliveries/{}", delivery["deliveryId"].as_str().expect("an id")),
            );
            let alone = server.send(&Request::get(path.as_str())).await;
            let mut shown = alone.content().remove(0);
            let body = shown.as_object_mut().and_then(|it| it.remove("body")).expect("a body");
            let read: Value = serde_json::from_str(body.as_str().expect("a text")).expect("JSON");
            assert_eq!(read, sent);
            assert_eq!(shown, delivery, "what a list shows, and the body");
            let again = Request::get(path).header("if-none-match", alone.header("etag"));
            assert_eq!(server.send(&again).await.status, 304);
        },
    );
}

#[test]
fn a_resent_delivery_keeps_its_notification_id() {
    let receiver = Receiver::start();
    on_every_database_with(
        |settings| receiver.map_hosts(settings),
        async |server| {
            register_hook(server, "mine", &[("uri", json!(ACCEPTING_ADDRESS))]).await;
            change_worker(server, "1990-01-01").await;
            let first = wait_for_newest_delivery(server, "mine", has_state("DELIVERED")).await;
            let path = format!("/deliveries/{}/replay", first["deliveryId"].as_str().expect("an id"));
            let accepted = post_action(server, "mine", &path).await;
            assert_eq!((accepted.status, &accepted.content()[0]["replayed"]), (202, &json!(true)));
            let second = wait_for_newest_delivery(server, "mine", |it| {
                has_state("DELIVERED")(it) && it["attemptCount"] == 2
            })
            .await;
            assert_eq!(second["attempts"][1]["cause"], "REPLAY");
            assert_eq!(second["notificationId"], first["notificationId"]);
            let sent = receiver.notifications();
            assert_eq!(
                member_values(&sent, "notificationId"),
                [first["notificationId"].as_str().expect("an id"); 2]
            );
        },
    );
}

#[test]
fn all_failed_deliveries_are_replayed_together() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        for number in 1..=3 {
            change_worker(server, &format!("1990-01-0{number}")).await;
        }
        let tried = |delivery: &Value| has_state("RETRYING")(delivery) && delivery["attemptCount"] == 1;
        for _ in 0..MAX_READS {
            let all = read_delivery_log(server, "mine", "").await;
            if all.len() == 3 && all.iter().all(tried) {
                break;
            }
        }
        let all = read_delivery_log(server, "mine", "state=RETRYING").await;
        assert!(all.iter().all(|delivery| delivery["attempts"][0]["error"] == "CONNECT"), "{all:?}");
        let replay = async |body: Value| {
            let response = server.send(&Request::post(hook_path("mine", "/replay"), &body)).await;
            assert_eq!(response.status, 202, "{response:?}");
            response.json()
        };
        let before = json!({"failed": true, "to": all[2]["queuedDate"]});
        assert_eq!(replay(before).await, json!({"replayed": 0}));
        assert_eq!(replay(json!({"failed": true})).await, json!({"replayed": 3}));
        let again = wait_for_newest_delivery(server, "mine", |it| it["attemptCount"] == 2).await;
        assert_eq!((&again["replayed"], &again["attempts"][1]["cause"]), (&json!(true), &json!("REPLAY")));
    });
}

#[test]
fn deliveries_are_listed_newest_first_in_pages_and_by_filters() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[("domains", json!(["WRKR_DEM", "CLT_PYRN"]))]).await;
        for _ in 0..3 {
            post_action(server, "mine", "/test").await;
        }
        change_worker(server, "1990-01-01").await;
        let all = read_delivery_log(server, "mine", "").await;
        let paged = read_delivery_log(server, "mine", "limit=1").await;
        assert_eq!((all.len(), member_values(&paged, "deliveryId")), (4, member_values(&all, "deliveryId")));
        assert_eq!(all.iter().map(|it| it["test"] == true).collect::<Vec<_>>(), [false, true, true, true]);
        let count = async |query: &str| read_delivery_log(server, "mine", query).await.len();
        assert_eq!((count("domain=WRKR_DEM").await, count("domain=CLT_PYRN").await), (4, 0));
        assert_eq!((count("state=DELIVERED").await, count("state=CANCELLED").await), (0, 0));
        let newest = all[0]["queuedDate"].as_str().expect("an instant");
        assert_eq!(count(&format!("from={newest}")).await, 1);
        assert_eq!(count(&format!("to={newest}")).await, 3);
    });
}

#[test]
fn a_failed_test_notification_is_not_retried_and_not_counted() {
    // The hook's host leads to a port without a listener.
    let nobody = |settings: &mut Settings| {
        settings.webhook_hosts = Setting::read("nobody.test=127.0.0.1:1").expect("hosts");
        settings.webhook_allow_http = true;
    };
    on_every_database_with(nobody, async |server| {
        register_hook(server, "mine", &[("uri", json!("http://nobody.test/in"))]).await;
        post_action(server, "mine", "/test").await;
        let ended = wait_for_newest_delivery(server, "mine", has_state("EXPIRED")).await;
        assert_eq!(ended["attempts"].as_array().map(Vec::len), Some(1), "{ended}");
        assert_eq!((&ended["attempts"][0]["error"], ended.get("dueDate")), (&json!("CONNECT"), None));
        let failing = "SELECT count(*) FROM hooks WHERE failing_since IS NOT NULL OR failures > 0";
        assert_eq!(server.database.query_number(failing).await, 0);
    });
}

#[test]
fn test_notifications_of_a_hook_are_limited_per_minute() {
    on_every_database(async |server| {
        for id in ["mine", "other"] {
            register_hook(server, id, &[]).await;
        }
        for _ in 0..10 {
            assert_eq!(post_action(server, "mine", "/test").await.status, 202);
        }
        let refused = post_action(server, "mine", "/test").await;
        assert_eq!((refused.status_and_code().as_str(), refused.header("retry-after")), ("429 API-429", "6"));
        assert_eq!(post_action(server, "other", "/test").await.status, 202);
        server.clock.advance_seconds(6);
        assert_eq!(post_action(server, "mine", "/test").await.status, 202);
    });
}

#[test]
fn a_retried_test_notification_with_its_idempotency_key_is_sent_once() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let request = Request::new(reqwest::Method::POST, hook_path("mine", "/test")).idempotency_key("once");
        let (first, again) = (server.send(&request).await, server.send(&request).await);
        assert_eq!(
            (again.status, again.header("idempotent-replayed"), &again.body),
            (202, "true", &first.body)
        );
        assert_eq!(read_delivery_log(server, "mine", "").await.len(), 1);
    });
}
