//! Tests of the response to a valid check, and of reading the check afterwards.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    Caller, OPEN, Request, check_with_correlation_id, check_with_line, check_with_line_member,
    checks_document, on_every_database, valid_check, with_member,
};

/// Adds a check, and returns the check's first line from the response.
async fn add_check_and_read_its_line(server: &crate::support::Server, check: &Value) -> Value {
    let response = server.send(&Request::post_checks(OPEN, check)).await;
    assert_eq!(response.status, 201, "{response:?}");
    response.content()[0]["earnings"][0].clone()
}

fn get_checks(period: &str) -> Request {
    Request::get(format!("/companies/{OPEN}/checks?payperiodid={period}"))
}

/// Removes the ids and links, which the server has generated, from a check.
fn without_ids(mut check: Value) -> Value {
    let check_members = check.as_object_mut().expect("an object");
    check_members.retain(|name, _| !["paycheckId", "links"].contains(&name.as_str()));
    for section in ["earnings", "informational"] {
        for line in check_members.get_mut(section).and_then(Value::as_array_mut).into_iter().flatten() {
            line.as_object_mut().expect("a line").remove("checkComponentId");
        }
    }
    check
}

#[test]
fn the_response_contains_the_check_with_its_ids_component_and_rate() {
    on_every_database(async |server| {
        let response = server.send(&Request::post_checks(OPEN, &valid_check())).await;
        let expected = json!({
            "workerId": "EMPLOYEE", "payPeriodId": "ENTRY", "checkCorrelationId": "a1",
            "checkDate": "2026-05-22T00:00:00Z",
            "earnings": [{
                "componentId": "HOURLY", "name": "HOURLY component", "classificationType": "REGULAR",
                "effectOnPay": "ADDITION", "payRate": "20.0000", "payHours": "8", "memoed": false,
            }],
        });
        assert_eq!(without_ids(response.content()[0].clone()), expected);
    });
}

#[test]
fn reading_a_check_returns_the_same_as_the_response_to_its_post() {
    on_every_database(async |server| {
        let written = server.send(&Request::post_checks(OPEN, &checks_document(3))).await;
        let read = server.send(&get_checks("ENTRY")).await;
        assert_eq!(read.content(), written.content());
    });
}

#[test]
fn every_permitted_member_is_stored() {
    on_every_database(async |server| {
        let line = json!({
            "componentId": "HOURLY", "payRate": "21.5", "payHours": "7.2500", "lineDate": "2026-05-05T08:30:00.000Z",
            "jobId": "OVENS", "laborAssignmentId": "NIGHT", "organization": {"organizationId": "BAKERY"},
        });
        let memoed = json!({"componentId": "CAR", "payAmount": 12.5, "payUnits": "2", "memoed": true});
        let sent = with_member(check_with_line(line), "informational", vec![memoed]);
        server.send(&Request::post_checks(OPEN, &with_member(sent, "blockAutoDistribution", true))).await;
        let read = server.send(&get_checks("ENTRY")).await.content().remove(0);
        let expected = json!([
            {"lineDate": "2026-05-05T00:00:00Z", "jobId": "OVENS", "laborAssignmentId": "NIGHT",
             "organization": {"organizationId": "BAKERY", "name": "Bakery"}, "payHours": "7.25", "payRate": "21.5000"},
            {"payAmount": "12.50", "payUnits": "2", "memoed": true},
            true,
        ]);
        let reported = json!([read["earnings"][0], read["informational"][0], read["blockAutoDistribution"]]);
        assert!(has_members_of(&reported, &expected), "{reported:#}");
    });
}

/// Returns whether the JSON value `whole` contains all members and elements of `part`.
fn has_members_of(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|it| has_members_of(it, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len()
                && whole.iter().zip(part).all(|(whole, part)| has_members_of(whole, part))
        }
        (whole, part) => whole == part,
    }
}

