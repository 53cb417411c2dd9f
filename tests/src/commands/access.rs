//! Tests of `app …` and `operator-key …`. Secrets are printed only once.

use crate::support::command_line::{
    ServerCommandLine, parse_document, run_on_server, run_with_and_without_server,
};
use crate::support::process::run;
use crate::support::{Database, OPEN, Process, for_each_kind, on_every_database_kind};

/// Returns the value that is printed after a label.
fn printed_value(printed: &str, label: &str) -> String {
    let line = printed.lines().find(|line| line.trim().starts_with(label)).expect("a line");
    line.split_whitespace().nth(1).expect("a value").to_owned()
}

/// Returns the output of the commands that show applications, operator keys and the audit log, as text and as
/// JSON.
fn output_of_read_commands(line: &ServerCommandLine<'_>) -> String {
    let commands: [&[&str]; 4] = [
        &["app", "list"],
        &["app", "show", "Clock"],
        &["operator-key", "list"],
        &["audit", "--limit", "1000"],
    ];
    commands.map(|command| line.run_successfully(command) + &line.run_json(command).to_string()).concat()
}

#[test]
fn an_application_is_created_changed_and_deleted() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&[
            "app",
            "create",
            "Clock",
            "--requests-per-minute",
            "60",
            "--webhooks",
            "read",
        ]);
        line.run_successfully(&[
            "app",
            "set",
            "Clock",
            "--requests-per-minute",
            "0",
            "--correlation-per-pay-period",
            "true",
        ]);
        line.run_successfully(&["app", "disable", "Clock"]);
        line.run_successfully(&["app", "rename", "Clock", "Watch"]);
        let shown = line.run_json(&["app", "show", "Watch"])["content"][0].clone();
        assert_eq!(
            (&shown["enabled"], &shown["correlationScope"]),
            (&false.into(), &"payPeriod".into()),
            "{shown}"
        );
        assert!(shown["rateLimitPerMinute"].is_null(), "{shown}");
        line.run_successfully(&["app", "enable", "Watch"]);
        line.run_successfully(&["app", "delete", "Watch", "--yes"]);
        let gone = line.run(&["app", "show", "Watch"]);
        assert!(gone.code == Some(1) && gone.errors.contains("app list"), "{gone:?}");
        let document = line.run(&["app", "show", "Watch", "--json"]).out;
        let document: serde_json::Value = serde_json::from_str(&document).expect("a document");
        assert!(document["errors"][0]["description"].as_str().expect("a text").contains("app list"));
    });
}

#[test]
fn the_requests_of_an_application_are_listed() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["app", "create", "Clock"]);
        assert_eq!(
            line.run_successfully(&["app", "requests", "Clock", "--status", "4xx"]).trim(),
            "Nothing was found."
        );
        assert_eq!(line.run(&["app", "requests", "Clock", "--status", "much"]).code, Some(1));
    });
}

#[test]
fn scopes_are_added_and_removed() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["app", "create", "Clock"]);
        let now = |command: &str, scopes: &[&str]| {
            let reported = line.run_successfully(&[&["app", command, "Clock", OPEN], scopes].concat());
            reported.trim().rsplit(": ").next().expect("scopes").to_owned()
        };
        assert_eq!(now("grant", &["read:companies"]), "read:companies");
        assert_eq!(now("grant", &["read:payroll"]), "read:companies read:payroll");
        assert_eq!(now("revoke", &["read:companies"]), "read:payroll");
        assert!(line.run_successfully(&["app", "show", "Clock"]).contains("read:payroll"));
        assert_eq!(now("revoke", &[]), "nothing");
        assert_eq!(line.run(&["app", "revoke", "Clock", OPEN]).code, Some(1));
        assert_eq!(line.run(&["app", "grant", "Clock", "NOBODY"]).code, Some(1));
        let webhooks = line.run(&["app", "grant", "Clock", OPEN, "read:webhooks"]);
        assert!(webhooks.code == Some(1) && webhooks.errors.contains("--webhooks"), "{webhooks:?}");
    });
}

#[test]
fn no_secret_is_printed_twice() {
    run_with_and_without_server(async |line| {
        let created = line.run_successfully(&["app", "create", "Clock"]);
        let rotated = line.run_successfully(&["app", "rotate", "Clock"]);
        let key = line.run_successfully(&["operator-key", "create", "night shift"]);
        let secrets = [
            printed_value(&created, "client_secret"),
            printed_value(&rotated, "client_secret"),
            printed_value(&key, "operator_key"),
        ];
        assert!(
            secrets[..2].iter().all(|secret| secret.starts_with("pks_")) && secrets[2].starts_with("opk_")
        );
        let reported = output_of_read_commands(line);
        for secret in &secrets {
            assert!(!reported.contains(secret.as_str()), "{secret} in {reported}");
        }
    });
}

