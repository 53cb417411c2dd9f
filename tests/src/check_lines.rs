//! Tests of adding, changing and removing lines of a check.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::operations::CHECK_COMPONENT;
use crate::support::{OPEN, Request, Response, Server, on_every_database, valid_check};

async fn add_check(server: &Server) -> Value {
    let added = server.send(&Request::post_checks(OPEN, &valid_check())).await;
    assert_eq!(added.status, 201, "{added:?}");
    added.content().remove(0)
}

fn lines_path(check: &Value) -> String {
    format!("/checks/{}/checkcomponents", check["paycheckId"].as_str().expect("an id"))
}

async fn read_check(server: &Server, check: &Value) -> Value {
    let id = check["paycheckId"].as_str().expect("an id");
    server.send(&Request::get(format!("/workers/EMPLOYEE/checks/{id}"))).await.content().remove(0)
}

/// Reads the totals of the pay period `ENTRY` as an operator.
async fn period_totals(server: &Server) -> Value {
    let path = Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"));
    server.send(&path).await.content()[0]["totals"].clone()
}

fn line_summaries(check: &Value, section: &str) -> Vec<(String, String)> {
    let text = |line: &Value, member: &str| line[member].as_str().unwrap_or_default().to_owned();
    let lines = check[section].as_array().into_iter().flatten();
    lines.map(|line| (text(line, "componentId"), text(line, "payHours") + &text(line, "payAmount"))).collect()
}

#[test]
fn lines_are_added_at_the_same_time() {
    const CLIENT_COUNT: usize = 16;
    on_every_database(async |server| {
        let check = add_check(server).await;
        let bonus = Request::post(lines_path(&check), &json!({"componentId": "BONUS", "payAmount": "1.00"}));
        let added = join_all((0..CLIENT_COUNT).map(|_| server.send(&bonus))).await;
        assert!(added.iter().all(|it| it.status == 200), "{added:?}");
        let stored = line_summaries(&read_check(server, &check).await, "earnings");
        assert_eq!(stored.iter().filter(|(component, _)| component == "BONUS").count(), CLIENT_COUNT);
    });
}

