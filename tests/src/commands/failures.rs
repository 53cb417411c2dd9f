//! Tests of the error messages and exit codes of failing commands.

use crate::support::command_line::{run_on_server, run_with_and_without_server};
use crate::support::process::run_with_variables;
use crate::support::{OPEN, Process, on_every_database_kind};

/// Returns the address of a port without a listener. The returned socket reserves the port, so that no other
/// test gets it.
fn closed_port() -> (tokio::net::TcpSocket, String) {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = socket.local_addr().expect("an address");
    (socket, format!("http://{address}"))
}

#[test]
fn an_api_error_is_exit_code_1_and_a_usage_error_is_2() {
    run_with_and_without_server(async |line| {
        assert_eq!(line.run(&["company", "show", "NOBODY"]).code, Some(1));
        assert_eq!(line.run(&["company", "show"]).code, Some(2));
        assert_eq!(line.run(&["company", "list", "--limit", "many"]).code, Some(2));
    });
}

#[test]
fn an_unreachable_server_is_exit_code_2_with_advice() {
    let (_bound, url) = closed_port();
    let key = [("PAYROLL_OPERATOR_KEY", "opk_x")];
    let output = run_with_variables(&key, &["company", "list", "--url", &url], "");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{reported}");
    assert!(reported.contains("no connection") && reported.contains("operator_listen"), "{reported}");
}

#[test]
fn without_a_key_no_request_is_sent() {
    for (key, says) in [(&[][..], "PAYROLL_OPERATOR_KEY"), (&[("PAYROLL_OPERATOR_KEY", "")], "operator key")]
    {
        let output = run_with_variables(key, &["company", "list", "--url", "http://127.0.0.1:1"], "");
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && reported.contains(says), "{reported}");
    }
}

#[test]
fn an_unknown_key_is_rejected_and_not_printed() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let reported = run_on_server(&server, "opk_not-known-here", &["company", "list", "--json"], "");
        assert!(reported.code == Some(1) && reported.errors.contains("operator-key list"), "{reported:?}");
        assert!(!format!("{reported:?}").contains("opk_not-known-here"), "{reported:?}");
    });
}

#[test]
fn a_read_only_key_changes_nothing() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let reader = |arguments: &[&str]| run_on_server(&server, crate::support::READER_KEY, arguments, "");
        assert_eq!(reader(&["company", "show", OPEN]).code, Some(0));
        let reported = reader(&["company", "lock", OPEN]);
        assert!(reported.code == Some(1) && reported.errors.contains("API-2"), "{reported:?}");
    });
}

#[test]
fn a_key_file_must_be_private() {
    use std::os::unix::fs::PermissionsExt;
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), crate::support::OPERATOR_KEY).expect("written");
        let path = file.path().to_str().expect("Unicode");
        let url = format!("http://{}", server.operator.address());
        let mut codes = Vec::new();
        for mode in [0o600, 0o644] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
            let output =
                run_with_variables(&[], &["company", "list", "--url", &url, "--operator-key-file", path], "");
            codes.push(output.status.code());
        }
        assert_eq!(codes, [Some(0), Some(2)]);
    });
}
