//! Tests of the demo. The demo prints commands that a reader can paste into a shell, and each command must
//! work.

use std::collections::BTreeSet;

use crate::support::listener::ListenCommand;
use crate::support::process::run_with_variables;
use crate::support::{Demo, run_in_shell};

/// Returns the commands that the demo prints for pasting, in their order.
fn command_lines(page: &str) -> Vec<&str> {
    page.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("curl") || line.starts_with("TOKEN="))
        .collect()
}

/// Returns the HTTP status that each pasted command printed.
fn printed_statuses(printed: &str) -> Vec<&str> {
    printed.lines().filter_map(|line| line.strip_prefix("HTTP ")).collect()
}

fn printed_codes(printed: &str) -> BTreeSet<&str> {
    printed.split("\"code\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The HTTP statuses that the demo's commands for partners print. The statuses are the same each time a
/// reader runs the commands.
const PARTNER_STATUSES: [&str; 4] = ["200", "200", "201", "400"];
/// The HTTP statuses that the demo's commands for operators print the first time. The commands that read the
/// results are included.
const OPERATOR_STATUSES: [&str; 6] = ["200", "201", "200", "200", "200", "200"];
/// The HTTP statuses of the same commands when a reader runs them again, after the period was completed.
const REPEATED_OPERATOR_STATUSES: [&str; 6] = ["200", "201", "409", "409", "200", "200"];
/// The HTTP statuses that the demo's commands for notifications print, each time a reader runs the commands.
const RECEIVER_STATUSES: [&str; 3] = ["200", "200", "202"];

/// Returns all expected statuses of the demo's commands.
fn expected_statuses(operators: [&'static str; 6]) -> Vec<&'static str> {
    [&PARTNER_STATUSES[..], &operators, &RECEIVER_STATUSES].concat()
}

/// Verifies that the demo prints one line for each notification, with a valid signature. Each element of
/// `notifications` is a word that identifies a line.
fn assert_demo_prints_notifications(demo: &mut Demo, notifications: &[&str]) {
    let mut left: BTreeSet<&str> = notifications.iter().copied().collect();
    for _ in notifications {
        let line = demo.next_line();
        assert!(line.contains("signature verified") && !line.contains("repeat"), "{line}");
        let reported: Vec<_> = left.iter().copied().filter(|word| line.contains(word)).collect();
        assert_eq!(reported.len(), 1, "{line}: {left:?}");
        left.remove(reported[0]);
    }
}

#[test]
fn each_command_of_the_demo_works_the_first_time_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut demo = Demo::start(folder.path().to_str().expect("Unicode"));
    let page = demo.page.clone();
    let lines = command_lines(&page);
    let printed = [run_in_shell(&lines), run_in_shell(&lines)];
    for (printed, operators) in printed.iter().zip([OPERATOR_STATUSES, REPEATED_OPERATOR_STATUSES]) {
        assert_eq!(printed_statuses(printed), expected_statuses(operators), "{page}{printed}");
        assert!(printed_codes(printed).len() >= 3, "{printed}");
        for reported in ["\"grossEarnings\"", "\"WRKR_DEM\"", "\"CLT_PYRN\"", "\"hookId\":\"demo\""] {
            assert!(printed.contains(reported), "{reported}: {printed}");
        }
    }
    assert_demo_prints_notifications(&mut demo, &["WRKR_DEM UPDATE", "CLT_PYRN PAYRUN_COMPLETED", "a test"]);
    assert_demo_prints_notifications(&mut demo, &["a test"]);
}

#[test]
fn a_moved_worker_is_shown_by_the_running_demo() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut demo = Demo::start(folder.path().to_str().expect("Unicode"));
    let page = demo.page.clone();
    let moves: Vec<&str> = command_lines(&page).into_iter().filter(|line| line.contains("PATCH")).collect();
    assert_eq!((moves.len(), printed_statuses(&run_in_shell(&moves)).join(" ").as_str()), (1, "200"));
    let line = demo.next_line();
    for reported in ["WRKR_DEM UPDATE", "worker 00DEMO0001WORKER0001", "signature verified"] {
        assert!(line.contains(reported), "{reported}: {line}");
    }
}

#[test]
fn a_demo_with_a_folder_restarts_with_its_data_and_new_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let value = |page: &str, name: &str| {
        let line = page.lines().find(|line| line.trim().starts_with(name)).expect("a line");
        line.split_whitespace().nth(1).expect("a value").to_owned()
    };
    let start = |notifications: &[&str]| {
        let mut demo = Demo::start(folder.path().to_str().expect("Unicode"));
        let printed = run_in_shell(&command_lines(&demo.page));
        assert_demo_prints_notifications(&mut demo, notifications);
        let secrets = ["client_secret", "operator_key", "signing_secret"].map(|name| value(&demo.page, name));
        (secrets, printed_statuses(&printed).join(" "))
    };
    let first = start(&["WRKR_DEM UPDATE", "CLT_PYRN PAYRUN_COMPLETED", "a test"]);
    let second = start(&["a test"]);
    assert!(first.0.iter().zip(&second.0).all(|(first, second)| first != second));
    assert_eq!(
        (first.1, second.1),
        (
            expected_statuses(OPERATOR_STATUSES).join(" "),
            expected_statuses(REPEATED_OPERATOR_STATUSES).join(" ")
        )
    );
}

#[test]
fn the_demo_creates_the_requested_companies_with_access_for_the_partner() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("Unicode");
    let size = ["--companies", "3", "--workers-per-company", "2", "--seed", "42"];
    let demo = Demo::start_with(folder, &size);
    let page = demo.page.clone();
    let lines = command_lines(&page);
    let listing = lines.iter().find(|line| line.contains("/companies ")).expect("a list of companies");
    let printed = run_in_shell(&[lines[0], listing]);
    for id in ["00DEMO0001COMPANY001", "MADE-42-00001", "MADE-42-00003"] {
        assert!(printed.contains(id), "{id}: {page}{printed}");
    }
    assert!(!printed.contains("MADE-42-00004"), "{printed}");
    drop(demo);
    let again = [&["demo", "--port", "0", "--keep", folder], &size[..]].concat();
    let reported = run_with_variables(&[], &again, "");
    let errors = String::from_utf8_lossy(&reported.stderr);
    assert!(reported.status.code() == Some(2) && errors.contains("--companies"), "{errors}");
    let reported =
        run_with_variables(&[], &["demo", "--companies", "10000", "--workers-per-company", "10000"], "");
    assert_eq!(reported.status.code(), Some(2), "{reported:?}");
}