#[test]
fn decimals_are_returned_exactly_and_in_one_format() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for (member, value) in [
            ("payHours", json!("8.2500")),
            ("payHours", json!(0.1)),
            ("payHours", json!("-0")),
            ("payHours", json!("0.0001")),
            ("payRate", json!("20")),
            ("payRate", json!(0.3)),
        ] {
            let line = add_check_and_read_its_line(server, &check_with_line_member(member, value)).await;
            reported.push(line[member].as_str().expect("a text").to_owned());
        }
        assert_eq!(reported, ["8.25", "0.1", "0", "0.0001", "20.0000", "0.3000"]);
    });
}

#[test]
fn a_line_uses_the_named_rate_or_the_default_rate_of_its_type() {
    on_every_database(async |server| {
        let named = add_check_and_read_its_line(server, &check_with_line_member("payRateId", "NIGHT")).await;
        let units = json!({"componentId": "HOURLY", "payUnits": "3"});
        let piece = add_check_and_read_its_line(server, &check_with_line(units)).await;
        let amount = json!({"componentId": "BONUS", "payAmount": "5"});
        let none = add_check_and_read_its_line(server, &check_with_line(amount)).await;
        assert_eq!(
            [&named["payRate"], &piece["payRate"], &none["payRate"]],
            [&json!("25.1234"), &json!("1.5000"), &Value::Null]
        );
        assert_eq!(named["payRateId"], Value::Null, "it is in requests only");
    });
}

#[test]
fn a_single_check_and_an_array_of_one_get_the_same_response() {
    on_every_database(async |server| {
        let alone = server.send(&Request::post_checks(OPEN, &valid_check())).await;
        let array = server.send(&Request::post_checks(OPEN, &json!([valid_check()]))).await;
        assert_eq!(without_ids(alone.content()[0].clone()), without_ids(array.content()[0].clone()));
    });
}

#[test]
fn the_response_has_the_order_of_the_request_and_no_links() {
    on_every_database(async |server| {
        let response = server
            .send(&Request::post_checks(
                OPEN,
                &json!([
                    check_with_correlation_id("z"),
                    check_with_correlation_id("a"),
                    check_with_correlation_id("m")
                ]),
            ))
            .await;
        assert_eq!(
            (response.members("checkCorrelationId"), &response.json()["links"]),
            (vec!["z".to_owned(), "a".to_owned(), "m".to_owned()], &json!([]))
        );
    });
}

#[test]
fn a_dry_run_shows_the_checks_without_ids_and_stores_nothing() {
    on_every_database(async |server| {
        let mut request = Request::post_checks(OPEN, &valid_check());
        request.target.push_str("?dryrun=true");
        let dry = server.send(&request).await;
        let preferred = Request::post_checks(OPEN, &valid_check()).header("prefer", "dry-run");
        assert_eq!(server.send(&preferred).await.content(), dry.content());
        let mut contradictory = preferred;
        contradictory.target.push_str("?dryrun=false");
        assert_eq!(server.send(&contradictory).await.status_and_code(), "400 API-40");
        assert_eq!(server.count_stored_checks().await, 0);
        let wet = server.send(&Request::post_checks(OPEN, &valid_check())).await;
        let reported = dry.json()["content"].to_string();
        assert!(!reported.contains("paycheckId") && !reported.contains("checkComponentId"), "{reported}");
        assert_eq!(without_ids(dry.content()[0].clone()), without_ids(wet.content()[0].clone()));
    });
}

#[test]
fn a_preference_for_a_dry_run_is_never_ignored() {
    on_every_database(async |server| {
        let added = server.send(&Request::post_checks(OPEN, &valid_check())).await.members("paycheckId");
        let hook = json!({"hookId": "dry", "uri": "https://hooks.example.org/", "domains": ["WRKR_DEM"]});
        let period = format!("/companies/{OPEN}/payperiods/ENTRY");
        for request in [
            Request::new(Method::DELETE, format!("/workers/EMPLOYEE/checks/{}", added[0])),
            Request::new(Method::DELETE, "/checks?payperiodid=ENTRY&deletebyuserid=true"),
            Request::post("/management/hooks", &hook),
            Request::operator_post(&format!("{period}/process"), &json!({})),
            Request::operator_delete(&format!("{period}/checks?deletebyoperators=true")),
        ] {
            let rejected = server.send(&request.clone().header("prefer", "dry-run")).await;
            assert_eq!(rejected.status_and_code(), "400 API-40", "{request:?}");
            assert!(rejected.text().contains("Prefer: dry-run"), "{rejected:?}");
        }
        assert_eq!(server.count_stored_checks().await, 1);
        let read = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        assert_eq!(server.send(&read.header("prefer", "dry-run")).await.status, 200, "a read is no change");
    });
}

