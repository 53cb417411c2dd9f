//! Tests of communications and pay rates of one worker.

use serde_json::json;

use super::{add_workers, email_communication, send_with_scopes};
use crate::support::{Request, on_every_database};

#[test]
fn communications_are_a_list_with_pages() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let all = server.send(&Request::get("/workers/ANN/communications")).await;
        assert_eq!(
            all.content(),
            [
                email_communication("MAIL", "ann@demo.example"),
                email_communication("MAIL-2", "ann.2@demo.example")
            ]
        );
        assert_eq!(all.json()["metadata"], json!({"contentItemCount": 2}));
        let second = server.send(&Request::get("/workers/ANN/communications?offset=1&limit=1")).await;
        assert_eq!(second.members("communicationId"), ["MAIL-2"]);
        assert_eq!(second.json()["metadata"]["pagination"]["total"], 2);
        assert!(server.send(&Request::get("/workers/BOSS/communications")).await.content().is_empty());
    });
}

#[test]
fn pay_rates_are_listed_with_pages_and_read_individually() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let rates = "/workers/ANN/compensation/payrates";
        let expected = json!({
            "rateId": "RATE", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "description": "Days",
            "amount": "20.5000", "standardHours": "37.5", "default": true,
            "startDate": "2020-01-06T00:00:00Z", "effectiveDate": "2024-03-01T00:00:00Z",
            "links": [{"rel": "self", "href": format!("{}{rates}/RATE", server.base)}],
        });
        assert_eq!(server.send(&Request::get(rates)).await.content().first(), Some(&expected));
        let one = server.send(&Request::get(format!("{rates}/RATE"))).await;
        assert_eq!(one.content(), [expected]);
        let page =
            server.send(&Request::get("/workers/EMPLOYEE/compensation/payrates?offset=1&limit=2")).await;
        assert_eq!(page.members("rateNumber"), ["RATE_2", "RATE_3"]);
        assert_eq!(page.json()["metadata"]["pagination"]["total"], 5);
    });
}

#[test]
fn a_rate_of_another_worker_gets_404() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for rate in [
            "EMPLOYEE/compensation/payrates/HOUR",
            "EMPLOYEE/compensation/payrates/COLLEAGUE-HOUR",
            "NOBODY/compensation/payrates/HOUR",
            "FOREIGN-WORKER/compensation/payrates/HOUR",
        ] {
            reported.push(server.send(&Request::get(format!("/workers/{rate}"))).await.status_and_any_code());
        }
        assert_eq!(reported, ["200", "404 API-7", "404 API-7", "403 API-2"]);
    });
}

#[test]
fn communications_need_read_workers_and_pay_rates_need_read_payroll() {
    on_every_database(async |server| {
        let reported = async |scopes: &str, part: &str| {
            let request = Request::get(format!("/workers/EMPLOYEE/{part}"));
            send_with_scopes(server, scopes, request).await.status_and_any_code()
        };
        for (part, enough, other) in [
            ("communications", "read:workers", "read:payroll"),
            ("compensation/payrates", "read:payroll", "read:workers"),
            ("compensation/payrates/HOUR", "read:payroll", "read:workers"),
        ] {
            assert_eq!(
                (reported(enough, part).await, reported(other, part).await),
                ("200".to_owned(), "403 API-2".to_owned()),
                "{part}"
            );
        }
    });
}
