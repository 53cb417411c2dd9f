//! The demo as a newcomer meets it: it prints four lines to paste, and each does what it says.

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

#[test]
fn its_four_lines_give_200_200_201_and_a_400_with_three_codes_and_can_be_pasted_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut server, page) = demo(folder.path().to_str().expect("Unicode"));
    let lines = lines(&page);
    let printed = [paste(&lines), paste(&lines)];
    server.kill().expect("it was running");
    server.wait().expect("it is gone");
    for printed in &printed {
        assert_eq!(statuses(printed), ["200", "200", "201", "400"], "{page}{printed}");
        assert!(codes(printed).len() >= 3, "{printed}");
    }
}

#[test]
fn a_kept_demo_starts_again_with_its_data_and_another_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = |page: &str| {
        let line = page.lines().find(|line| line.trim().starts_with("client_secret")).expect("a secret");
        line.split_whitespace().nth(1).expect("a secret").to_owned()
    };
    let start = || {
        let (mut server, page) = demo(folder.path().to_str().expect("Unicode"));
        let printed = paste(&lines(&page));
        server.kill().expect("it was running");
        server.wait().expect("it is gone");
        (secret(&page), statuses(&printed).join(" "))
    };
    let (first, second) = (start(), start());
    assert_ne!(first.0, second.0);
    assert_eq!((first.1.as_str(), second.1.as_str()), ("200 200 201 400", "200 200 201 400"));
}