#[test]
fn an_operator_key_has_an_operator_a_role_companies_and_an_expiry() {
    run_with_and_without_server(async |line| {
        let arguments = ["operator-key", "create", "Ann, laptop", "--operator", "Ann", "--role", "payroll"];
        let restricted = ["--company", "OPEN", "--company", "FOREIGN", "--expires", "2099-01-01"];
        line.run_successfully(&[&arguments[..], &restricted[..]].concat());
        line.run_successfully(&["operator-key", "create", "reports", "--read-only"]);
        let listed = line.run_successfully(&["operator-key", "list"]);
        let row = |name: &str| listed.lines().find(|line| line.contains(name)).expect(name).to_owned();
        for shown in ["Ann", "payroll", "FOREIGN OPEN", "2099-01-01T00:00:00.000Z"] {
            assert!(row("Ann, laptop").contains(shown), "{shown} in {listed}");
        }
        assert!(row("reports").contains("auditor") && row("reports").contains("all"), "{listed}");
        let unknown = line.run(&["operator-key", "create", "x", "--role", "owner"]);
        assert!(unknown.code == Some(1) && unknown.errors.contains("administrator"), "{unknown:?}");
    });
}

#[test]
fn the_older_secret_is_revoked_by_default_and_a_single_one_only_by_id() {
    run_with_and_without_server(async |line| {
        let secrets = || line.run_json(&["app", "show", "Clock"])["content"][0]["secrets"].clone();
        line.run_successfully(&["app", "create", "Clock"]);
        assert!(
            !line.run_successfully(&["app", "rotate", "Clock"]).contains("was deleted"),
            "there was one secret"
        );
        let oldest = secrets()[0]["secretId"].as_str().expect("an id").to_owned();
        let third = line.run_successfully(&["app", "rotate", "Clock"]);
        assert!(third.contains(&format!("The oldest secret or key, {oldest}, was deleted")), "{third}");
        let newer = secrets()[1].clone();
        line.run_successfully(&["app", "drop-secret", "Clock"]);
        assert_eq!(secrets(), serde_json::json!([newer]));
        assert_eq!(line.run(&["app", "drop-secret", "Clock"]).code, Some(1));
        line.run_successfully(&["app", "drop-secret", "Clock", newer["secretId"].as_str().expect("an id")]);
        assert_eq!(secrets().as_array().map_or(0, Vec::len), 0);
    });
}

#[test]
fn a_public_key_is_registered_from_a_file() {
    run_with_and_without_server(async |line| {
        line.run_successfully(&["app", "create", "Clock"]);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key.json");
        let file = file.to_str().expect("a path");
        let key = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        std::fs::write(file, key).expect("written");
        // The public key above is the example of RFC 8037. The expected thumbprint of this key is in appendix
        // A.3 of that RFC.
        let kid = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
        let output = line.run_successfully(&["app", "add-key", "Clock", file]);
        assert!(output.contains(&format!("kid        {kid}\nalg        EdDSA\n")), "{output}");
        assert_eq!(line.run(&["app", "add-key", "Clock", file]).code, Some(1), "it has the key");
        std::fs::write(file, "-----BEGIN PUBLIC KEY-----").expect("written");
        assert_eq!(line.run(&["app", "add-key", "Clock", file]).code, Some(2), "no JSON");
        let shown = line.run_json(&["app", "show", "Clock"])["content"][0]["secrets"].clone();
        assert_eq!((&shown[1]["kid"], &shown[1]["algorithm"]), (&kid.into(), &"EdDSA".into()));
    });
}

#[test]
fn the_first_operator_key_of_an_empty_database_is_accepted_by_its_server() {
    for_each_kind(async |kind| {
        let database = Database::empty(kind).await;
        assert!(run(&database, &["migrate", "--create"], "").status.success());
        let created = run(&database, &["operator-key", "create", "first"], "");
        assert!(created.status.success(), "{created:?}");
        let printed = String::from_utf8(created.stdout).expect("text");
        assert!(printed.starts_with("operator_key  opk_"), "{printed}");
        let server = Process::serve(&database);
        let listed = run_on_server(
            &server,
            &printed_value(&printed, "operator_key"),
            &["operator-key", "list", "--json"],
            "",
        );
        assert_eq!(parse_document(&listed.out)["content"][0]["name"], "first", "{listed:?}");
        drop(server);
        database.return_to_pool().await;
    });
}

#[test]
fn a_revoked_key_is_rejected() {
    on_every_database_kind(async |database| {
        let server = Process::serve(database);
        let created = run(database, &["operator-key", "create", "night shift"], "");
        let key = printed_value(&String::from_utf8(created.stdout).expect("text"), "operator_key");
        let opens = || run_on_server(&server, &key, &["company", "list"], "").code;
        let revoke = || run(database, &["operator-key", "revoke", "night shift", "--yes"], "").status.code();
        assert_eq!((opens(), revoke(), opens(), revoke()), (Some(0), Some(0), Some(1), Some(1)));
    });
}
