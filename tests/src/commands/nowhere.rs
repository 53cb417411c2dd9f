//! Tests of commands in the wrong folder or with a mistyped database URL. Each command reports the setting to
//! specify, and creates nothing.

use std::path::Path;
use std::process::Output;

use crate::support::process::bare_command;

/// Commands that need a database, each with valid arguments.
const DATABASE_COMMANDS: &[&[&str]] = &[
    &["company", "list"],
    &["company", "lock", "A"],
    &["app", "create", "Clock"],
    &["app", "list"],
    &["access", "list"],
    &["operator-key", "create", "desk"],
    &["period", "list", "A"],
    &["hook", "list"],
    &["events"],
    &["audit"],
    &["import", "-"],
    &["migrate"],
    &["backup", "copy.db"],
];

fn run_in_folder(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = bare_command(arguments);
    command.current_dir(folder).stdin(std::process::Stdio::null());
    let Output { status, stderr, .. } = command.output().expect("the binary runs");
    (status.code(), String::from_utf8(stderr).expect("text"))
}

fn file_names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
    files.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn a_command_without_a_database_creates_none_and_names_the_option() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in DATABASE_COMMANDS {
        for address in [None, Some("mistyped/payroll.db")] {
            let flags = address.map_or(vec![], |address| vec!["--database-url", address]);
            let (code, reported) = run_in_folder(folder.path(), &[command, &flags[..]].concat());
            assert_eq!(code, Some(2), "{command:?}: {reported}");
            assert!(
                reported.contains("database") && reported.contains("payroll.db"),
                "{command:?}: {reported}"
            );
            assert!(
                reported.contains("database-url") || reported.contains("database_url"),
                "{command:?}: {reported}"
            );
            assert_eq!(file_names(folder.path()), Vec::<String>::new(), "{command:?}");
        }
    }
}

#[test]
fn an_address_of_another_service_is_reported_as_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("companies.ndjson"), "{}\n").expect("a file");
    for command in [&["serve"][..], &["company", "list"], &["migrate"], &["migrate", "--create"]] {
        for (address, what) in [("companies.ndjson", "not an SQLite database"), (".", "a folder")] {
            let (code, reported) =
                run_in_folder(folder.path(), &[command, &["--database-url", address]].concat());
            assert!(
                code == Some(2) && reported.contains(what) && !reported.contains("key file"),
                "{command:?}: {reported}"
            );
        }
    }
    assert_eq!(file_names(folder.path()), ["companies.ndjson"]);
}

#[test]
fn a_database_is_created_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, reported) = run_in_folder(folder.path(), &["migrate", "--create"]);
    assert_eq!(code, Some(0), "{reported}");
    assert_eq!(run_in_folder(folder.path(), &["company", "list"]).0, Some(0));
    assert_eq!(run_in_folder(folder.path(), &["migrate"]).0, Some(0));
}

#[test]
fn an_invalid_port_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in
        [&["demo", "--port", "abc"][..], &["demo", "--operator-port", "70000"], &["listen", "--port", "x"]]
    {
        let (code, reported) = run_in_folder(folder.path(), arguments);
        assert!(code == Some(2) && reported.contains("a port is a number from 0 to 65535"), "{reported}");
    }
}
