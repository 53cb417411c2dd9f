//! Tests of rate limits, and of requests while the storage is unavailable.

use payroll_server::config::Setting;
use serde_json::json;

use crate::support::{
    Caller, DatabaseKind, OPEN, Request, Server, Settings, on_every_database, on_every_database_with,
    token_form,
};

fn set_limit_of_three_per_minute(settings: &mut Settings) {
    settings.rate_limit_per_minute = 3;
}

#[test]
fn a_caller_over_its_limit_gets_retry_after_and_may_then_continue() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let request = Request::get("/companies");
        for _ in 0..3 {
            assert_eq!(server.send(&request).await.status, 200);
        }
        let refused = server.send(&request).await;
        let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
        assert_eq!((refused.status_and_code().as_str(), (1..=20).contains(&seconds)), ("429 API-429", true));
        server.clock.advance_seconds(seconds);
        assert_eq!(server.send(&request).await.status, 200);
    });
}

#[test]
fn a_changed_clock_neither_blocks_nor_admits_requests() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let request = Request::get("/companies");
        for step in [-90, 3_600, -86_400, -3_600, 86_490] {
            server.clock.step_seconds(step);
            server.discard_tokens().await;
            let mut reported = Vec::new();
            for _ in 0..4 {
                reported.push(server.send(&request).await.status_and_any_code());
            }
            assert_eq!(reported, ["200", "200", "200", "429 API-429"], "{step}");
            server.clock.advance_seconds(60);
        }
    });
}

#[test]
fn every_response_has_the_limit_and_the_remaining_requests() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let response = server.send(&Request::get("/companies")).await;
        assert!(response.header("ratelimit-policy").contains("q=3;w=60"), "{response:?}");
        assert!(response.header("ratelimit").contains("r=2"), "{response:?}");
    });
}

#[test]
fn each_application_has_its_own_bucket() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        for _ in 0..4 {
            server.send(&Request::get("/companies")).await;
        }
        assert_eq!(server.send(&Request::get("/companies").with_caller(Caller::Other)).await.status, 200);
    });
}

#[test]
fn an_application_can_have_its_own_limit() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        server
            .database
            .execute("UPDATE applications SET rate_limit_per_minute = 5, access_version = 99")
            .await;
        let mut reported = Vec::new();
        for _ in 0..7 {
            reported.push(server.send(&Request::get("/companies")).await.status);
        }
        assert_eq!(reported, [200, 200, 200, 200, 200, 429, 429]);
    });
}

/// Sets the partner's own rate limit as an operator. `None` removes the partner's own limit, so that the
/// default limit applies.
async fn set_limit(server: &Server, per_minute: Option<u32>) {
    let limit = json!({"rateLimitPerMinute": per_minute});
    let response = server.send(&Request::operator_patch("/applications/partner", &limit)).await;
    assert_eq!(response.status, 200, "{response:?}");
}

/// Sends this number of requests one after another while the test's clock does not move. Returns the number
/// of accepted requests.
async fn count_accepted(server: &Server, requests: usize) -> usize {
    let mut passed = 0;
    for _ in 0..requests {
        passed += usize::from(server.send(&Request::get("/companies")).await.status == 200);
    }
    passed
}

#[test]
fn a_raised_or_removed_limit_applies_even_with_an_empty_bucket() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        assert_eq!(count_accepted(server, 5).await, 3);
        set_limit(server, Some(10)).await;
        assert_eq!(count_accepted(server, 10).await, 7, "what was asked before counts");
        set_limit(server, Some(4)).await;
        assert_eq!(count_accepted(server, 10).await, 0, "a smaller one acts too");
        set_limit(server, Some(1_000_000)).await;
        assert_eq!(count_accepted(server, 50).await, 50);
        set_limit(server, None).await;
        assert_eq!(count_accepted(server, 10).await, 3, "the server's own again");
    });
}

#[test]
fn a_limit_raised_by_another_process_applies_within_a_second() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        assert_eq!(count_accepted(server, 4).await, 3);
        server.database.execute("UPDATE applications SET rate_limit_per_minute = 10").await;
        server.clock.advance_seconds(1);
        assert_eq!(count_accepted(server, 10).await, 7);
    });
}

