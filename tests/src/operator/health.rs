//! Tests of the server's health report for operators.

use serde_json::json;

use super::get;
use crate::support::{Caller, Database, OPEN, Request, checks_document, on_every_database, run, with_member};

#[test]
fn health_shows_the_dependencies_and_the_requests_of_the_last_hour() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(1))).await.status, 201);
        let wrong = with_member(checks_document(1)[0].clone(), "workerId", "NOBODY");
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
        server.clock.advance_seconds(2 * 60 * 60);
        let later = get(server, "/health").await.content().remove(0);
        assert_eq!(later["minutes"].as_array().map(Vec::len), Some(0), "an hour is kept: {later}");
        let by_reader = Request::operator_get("/health").with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&by_reader).await.status, 200);
    });
}

#[test]
fn an_unreadable_company_is_omitted_from_lists_and_reported() {
    on_every_database(async |server| {
        let unreadable = async || {
            let health = get(server, "/health").await.content().remove(0);
            let metrics = server.operator_get("/metrics").await.text();
            let metric = metrics.lines().find_map(|line| line.strip_prefix("payroll_unreadable_companies "));
            (health["unreadableCompanies"].clone(), metric.expect("the metric").to_owned())
        };
        let ids = async || {
            let of_partner = server.send(&Request::get("/companies")).await;
            let first = server.send(&Request::get("/companies?limit=1")).await;
            let second = server.send(&Request::get("/companies?limit=1&offset=1")).await;
            let pages = [first.members("companyId"), second.members("companyId")].concat();
            (of_partner.members("companyId"), pages, get(server, "/companies").await.members("companyId"))
        };
        let (of_partner, pages, of_operator) = ids().await;
        assert_eq!(unreadable().await, (json!([]), "0".to_owned()));
        for spoilt in [
            format!("UPDATE companies SET legal_id_type = 'nonsense' WHERE company_id = '{OPEN}'"),
            format!("UPDATE companies SET parent_company_id = 'no id' WHERE company_id = '{OPEN}'"),
        ] {
            server.database.execute(&spoilt).await;
        }
        let without = |all: &[String]| all.iter().filter(|id| *id != OPEN).cloned().collect::<Vec<_>>();
        let expected = (without(&of_partner), without(&pages), without(&of_operator));
        assert!(expected.0.len() + 1 == of_partner.len() && expected.2.len() + 1 == of_operator.len());
        assert_eq!(ids().await, expected);
        assert_eq!(unreadable().await, (json!([OPEN]), "1".to_owned()));
        let alone = server.send_unchecked(&Request::get(format!("/companies/{OPEN}"))).await;
        assert_eq!(alone.status, 500, "{alone:?}");
        let repaired = format!(
            "UPDATE companies SET legal_id_type = NULL, legal_id = NULL, parent_company_id = NULL \
             WHERE company_id = '{OPEN}'"
        );
        server.database.execute(&repaired).await;
        assert_eq!(ids().await, (of_partner, pages, of_operator));
        assert_eq!(unreadable().await, (json!([]), "0".to_owned()));
    });
}

#[test]
fn the_diagnosis_of_a_server_shows_no_secret() {
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
        let by_reader = Request::operator_get("/diagnosis").with_caller(Caller::OperatorReader);
        assert_eq!(server.send(&by_reader).await.status, 200);
    });
}

#[test]
fn the_last_backup_of_an_embedded_database_is_known() {
    on_every_database(async |server| {
        let health = get(server, "/health").await.content().remove(0);
        assert_eq!(health.get("lastBackup"), None, "{health}");
        if !matches!(server.database, Database::Sqlite(_)) {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy.db").display().to_string();
        let created = run(&server.database, &["backup", &copy], "");
        assert!(created.status.success(), "{created:?}");
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
