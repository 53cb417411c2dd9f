//! Tests of the filters and pages of lists of workers.

use serde_json::{Value, json};

use super::{IMPERSONAL, add_workers, list_bare_workers_request};
use crate::support::world::worker;
use crate::support::{Server, on_every_database, with_member};

fn worker_named(id: &str, given: &str, family: &str) -> Value {
    with_member(worker(id, "EMPLOYEE"), "name", json!({"familyName": family, "givenName": given}))
}

fn with_status(worker: Value, state: &str, since: &str) -> Value {
    let id = format!("STATUS-OF-{}", worker["workerId"].as_str().expect("an id"));
    let status = json!({"workerStatusId": id, "statusType": state, "effectiveDate": since});
    with_member(worker, "currentStatus", status)
}

/// Adds five workers: José, Ben, a second Ben with the id NEW, Ann, and the boss. Ann is ACTIVE since
/// 2024-03-01, works at HARBOR and has the employee id 7. The boss has no location and no employee id.
async fn import_workers(server: &Server) {
    let jose = with_status(worker_named("JOSE", "José", "de la Cruz"), "TERMINATED", "2025-06-30");
    let ben = with_status(worker_named("BEN", "ben", "SAMPLE"), "ACTIVE", "2025-01-01");
    let new = with_member(worker_named("NEW", "Ben", "Newman"), "hireDate", "2026-01-15");
    let at_harbor = with_member(with_member(ben, "locationId", "HARBOR"), "employeeId", "8");
    add_workers(server, vec![jose, at_harbor, new]).await;
}

/// Returns the ids in the response, or the error.
async fn find_ids(server: &Server, query: &str) -> String {
    let response = server.send(&list_bare_workers_request(query)).await;
    if response.is_success() { response.members("workerId").join(" ") } else { response.status_and_code() }
}

#[test]
fn each_filter_finds_the_matching_workers() {
    on_every_database(async |server| {
        import_workers(server).await;
        let table = [
            ("", "BOSS ANN JOSE BEN NEW"),
            ("?familyname=sample", "BOSS ANN BEN"),
            ("?familyname=Samp", ""),
            ("?givenname=BEN", "BEN NEW"),
            ("?givenname=JOS%C3%89", "JOSE"),
            ("?givenname=jos%C3%A9", "JOSE"),
            ("?givenname=Jose", ""),
            ("?familyname=DE+LA+CRUZ", "JOSE"),
            ("?givenname=b%25", ""),
            ("?givenname=b%00", ""),
            ("?employeeid=7", "ANN"),
            ("?employeeid=77", ""),
            ("?locationid=HARBOR", "ANN BEN"),
            ("?locationid=harbor", ""),
            ("?locationid=no%20id", ""),
            ("?status=ACTIVE", "ANN BEN"),
            ("?status=TERMINATED&status=ACTIVE", "ANN JOSE BEN"),
            ("?status=PENDING", ""),
            ("?from=2025-01-01", "JOSE BEN NEW"),
            ("?to=2025-01-01T23:59:59Z", "ANN BEN"),
            ("?from=2025-01-01&to=2025-06-30", "JOSE BEN"),
            ("?from=2025-06-30&to=2025-01-01", ""),
        ];
        for (query, expected) in table {
            assert_eq!(find_ids(server, query).await, expected, "{query}");
        }
    });
}

#[test]
fn filters_of_workers_are_combined() {
    on_every_database(async |server| {
        import_workers(server).await;
        let all = "?familyname=sample&givenname=ben&employeeid=8&locationid=HARBOR&status=ACTIVE&from=2025-01-01&to=2025-01-01";
        assert_eq!(find_ids(server, all).await, "BEN");
        for other in ["familyname=newman", "givenname=ann", "employeeid=7", "status=PENDING"] {
            let name = other.split('=').next().expect("a name");
            let query = all.split('&').map(|part| part.trim_start_matches('?'));
            let query: Vec<_> = query.map(|part| if part.starts_with(name) { other } else { part }).collect();
            assert_eq!(find_ids(server, &format!("?{}", query.join("&"))).await, "", "{other}");
        }
    });
}

#[test]
fn an_invalid_filter_is_rejected_and_an_unknown_state_named() {
    on_every_database(async |server| {
        for query in
            ["status=active", "status=", "from=yesterday", "to=", "givenname=", "familyname=a&familyname=b"]
        {
            assert_eq!(find_ids(server, &format!("?{query}")).await, "400 API-40", "{query}");
        }
        let response = server.send(&list_bare_workers_request("?status=GONE&limit=-1&employeeid=")).await;
        assert_eq!(response.status_and_code(), "400 API-40 API-40 API-40");
        assert!(response.text().contains("GONE"), "{response:?}");
    });
}

#[test]
fn pages_of_a_filtered_list_keep_the_filter() {
    on_every_database(async |server| {
        import_workers(server).await;
        let response = server.send(&list_bare_workers_request("?familyname=SAMPLE&offset=1&limit=1")).await;
        assert_eq!(response.members("workerId"), ["ANN"]);
        let pagination = json!({"offset": 1, "limit": 1, "itemCount": 3, "total": 3});
        assert_eq!(response.json()["metadata"], json!({"contentItemCount": 1, "pagination": pagination}));
        let page = |offset| {
            format!("{}/companies/BARE/workers?familyname=SAMPLE&offset={offset}&limit=1", server.base)
        };
        assert_eq!((response.link("next"), response.link("previous")), (Some(page(2)), Some(page(0))));
        let past_the_end = server.send(&list_bare_workers_request("?familyname=SAMPLE&offset=3")).await;
        assert_eq!((past_the_end.status, past_the_end.content().len()), (200, 0));
    });
}

#[test]
fn a_long_list_has_all_workers_with_communications_in_creation_order() {
    on_every_database(async |server| {
        let many = (0..600).map(|number| {
            let id = format!("MANY-{number:04}");
            let mail = json!([{"communicationId": format!("MAIL-OF-{id}"), "type": "EMAIL", "usageType": "HOME", "uri": format!("{id}@demo.example")}]);
            with_member(worker(&id, "EMPLOYEE"), "communications", mail)
        });
        add_workers(server, many.collect()).await;
        let content = server.send(&list_bare_workers_request("?offset=2")).await.content();
        assert_eq!(content.len(), 600);
        for (number, worker) in content.iter().enumerate() {
            let id = format!("MANY-{number:04}");
            assert_eq!(
                (&worker["workerId"], &worker["communications"][0]["uri"]),
                (&json!(id), &json!(format!("{id}@demo.example")))
            );
        }
        let outline = server.send(&list_bare_workers_request("?offset=2").accept(IMPERSONAL)).await.content();
        assert!(outline.len() == 600 && outline.iter().all(|worker| worker["communications"].is_null()));
    });
}
