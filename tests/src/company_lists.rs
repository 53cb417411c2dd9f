//! Lists of work and places (specification §6.19): what is in force on a day, and one element by its id.

use reqwest::Method;
use serde_json::json;

use crate::support::{BARE, OPEN, Request, on_every_database};

/// The lists of a day: the path of each, the id of an element that is in force from 2020 on, and one that ended.
const OF_A_DAY: &[(&str, &str, &str, &str)] = &[("jobtitles", "jobTitleId", "BAKER", "STOKER")];

#[test]
fn a_list_has_what_is_in_force_on_its_day() {
    on_every_database(async |server| {
        for (list, id, current, ended) in OF_A_DAY {
            let on = async |day: &str| {
                let answer = server.send(&Request::get(format!("/companies/{OPEN}/{list}{day}"))).await;
                answer.each(id)
            };
            assert_eq!(on("").await, [*current], "{list} today");
            assert_eq!(on("?asof=2009-12-31").await, [*ended], "{list} on the last day of one");
            assert_eq!(on("?asof=2020-01-01T08:30:00Z").await, [*current], "{list} on the first day of one");
            assert!(on("?asof=2010-01-01").await.is_empty(), "{list} between the two");
        }
    });
}

#[test]
fn an_element_is_found_by_its_id_on_any_day_unless_a_day_is_named() {
    on_every_database(async |server| {
        for (list, id, _, ended) in OF_A_DAY {
            let one = format!("/companies/{OPEN}/{list}/{ended}");
            let found = server.send(&Request::get(&one)).await;
            assert_eq!(found.each(id), [*ended]);
            let own = json!([{"rel": "self", "href": format!("{}{one}", server.base)}]);
            assert_eq!(found.content()[0]["links"], own);
            assert!(found.header("etag").starts_with('"'), "a strong tag: {found:?}");
            let then = server.send(&Request::get(format!("{one}?asof=2009-12-31"))).await;
            assert_eq!(then.each(id), [*ended]);
            let now = server.send(&Request::get(format!("{one}?asof=2026-01-01"))).await;
            assert_eq!(now.refusal(), "404 API-7");
        }
    });
}

#[test]
fn an_element_is_shown_with_all_its_members() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/laborassignments/NIGHT");
        let found = server.send(&Request::get(&path)).await;
        let expected = json!({"laborAssignmentId": "NIGHT", "name": "Night shift", "organizationId": "BAKERY",
            "positionId": "POST-1", "locationId": "SHOP", "rate": "21.5000",
            "links": [{"rel": "self", "href": format!("{}{path}", server.base)}]});
        assert_eq!(found.content()[0], expected);
        let list = server.send(&Request::get(format!("/companies/{OPEN}/laborassignments"))).await;
        assert_eq!(list.content()[0], expected);
        let bare = server.send(&Request::get(format!("/companies/{BARE}/laborassignments"))).await;
        assert!(bare.content().is_empty());
        let of_another = Request::get(format!("/companies/{BARE}/laborassignments/NIGHT"));
        assert_eq!(server.send(&of_another).await.refusal(), "404 API-7");
    });
}

#[test]
fn a_last_day_before_the_first_one_is_a_fault_of_the_operator() {
    on_every_database(async |server| {
        let wrong = json!({"title": "Baker", "startDate": "2026-01-02", "endDate": "2026-01-01"});
        let post = Request::operator(Method::POST, &format!("/companies/{OPEN}/jobtitles")).json(&wrong);
        let refused = server.send(&post).await;
        assert_eq!(
            (refused.refusal().as_str(), refused.json()["errors"][0]["pointer"].as_str()),
            ("400 API-48", Some("/endDate"))
        );
    });
}
