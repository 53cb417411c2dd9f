//! Tests of the server process: its start, stop and restart, its keys, several processes on one database, and
//! commands while it serves.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::operations::CHECKS;

use crate::support::{
    Client, Database, OPEN, Process, Request, TEST_KEYS, check_with_correlation_id, on_every_database_kind,
    raw, run, run_with_keys, token_form,
};

/// Returns a request with two checks and its own idempotency key.
fn add_checks_request(number: usize) -> Request {
    let checks = json!([
        check_with_correlation_id(&format!("{number}-a")),
        check_with_correlation_id(&format!("{number}-b"))
    ]);
    Request::post_checks(OPEN, &checks).idempotency_key(&format!("key-{number}"))
}

#[test]
fn invalid_requests_of_unknown_clients_cause_few_log_lines_and_no_errors() {
    const REQUEST_COUNT: u64 = 60;
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        for _ in 0..REQUEST_COUNT {
            raw::exchange_bytes(server.client.address(), b"no request at all\r\n\r\n").await;
        }
        let log = server.stop_and_read_log();
        for level in ["WARN", "ERROR"] {
            assert!(!log.contains(&format!("\"level\":\"{level}\"")), "{log}");
        }
        let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let reported: Vec<_> = lines.filter(|line| line["status"] == 400).collect();
        let left_out: u64 = reported.iter().filter_map(|line| line["left_out"].as_u64()).sum();
        assert!(!reported.is_empty() && reported.len() as u64 + left_out <= REQUEST_COUNT, "{log}");
    });
}

#[test]
fn a_stopped_server_exits_cleanly_and_the_next_one_continues() {
    on_every_database_kind(async |database| {
        let mut first = Process::serve(database);
        let token = first.client.request_token(token_form()).await;
        let stored = first.client.send(&add_checks_request(1), Some(&token)).await.expect("an answer");
        first.send_stop_signal();
        assert_eq!(first.wait(), Some(0));
        let second = Process::serve(database);
        let again = second.client.send(&add_checks_request(1), Some(&token)).await.expect("an answer");
        assert_eq!((stored.status, again.status, again.body), (201, 201, stored.body));
    });
}

#[test]
fn a_second_server_on_an_embedded_database_is_rejected_with_a_reason() {
    on_every_database_kind(async |database| {
        if matches!(database, Database::Postgres(_)) {
            return; // any number of servers may share PostgreSQL
        }
        let _first = Process::serve(database);
        let second = run(database, &["serve", "--listen", "127.0.0.1:0"], "");
        let reported = String::from_utf8_lossy(&second.stderr).into_owned();
        assert_eq!(second.status.code(), Some(2), "{reported}");
        assert!(reported.contains("another") && !reported.contains("panicked"), "{reported}");
    });
}

#[test]
fn a_second_name_of_a_served_file_is_recognized_as_the_same_database() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(folder) = database else { return };
        let other = tempfile::tempdir().expect("a folder");
        let (symbolic, hard) = (other.path().join("symbolic.db"), other.path().join("hard.db"));
        std::os::unix::fs::symlink(folder.path().join("payroll.db"), &symbolic).expect("a link");
        let refusal = |link: &std::path::Path| {
            let link = link.to_str().expect("Unicode");
            let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", link];
            let second = run(database, &serve, "");
            assert_eq!(second.status.code(), Some(2), "{second:?}");
            String::from_utf8_lossy(&second.stderr).into_owned()
        };
        let first = Process::serve(database);
        std::fs::hard_link(folder.path().join("payroll.db"), &hard).expect("a link");
        let reported = refusal(&symbolic);
        assert!(reported.contains("another payroll-server"), "{reported}");
        if cfg!(target_os = "linux") {
            let reported = refusal(&hard);
            assert!(reported.contains("another payroll-server"), "{reported}");
        }
        drop(first);
        let reported = refusal(&hard);
        assert!(reported.contains("hard links"), "{reported}");
    });
}

#[test]
fn a_database_with_another_distribution_is_rejected_with_the_reason() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return;
        }
        // The SQL simulates a distributed database: it creates a table and a function of the Citus extension,
        // which may not be installed.
        let catalogue = "CREATE TABLE pg_dist_partition \
                (logicalrelid regclass, partmethod \"char\", partkey text, colocationid int, repmodel \"char\"); \
            CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2'";
        database.execute(catalogue).await;
        drop(Process::serve(database));
        let workers = "INSERT INTO pg_dist_partition VALUES ('workers', 'h', 'company_id', 1, 's')";
        database.execute(workers).await;
        let refused = run(database, &["serve", "--listen", "127.0.0.1:0"], "");
        let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{reported}");
        let why = "the table companies of the distributed database (Citus) is in the wrong place";
        assert!(reported.contains(why) && !reported.contains("panicked"), "{reported}");
        let doctor = run(database, &["doctor"], "");
        assert!(String::from_utf8_lossy(&doctor.stdout).contains(why), "{doctor:?}");
        let removed = "DROP TABLE pg_dist_partition; DROP FUNCTION column_to_column_name";
        database.execute(removed).await;
    });
}