#[test]
fn a_listener_registers_a_hook_for_itself_and_removes_it_at_the_end() {
    // The port is below the range that the system assigns, because the demo needs the port number before the
    // port is bound.
    let port = (20_000 + std::process::id() % 10_000).to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = format!("mine.demo=127.0.0.1:{port}");
    let demo = Demo::start_with(
        folder.path().to_str().expect("Unicode"),
        &["--webhook-hosts", &hosts, "--webhook-verify-addresses", "true"],
    );
    let page = demo.page.clone();
    let value = |name: &str| {
        let line = page.lines().find(|line| line.trim().starts_with(name)).expect("a line");
        line.split_whitespace().last().expect("a value").to_owned()
    };
    let (base, id, secret) = (value("base address"), value("client_id"), value("client_secret"));
    let register = ["--register", &base, "--client-id", &id, "--hook-uri", "http://mine.demo/"];
    let mut listener = ListenCommand::start_at(&port, &register, &[("PAYROLL_CLIENT_SECRET", &secret)]);
    let move_worker: Vec<&str> =
        command_lines(&page).into_iter().filter(|line| line.contains("PATCH")).collect();
    run_in_shell(&move_worker);
    let reported = listener.next();
    assert_eq!(
        (&reported["signature"], reported["repeat"].as_bool()),
        (&"VERIFIED".into(), Some(false)),
        "{reported}"
    );
    let hooks = || {
        let run = ["hook", "list", "--json", "--url", &value("operator ")];
        let reported = run_with_variables(&[("PAYROLL_OPERATOR_KEY", &value("operator_key"))], &run, "");
        String::from_utf8_lossy(&reported.stdout).matches("http://mine.demo/").count()
    };
    assert_eq!(hooks(), 1);
    assert_eq!(listener.stop(), Some(0));
    assert_eq!(hooks(), 0);
}

#[test]
fn flags_that_the_demo_would_ignore_are_rejected() {
    for (flag, value) in [("--listen", "127.0.0.1:0"), ("--database-url", "other.db")] {
        let reported = run_with_variables(&[], &["demo", flag, value], "");
        let errors = String::from_utf8_lossy(&reported.stderr);
        assert!(reported.status.code() == Some(2) && errors.contains(flag), "{errors}");
    }
}
