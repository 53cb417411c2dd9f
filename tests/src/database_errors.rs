//! Tests of the server's responses to errors of PostgreSQL. A trigger raises each error with its SQLSTATE and
//! an unrelated message, because messages depend on the language.

use serde_json::json;

use crate::support::receiver::wait_until_async;
use crate::support::{Database, OPEN, Request, Server, check_with_correlation_id, on_every_database};

/// SQL that creates a trigger. The trigger raises an error before a check is stored.
const CREATE_RAISING_TRIGGER: &str = "CREATE FUNCTION raise_error() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
    RAISE EXCEPTION USING ERRCODE = '22000', MESSAGE = ''; END $$; \
    CREATE TRIGGER raise_error BEFORE INSERT ON checks EXECUTE FUNCTION raise_error()";
const DROP_RAISING_TRIGGER: &str = "DROP TRIGGER raise_error ON checks; DROP FUNCTION raise_error";
/// A locale in which PostgreSQL translates its error messages, such as German.
const GERMAN_LOCALE: &str = "de_DE.UTF-8";

async fn raise_error_on_insert(server: &Server, code: &str, message: &str) {
    let body = format!("RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = '{message}'");
    let replaced =
        CREATE_RAISING_TRIGGER.replace("RAISE EXCEPTION USING ERRCODE = '22000', MESSAGE = ''", &body);
    let replaced = replaced.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
    let replaced = replaced.replace("CREATE TRIGGER", "CREATE OR REPLACE TRIGGER");
    server.database.execute(&replaced).await;
}

fn add_check_request(name: &str) -> Request {
    Request::post_checks(OPEN, &json!([check_with_correlation_id(name)]))
}

#[test]
fn an_error_of_postgresql_is_recognized_by_its_code_not_its_text() {
    on_every_database(async |server| {
        if !matches!(server.database, Database::Postgres(_)) {
            return;
        }
        for (code, message, expected) in [
            ("55P03", "Abbruch: die Sperre kam nicht", "423 API-10"),
            ("40P01", "Abbruch: Verklemmung", "423 API-10"),
            ("57014", "Abbruch: storniere Anfrage", "503 API-503"),
            ("57P01", "Abbruch: der Server endet", "503 API-503"),
            ("08006", "Abbruch: die Verbindung", "503 API-503"),
            ("53200", "Speicher aufgebraucht", "503 API-503"),
            ("40001", "Abbruch: Konflikt", "503 API-503"),
            ("22000", "lock timeout, No space left, terminating connection", "500 API-1"),
            // Only the SQLSTATE determines the response. The same text with another SQLSTATE gets another
            // response.
            ("55P03", "lock timeout, No space left, terminating connection", "423 API-10"),
        ] {
            raise_error_on_insert(server, code, message).await;
            let response = server.send_unchecked(&add_check_request(code)).await;
            assert_eq!(response.status_and_code(), expected, "{code} {message}");
        }
        raise_error_on_insert(server, "53100", "Auf dem Gerät ist kein Platz").await;
        assert_eq!(server.send(&add_check_request("full")).await.status_and_code(), "503 API-503");
        server.database.execute(DROP_RAISING_TRIGGER).await;
        // The errors close connections to the database. The server replaces the closed connections.
        wait_until_async(async || server.send(&add_check_request("behind")).await.status == 201, "a check")
            .await;
    });
}

#[test]
fn a_german_postgresql_server_is_supported() {
    on_every_database(async |server| {
        let Database::Postgres(name) = &server.database else { return };
        let name = name.clone();
        let set = format!("ALTER DATABASE {name} SET lc_messages = '{GERMAN_LOCALE}'");
        let try_to_set = format!(
            "DO $do$ BEGIN PERFORM set_config('lc_messages', '{GERMAN_LOCALE}', true); EXECUTE $set${set}$set$; \
             EXCEPTION WHEN OTHERS THEN NULL; END $do$"
        );
        server.database.execute(&try_to_set).await;
        let language = "SELECT CASE WHEN current_setting('lc_messages') LIKE 'de%' THEN 1 ELSE 0 END::bigint";
        if server.database.query_number(language).await == 0 {
            report_missing_locale();
            return;
        }
        server.restart().await;
        let lock = format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE");
        let mut held = server.database.hold_transaction(&lock).await;
        let waited = server.send(&add_check_request("waits")).await;
        held.run_sql("COMMIT").await;
        server.database.execute(&format!("ALTER DATABASE {name} RESET lc_messages")).await;
        assert_eq!(waited.status_and_code(), "423 API-10");
    });
}

fn report_missing_locale() {
    use std::io::Write;
    // The message is only informative, so an error in writing the message is ignored.
    let _said = writeln!(
        std::io::stderr(),
        "not tested: the system of PostgreSQL has no locale {GERMAN_LOCALE} (localedef -i de_DE -f UTF-8 {GERMAN_LOCALE})"
    );
}
