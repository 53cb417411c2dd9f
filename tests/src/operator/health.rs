//! How the server does, as operators read it.

use serde_json::json;

use super::get;
use crate::support::{Caller, Database, OPEN, Request, checks, on_every_database, run, with};

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

#[test]
fn a_server_examines_itself_and_shows_no_secret() {
    on_every_database(async |server| {
        let findings = get(server, "/diagnosis").await.content();
        let of = |area: &str| findings.iter().filter(|it| it["area"] == area).collect::<Vec<_>>();
        for area in ["settings", "keys", "storage", "backup", "clock", "listen", "webhooks", "tls"] {
            assert!(!of(area).is_empty(), "{area} is missing: {findings:?}");
        }
        let problems: Vec<_> = findings.iter().filter(|it| it["state"] == "problem").collect();
        assert!(problems.is_empty(), "{problems:?}");
        assert!(
            of("storage")
                .iter()
                .any(|it| it["message"].as_str().is_some_and(|it| it.contains("the schema is at")))
        );
        let by_reader = Request::operator_get("/diagnosis").by(Caller::OperatorReader);
        assert_eq!(server.send(&by_reader).await.status, 200);
    });
}

#[test]
fn the_last_backup_is_known_where_the_database_is_a_file() {
    on_every_database(async |server| {
        let health = get(server, "/health").await.content().remove(0);
        assert_eq!(health.get("lastBackup"), None, "{health}");
        if !matches!(server.database, Database::Sqlite(_)) {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy.db").display().to_string();
        let made = run(&server.database, &["backup", &copy], "");
        assert!(made.status.success(), "{made:?}");
        let health = get(server, "/health").await.content().remove(0);
        let bytes = std::fs::metadata(&copy).expect("a copy").len();
        assert_eq!(
            (&health["lastBackup"]["bytes"], health["lastBackup"]["file"].as_str()),
            (&json!(bytes), Some(&*copy))
        );
        let findings = get(server, "/diagnosis").await.content();
        let backup = findings.iter().find(|it| it["area"] == "backup").expect("a finding");
        assert!(backup["message"].as_str().is_some_and(|it| it.contains(&copy)), "{backup}");
    });
}
