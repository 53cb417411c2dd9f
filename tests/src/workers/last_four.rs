//! Tests of finding workers by the last four digits of their tax identity.

use serde_json::json;

use super::{add_workers, list_bare_workers_request, send_with_scopes};
use crate::operations::WORKERS_NONPII;
use crate::support::world::worker;
use crate::support::{BARE, Caller, Request, Server, on_every_database, with_member};

const TAX_ID_SCOPES: &str = "read:workers+read:taxids";

/// Returns the ids in the response, or the error.
async fn find_ids(server: &Server, query: &str) -> String {
    let response = send_with_scopes(server, TAX_ID_SCOPES, list_bare_workers_request(query)).await;
    if response.is_success() { response.members("workerId").join(" ") } else { response.status_and_code() }
}

/// Adds workers with these tax IDs: Ann 000006789, the boss 000001234, Ben with the same last four digits as
/// Ann, and Cy without a tax ID.
async fn import_workers(server: &Server) {
    let ssn = json!({"legalIdType": "SSN", "legalIdValue": "999996789"});
    add_workers(
        server,
        vec![with_member(worker("BEN", "EMPLOYEE"), "legalId", ssn), worker("CY", "EMPLOYEE")],
    )
    .await;
}

#[test]
fn workers_are_found_by_the_last_four_digits_of_their_tax_id() {
    on_every_database(async |server| {
        import_workers(server).await;
        for (query, expected) in [
            ("?legallastfour=6789", "ANN BEN"),
            ("?legalLastFour=1234", "BOSS"),
            ("?legallastfour=0000", ""),
            ("?legallastfour=6789&givenname=ann", "ANN"),
            ("?legallastfour=6789&givenname=boss", ""),
            ("?legallastfour=6789&offset=1&limit=1", "BEN"),
        ] {
            assert_eq!(find_ids(server, query).await, expected, "{query}");
        }
        for bad in ["", "678", "67890", "67a9", "%D9%A6%D9%A7%D9%A8%D9%A9", "6789&legallastfour=6789"] {
            assert_eq!(find_ids(server, &format!("?legallastfour={bad}")).await, "400 API-40", "{bad}");
        }
    });
}

#[test]
fn a_search_by_tax_id_needs_the_scope_read_taxids() {
    on_every_database(async |server| {
        import_workers(server).await;
        let request = || list_bare_workers_request("?legallastfour=6789");
        let refused = send_with_scopes(server, "read:workers", request()).await;
        assert_eq!(refused.status_and_code(), "403 API-2", "not in the token");
        let challenge = r#"Bearer error="insufficient_scope", scope="read:taxids""#;
        assert_eq!(refused.header("www-authenticate"), challenge);
        let grants = format!("/applications/partner/grants/{BARE}");
        let granted = Request::operator_put(&grants, &json!({"scopes": ["read:workers"]}));
        assert_eq!(server.send(&granted).await.status, 200);
        let refused = send_with_scopes(server, TAX_ID_SCOPES, request()).await;
        assert_eq!(refused.status_and_code(), "403 API-2", "not granted");
    });
}

#[test]
fn a_search_by_name_needs_the_scope_read_workers() {
    on_every_database(async |server| {
        import_workers(server).await;
        for query in ["?givenname=ann", "?familyname=sample"] {
            let request = || list_bare_workers_request(query).accept(WORKERS_NONPII);
            let refused = send_with_scopes(server, "read:payroll", request()).await;
            assert_eq!(refused.status_and_code(), "403 API-2", "{query}");
            let found = send_with_scopes(server, "read:workers+read:payroll", request()).await;
            assert_eq!(found.status, 200, "{query}");
        }
        let unnamed = list_bare_workers_request("?status=ACTIVE").accept(WORKERS_NONPII);
        assert_eq!(send_with_scopes(server, "read:payroll", unnamed).await.status, 200);
    });
}

