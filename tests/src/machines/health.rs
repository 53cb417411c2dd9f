//! Tests of `payroll-server health`, the health check of a container without a shell.

use crate::support::process::run;
use crate::support::receiver::wait_until_async;
use crate::support::{Process, on_every_database_kind};

/// Returns the exit code and the output of `health` with these settings.
fn run_health(database: &crate::support::Database, listen: &str) -> (Option<i32>, String) {
    let output = run(database, &["health", "--listen", listen], "");
    let reported = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(reported).expect("text"))
}

#[test]
fn the_health_command_reports_the_readiness_of_the_configured_server() {
    on_every_database_kind(async |database| {
        let mut process = Process::serve_with(database, &["--shutdown-pause-seconds", "600"]);
        let address = process.client.address().to_owned();
        // On a busy machine, the first response of the database may take longer than the time limit of the
        // readiness, so the test retries.
        let is_ready = async || run_health(database, &address) == (Some(0), "ready\n".to_owned());
        wait_until_async(is_ready, "a server that is ready").await;
        process.send_stop_signal();
        let is_stopping = async || {
            let (code, reported) = run_health(database, &address);
            code == Some(1) && reported.contains("not ready: serving: the server is stopping")
        };
        wait_until_async(is_stopping, "a server that is stopping").await;
        process.kill();
        let (code, reported) = run_health(database, &address);
        assert!(code == Some(1) && reported.contains("no server responds"), "{reported}");
        assert_eq!(run_health(database, "127.0.0.1:0").0, Some(2));
    });
}
