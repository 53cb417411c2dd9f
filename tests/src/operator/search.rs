//! Tests of the search over all companies.

use serde_json::json;

use super::get;
use crate::support::{Caller, OPEN, Request, check_with_correlation_id, on_every_database};

#[test]
fn every_kind_of_object_is_found_across_companies_by_id_name_or_number() {
    on_every_database(async |server| {
        let patch = json!({"name": {"givenName": "Ann", "familyName": "Meyer"}, "employeeId": "4711"});
        let worker = "/companies/OPEN/workers/EMPLOYEE";
        let renamed = Request::operator_patch(worker, &patch).header("if-match", "*");
        assert_eq!(server.send(&renamed).await.status, 200);
        let added =
            server.send(&Request::post_checks(OPEN, &json!([check_with_correlation_id("one")]))).await;
        let paycheck = added.content()[0]["paycheckId"].as_str().expect("an id").to_owned();
        let found = async |text: &str| {
            let hits = get(server, &format!("/search?q={text}")).await.content();
            hits.into_iter()
                .map(|hit| format!("{} {}", hit["kind"], hit["id"]).replace('"', ""))
                .collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("OPEN", "company OPEN"),
            ("EMPLOYEE", "worker EMPLOYEE"),
            ("ann%20mey", "worker EMPLOYEE"),
            ("meyer", "worker EMPLOYEE"),
            ("4711", "worker EMPLOYEE"),
            ("ENTRY", "payPeriod ENTRY"),
            ("partner", "application partner"),
            ("key-of-partner", "application partner"),
            (&paycheck, &format!("check {paycheck}")),
        ] {
            assert!(found(text).await.contains(&expected.to_owned()), "{text}: {:?}", found(text).await);
        }
        assert_eq!(found("eyer").await, <[&str; 0]>::default(), "the middle of a worker's name");
        let hit = get(server, "/search?q=4711").await.content().remove(0);
        assert_eq!((&hit["name"], &hit["companyId"]), (&json!("Ann Meyer"), &json!("OPEN")));
        let page = get(server, "/search?q=ann%20mey").await;
        let own = page.json()["links"][0]["href"].as_str().map(str::to_owned);
        assert!(own.as_ref().is_some_and(|own| own.ends_with("/operator/v1/search?q=ann%20mey")), "{own:?}");
        let by_reader = Request::operator_get("/search?q=4711").with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&by_reader).await.status, 200);
    });
}

#[test]
fn a_search_needs_two_characters() {
    on_every_database(async |server| {
        for (query, refusal) in [
            ("", "400 API-49"),
            ("?q=", "400 API-40"),
            ("?q=%20a", "400 API-40"),
            ("?q=ab&q=ab", "400 API-40"),
            ("?query=ab", "400 API-40"),
        ] {
            let refused = server.send(&Request::operator_get(&format!("/search{query}"))).await;
            assert_eq!(refused.status_and_code(), refusal, "{query}");
        }
    });
}