#[test]
fn equal_listener_addresses_and_an_invalid_log_level_are_rejected() {
    on_every_database_kind(async |database| {
        let address = "127.0.0.1:18999";
        let same = run(database, &["serve", "--listen", address, "--operator-listen", address], "");
        let reported = String::from_utf8_lossy(&same.stderr).into_owned();
        assert!(
            same.status.code() == Some(2) && reported.contains("must be different addresses"),
            "{reported}"
        );
        let loud = run(database, &["serve", "--listen", "127.0.0.1:0", "--log-level", "loud"], "");
        let reported = String::from_utf8_lossy(&loud.stderr).into_owned();
        assert!(loud.status.code() == Some(2) && reported.contains("must be off, error"), "{reported}");
    });
}

#[test]
fn several_servers_share_a_postgresql_database() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return; // an embedded database has one server
        }
        let (first, second) = (Process::serve(database), Process::serve(database));
        let token = first.client.request_token(token_form()).await;
        let stored = first.client.send(&add_checks_request(1), Some(&token)).await.expect("an answer");
        let again = second.client.send(&add_checks_request(1), Some(&token)).await.expect("an answer");
        assert_eq!((stored.status, again.body), (201, stored.body));
    });
}

#[test]
fn a_request_with_an_idempotency_key_is_executed_once_across_servers() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return; // an embedded database has one server
        }
        let servers = [Process::serve(database), Process::serve(database)];
        let token = servers[0].client.request_token(token_form()).await;
        let request = add_checks_request(1);
        let send = |number: usize| servers[number % 2].client.send(&request, Some(&token));
        let responses = futures_util::future::join_all((0..40).map(send)).await;
        let reported: Vec<u16> =
            responses.into_iter().map(|response| response.expect("an answer").status).collect();
        assert!(reported.iter().all(|status| [201, 409].contains(status)), "{reported:?}");
        assert_eq!(database.query_number("SELECT count(*) FROM checks WHERE application_id <> ''").await, 2);
    });
}

#[test]
fn revoked_access_stops_the_next_request_on_every_server() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return; // an embedded database has one server
        }
        let servers = [Process::serve(database), Process::serve(database)];
        let token = servers[0].client.request_token(token_form()).await;
        let ask = async || {
            let requests =
                servers.iter().map(|server| response_status(&server.client, "/companies/OPEN", &token));
            futures_util::future::join_all(requests).await
        };
        let before = ask().await;
        run_app_command(database, &["revoke", "partner", OPEN]);
        assert_eq!((before, ask().await), (vec![200, 200], vec![403, 403]));
    });
}

#[test]
fn encryption_keys_of_another_database_prevent_the_start() {
    on_every_database_kind(async |database| {
        let other = "other:HxAeDx0OHA0bDBoLGQoYCRcIFgcVBhQFEwQSAxECEAE=";
        let Output { status, stderr, .. } =
            run_with_keys(database, other, &["serve", "--listen", "127.0.0.1:0"]);
        let reported = String::from_utf8_lossy(&stderr).into_owned();
        assert_eq!(status.code(), Some(2), "{reported}");
        assert!(reported.contains("key") && !reported.contains("panicked"), "{reported}");
    });
}

#[test]
fn no_encryption_key_is_created_silently_for_postgresql() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return; // an embedded database creates its own key
        }
        let Output { status, stderr, .. } =
            run_with_keys(database, "", &["serve", "--listen", "127.0.0.1:0"]);
        let reported = String::from_utf8_lossy(&stderr).into_owned();
        assert_eq!(status.code(), Some(2), "{reported}");
    });
}

#[test]
fn an_embedded_database_gets_a_private_key_file_and_reuses_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::Sqlite(folder);
    let migrate = || run_with_keys(&database, "", &["migrate", "--create"]).status.code();
    assert_eq!((migrate(), migrate()), (Some(0), Some(0)));
    let folder = std::path::PathBuf::from(database.url()).parent().expect("a folder").to_owned();
    let files = std::fs::read_dir(folder).expect("files").map(|file| file.expect("a file"));
    let mode = |file: &std::fs::DirEntry| file.metadata().expect("its mode").permissions().mode() & 0o777;
    let private: Vec<_> = files.filter(|file| mode(file) == 0o600).map(|file| file.file_name()).collect();
    assert!(private.iter().any(|name| name.to_string_lossy().contains("key")), "{private:?}");
}

