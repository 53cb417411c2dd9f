//! How much an application may ask, and what happens when storage is away.

use crate::support::{
    Caller, Kind, OPEN, Request, Settings, on_every_database, on_every_database_with, token_form,
};

fn three_a_minute(settings: &mut Settings) {
    settings.rate_limit_per_minute = 3;
}

#[test]
fn who_asks_too_often_is_told_how_long_to_wait_and_may_go_on_then() {
    on_every_database_with(three_a_minute, async |server| {
        let request = Request::get("/companies");
        for _ in 0..3 {
            assert_eq!(server.send(&request).await.status, 200);
        }
        let refused = server.send(&request).await;
        let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
        assert_eq!((refused.refusal().as_str(), (1..=20).contains(&seconds)), ("429 API-429", true));
        server.clock.move_seconds(seconds);
        assert_eq!(server.send(&request).await.status, 200);
    });
}

#[test]
fn every_answer_tells_the_limit_and_what_is_left() {
    on_every_database_with(three_a_minute, async |server| {
        let answer = server.send(&Request::get("/companies")).await;
        assert!(answer.header("ratelimit-policy").contains("q=3;w=60"), "{answer:?}");
        assert!(answer.header("ratelimit").contains("r=2"), "{answer:?}");
    });
}

#[test]
fn applications_have_a_bucket_each() {
    on_every_database_with(three_a_minute, async |server| {
        for _ in 0..4 {
            server.send(&Request::get("/companies")).await;
        }
        assert_eq!(server.send(&Request::get("/companies").by(Caller::Other)).await.status, 200);
    });
}

#[test]
fn an_application_may_have_a_limit_of_its_own() {
    on_every_database_with(three_a_minute, async |server| {
        server
            .database
            .execute("UPDATE applications SET rate_limit_per_minute = 5, access_version = 99")
            .await;
        let mut told = Vec::new();
        for _ in 0..7 {
            told.push(server.send(&Request::get("/companies")).await.status);
        }
        assert_eq!(told, [200, 200, 200, 200, 200, 429, 429]);
    });
}

#[test]
fn the_token_operation_is_limited_by_client_and_peer() {
    on_every_database_with(three_a_minute, async |server| {
        let mut told = Vec::new();
        for _ in 0..4 {
            told.push(server.send(&Request::token(&token_form())).await.refusal_or_status());
        }
        assert_eq!(told, ["200", "200", "200", "429 API-429"]);
        let other = "grant_type=client_credentials&client_id=nobody&client_secret=x";
        assert_eq!(server.send(&Request::token(other)).await.refusal(), "401 API-102");
    });
}

#[test]
fn who_is_not_authenticated_is_told_that_first() {
    on_every_database_with(three_a_minute, async |server| {
        let request = Request::get("/companies").by(Caller::Malformed);
        for _ in 0..5 {
            assert_eq!(server.send(&request).await.refusal(), "401 API-102");
        }
    });
}

#[test]
fn a_database_that_is_away_is_503_with_the_time_to_come_again() {
    if !Kind::at_hand().contains(&Kind::Postgres) {
        return; // the embedded database cannot be away
    }
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // the token
        if !server.database.take_away().await {
            return;
        }
        let requests = [
            Request::get("/companies"),
            Request::get(format!("/companies/{OPEN}")),
            Request::post_checks(OPEN, &crate::support::good_check()),
            Request::token(&token_form()),
        ];
        for request in requests {
            let answer = server.send(&request).await;
            let told = (answer.refusal(), answer.header("retry-after").is_empty());
            assert_eq!(told, ("503 API-503".to_owned(), false), "{request:?}");
        }
        server.database.give_back().await;
        assert_eq!(server.send(&Request::get("/companies")).await.status, 200);
    });
}
