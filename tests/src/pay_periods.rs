//! Tests of reading pay periods (specification §8.5).

use serde_json::{Value, json};

use crate::support::world::{company, period};
use crate::support::{
    BARE, OPEN, Request, Server, check_with_correlation_id, import_line, on_every_database, with_member,
};

/// Returns the ids of the pay periods in the response to a query, or the error.
async fn list_ids(server: &Server, query: &str) -> Vec<String> {
    let response = server.send(&Request::get(format!("/companies/{OPEN}/payperiods{query}"))).await;
    if response.is_success() { response.members("payPeriodId") } else { vec![response.status_and_code()] }
}

#[test]
fn lists_and_single_reads_return_complete_pay_periods() {
    on_every_database(async |server| {
        let own = format!("{}/companies/{OPEN}/payperiods/COMPLETED", server.base);
        let expected = json!({
            "payPeriodId": "COMPLETED", "intervalCode": "BI_WEEKLY", "status": "COMPLETED",
            "startDate": "2026-05-04T00:00:00Z", "endDate": "2026-05-17T00:00:00Z",
            "submitByDate": "2026-05-19T00:00:00Z", "checkDate": "2026-05-22T00:00:00Z", "checkCount": 3,
            "links": [{"rel": "self", "href": own}],
        });
        let alone = server.send(&Request::get(format!("/companies/{OPEN}/payperiods/COMPLETED"))).await;
        assert_eq!(alone.json(), json!({"content": [expected], "links": [{"rel": "self", "href": own}]}));
        let list = server.send(&Request::get(format!("/companies/{OPEN}/payperiods"))).await.content();
        assert_eq!((list.len(), &list[2]), (8, &expected));
    });
}

#[test]
fn a_company_without_pay_periods_has_an_empty_list() {
    on_every_database(async |server| {
        let response = server.send(&Request::get(format!("/companies/{BARE}/payperiods"))).await;
        assert_eq!(response.json()["metadata"], json!({"contentItemCount": 0}));
        assert_eq!(response.content(), Vec::<Value>::new());
    });
}

#[test]
fn the_status_parameter_can_be_repeated() {
    on_every_database(async |server| {
        assert_eq!(list_ids(server, "?status=ENTRY").await, ["ENTRY", "BEFORE-PAYROLL"]);
        assert_eq!(list_ids(server, "?status=REVERSED&status=INITIAL").await, ["INITIAL", "REVERSED"]);
        assert_eq!(list_ids(server, "?status=PROCESSING").await, Vec::<String>::new());
        assert_eq!(list_ids(server, "?status=ENTRY&status=ENTRY&limit=1").await, ["ENTRY"]);
    });
}

#[test]
fn from_and_to_select_the_periods_between_them() {
    on_every_database(async |server| {
        let before = "BEFORE-PAYROLL";
        for (query, expected) in [
            ("?from=2019-12-01&to=2019-12-14", vec![before]),
            ("?to=2026-05-16", vec![before]),
            ("?to=2019-12-13", vec![]),
            ("?from=2019-12-02&to=2026-05-16", vec![]),
            ("?from=2026-05-04&status=ENTRY&status=INITIAL", vec!["INITIAL", "ENTRY"]),
            ("?from=2026-05-05", vec![]),
            ("?from=2026-05-04T12:30:00Z&to=2026-05-17T00:00:00.000Z&status=ENTRY", vec!["ENTRY"]),
            ("?from=2026-05-18&to=2026-05-01", vec![]),
        ] {
            assert_eq!(list_ids(server, query).await, expected, "{query}");
        }
    });
}

#[test]
fn pages_and_totals_of_a_filtered_list_cover_only_matching_periods() {
    on_every_database(async |server| {
        let target = format!("/companies/{OPEN}/payperiods?status=ENTRY&offset=1&limit=1");
        let response = server.send(&Request::get(target)).await;
        let pagination = json!({"offset": 1, "limit": 1, "itemCount": 2, "total": 2});
        assert_eq!(response.json()["metadata"], json!({"contentItemCount": 1, "pagination": pagination}));
        let previous = format!("{}/companies/{OPEN}/payperiods?status=ENTRY&offset=0&limit=1", server.base);
        assert_eq!((response.link("next"), response.link("previous")), (None, Some(previous)));
    });
}

#[test]
fn every_invalid_parameter_gets_api_40_with_the_unknown_state() {
    on_every_database(async |server| {
        for query in [
            "?status=OPEN",
            "?status=entry",
            "?status=",
            "?status=INITIAL,ENTRY",
            "?from=2026-02-30",
            "?from=",
            "?to=05/04/2026",
            "?to=2026-05-04T00:00:00%2B02:00",
            "?from=2026-05-04&from=2026-05-04",
        ] {
            assert_eq!(list_ids(server, query).await, ["400 API-40"], "{query}");
        }
        let all =
            format!("/companies/{OPEN}/payperiods?status=OPEN&status=ENTRY&status=SHUT&from=x&limit=-1");
        let response = server.send(&Request::get(all)).await;
        assert_eq!(response.status_and_code(), "400 API-40 API-40 API-40 API-40");
        let text = response.text();
        assert!(["OPEN", "SHUT", "from", "limit"].iter().all(|named| text.contains(named)), "{text}");
    });
}

#[test]
fn a_period_of_another_company_gets_404() {
    on_every_database(async |server| {
        for id in ["NONE", "FOREIGN-PERIOD", "BUSY-PROCESSING", "a%20b", "%00"] {
            let response = server.send(&Request::get(format!("/companies/{OPEN}/payperiods/{id}"))).await;
            assert_eq!(response.status_and_code(), "404 API-7", "{id}");
        }
    });
}

#[test]
fn every_change_of_a_period_changes_its_etags() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/payperiods?status=ENTRY");
        let one = format!("/companies/{OPEN}/payperiods/ENTRY");
        let tags = async |server: &Server| {
            let mut tags = Vec::new();
            for target in [&list, &one] {
                let tag = server.send(&Request::get(target)).await.header("etag").to_owned();
                let held = Request::get(target).header("if-none-match", &tag);
                assert_eq!(server.send(&held).await.status, 304, "{tag}");
                tags.push(tag);
            }
            tags
        };
        let before = tags(server).await;
        server.send(&Request::post_checks(OPEN, &check_with_correlation_id("one"))).await;
        let counted = tags(server).await;
        let line = with_member(company(OPEN, "00-0100 0001"), "payPeriods", json!([period("NEW", "ENTRY")]));
        import_line(&*server.store, &line).await;
        let joined = tags(server).await;
        assert!(before[0] != counted[0] && before[1] != counted[1], "{before:?} {counted:?}");
        assert!(counted[0] != joined[0] && counted[1] == joined[1], "{counted:?} {joined:?}");
    });
}
