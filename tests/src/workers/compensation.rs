//! Tests of the compensation of a worker over HTTP.

use serde_json::{Value, json};

use crate::operations::COMPENSATION_COMPLETE;
use crate::support::{OPEN, Request, Server, on_every_database};

const COMPENSATION_PATH: &str = "/workers/EMPLOYEE/compensation";
const STANDARDS_PATH: &str = "/workers/EMPLOYEE/compensation/paystandards";

async fn read_pay_standards(server: &Server) -> Value {
    server.send(&Request::get(STANDARDS_PATH)).await.content()[0].clone()
}

#[test]
fn compensation_contains_links_or_the_pay_rates_and_standards() {
    on_every_database(async |server| {
        let links = server.send(&Request::get(COMPENSATION_PATH)).await;
        let rels: Vec<_> = links.json()["links"].as_array().expect("links").clone();
        let rels: Vec<_> = rels.iter().map(|link| link["rel"].as_str().expect("a rel").to_owned()).collect();
        assert_eq!(
            (links.content(), rels),
            (Vec::new(), ["self", "payRates", "payStandards"].map(str::to_owned).to_vec())
        );
        let complete = server.send(&Request::get(COMPENSATION_PATH).accept(COMPENSATION_COMPLETE)).await;
        let element = &complete.content()[0];
        let rates = server.send(&Request::get("/workers/EMPLOYEE/compensation/payrates")).await;
        assert_eq!(element["payRates"], json!(rates.content()));
        assert_eq!(element["payStandards"], read_pay_standards(server).await);
        let without = Request::get("/workers/RATELESS/compensation").accept(COMPENSATION_COMPLETE);
        assert_eq!(server.send(&without).await.content(), [json!({"payRates": []})]);
    });
}

#[test]
fn amounts_are_computed_from_pay_standards_and_the_default_rate() {
    on_every_database(async |server| {
        let expected = json!({
            "payFrequency": "WEEKLY", "standardHours": "40", "overtimeFactor": "1.5",
            "calculatedPayPeriod": "800.00", "calculatedAnnualSalary": "41600.00",
        });
        assert_eq!(read_pay_standards(server).await, expected);
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let change = json!({"payStandards": {"payFrequency": "SEMI_MONTHLY", "standardHours": "0.0003"}});
        let changed = server.send(&Request::operator_patch(&path, &change).if_match("*")).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let expected = json!({
            "payFrequency": "SEMI_MONTHLY", "standardHours": "0.0003", "overtimeFactor": "1.5",
            "calculatedPayPeriod": "0.01", "calculatedAnnualSalary": "0.14",
        });
        assert_eq!(
            read_pay_standards(server).await,
            expected,
            "a year is calculated before the pay period is rounded"
        );
        let none = json!({"payStandards": null});
        assert_eq!(server.send(&Request::operator_patch(&path, &none).if_match("*")).await.status, 200);
        let empty = server.send(&Request::get(STANDARDS_PATH)).await;
        assert_eq!((empty.status, empty.content()), (200, Vec::new()));
    });
}

#[test]
fn partners_do_not_change_pay_standards() {
    on_every_database(async |server| {
        let change = json!({"payStandards": {"payFrequency": "MONTHLY"}, "clockId": "9"});
        assert_eq!(server.send(&Request::patch("/workers/EMPLOYEE", &change)).await.status, 200);
        assert_eq!(read_pay_standards(server).await["payFrequency"], "WEEKLY");
    });
}
