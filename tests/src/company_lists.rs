//! Tests of lists such as jobs and locations (specification §6.19): the elements that are effective on a
//! date, and a single element.

use reqwest::Method;
use serde_json::json;

use crate::support::{BARE, FOREIGN, OPEN, Request, Response, on_every_database};

/// The lists that can be filtered by date. Each list has its path, the member with the id, an element that is
/// effective since 2020, and an element that has ended.
const DATED_LISTS: &[(&str, &str, &str, &str)] = &[
    ("jobtitles", "jobTitleId", "BAKER", "STOKER"),
    ("locations", "locationId", "SHOP", "MILL"),
    ("jobs", "jobId", "CAKES", "OVENS"),
];

#[test]
fn a_list_contains_the_elements_that_are_effective_on_a_date() {
    on_every_database(async |server| {
        for (list, id, current, ended) in DATED_LISTS {
            let on = async |day: &str| {
                let response = server.send(&Request::get(format!("/companies/{OPEN}/{list}{day}"))).await;
                response.members(id)
            };
            assert_eq!(on("").await, [*current], "{list} today");
            assert_eq!(on("?asof=2009-12-31").await, [*ended], "{list} on the last day of one");
            assert_eq!(on("?asof=2020-01-01T08:30:00Z").await, [*current], "{list} on the first day of one");
            assert!(on("?asof=2010-01-01").await.is_empty(), "{list} between the two");
        }
    });
}

#[test]
fn an_ended_element_is_returned_unless_asof_is_after_its_end() {
    on_every_database(async |server| {
        for (list, id, _, ended) in DATED_LISTS {
            let one = format!("/companies/{OPEN}/{list}/{ended}");
            let found = server.send(&Request::get(&one)).await;
            assert_eq!(found.members(id), [*ended]);
            let own = json!([{"rel": "self", "href": format!("{}{one}", server.base)}]);
            assert_eq!(found.content()[0]["links"], own);
            assert!(found.header("etag").starts_with('"'), "a strong tag: {found:?}");
            let then = server.send(&Request::get(format!("{one}?asof=2009-12-31"))).await;
            assert_eq!(then.members(id), [*ended]);
            let now = server.send(&Request::get(format!("{one}?asof=2026-01-01"))).await;
            assert_eq!(now.status_and_code(), "404 API-7");
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
        assert_eq!(server.send(&of_another).await.status_and_code(), "404 API-7");
    });
}

#[test]
fn a_location_is_shown_with_its_address() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/locations/SHOP");
        let found = server.send(&Request::get(&path)).await;
        let expected = json!({"locationId": "SHOP", "name": "Shop", "movedIn": "2020-01-01T00:00:00Z",
            "address": {"streetLineOne": "1 Road", "city": "Sampleton", "countryCode": "US"},
            "links": [{"rel": "self", "href": format!("{}{path}", server.base)}]});
        assert_eq!(found.content()[0], expected);
        let without = server.send(&Request::get(format!("/companies/{OPEN}/locations/MILL"))).await;
        assert_eq!(without.content()[0].get("address"), None);
    });
}

#[test]
fn pay_frequencies_are_listed_and_filtered_by_frequency() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/payfrequencies");
        let all = server.send(&Request::get(&list)).await;
        let often = |response: &Response| response.members("payFrequency");
        assert_eq!(often(&all), ["WEEKLY", "WEEKLY", "MONTHLY"]);
        let weekly = server.send(&Request::get(format!("{list}?payfrequency=WEEKLY&limit=1&offset=1"))).await;
        // Partners do not see the id of the element, so the expected element has no id.
        let expected = json!({"payFrequency": "WEEKLY", "links": [],
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "SEMI_MONTHLY",
                "occurrenceIntervals": {"interval1": "1", "interval2": "Last"}}});
        assert_eq!(weekly.content(), [expected]);
        assert_eq!(weekly.json()["metadata"]["pagination"]["itemCount"], 2);
        let none = server.send(&Request::get(format!("{list}?payfrequency=ANNUAL"))).await;
        assert!(none.content().is_empty());
        let wrong = server.send(&Request::get(format!("{list}?payfrequency=DAILY"))).await;
        assert_eq!(wrong.status_and_code(), "400 API-40");
    });
}

