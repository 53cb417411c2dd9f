//! Tests every route with each kind of caller: without a token, with an invalid token, of another
//! application, without the scope, and with full access. Revoked permissions must affect the very next
//! request.

use std::collections::BTreeSet;

use reqwest::Method;

use crate::operations::{ANY_TOKEN_SCOPE, OPERATIONS, Operation};
use crate::support::hooks::store_hooks;
use crate::support::{
    Caller, FOREIGN, OPEN, Request, on_every_database, routes, store_checks, valid_request,
};

/// The expected result for each kind of caller. Each request concerns a company for which the partner has a
/// grant.
const CALLERS_AND_REFUSALS: &[(Caller, &str)] = &[
    (Caller::Anonymous, "401 API-102"),
    (Caller::Malformed, "401 API-102"),
    (Caller::Expired, "401 API-102"),
    (Caller::Other, "403 API-2"),
    (Caller::WithoutScope, "403 API-2"),
    (Caller::WithoutGrant, "403 API-2"),
    (Caller::Partner, "good"),
];

#[test]
fn every_route_is_listed_in_operations() {
    let known: BTreeSet<_> = OPERATIONS.iter().map(|it| (it.method.to_owned(), it.path.to_owned())).collect();
    assert_eq!(routes(), known, "a new route needs a row in OPERATIONS");
}

#[test]
fn every_route_is_tested_with_every_kind_of_caller() {
    on_every_database(async |server| {
        store_hooks(server).await;
        store_checks(&server.database).await;
        for operation in OPERATIONS.iter().filter(|it| it.scope.is_some()) {
            for (caller, expected) in CALLERS_AND_REFUSALS {
                // `GET /companies` names no company. An application without a grant for this company
                // therefore gets a list of its own companies.
                let own_list =
                    operation.path == "/companies" && matches!(caller, Caller::Other | Caller::WithoutGrant);
                // An operation that accepts any token returns the caller's own data. The data may be empty.
                let any = operation.scope == Some(ANY_TOKEN_SCOPE) && expected.starts_with("403");
                let expected = if own_list || any { "good" } else { expected };
                let is_other = *caller == Caller::Other
                    || *caller == Caller::WithoutGrant && operation.path.contains("{requestId}");
                let expected = if is_other {
                    expected_status_for_other_application(operation, expected)
                } else {
                    expected
                };
                // These applications already have scopes for the company, so the server rejects their
                // requests for access.
                let has_it = operation.path.ends_with("/requestclientaccess")
                    && matches!(caller, Caller::Other | Caller::WithoutGrant);
                let expected = if has_it { "409 API-409" } else { expected };
                let request = valid_request(operation.method, operation.path, OPEN).with_caller(*caller);
                let response = server.send(&request).await;
                let reported =
                    if response.is_success() { "good".to_owned() } else { response.status_and_code() };
                assert_eq!(reported, expected, "{caller:?} on {} {}", operation.method, operation.path);
            }
        }
    });
}