#[test]
fn a_line_is_added_changed_and_removed_and_the_totals_follow() {
    on_every_database(async |server| {
        let check = add_check(server).await;
        let lines = lines_path(&check);
        let before = period_totals(server).await;
        // The server ignores read-only members that clients send back.
        let bonus = json!({"componentId": "BONUS", "payAmount": "11.00", "memoed": false, "name": "x",
            "effectOnPay": "REDUCTION", "lineDate": "2026-05-11T00:00:00Z"});
        let dry = server.send(&Request::post(format!("{lines}?dryrun=true"), &bonus)).await;
        assert_eq!((dry.status, dry.content()[0].get("paycheckId")), (200, None));
        assert_eq!(read_check(server, &check).await, check);
        let post = Request::post(&lines, &bonus).idempotency_key("bonus").accept(CHECK_COMPONENT);
        let (added, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((added.status, added.content()), (200, again.content()));
        let after = added.content().remove(0);
        assert_eq!(read_check(server, &check).await, after);
        assert_eq!(after["earnings"][0], check["earnings"][0]);
        assert_eq!(line_summaries(&after, "earnings")[1], ("BONUS".to_owned(), "11.00".to_owned()));
        assert_ne!(period_totals(server).await, before);

        let one = format!("{lines}/{}", after["earnings"][1]["checkComponentId"].as_str().unwrap());
        let tag = added.header("etag").to_owned();
        let change = Request::patch(&one, &json!({"payAmount": "12.5", "jobId": "CAKES"}));
        let changed = server.send(&change.clone().if_match(&tag)).await;
        let line = changed.content().remove(0);
        assert_eq!(
            (&line["payAmount"], &line["jobId"], &line["lineDate"]),
            (&json!("12.50"), &json!("CAKES"), &json!("2026-05-11T00:00:00Z"))
        );
        assert_eq!(line["checkComponentId"], after["earnings"][1]["checkComponentId"]);
        assert_eq!(server.send(&change.if_match(&tag)).await.status_and_code(), "412 API-412");
        assert_eq!(read_check(server, &check).await["earnings"][1], line);
        let row = server.send(&Request::operator_get("/audit?limit=1")).await.content().remove(0);
        let amounts = ["before", "after"].map(|state| row[state]["lines"][0]["amount"].clone());
        assert_eq!(amounts, [json!("11.00"), json!("12.50")], "{row}");

        let remove = Request::new(Method::DELETE, &one);
        assert_eq!(server.send(&remove).await.status, 204);
        assert_eq!(server.send(&remove).await.status_and_code(), "404 API-7");
        assert_eq!(read_check(server, &check).await, check);
        assert_eq!(period_totals(server).await, before);
    });
}

#[test]
fn the_component_decides_the_section_and_other_lines_keep_their_rates() {
    on_every_database(async |server| {
        let check = add_check(server).await;
        let lines = lines_path(&check);
        let rate = Request::operator_patch(
            &format!("/companies/{OPEN}/workers/EMPLOYEE/payrates/HOUR"),
            &json!({"amount": "99"}),
        );
        assert_eq!(server.send(&rate.if_match("*")).await.status, 200);
        let car = json!({"componentId": "CAR", "payAmount": "5"});
        let added = server.send(&Request::post(&lines, &car)).await.content().remove(0);
        assert_eq!(line_summaries(&added, "informational"), [("CAR".to_owned(), "5.00".to_owned())]);
        let hours = json!({"componentId": "HOURLY", "payHours": "1"});
        let added = server.send(&Request::post(&lines, &hours)).await.content().remove(0);
        let rates: Vec<_> =
            added["earnings"].as_array().unwrap().iter().map(|line| line["payRate"].clone()).collect();
        assert_eq!(rates, [check["earnings"][0]["payRate"].clone(), json!("99.0000")]);
        // A PATCH without a rate keeps the stored rate of the line.
        let first = format!("{lines}/{}", check["earnings"][0]["checkComponentId"].as_str().unwrap());
        let patch = async |body: Value| server.send(&Request::patch(&first, &body)).await.content().remove(0);
        assert_eq!(patch(json!({"payHours": "2"})).await["payRate"], check["earnings"][0]["payRate"]);
        assert_eq!(patch(json!({"payRateId": "HOUR"})).await["payRate"], "99.0000");
        // A changed line keeps its position among the lines of the check.
        let read = read_check(server, &check).await;
        assert_eq!(read["earnings"][0]["checkComponentId"], check["earnings"][0]["checkComponentId"]);
        assert_eq!(line_summaries(&read, "earnings").len(), 2);
        // A line with a new pay component moves to the section of this component, such as `informational`.
        let moved = patch(json!({"componentId": "CAR", "payHours": null, "payAmount": "3"})).await;
        assert_eq!(moved["effectOnPay"], "EMPLOYER_INFORMATIONAL");
        assert_eq!(line_summaries(&read_check(server, &check).await, "earnings").len(), 1);
    });
}

#[test]
fn an_invalid_line_changes_nothing_and_the_last_line_cannot_be_removed() {
    on_every_database(async |server| {
        let check = add_check(server).await;
        let lines = lines_path(&check);
        let one = format!("{lines}/{}", check["earnings"][0]["checkComponentId"].as_str().unwrap());
        let errors = |refused: &Response| {
            let errors = refused.json()["errors"].as_array().unwrap().clone();
            let text = |error: &Value, member: &str| error[member].as_str().unwrap_or_default().to_owned();
            errors.iter().map(|error| text(error, "code") + " " + &text(error, "pointer")).collect::<Vec<_>>()
        };
        let wrong =
            json!({"componentId": "NONE", "payHours": "eight", "organization": {"organizationId": "NONE"}});
        let refused = server.send(&Request::post(&lines, &wrong)).await;
        assert_eq!(
            errors(&refused),
            ["API-48 /componentId", "API-40 /organization/organizationId", "API-48 /payHours"]
        );
        for body in [json!([]), json!(null), json!("line"), json!({"componentId": 7})] {
            assert_eq!(server.send(&Request::post(&lines, &body)).await.status, 400, "{body}");
        }
        let last = server.send(&Request::new(Method::DELETE, &one)).await;
        assert_eq!(last.status_and_code(), "400 API-25");
        assert_eq!(read_check(server, &check).await, check);
    });
}
