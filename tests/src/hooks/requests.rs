//! Tests that the delivery log lists the API requests that contain the notification id of a delivery.

use serde_json::json;

use super::deliveries::wait_for_newest_delivery;
use super::{hook_path, post_action, register_hook};
use crate::support::{Caller, OPEN, Request, on_every_database};

#[test]
fn a_request_caused_by_a_notification_is_listed_with_its_delivery() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let queued = post_action(server, "mine", "/test").await.content()[0].clone();
        let id = queued["notificationId"].as_str().expect("an id");
        let naming =
            |target: String, caller| Request::get(target).header("x-vendor-sid", id).with_caller(caller);
        let company = |caller| naming(format!("/companies/{OPEN}"), caller);
        server.send(&company(Caller::Other)).await;
        server.send(&company(Caller::Anonymous)).await;
        server.send(&company(Caller::Partner).append_header("x-vendor-sid", "another")).await;
        let first = server.send(&company(Caller::Partner)).await;
        let second = server.send(&naming("/companies/UNKNOWN".to_owned(), Caller::Partner)).await;
        let delivery = wait_for_newest_delivery(server, "mine", |it| {
            it["requests"].as_array().is_some_and(|it| it.len() >= 2)
        })
        .await;
        let reported: Vec<_> = delivery["requests"]
            .as_array()
            .expect("requests")
            .iter()
            .map(|request| ["method", "route", "status", "requestId"].map(|name| request[name].clone()))
            .collect();
        let expected = [(200, &first), (404, &second)].map(|(status, response)| {
            let route = json!("/companies/{companyId}");
            [json!("GET"), route, json!(status), json!(response.header("x-vendor-txid"))]
        });
        assert_eq!(reported, expected);
    });
}

#[test]
fn recorded_requests_are_stored_before_the_server_stops() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let queued = post_action(server, "mine", "/test").await.content()[0].clone();
        let id = queued["notificationId"].as_str().expect("an id");
        server.send(&Request::get("/companies").header("x-vendor-sid", id)).await;
        server.restart().await;
        let delivery =
            server.send(&Request::get(hook_path("mine", "/deliveries"))).await.content()[0].clone();
        assert_eq!(delivery["requests"][0]["route"], "/companies", "{delivery}");
    });
}
