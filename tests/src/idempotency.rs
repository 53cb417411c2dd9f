//! Tests of `Idempotency-Key` (§3.5): a repeated request gets the same response and is not executed again.

use serde_json::json;

use crate::support::{
    Caller, Database, OPEN, Request, Response, START_TIME, Server, check_with, check_with_correlation_id,
    on_every_database, valid_check,
};

/// Returns a request to add the valid check, with this idempotency key.
fn request_with_idempotency_key(key: &str) -> Request {
    Request::post_checks(OPEN, &valid_check()).idempotency_key(key)
}

fn is_replay(response: &Response) -> bool {
    response.header("idempotent-replayed") == "true"
}

#[test]
fn a_repeated_request_gets_the_first_response_and_is_stored_once() {
    on_every_database(async |server| {
        let first = server.send(&request_with_idempotency_key("k")).await;
        let second = server.send(&request_with_idempotency_key("k")).await;
        let of = |response: &Response| {
            (response.status, response.header("content-type").to_owned(), response.body.clone())
        };
        assert_eq!((is_replay(&first), is_replay(&second), of(&second)), (false, true, of(&first)));
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn a_replay_has_the_media_type_of_the_first_response() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k").accept("application/json")).await;
        let again = server.send(&request_with_idempotency_key("k")).await;
        assert_eq!((is_replay(&again), again.header("content-type")), (true, "application/json"));
    });
}

#[test]
fn a_response_is_replayed_after_a_restart() {
    on_every_database(async |server| {
        let first = server.send(&request_with_idempotency_key("k")).await;
        server.restart().await;
        let second = server.send(&request_with_idempotency_key("k")).await;
        assert_eq!((is_replay(&second), second.body), (true, first.body));
    });
}

#[test]
fn a_used_idempotency_key_with_another_request_gets_422() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        let other_body = Request::post_checks(OPEN, &check_with_correlation_id("other")).idempotency_key("k");
        let same_but_a_space =
            Request::post_checks_raw(OPEN, format!(" {}", valid_check())).idempotency_key("k");
        let mut other_query = request_with_idempotency_key("k");
        other_query.target.push_str("?dryrun=false");
        let field = json!({"customFieldName": "Hat size", "type": "TEXT"});
        let other_path = Request::post_custom_field(OPEN, &field).idempotency_key("k");
        for request in [other_body, same_but_a_space, other_query, other_path] {
            assert_eq!(server.send(&request).await.status_and_code(), "422 API-422");
        }
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn an_idempotency_key_expires_after_24_hours() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        let request = request_with_idempotency_key("k").with_caller(Caller::Anonymous);
        let at = async |seconds| {
            server.clock.advance_seconds(seconds);
            server.discard_tokens().await;
            let token = server.authorization(Caller::Partner).await.expect("a token");
            is_replay(&server.send(&request.clone().header("authorization", token)).await)
        };
        assert_eq!((at(24 * 3_600 - 5).await, at(10).await), (true, false));
        assert_eq!(server.count_stored_checks().await, 2);
    });
}

#[test]
fn a_rejection_is_not_stored_and_the_retry_is_validated_again() {
    on_every_database(async |server| {
        let request = Request::post_checks(OPEN, &check_with("payPeriodId", "SOON")).idempotency_key("k");
        let refused = server.send(&request).await.status_and_code();
        server
            .database
            .execute("UPDATE pay_periods SET pay_period_id = 'SOON' WHERE pay_period_id = 'ENTRY'")
            .await;
        let stored = server.send(&request).await;
        assert_eq!((refused.as_str(), stored.status, is_replay(&stored)), ("400 API-40", 201, false));
    });
}

#[test]
fn a_dry_run_ignores_the_idempotency_key() {
    on_every_database(async |server| {
        let mut dry = request_with_idempotency_key("k");
        dry.target.push_str("?dryrun=true");
        let (first, second) = (server.send(&dry).await, server.send(&dry).await);
        let wet = server.send(&request_with_idempotency_key("k")).await;
        let reported = [&first, &second, &wet].map(|response| (response.status, is_replay(response)));
        assert_eq!(reported, [(200, false), (200, false), (201, false)]);
    });
}

#[test]
fn idempotency_keys_are_separate_for_each_application() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        let other = server.send(&request_with_idempotency_key("k").with_caller(Caller::PeriodScoped)).await;
        assert_eq!((other.status, is_replay(&other)), (201, false));
    });
}