#[test]
fn a_changed_tax_id_is_found_only_by_its_new_digits() {
    on_every_database(async |server| {
        import_workers(server).await;
        let path = format!("/companies/{BARE}/workers/ANN");
        let new = json!({"legalId": {"legalIdType": "SSN", "legalIdValue": "000004321"}, "clockId": "9"});
        assert_eq!(server.send(&Request::operator_patch(&path, &new)).await.status, 200);
        assert_eq!(find_ids(server, "?legallastfour=6789").await, "BEN");
        assert_eq!(find_ids(server, "?legallastfour=4321").await, "ANN");
        let other = json!({"clockId": "10"});
        assert_eq!(server.send(&Request::operator_patch(&path, &other)).await.status, 200);
        assert_eq!(find_ids(server, "?legallastfour=4321").await, "ANN");
        let gone = json!({"legalId": null});
        assert_eq!(server.send(&Request::operator_patch(&path, &gone)).await.status, 200);
        assert_eq!(find_ids(server, "?legallastfour=4321").await, "");
    });
}

#[test]
fn the_type_of_a_tax_id_is_not_changed_without_its_digits() {
    on_every_database(async |server| {
        import_workers(server).await;
        for change in [
            json!({"legalIdType": "FEIN"}),
            json!({"legalIdType": "FEIN", "legalIdValue": null}),
            json!({"legalIdType": "FEIN", "legalIdValue": "*****6789"}),
        ] {
            let change = json!({"legalId": change});
            let path = format!("/companies/{BARE}/workers/ANN");
            let mut responses = vec![server.send(&Request::operator_patch(&path, &change)).await];
            for query in ["?dryrun=true", ""] {
                let patch = Request::patch(format!("/workers/ANN{query}"), &change);
                responses.push(send_with_scopes(server, "write:workers", patch).await);
            }
            for rejected in responses {
                assert_eq!(rejected.status, 400, "{change}: {rejected:?}");
                assert!(rejected.text().contains("legalIdValue"), "{change}: {rejected:?}");
                assert!(!rejected.text().contains("000006789"), "{change}: {rejected:?}");
            }
        }
        assert_eq!(find_ids(server, "?legallastfour=6789").await, "ANN BEN");
    });
}

#[test]
fn worker_rows_of_an_older_release_are_found() {
    on_every_database(async |server| {
        import_workers(server).await;
        // A server of the previous release does not know the two columns with the hash. In new rows, the
        // columns are then empty. In changed rows, the old hash remains.
        let older = "UPDATE workers SET last_four_hash = NULL, last_four_of = NULL WHERE worker_id = 'BEN';
            UPDATE workers SET last_four_of = 'another' WHERE worker_id = 'ANN'";
        server.database.execute(older).await;
        // The server computes missing hashes in the background. Until then, it rejects the filter, because
        // the result would be incomplete.
        let mut reported = find_ids(server, "?legallastfour=6789").await;
        while reported == "503 API-503" {
            server.store.index_tax_ids(1).await.expect("a store");
            reported = find_ids(server, "?legallastfour=6789").await;
        }
        assert_eq!(reported, "ANN BEN");
        assert_eq!(server.store.index_tax_ids(500).await.expect("a store"), 0);
    });
}

#[test]
fn no_part_of_a_tax_id_is_readable_in_the_database() {
    on_every_database(async |server| {
        import_workers(server).await;
        let hashes =
            "SELECT last_four_hash FROM workers WHERE company_id = 'BARE' AND last_four_hash IS NOT NULL";
        let hashes = server.database.query_texts(hashes).await;
        assert_eq!(hashes.len(), 3);
        assert!(hashes.iter().all(|hash| hash.starts_with("test:") && !hash.contains("6789")), "{hashes:?}");
        let plan = "SELECT count(*) FROM workers WHERE legal_id LIKE '%6789%'";
        assert_eq!(server.database.query_number(plan).await, 0);
        let by_reader = Request::operator_get(&format!("/companies/{BARE}/workers/ANN"))
            .with_caller(Caller::OperatorReader);
        assert!(!server.send(&by_reader).await.text().contains("last"), "no document shows it");
    });
}
