//! Tests of the commands `company …`.

use crate::support::command_line::{ServerCommandLine, run_with_and_without_server};
use crate::support::{BARE, ENDED, OPEN};

/// Returns the name of the lock's holder: the operator key, or the account that runs the command.
fn lock_holder(line: &ServerCommandLine<'_>) -> String {
    let account = std::process::Command::new("id").arg("-urn").output().expect("id").stdout;
    let account = String::from_utf8(account).expect("text");
    if line.is_remote() { "desk".to_owned() } else { format!("command line ({})", account.trim()) }
}

#[test]
fn companies_are_listed_by_page_and_by_account_number() {
    run_with_and_without_server(async |line| {
        let listed = line.run_successfully(&["company", "list"]);
        let ids: Vec<_> = listed.lines().skip(1).filter_map(|row| row.split("  ").next()).collect();
        assert!(ids.len() == 9 && ids.contains(&BARE) && ids.contains(&OPEN), "{listed}");
        let part = line.run_json(&["company", "list", "--offset", "4", "--limit", "1"]);
        assert_eq!(part["content"][0]["companyId"], ids[4]);
        let found = line.run_json(&["company", "list", "--displayid", "00 04 00 01"]);
        assert_eq!(found["content"][0]["companyId"], ENDED);
    });
}

#[test]
fn a_second_lock_and_a_second_unlock_of_a_company_are_rejected() {
    run_with_and_without_server(async |line| {
        let shown = || line.run_successfully(&["company", "show", BARE]);
        assert!(shown().contains("The company is not locked."), "{}", shown());
        line.run_successfully(&[
            "company",
            "lock",
            BARE,
            "--reason",
            "audit",
            "--until",
            "2099-01-01T00:00:00Z",
        ]);
        let holder = lock_holder(line);
        let sentence = format!("The company is locked by {holder}, until 2099-01-01T00:00:00");
        assert!(shown().contains(&sentence) && shown().contains("audit"), "{}", shown());
        let again = line.run(&["company", "lock", BARE]);
        assert!(again.code == Some(1) && again.errors.contains("API-409"), "{again:?}");
        line.run_successfully(&["company", "unlock", BARE]);
        assert!(shown().contains("The company is not locked."), "{}", shown());
        assert_eq!(line.run(&["company", "unlock", BARE]).code, Some(1));
    });
}

#[test]
fn the_list_shows_the_owner_and_reason_of_a_lock() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["company", "lock", BARE, "--reason", "audit"]);
        let listed = line.run_successfully(&["company", "list"]);
        let row = |company: &str| {
            let row = listed.lines().find(|row| row.starts_with(company));
            row.unwrap_or_else(|| panic!("{company}: {listed}")).to_owned()
        };
        let holder = format!("{}: audit", lock_holder(line));
        assert!(row(BARE).ends_with(&holder), "{listed}");
        assert!(row("BUSY").contains("pay period"), "{listed}");
        assert!(!row(OPEN).contains(':'), "{listed}");
    });
}

#[test]
fn the_end_date_of_a_company_is_set_and_cleared() {
    run_with_and_without_server(async |line| {
        let end_date = || line.run_json(&["company", "show", OPEN])["content"][0]["endDate"].clone();
        line.run_successfully(&["company", "end-date", OPEN, "2027-01-31"]);
        assert_eq!(end_date(), "2027-01-31T00:00:00Z");
        line.run_successfully(&["company", "end-date", OPEN, "--clear"]);
        assert!(end_date().is_null());
        let refused = line.run(&["company", "end-date", OPEN, "tomorrow"]);
        assert!(refused.code == Some(1) && refused.errors.contains("(/endDate)"), "{refused:?}");
    });
}