#[test]
fn the_token_operation_is_limited_by_client_and_peer() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let mut reported = Vec::new();
        for _ in 0..4 {
            reported.push(server.send(&Request::token(&token_form())).await.status_and_any_code());
        }
        assert_eq!(reported, ["200", "200", "200", "429 API-429"]);
        let other = "grant_type=client_credentials&client_id=nobody&client_secret=x";
        assert_eq!(server.send(&Request::token(other)).await.status_and_code(), "401 API-102");
    });
}

fn request_with_wrong_secret(client_id: &str) -> Request {
    Request::token(&format!("grant_type=client_credentials&client_id={client_id}&client_secret=wrong"))
}

#[test]
fn failed_token_requests_have_a_much_lower_limit() {
    let limits = |settings: &mut Settings| {
        settings.rate_limit_per_minute = 1_000;
        settings.failed_tokens_per_minute = 2;
    };
    on_every_database_with(limits, async |server| {
        let good = Request::token(&token_form());
        for _ in 0..30 {
            assert_eq!(server.send(&good).await.status, 200, "good ones do not count");
        }
        let mut reported = Vec::new();
        for _ in 0..3 {
            reported.push(server.send(&request_with_wrong_secret("key-of-partner")).await.status_and_code());
        }
        assert_eq!(reported, ["401 API-102", "401 API-102", "429 API-429"]);
        let refused = server.send(&good).await;
        let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
        assert_eq!((refused.status_and_code().as_str(), seconds), ("429 API-429", 30), "right or wrong");
        assert_eq!(
            server.send(&request_with_wrong_secret("key-of-other")).await.status_and_code(),
            "401 API-102"
        );
        server.clock.advance_seconds(seconds);
        assert_eq!(server.send(&good).await.status, 200);
    });
}

#[test]
fn failures_of_a_peer_are_limited_without_blocking_clients_elsewhere() {
    let limits = |settings: &mut Settings| {
        settings.failed_tokens_per_minute = 1;
        settings.trusted_proxies = Setting::read("127.0.0.1").expect("it fits");
    };
    on_every_database_with(limits, async |server| {
        let from = |request: Request, peer: &str| request.header("x-forwarded-for", peer);
        for number in 0..10 {
            let request = from(request_with_wrong_secret(&format!("made-up-{number}")), "192.0.2.1");
            assert_eq!(server.send(&request).await.status_and_code(), "401 API-102");
        }
        let good = Request::token(&token_form());
        assert_eq!(server.send(&from(good.clone(), "192.0.2.1")).await.status_and_code(), "429 API-429");
        assert_eq!(server.send(&from(good, "192.0.2.2")).await.status, 200);
    });
}

#[test]
fn an_invalid_token_is_limited_without_using_its_applications_limit() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let request = Request::get("/companies");
        server.authorization(Caller::Partner).await;
        server.database.execute("UPDATE applications SET enabled = false WHERE name = 'partner'").await;
        let mut reported = Vec::new();
        for _ in 0..4 {
            reported.push(server.send(&request).await.status_and_code());
        }
        assert_eq!(reported, ["401 API-102", "401 API-102", "401 API-102", "429 API-429"]);
        server.database.execute("UPDATE applications SET enabled = true").await;
        server.clock.advance_seconds(20);
        assert_eq!(server.send(&request).await.status, 200);
    });
}

#[test]
fn authentication_is_checked_before_the_limit() {
    on_every_database_with(set_limit_of_three_per_minute, async |server| {
        let request = Request::get("/companies").with_caller(Caller::Malformed);
        for _ in 0..5 {
            assert_eq!(server.send(&request).await.status_and_code(), "401 API-102");
        }
    });
}

#[test]
fn an_unavailable_database_gets_503_with_retry_after() {
    if !DatabaseKind::available().contains(&DatabaseKind::Postgres) {
        return; // the embedded database cannot be unavailable
    }
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // this request gets the token
        if !server.database.block_connections().await {
            return;
        }
        let requests = [
            Request::get("/companies"),
            Request::get(format!("/companies/{OPEN}")),
            Request::post_checks(OPEN, &crate::support::valid_check()),
            Request::token(&token_form()),
        ];
        for request in requests {
            let response = server.send(&request).await;
            let reported = (response.status_and_code(), response.header("retry-after").is_empty());
            assert_eq!(reported, ("503 API-503".to_owned(), false), "{request:?}");
        }
        server.database.allow_connections().await;
        assert_eq!(server.send(&Request::get("/companies")).await.status, 200);
    });
}
