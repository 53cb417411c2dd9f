//! Tests of `doctor`. The command reports working parts as ok, and problems with a remedy. The command
//! changes nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use payroll_ports::Clock;
use payroll_server::system::SystemClock;
use serde_json::Value;

use crate::support::command_line::{CommandResult, parse_document};
use crate::support::process::run_with_variables;
use crate::support::{Database, Process, TEST_KEYS, on_every_database_kind, run, run_with_keys};

/// Arguments with which both listeners use free ports, whatever other programs run on this machine.
const FREE_PORT_ARGUMENTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"];

fn run_doctor(database: &Database, arguments: &[&str]) -> CommandResult {
    run(database, &[&["doctor"], arguments].concat(), "").into()
}

/// Returns the texts of the findings of `doctor` that have this state.
fn findings_in_state(reported: &CommandResult, state: &str) -> Vec<String> {
    let document = parse_document(&reported.out);
    let findings = document["findings"].as_array().expect("findings").iter();
    let of_state = findings.filter(|finding| finding["state"] == state);
    of_state.map(|finding| format!("{}: {}", finding["area"], finding["message"])).collect()
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut names: Vec<_> = entries.map(|path| path.display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn the_diagnosis_of_a_healthy_database_lists_each_area_without_a_problem() {
    on_every_database_kind(async |database| {
        let reported = run_doctor(database, &FREE_PORT_ARGUMENTS);
        assert_eq!(reported.code, Some(0), "{reported:?}");
        for part in ["settings", "keys", "storage", "clock", "listen", "webhooks", "tls"] {
            assert!(
                reported.out.lines().any(|line| line.contains(part)),
                "{part} is missing: {}",
                reported.out
            );
        }
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &["--json"]].concat());
        assert_eq!(
            (&parse_document(&json.out)["healthy"], findings_in_state(&json, "problem").len()),
            (&Value::Bool(true), 0)
        );
        let fine = findings_in_state(&json, "ok").join("\n");
        assert!(fine.contains("the keys decrypt the data") && fine.contains("the schema is at"), "{fine}");
    });
}

#[test]
fn the_diagnosis_creates_no_missing_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::Sqlite(folder);
    let reported: CommandResult =
        run_with_keys(&database, "", &[&["doctor"], &FREE_PORT_ARGUMENTS[..]].concat()).into();
    assert!(reported.code == Some(0) && reported.out.contains("the first start creates"), "{reported:?}");
    let url = database.url();
    assert_eq!(file_names(Path::new(&url).parent().expect("a folder")), [""; 0]);
}

#[test]
fn keys_of_another_database_are_a_problem_without_showing_a_key() {
    on_every_database_kind(async |database| {
        let other = "test:HxAeDx0OHA0bDBoLGQoYCRcIFgcVBhQFEwQSAxECEAE=";
        let reported: CommandResult =
            run_with_keys(database, other, &[&["doctor"], &FREE_PORT_ARGUMENTS[..]].concat()).into();
        assert!(reported.code == Some(1) && reported.out.contains("do not decrypt the data"), "{reported:?}");
        assert!(!format!("{reported:?}").contains("HxAeDx0O"), "{reported:?}");
    });
}

#[test]
fn a_key_file_that_others_can_read_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    std::fs::write(&path, TEST_KEYS).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let database = Database::Sqlite(folder);
    let path = path.to_str().expect("Unicode");
    let reported: CommandResult =
        run_with_keys(&database, "", &[&["doctor", "--key-file", path], &FREE_PORT_ARGUMENTS[..]].concat())
            .into();
    assert!(reported.code == Some(1) && reported.out.contains("chmod 600"), "{reported:?}");
}

#[test]
fn the_diagnosis_distinguishes_this_server_from_another_program_at_its_address() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let used_address = other.local_addr().expect("an address").to_string();
        // `other` simulates another program that uses the port. This program accepts one connection and
        // closes the connection, so that `doctor` does not wait.
        let refusing = std::thread::spawn(move || drop(other.accept()));
        let ours = server.client.address();
        let reported =
            run_doctor(database, &["--listen", ours, "--operator-listen", &used_address, "--json"]);
        refusing.join().expect("it was asked");
        assert_eq!(reported.code, Some(1), "{reported:?}");
        let problems = findings_in_state(&reported, "problem");
        assert!(problems.len() == 1 && problems[0].contains("used by another program"), "{problems:?}");
        assert!(
            findings_in_state(&reported, "ok").iter().any(|fine| fine.contains("has a server that is ready")),
            "{reported:?}"
        );
    });
}

#[test]
fn an_unreachable_database_is_a_problem_without_showing_its_password() {
    let url =
        [("PAYROLL_DATABASE_URL", "postgres://pay:hunter2@127.0.0.1:1/pay"), ("PAYROLL_KEYS", TEST_KEYS)];
    let reported: CommandResult =
        run_with_variables(&url, &[&["doctor"], &FREE_PORT_ARGUMENTS[..]].concat(), "").into();
    assert!(reported.code == Some(1) && reported.out.contains("cannot be used"), "{reported:?}");
    assert!(!format!("{reported:?}").contains("hunter2"), "{reported:?}");
}

#[test]
fn an_unusable_receiver_host_is_a_problem_with_its_reason() {
    let database = Database::Sqlite(tempfile::tempdir().expect("a folder"));
    for (host, says) in
        [("localhost", "not public"), ("nobody.invalid", "nobody.invalid"), ("a b", "not an address")]
    {
        let reported =
            run_doctor(&database, &[&FREE_PORT_ARGUMENTS[..], &["--host", host, "--json"]].concat());
        let problems = findings_in_state(&reported, "problem");
        assert!(problems.iter().any(|problem| problem.contains(says)), "{host}: {reported:?}");
    }
    let mapped = ["--webhook-hosts", "receiver.test=127.0.0.1:1", "--host", "receiver.test"];
    assert_eq!(run_doctor(&database, &[&FREE_PORT_ARGUMENTS[..], &mapped].concat()).code, Some(0));
}