#[test]
fn grants_are_checked_before_a_replay_and_rules_and_locks_after_it() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        let lock = "UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'OPEN'";
        server.database.execute(lock).await;
        server
            .database
            .execute("UPDATE pay_periods SET status = 'COMPLETED' WHERE pay_period_id = 'ENTRY'")
            .await;
        assert!(is_replay(&server.send(&request_with_idempotency_key("k")).await));
        server.database.execute("DELETE FROM grants WHERE company_id = 'OPEN'").await;
        assert_eq!(server.send(&request_with_idempotency_key("k")).await.status_and_code(), "403 API-2");
    });
}

#[test]
fn a_custom_field_is_created_once_per_idempotency_key() {
    on_every_database(async |server| {
        let field = json!({"customFieldName": "Hat size", "type": "TEXT"});
        let request = Request::post_custom_field(OPEN, &field).idempotency_key("k");
        let first = server.send(&request).await;
        let second = server.send(&request).await;
        assert_eq!((second.status, is_replay(&second), second.body), (200, true, first.body));
    });
}

#[test]
fn an_idempotency_key_is_a_single_header_of_1_to_255_visible_ascii_characters() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for key in ["", "two words", "\u{e9}", &"k".repeat(256)] {
            reported.push(server.send(&request_with_idempotency_key(key)).await.status_and_any_code());
        }
        reported.push(
            server
                .send(&request_with_idempotency_key("a").append_header("idempotency-key", "b"))
                .await
                .status_and_any_code(),
        );
        reported
            .push(server.send(&request_with_idempotency_key(&"k".repeat(255))).await.status_and_any_code());
        let refused = "400 API-40";
        assert_eq!(reported, [refused, refused, refused, refused, refused, "201"]);
    });
}

/// Changes the stored idempotency record so that its request counts as in progress for one minute.
async fn mark_request_in_progress(server: &Server) {
    let mark = "UPDATE idempotency_keys SET status = NULL, content_type = NULL, body = NULL";
    let lease = format!(", expires = {}", START_TIME.plus_seconds(60).as_micros());
    server.database.execute(&format!("{mark}{lease}")).await;
}

#[test]
fn a_record_from_before_the_clock_was_set_back_does_not_block_its_idempotency_key() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        mark_request_in_progress(server).await;
        let waiting = server.send(&request_with_idempotency_key("k")).await;
        server.clock.step_seconds(-86_400);
        server.discard_tokens().await;
        let freed = server.send(&request_with_idempotency_key("k")).await;
        assert_eq!((waiting.status_and_code().as_str(), freed.status), ("409 API-409", 201));
    });
}

#[test]
fn a_request_in_progress_gets_409_until_its_record_expires() {
    on_every_database(async |server| {
        server.send(&request_with_idempotency_key("k")).await;
        mark_request_in_progress(server).await;
        let waiting = server.send(&request_with_idempotency_key("k")).await;
        server.clock.advance_seconds(20);
        let later = server.send(&request_with_idempotency_key("k")).await;
        let reported = [&waiting, &later].map(|response| response.header("retry-after").to_owned());
        assert_eq!(reported, ["60", "40"], "when the key is free at the latest");
        server.clock.advance_seconds(40);
        let freed = server.send(&request_with_idempotency_key("k")).await;
        assert_eq!(
            (waiting.status_and_code().as_str(), freed.status, is_replay(&freed)),
            ("409 API-409", 201, false)
        );
    });
}

#[test]
fn unfinished_requests_of_a_dead_process_do_not_block_their_idempotency_keys() {
    on_every_database(async |server| {
        if !matches!(server.database, Database::Sqlite(_)) {
            return; // machines/killed.rs tests PostgreSQL
        }
        server.send(&request_with_idempotency_key("k")).await;
        mark_request_in_progress(server).await;
        let waiting = server.send(&request_with_idempotency_key("k")).await.status_and_code();
        server.restart().await;
        let freed = server.send(&request_with_idempotency_key("k")).await;
        assert_eq!((waiting.as_str(), freed.status, is_replay(&freed)), ("409 API-409", 201, false));
    });
}

#[test]
fn one_of_a_hundred_simultaneous_requests_with_one_idempotency_key_is_executed() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await;
        let request = request_with_idempotency_key("k");
        let responses = futures_util::future::join_all((0..100).map(|_| server.send(&request))).await;
        let done = responses.iter().filter(|it| it.status == 201 && !is_replay(it)).count();
        let replayed = responses.iter().filter(|it| it.status == 201 && is_replay(it)).count();
        let waiting =
            responses.iter().filter(|it| it.status == 409 && it.status_and_code() == "409 API-409").count();
        assert_eq!((done, replayed + waiting, server.count_stored_checks().await), (1, 99, 1));
    });
}