#[test]
fn the_settings_are_shown_without_their_secrets() {
    on_every_database_kind(async |database| {
        let Output { status, stdout, .. } = run(database, &["config"], "");
        let reported = String::from_utf8(stdout).expect("text");
        assert!(status.success() && reported.contains("rate_limit_per_minute"), "{reported}");
        assert!(!reported.contains("AAECAwQFBgcICQ"), "{reported}");
    });
}

#[test]
fn a_request_in_progress_finishes_during_a_stop() {
    on_every_database_kind(async |database| {
        let mut server = Process::serve(database);
        let token = server.client.request_token(token_form()).await;
        let body = check_with_correlation_id("under-way").to_string();
        let head = format!(
            "POST /companies/{OPEN}/checks HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
             Content-Type: {CHECKS}\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            body.len()
        );
        let mut connection = raw::open_and_send(server.client.address(), head.as_bytes()).await;
        connection.read_exact(&mut [0; 25]).await.expect("the request has begun");
        server.send_stop_signal();
        connection.write_all(body.as_bytes()).await.expect("the server reads");
        let mut response = [0; 12];
        connection.read_exact(&mut response).await.expect("an answer");
        drop(connection);
        assert_eq!((&response, server.wait()), (b"HTTP/1.1 201", Some(0)));
    });
}

/// Runs `app …`, which must succeed, and returns its output.
fn run_app_command(database: &Database, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = run(database, &[&["app"], arguments].concat(), "");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

/// Reads the id and the secret in the output of `app create` or `app rotate`. Returns the form of a token
/// request with this id and secret.
fn token_form_from_output(printed: &str) -> String {
    let value = |name: &str| {
        let line = printed.lines().find(|line| line.trim().starts_with(name)).expect("a line");
        line.split_whitespace().nth(1).expect("a value").to_owned()
    };
    let (id, secret) = (value("client_id"), value("client_secret"));
    format!("grant_type=client_credentials&client_id={id}&client_secret={secret}")
}

async fn response_status(client: &Client, target: &str, token: &str) -> u16 {
    client.send(&Request::get(target), Some(token)).await.expect("an answer").status
}

#[test]
fn an_application_is_created_granted_disabled_and_enabled_online() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let form = token_form_from_output(&run_app_command(database, &["create", "New partner"]));
        run_app_command(database, &["grant", "New partner", OPEN, "read:companies"]);
        let token = server.client.request_token(form).await;
        let mut reported = vec![response_status(&server.client, "/companies/OPEN", &token).await];
        for arguments in
            [&["disable", "New partner"][..], &["enable", "New partner"], &["revoke", "New partner", OPEN]]
        {
            run_app_command(database, arguments);
            reported.push(response_status(&server.client, "/companies/OPEN", &token).await);
        }
        assert_eq!(reported, [200, 401, 200, 403]);
    });
}

#[test]
fn two_secrets_are_valid_and_a_third_revokes_the_first_with_its_tokens() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let first = token_form_from_output(&run_app_command(database, &["create", "New partner"]));
        run_app_command(database, &["grant", "New partner", OPEN]);
        let token = server.client.request_token(first).await;
        let mut reported = Vec::new();
        for _ in 0..2 {
            let rotated = token_form_from_output(&run_app_command(database, &["rotate", "New partner"]));
            let new = server.client.request_token(rotated).await;
            let statuses =
                [&token, &new].map(|token| response_status(&server.client, "/companies/OPEN", token));
            reported.push(futures_util::future::join_all(statuses).await);
        }
        assert_eq!(reported, [[200, 200], [401, 200]]);
    });
}

#[test]
fn a_server_without_its_database_does_not_start_with_an_empty_one() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(folder) = database else { return };
        let without_keys = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        let Database::Sqlite(other) = &without_keys else { return };
        let url = other.path().join("payroll.db");
        std::fs::write(other.path().join("payroll.db.keys"), format!("{TEST_KEYS}\n")).expect("a key file");
        let owner = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(other.path().join("payroll.db.keys"), owner).expect("a mode");
        let serve = ["serve", "--database-url", &url.to_string_lossy(), "--listen", "127.0.0.1:0"];
        let refused = run_with_keys(&without_keys, "", &serve);
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && words.contains("serve --create"), "{words}");
        assert!(!url.exists(), "no database is made, next to {}", folder.path().display());
        drop(Process::serve_with_keys(
            &without_keys,
            "",
            &["--database-url", &url.to_string_lossy(), "--create"],
        ));
        assert!(url.exists());
    });
}