#[test]
fn the_state_taxes_of_a_company_are_one_element() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/statetaxes");
        let states = server.send(&Request::get(&path)).await;
        assert_eq!(states.content(), [json!({"countrySubdivisionCodes": ["NY", "NJ"]})]);
        let company = format!("/companies/{OPEN}");
        let patch = Request::operator_patch(&company, &json!({"taxStates": ["OH"]}));
        assert_eq!(server.send(&patch).await.status, 200);
        let states = server.send(&Request::get(&path)).await;
        assert_eq!(states.content(), [json!({"countrySubdivisionCodes": ["OH"]})]);
        for wrong in [json!(["OH", "OH"]), json!(["ohio"]), json!([""]), json!("OH"), json!([1])] {
            let patch = Request::operator_patch(&company, &json!({"taxStates": wrong}));
            let refused = server.send(&patch).await;
            assert_eq!(refused.status_and_code(), "400 API-48", "{wrong}");
        }
        let none = server.send(&Request::get(format!("/companies/{BARE}/statetaxes"))).await;
        assert_eq!(none.content(), [json!({"countrySubdivisionCodes": []})]);
    });
}

#[test]
fn an_address_needs_a_street_or_a_post_office_box() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/locations");
        for (address, expected) in [
            (json!({}), Some(("400 API-46", "/address/streetLineOne"))),
            (json!({"city": "Sampleton"}), Some(("400 API-46", "/address/streetLineOne"))),
            (json!({"streetLineOne": "1 Road", "type": "PHONE"}), Some(("400 API-48", "/address/type"))),
            (json!({"postOfficeBox": "17"}), None),
            (json!(null), None),
        ] {
            let body = json!({"name": "Depot", "address": address});
            let response = server.send(&Request::operator(Method::POST, &list).json(&body)).await;
            match expected {
                Some((refusal, pointer)) => {
                    assert_eq!(response.status_and_code(), refusal, "{address}");
                    assert_eq!(response.json()["errors"][0]["pointer"], pointer, "{address}");
                }
                None => assert_eq!(response.status, 201, "{address}: {response:?}"),
            }
        }
    });
}

#[test]
fn a_last_day_before_the_first_day_is_rejected() {
    on_every_database(async |server| {
        let wrong = json!({"title": "Baker", "startDate": "2026-01-02", "endDate": "2026-01-01"});
        let post = Request::operator(Method::POST, &format!("/companies/{OPEN}/jobtitles")).json(&wrong);
        let refused = server.send(&post).await;
        assert_eq!(
            (refused.status_and_code().as_str(), refused.json()["errors"][0]["pointer"].as_str()),
            ("400 API-48", Some("/endDate"))
        );
    });
}