#[test]
fn dryrun_is_a_boolean_and_the_only_parameter() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for query in
            ["dryrun=false", "dryrun=yes", "dryrun=", "dryrun", "dry-run=true", "dryrun=true&dryrun=true"]
        {
            let mut request = Request::post_checks(OPEN, &valid_check());
            request.target.push_str(&format!("?{query}"));
            reported.push(server.send(&request).await.status_and_any_code());
        }
        let refused = "400 API-40";
        assert_eq!(reported, ["201", refused, refused, refused, refused, refused]);
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn the_first_check_opens_the_period() {
    on_every_database(async |server| {
        let first = with_member(valid_check(), "payPeriodId", "INITIAL");
        server.send(&Request::post_checks(OPEN, &first)).await;
        let opened = "SELECT count(*) FROM pay_periods WHERE pay_period_id = 'INITIAL' AND status = 'ENTRY'";
        assert_eq!(server.database.query_number(opened).await, 1);
    });
}

#[test]
fn a_correlation_id_may_be_reused_unless_the_application_forbids_it() {
    on_every_database(async |server| {
        let once = Request::post_checks(OPEN, &valid_check());
        let scoped = once.clone().with_caller(Caller::PeriodScoped);
        let mut reported = Vec::new();
        for request in [&once, &once, &scoped, &scoped] {
            reported.push(server.send(request).await.status_and_any_code());
        }
        assert_eq!(reported, ["201", "201", "201", "400 API-56"]);
    });
}

#[test]
fn filterbyuserid_returns_the_callers_own_checks() {
    on_every_database(async |server| {
        server.send(&Request::post_checks(OPEN, &check_with_correlation_id("partner"))).await;
        server
            .send(
                &Request::post_checks(OPEN, &check_with_correlation_id("other"))
                    .with_caller(Caller::PeriodScoped),
            )
            .await;
        let mut reported = Vec::new();
        for query in ["&filterbyuserid=true", "&filterbyuserid=false", ""] {
            let mut request = get_checks("ENTRY");
            request.target.push_str(query);
            reported.push(server.send(&request).await.members("checkCorrelationId").join(" "));
        }
        assert_eq!(reported, ["partner", "partner other", "partner other"]);
    });
}

#[test]
fn filterbyuserid_is_true_or_false() {
    on_every_database(async |server| {
        for value in ["", "yes", "TRUE", "1"] {
            let mut request = get_checks("ENTRY");
            request.target.push_str(&format!("&filterbyuserid={value}"));
            assert_eq!(server.send(&request).await.status_and_code(), "400 API-40", "{value}");
        }
    });
}

#[test]
fn a_processed_period_has_its_own_representation() {
    on_every_database(async |server| {
        let response = server.send(&get_checks("COMPLETED")).await;
        let expected = json!({
            "payPeriodId": "COMPLETED", "paycheckId": "PROCESSED-1", "workerId": "EMPLOYEE",
            "checkCorrelationId": "processed-1", "checkDate": "2026-05-22T00:00:00Z",
            "netPay": "371.67", "grossEarnings": "400.00", "checkType": "Regular", "checkNumber": "1",
            "earnings": [{
                "componentId": "HOURLY", "checkComponentId": "LINE-1", "name": "HOURLY component",
                "classificationType": "REGULAR", "effectOnPay": "ADDITION", "memoed": false,
                "amount": "400.00", "rate": "20.0000", "hours": "20",
            }],
            "taxes": [{"name": "Federal Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
        });
        let mut first = response.content().remove(0);
        first.as_object_mut().expect("an object").remove("links");
        assert_eq!((response.content().len(), first), (3, expected));
    });
}