/// Returns the expected result for another application, which may manage its own hooks. The hooks and the
/// access requests of the partner are unknown to this application.
fn expected_status_for_other_application(operation: &Operation, expected: &'static str) -> &'static str {
    match operation.scope {
        _ if operation.path.contains("{requestId}") && expected == "good" => "404 API-7",
        Some(scope) if !scope.ends_with(":webhooks") => expected,
        _ if operation.path.contains("{hookId}") => "404 API-7",
        _ => "good",
    }
}

#[test]
fn a_challenge_names_invalid_token_only_if_a_token_was_sent() {
    on_every_database(async |server| {
        let challenge = async |caller| {
            let response = server.send(&Request::get("/companies").with_caller(caller)).await;
            response.header("www-authenticate").to_owned()
        };
        assert_eq!(challenge(Caller::Anonymous).await, "Bearer");
        assert_eq!(challenge(Caller::Malformed).await, "Bearer error=\"invalid_token\"");
        assert_eq!(challenge(Caller::Expired).await, "Bearer error=\"invalid_token\"");
    });
}

#[test]
fn an_authorization_other_than_a_single_bearer_token_gets_401() {
    on_every_database(async |server| {
        let good = server.authorization(Caller::Partner).await.expect("a token");
        let token = good.trim_start_matches("Bearer ").to_owned();
        let request = |value: &str| {
            Request::get("/companies").with_caller(Caller::Anonymous).header("authorization", value)
        };
        let mut reported = Vec::new();
        for value in
            ["", "Bearer", "Bearer ", "Bearer a b", "Basic YTpi", &token, &format!("Bearer {token}x")]
        {
            reported.push(server.send(&request(value)).await.status_and_code());
        }
        reported.push(
            server.send(&request(&good).append_header("authorization", good.clone())).await.status_and_code(),
        );
        assert_eq!(reported, ["401 API-102"; 8]);
        let any_case = server.send(&request(&format!("bearer {token}"))).await;
        assert_eq!(any_case.status, 200);
    });
}

#[test]
fn a_revoked_grant_stops_the_next_request() {
    on_every_database(async |server| {
        let request = Request::get(format!("/companies/{OPEN}"));
        let before = server.send(&request).await.status;
        server.database.execute("DELETE FROM grants WHERE company_id = 'OPEN'").await;
        assert_eq!((before, server.send(&request).await.status_and_code().as_str()), (200, "403 API-2"));
    });
}

#[test]
fn a_disabled_application_and_a_revoked_secret_stop_the_next_request() {
    on_every_database(async |server| {
        for spoil in ["UPDATE applications SET enabled = false WHERE name = 'partner'", "DELETE FROM secrets"]
        {
            let request = Request::get(format!("/companies/{OPEN}"));
            assert_eq!(server.send(&request).await.status, 200);
            server.database.execute(spoil).await;
            assert_eq!(server.send(&request).await.status_and_code(), "401 API-102", "{spoil}");
            server.database.execute("UPDATE applications SET enabled = true").await;
        }
    });
}

#[test]
fn a_company_ends_at_midnight_utc_after_its_end_date() {
    on_every_database(async |server| {
        server
            .database
            .execute("UPDATE companies SET end_date = '2026-05-12' WHERE company_id = 'CHILD'")
            .await;
        let request = Request::get("/companies/CHILD");
        server.clock.advance_seconds(12 * 3_600 - 2);
        let before = server.send(&request).await.status;
        server.clock.advance_seconds(2);
        let after = server.send(&request.with_caller(Caller::Partner)).await.status_and_code();
        assert_eq!((before, after.as_str()), (200, "403 API-68"));
    });
}

#[test]
fn a_company_that_has_ended_is_listed_without_permission_from_that_day_on() {
    on_every_database(async |server| {
        server
            .database
            .execute("UPDATE companies SET end_date = '2026-05-12' WHERE company_id = 'CHILD'")
            .await;
        let permitted = |response: &crate::support::Response| {
            let content = response.content();
            let allowed = content.iter().filter(|company| company["hasPermission"] == true);
            allowed
                .map(|company| company["companyId"].as_str().expect("an id").to_owned())
                .collect::<Vec<_>>()
        };
        let list = Request::get("/companies");
        server.clock.advance_seconds(12 * 3_600 - 2);
        let before = server.send(&list).await;
        assert!(permitted(&before).contains(&"CHILD".to_owned()), "on its last day");
        assert!(!permitted(&before).contains(&"ENDED".to_owned()), "since yesterday");
        server.clock.advance_seconds(2);
        let again = list.clone().header("if-none-match", before.header("etag"));
        let after = server.send(&again).await;
        assert_eq!(after.status, 200, "the tag has changed with the day");
        assert_eq!(before.content().len(), after.content().len());
        assert!(!permitted(&after).contains(&"CHILD".to_owned()));
        for company_id in permitted(&after).iter().filter(|id| *id != "CONVERTING") {
            let one = server.send(&Request::get(format!("/companies/{company_id}"))).await;
            assert_eq!(one.content()[0]["hasPermission"], true, "{company_id}");
        }
    });
}

#[test]
fn a_missing_scope_is_named_but_a_company_without_a_grant_is_not() {
    on_every_database(async |server| {
        let challenge = async |target: &str, caller| {
            let response = server.send(&Request::get(target).with_caller(caller)).await;
            assert_eq!(response.status_and_code(), "403 API-2", "{target}");
            response.header("www-authenticate").to_owned()
        };
        let missing = |scope: &str| format!(r#"Bearer error="insufficient_scope", scope="{scope}""#);
        let own = format!("/companies/{OPEN}");
        assert_eq!(challenge(&own, Caller::WithoutScope).await, missing("read:companies"));
        assert_eq!(challenge("/companies", Caller::WithoutScope).await, missing("read:companies"));
        assert_eq!(challenge("/management/hooks", Caller::WithoutScope).await, missing("read:webhooks"));
        assert_eq!(challenge(&format!("/companies/{FOREIGN}"), Caller::Partner).await, "");
        assert_eq!(challenge("/companies/UNKNOWN/contacttypes", Caller::Partner).await, "");
        let without = "UPDATE grants SET scopes = 'read:companies' WHERE company_id = 'OPEN'";
        server.database.execute(without).await;
        let workers = format!("/companies/{OPEN}/workers");
        assert_eq!(challenge(&workers, Caller::Partner).await, missing("read:workers"));
    });
}

#[test]
fn a_token_expires_at_its_stated_time() {
    on_every_database(async |server| {
        let authorization = server.authorization(Caller::Partner).await.expect("a token");
        let request =
            Request::get("/companies").with_caller(Caller::Anonymous).header("authorization", authorization);
        server.clock.advance_seconds(3_598);
        let before = server.send(&request).await.status;
        server.clock.advance_seconds(2);
        assert_eq!((before, server.send(&request).await.status_and_code().as_str()), (200, "401 API-102"));
    });
}

#[test]
fn faults_are_checked_in_the_order_of_the_specification() {
    on_every_database(async |server| {
        let worst = Request::post_checks(FOREIGN, &serde_json::json!([]))
            .accept("text/html")
            .header("content-type", "text/html")
            .with_caller(Caller::Anonymous);
        let unknown = Request { target: "/nothing".to_owned(), ..worst.clone() };
        let method = Request { method: Method::PUT, ..worst.clone() };
        let known = worst.clone().with_caller(Caller::Partner);
        let right_type = known.clone().header("content-type", crate::operations::CHECKS);
        let accepted = right_type.clone().without_header("accept");
        let mut reported = Vec::new();
        for request in [&unknown, &method, &worst, &known, &right_type, &accepted] {
            reported.push(server.send(request).await.status_and_code());
        }
        let expected = ["404 API-7", "405 API-59", "401 API-102", "415 API-415", "406 API-75", "403 API-2"];
        assert_eq!(reported, expected);
    });
}

#[test]
fn the_lock_is_checked_after_the_form_of_the_request_and_before_the_rules() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for body in ["{", "[]", "{\"workerId\":\"NOBODY\"}"] {
            reported.push(server.send(&Request::post_checks_raw("LOCKED", body)).await.status_and_code());
        }
        assert_eq!(reported, ["400 API-40", "400 API-52", "423 API-10"]);
    });
}

#[test]
fn a_lock_expires_at_its_stated_time() {
    on_every_database(async |server| {
        let check = crate::support::check_with("workerId", "LOCKED-WORKER");
        let check = crate::support::with_member(check, "payPeriodId", "LOCKED-PERIOD");
        let mut request = Request::post_checks("LOCKED", &check);
        request.target.push_str("?dryrun=true");
        let locked = server.send(&request).await;
        let seconds: u32 = locked.header("retry-after").parse().expect("seconds");
        assert!((598..=600).contains(&seconds), "{seconds}");
        server.clock.advance_seconds(600);
        // The lock has expired. The response therefore reports the fault that the worker has no rate.
        assert_eq!(
            (locked.status_and_code().as_str(), server.send(&request).await.status_and_code().as_str()),
            ("423 API-10", "400 API-70")
        );
    });
}

#[test]
fn a_period_in_processing_locks_its_company() {
    on_every_database(async |server| {
        let response = server.send(&Request::post_checks("BUSY", &crate::support::valid_check())).await;
        assert_eq!(
            (response.status_and_code().as_str(), response.header("retry-after").is_empty()),
            ("423 API-10", false)
        );
    });
}