#[test]
fn the_diagnosis_changes_no_database() {
    on_every_database_kind(async |database| {
        let counts = "SELECT (SELECT count(*) FROM audit) + (SELECT count(*) FROM key_canaries)";
        let before = database.query_number(counts).await;
        let reported = run_doctor(database, &FREE_PORT_ARGUMENTS);
        assert_eq!((reported.code, database.query_number(counts).await), (Some(0), before));
    });
}

#[test]
fn a_missing_archive_folder_is_a_problem() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("missing").display().to_string();
        let with = |place: &str| {
            let archive = ["--json", "--check-retention-days", "1000", "--check-archive-folder", place];
            run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &archive].concat())
        };
        let problems = findings_in_state(&with(&missing), "problem").join("\n");
        assert!(problems.contains(&missing) && problems.contains("does not exist"), "{problems}");
        assert!(!Path::new(&missing).exists());
        let there = folder.path().display().to_string();
        let reported = with(&there);
        assert_eq!(findings_in_state(&reported, "problem").len(), 0, "{reported:?}");
        assert!(findings_in_state(&reported, "ok").join("\n").contains(&there), "{reported:?}");
        assert_eq!(file_names(folder.path()), [""; 0]);
    });
}

#[test]
fn a_database_that_others_can_read_is_a_problem() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let url = database.url();
        std::fs::set_permissions(&url, std::fs::Permissions::from_mode(0o640)).expect("a mode");
        let reported = run_doctor(database, &FREE_PORT_ARGUMENTS);
        assert!(reported.code == Some(1) && reported.out.contains("(mode 640)"), "{reported:?}");
        assert!(reported.out.contains("chmod 600"), "{reported:?}");
    });
}

#[test]
fn a_database_without_a_known_backup_is_a_warning() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &["--json"]].concat());
        assert!(
            findings_in_state(&json, "warning")
                .join("\n")
                .contains("no backup by `payroll-server backup` is known"),
            "{json:?}"
        );
        let copies = tempfile::tempdir().expect("a folder");
        let copy = copies.path().join("copy.db");
        assert!(run(database, &["backup", &copy.to_string_lossy()], "").status.success());
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &["--json"]].concat());
        assert!(!findings_in_state(&json, "warning").join("\n").contains("backup"), "{json:?}");
    });
}

#[test]
fn a_backup_is_too_old_after_the_configured_hours() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let note = format!("{}.backup.json", database.url());
        let created = SystemClock.now().plus_seconds(-48 * 3600);
        std::fs::write(&note, format!(r#"{{"made": "{created}", "file": "copy.db", "bytes": 1}}"#))
            .expect("a note");
        for (hours, warns) in [("72", false), ("24", true)] {
            let limit = ["--json", "--backup-max-age-hours", hours];
            let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &limit].concat());
            assert_eq!(
                findings_in_state(&json, "warning").join("\n").contains("the last backup"),
                warns,
                "{hours}: {json:?}"
            );
        }
        let folder = ["--json", "--backup-folder", "/missing"];
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &folder].concat());
        assert!(
            findings_in_state(&json, "problem").join("\n").contains("`backup_folder` /missing"),
            "{json:?}"
        );
    });
}

#[test]
fn a_damaged_database_is_a_problem() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &["--json"]].concat());
        assert!(findings_in_state(&json, "ok").join("\n").contains("the structure of"), "{json:?}");
        let mut bytes = std::fs::read(database.url()).expect("the file");
        let half = bytes.len() / 2;
        bytes.iter_mut().skip(half).for_each(|byte| *byte = 0xAA);
        std::fs::write(database.url(), bytes).expect("the file");
        let json = run_doctor(database, &[&FREE_PORT_ARGUMENTS[..], &["--json"]].concat());
        assert_eq!(json.code, Some(1), "{json:?}");
        assert!(findings_in_state(&json, "problem").join("\n").contains("is damaged"), "{json:?}");
    });
}

#[test]
fn settings_that_do_not_fit_this_machine_or_network_are_reported() {
    on_every_database_kind(async |database| {
        let doctor = |arguments: &[&str]| run_doctor(database, &[arguments, &["--json"]].concat());
        let source = ["--webhook-source-addresses", "192.0.2.1"];
        let json = doctor(&[&FREE_PORT_ARGUMENTS[..], &source].concat());
        assert!(findings_in_state(&json, "problem").join("\n").contains("from 192.0.2.1"), "{json:?}");
        let log = Process::serve_with(database, &source).stop_and_read_log();
        assert!(log.contains("notifications cannot be sent from 192.0.2.1"), "{log}");
        let json = doctor(&[&FREE_PORT_ARGUMENTS[..], &["--token-signature", "eddsa"]].concat());
        assert!(findings_in_state(&json, "warning").join("\n").contains("the issuer in tokens"), "{json:?}");
        let public = ["--listen", "0.0.0.0:0", "--operator-listen", "127.0.0.1:0"];
        let json = doctor(&public);
        assert!(findings_in_state(&json, "warning").join("\n").contains("private_key_jwt"), "{json:?}");
        assert!(json.out.contains("change one of these settings"), "{json:?}");
        assert!(!json.out.contains("correct the two files"), "{json:?}");
    });
}
