//! How the server does, as operators read it.

use serde_json::json;

use super::get;
use crate::support::{Caller, OPEN, Request, checks, on_every_database, with};

#[test]
fn health_shows_what_answering_rests_on_and_the_requests_of_the_last_hour() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks(1))).await.status, 201);
        let wrong = with(checks(1)[0].clone(), "workerId", "NOBODY");
        assert_eq!(server.send(&Request::post_checks(OPEN, &json!([wrong]))).await.status, 400);
        let health = get(server, "/health").await.content().remove(0);
        assert_eq!((&health["ready"], &health["certificates"]), (&json!(true), &json!([])));
        let names: Vec<_> =
            health["checks"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["serving", "storage", "migrations", "dispatcher"]);
        let minutes = health["minutes"].as_array().expect("a list");
        let sum = |name: &str| minutes.iter().filter_map(|it| it[name].as_u64()).sum::<u64>();
        assert!(sum("requests") >= 2, "{minutes:?}");
        assert_eq!((sum("refused"), sum("failed")), (1, 0), "{minutes:?}");
        server.clock.move_seconds(2 * 60 * 60);
        let later = get(server, "/health").await.content().remove(0);
        assert_eq!(later["minutes"].as_array().map(Vec::len), Some(0), "an hour is kept: {later}");
        let by_reader = Request::operator_get("/health").by(Caller::OperatorReader);
        assert_eq!(server.send(&by_reader).await.status, 200);
    });
}
