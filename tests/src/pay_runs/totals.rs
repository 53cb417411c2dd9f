//! Tests of the totals of a pay period (specification §10.14). Operators can read them before and after the
//! completion, and partners cannot see them.

use reqwest::Method;
use serde_json::{Value, json};

use super::{add_and_process_checks, completion_request, step_request};
use crate::support::{
    Caller, OPEN, Request, Server, check_with_correlation_id, checks_document, on_every_database, with_member,
};

/// Reads the period `ENTRY`, to which the valid checks belong, as an operator.
async fn read_period(server: &Server) -> Value {
    let path = format!("/companies/{OPEN}/payperiods/ENTRY");
    server.send(&Request::operator_get(&path)).await.content()[0].clone()
}

async fn read_totals(server: &Server) -> Value {
    read_period(server).await["totals"].clone()
}

fn entered_totals(checks: u32, workers: u32, gross: &str) -> Value {
    json!({"checks": checks, "workers": workers, "grossEarnings": gross, "deductions": "0.00"})
}

#[test]
fn totals_follow_every_check_that_is_added_and_removed() {
    on_every_database(async |server| {
        assert_eq!(read_totals(server).await, entered_totals(0, 0, "0.00"));
        let added = server.send(&Request::post_checks(OPEN, &checks_document(3))).await;
        assert_eq!(read_totals(server).await, entered_totals(3, 1, "480.00"));
        let bonus = json!([{"componentId": "BONUS", "payAmount": "0.01"}]);
        let one = with_member(check_with_correlation_id("bonus"), "earnings", bonus);
        assert_eq!(server.send(&Request::post_checks(OPEN, &one)).await.status, 201);
        assert_eq!(read_totals(server).await, entered_totals(4, 1, "480.01"));
        let refused = with_member(check_with_correlation_id("refused"), "workerId", json!("NOBODY"));
        assert_eq!(server.send(&Request::post_checks(OPEN, &refused)).await.status, 400);
        let gone = &added.members("paycheckId")[0];
        let remove = Request::new(Method::DELETE, format!("/workers/EMPLOYEE/checks/{gone}"));
        assert_eq!(server.send(&remove).await.status, 204);
        assert_eq!(read_totals(server).await, entered_totals(3, 1, "320.01"));
        let all = Request::new(Method::DELETE, "/checks?deletebyuserid=true&payperiodid=ENTRY".to_owned());
        assert!(server.send(&all).await.status < 300);
        assert_eq!(read_totals(server).await, entered_totals(0, 0, "0.00"));
    });
}

#[test]
fn completing_a_period_makes_its_totals_exact() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        assert_eq!(read_totals(server).await, entered_totals(2, 1, "320.00"));
        let handed_in = json!({"checks": [{"paycheckId": ids[0],
            "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                      {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
            "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
        let completed = server.send(&completion_request(&handed_in)).await;
        let expected = json!({"checks": 2, "workers": 1, "grossEarnings": "320.00", "netPay": "271.67",
            "employeeTaxes": "28.33", "employerTaxes": "11.62", "deductions": "20.00",
            "employerCost": "331.62"});
        assert_eq!(completed.content()[0]["totals"], expected);
        assert_eq!(read_totals(server).await, expected);
        let listed = server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods"))).await;
        let of_list = listed.content().iter().find(|period| period["payPeriodId"] == "ENTRY").cloned();
        assert_eq!(of_list, Some(read_period(server).await));
    });
}

#[test]
fn a_total_over_the_limit_is_a_fault_of_the_completion() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(1)).await;
        let tax = json!({"name": "A tax", "amount": "99999999999999.99", "paidBy": "EMPLOYER_LIABILITY"});
        let handed_in = json!({"checks": [{"paycheckId": ids[0], "taxes": vec![tax; 10]}]});
        let refused = server.send(&completion_request(&handed_in)).await;
        assert_eq!(refused.status_and_code(), "400 API-48");
        assert_eq!(server.send(&step_request("complete")).await.status, 200);
    });
}

#[test]
fn a_new_check_changes_the_etag_of_the_list_of_periods() {
    on_every_database(async |server| {
        let list = Request::operator_get(&format!("/companies/{OPEN}/payperiods"));
        let tag = server.send(&list).await.header("etag").to_owned();
        let again = list.header("if-none-match", &tag);
        assert_eq!(server.send(&again).await.status, 304);
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &check_with_correlation_id("one"))).await.status,
            201
        );
        assert_eq!(server.send(&again).await.status, 200);
    });
}

#[test]
fn a_pay_period_as_it_is_displayed_is_accepted_by_put() {
    on_every_database(async |server| {
        assert_eq!(
            server.send(&Request::post_checks(OPEN, &check_with_correlation_id("one"))).await.status,
            201
        );
        let mut shown = read_period(server).await;
        shown["description"] = json!("A note");
        let path = format!("/companies/{OPEN}/payperiods/ENTRY");
        let put = Request::operator(Method::PUT, &path).header("content-type", "application/json");
        let put = put.if_match("*").body(shown.to_string());
        assert_eq!(server.send(&put).await.status, 200);
        assert_eq!(read_period(server).await, shown);
    });
}

#[test]
fn partners_cannot_read_totals() {
    on_every_database(async |server| {
        let one = server.send(&Request::get(format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
        assert_eq!((one.status, &one.content()[0]["totals"]), (200, &Value::Null));
        let path = format!("/companies/{OPEN}/payperiods/ENTRY");
        let read = Request::operator_get(&path).with_caller(Caller::OperatorReader);
        assert!(server.send(&read).await.content()[0]["totals"].is_object(), "a key for reading reads them");
    });
}