/// Returns members of a worker that refer to an element of a list. Each member has a valid value, a value
/// with an unknown id, and the pointer of the fault.
fn referencing_objects() -> [(serde_json::Value, serde_json::Value, &'static str); 4] {
    [
        (json!({"locationId": "SHOP"}), json!({"locationId": "NONE"}), "/locationId"),
        (json!({"jobId": "CAKES"}), json!({"jobId": "NONE"}), "/jobId"),
        (json!({"laborAssignmentId": "NIGHT"}), json!({"laborAssignmentId": "NONE"}), "/laborAssignmentId"),
        (
            json!({"job": {"jobTitleId": "BAKER", "title": "Baker"}}),
            json!({"job": {"jobTitleId": "NONE", "title": "None"}}),
            "/job/jobTitleId",
        ),
    ]
}

#[test]
fn a_worker_refers_to_the_lists_of_the_company() {
    on_every_database(async |server| {
        for (known, unknown, pointer) in referencing_objects() {
            let of_open = format!("/companies/{OPEN}/workers/EMPLOYEE");
            let refused = server.send(&Request::operator_patch(&of_open, &unknown)).await;
            assert_eq!(
                (refused.status_and_code().as_str(), refused.json()["errors"][0]["pointer"].as_str()),
                ("400 API-48", Some(pointer))
            );
            assert_eq!(server.send(&Request::operator_patch(&of_open, &known)).await.status, 200);
            // If a company's list has no elements, its workers may refer to any id.
            let of_bare = format!("/companies/{FOREIGN}/workers/FOREIGN-WORKER");
            assert_eq!(server.send(&Request::operator_patch(&of_bare, &unknown)).await.status, 200);
        }
        let by_partner = Request::patch("/workers/EMPLOYEE", &json!({"locationId": "NONE"}));
        assert_eq!(server.send(&by_partner).await.status_and_code(), "400 API-48");
    });
}

#[test]
fn a_referenced_element_cannot_be_deleted_and_stays_valid() {
    on_every_database(async |server| {
        for (known, _, pointer) in referencing_objects() {
            let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
            assert_eq!(server.send(&Request::operator_patch(&worker, &known)).await.status, 200, "{pointer}");
        }
        for one in ["locations/SHOP", "jobs/CAKES", "laborassignments/NIGHT", "jobtitles/BAKER"] {
            let refused = server.send(&Request::operator_delete(&format!("/companies/{OPEN}/{one}"))).await;
            assert!(refused.status_and_code().starts_with("409 API-409"), "{one}: {refused:?}");
        }
        // The worker refers to an id that was stored before the company had locations. A later change of
        // another member keeps this id.
        let worker = format!("/companies/{FOREIGN}/workers/FOREIGN-WORKER");
        let old = Request::operator_patch(&worker, &json!({"locationId": "THEIRS"}));
        assert_eq!(server.send(&old).await.status, 200);
        let list = Request::operator(Method::POST, &format!("/companies/{FOREIGN}/locations"));
        assert_eq!(server.send(&list.json(&json!({"name": "Shop"}))).await.status, 201);
        let other = Request::operator_patch(&worker, &json!({"clockId": "9"}));
        assert_eq!(server.send(&other).await.status, 200);
        let wrong = Request::operator_patch(&worker, &json!({"locationId": "OTHERS"}));
        assert_eq!(server.send(&wrong).await.status_and_code(), "400 API-48");
    });
}

#[test]
fn the_statuses_of_a_company_are_read_with_their_ids() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/workerstatuses");
        let all = server.send(&Request::get(&list)).await;
        assert_eq!(all.members("workerStatusId"), ["HIRED", "BACK"]);
        let own = format!("{}{list}/BACK", server.base);
        let expected = json!({"workerStatusId": "BACK", "statusType": "ACTIVE", "statusReason": "RETURN_TO_WORK",
            "links": [{"rel": "self", "href": own}]});
        let one = server.send(&Request::get(format!("{list}/BACK"))).await;
        assert_eq!(one.content(), [expected]);
        let path = format!("{list}/BACK");
        let renamed = Request::operator_patch(&path, &json!({"statusReason": "REHIRED"}));
        assert_eq!(server.send(&renamed).await.status, 200);
        // In the list of worker statuses, the combination of type and reason must be unique.
        let again = Request::operator_patch(&path, &json!({"statusReason": "HIRED"}));
        assert_eq!(server.send(&again).await.status_and_code(), "409 API-409");
        let post = |body| Request::operator(Method::POST, &list).json(&body);
        let twice = post(json!({"statusType": "ACTIVE", "statusReason": "HIRED"}));
        assert_eq!(server.send(&twice).await.status_and_code(), "409 API-409");
        let other = post(json!({"statusType": "INACTIVE", "statusReason": "HIRED"}));
        assert_eq!(server.send(&other).await.status, 201);
        let wrong = post(json!({"statusType": "AWAY", "statusReason": "on leave"}));
        assert_eq!(server.send(&wrong).await.status, 400);
    });
}

#[test]
fn partners_read_and_operators_write_document_categories_and_users() {
    on_every_database(async |server| {
        let categories = format!("/companies/{OPEN}/documentcategories");
        let all = server.send(&Request::get(&categories)).await;
        assert_eq!(all.members("categoryId"), ["CERTIFICATES", "CONTRACTS"]);
        assert!(!all.header("cache-control").contains("no-store"), "{all:?}");
        let users = format!("/companies/{OPEN}/users");
        let all = server.send(&Request::get(&users)).await;
        let expected = json!({"userId": "CLERK", "name": {"givenName": "Kim", "familyName": "Sample"},
            "email": "kim@example.org", "title": "Clerk", "active": true, "links": []});
        assert_eq!(all.content(), [expected]);
        let patch = Request::operator_patch(&format!("{users}/CLERK"), &json!({"active": false}));
        assert_eq!(server.send(&patch).await.status, 200);
        let post = |body| Request::operator(Method::POST, &users).json(&body);
        let name = json!({"givenName": "Ann", "familyName": "Sample"});
        for (body, expected) in [
            (json!({"name": name, "active": true, "email": "no address"}), "400 API-48"),
            (json!({"name": name}), "400 API-46"),
            (json!({"active": true}), "400 API-46"),
        ] {
            assert_eq!(server.send(&post(body.clone())).await.status_and_code(), expected, "{body}");
        }
        assert_eq!(server.send(&post(json!({"name": name, "active": true}))).await.status, 201);
        assert_eq!(server.send(&Request::get(&users)).await.content().len(), 2);
    });
}
