//! The demo as a newcomer meets it: it prints lines to paste, and each does what it says.

use std::collections::BTreeSet;

use crate::support::{demo, paste};

/// The lines to paste, in their order.
fn lines(page: &str) -> Vec<&str> {
    page.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("curl") || line.starts_with("TOKEN="))
        .collect()
}

/// The status that each line printed.
fn statuses(printed: &str) -> Vec<&str> {
    printed.lines().filter_map(|line| line.strip_prefix("HTTP ")).collect()
}

fn codes(printed: &str) -> BTreeSet<&str> {
    printed.split("\"code\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// What the lines of partners come to, each time.
const PARTNERS: [&str; 4] = ["200", "200", "201", "400"];
/// What the lines of operators, and those about what they did, come to at first.
const OPERATORS: [&str; 6] = ["200", "201", "200", "200", "200", "200"];
/// And when the period is completed.
const OPERATORS_AGAIN: [&str; 6] = ["200", "400", "409", "409", "200", "200"];

#[test]
fn each_line_does_what_is_said_of_it_at_first_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut server, page) = demo(folder.path().to_str().expect("Unicode"));
    let lines = lines(&page);
    let printed = [paste(&lines), paste(&lines)];
    server.kill().expect("it was running");
    server.wait().expect("it is gone");
    for (printed, operators) in printed.iter().zip([OPERATORS, OPERATORS_AGAIN]) {
        assert_eq!(statuses(printed), [&PARTNERS[..], &operators].concat(), "{page}{printed}");
        assert!(codes(printed).len() >= 3, "{printed}");
        for told in ["\"grossEarnings\"", "\"WRKR_DEM\"", "\"CLT_PYRN\""] {
            assert!(printed.contains(told), "{told}: {printed}");
        }
    }
}

#[test]
fn a_kept_demo_starts_again_with_its_data_and_other_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let value = |page: &str, name: &str| {
        let line = page.lines().find(|line| line.trim().starts_with(name)).expect("a line");
        line.split_whitespace().nth(1).expect("a value").to_owned()
    };
    let start = || {
        let (mut server, page) = demo(folder.path().to_str().expect("Unicode"));
        let printed = paste(&lines(&page));
        server.kill().expect("it was running");
        server.wait().expect("it is gone");
        let secrets = ["client_secret", "operator_key"].map(|name| value(&page, name));
        (secrets, statuses(&printed).join(" "))
    };
    let (first, second) = (start(), start());
    assert!(first.0[0] != second.0[0] && first.0[1] != second.0[1]);
    let expected = |operators: [&str; 6]| [&PARTNERS[..], &operators].concat().join(" ");
    assert_eq!((first.1, second.1), (expected(OPERATORS), expected(OPERATORS_AGAIN)));
}
