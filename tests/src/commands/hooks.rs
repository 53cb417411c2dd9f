//! Tests of `hook …`: webhooks and their deliveries.

use crate::support::command_line::{ServerCommandLine, run_with_and_without_server};
use crate::support::{open, register_hook};

/// Registers a hook of the partner.
async fn register_first_hook(line: &ServerCommandLine<'_>) {
    register_hook(&*open(line.database).await, "partner", "first").await;
}

#[test]
fn hooks_are_listed_shown_disabled_and_replayed() {
    run_with_and_without_server(async |line| {
        assert_eq!(line.run_successfully(&["hook", "list"]).trim(), "Nothing was found.");
        register_first_hook(line).await;
        for arguments in [&["hook", "list"][..], &["hook", "list", "--app", "key-of-partner"]] {
            let listed = line.run_successfully(arguments);
            let row = listed.lines().nth(1).expect("a row");
            assert!(
                row.starts_with("partner") && row.contains("first") && row.contains("active"),
                "{listed}"
            );
            assert!(row.contains("https://127.0.0.1/in ") && !listed.contains("hidden"), "{listed}");
        }
        let shown = line.run_successfully(&["hook", "show", "partner", "first"]);
        assert!(shown.contains("queue.waiting") && shown.contains("BASIC_AUTH"), "{shown}");
        for action in ["disable", "enable"] {
            line.run_successfully(&["hook", action, "partner", "first"]);
            let state = &line.run_json(&["hook", "show", "partner", "first"])["content"][0]["active"];
            assert_eq!(state, action == "enable");
        }
    });
}

#[test]
fn an_unknown_hook_or_application_is_reported() {
    run_with_and_without_server(async |line| {
        register_first_hook(line).await;
        for action in ["show", "enable", "disable"] {
            let hook = line.run(&["hook", action, "partner", "nonsense"]);
            assert!(hook.code == Some(1) && hook.errors.contains("API-7"), "{hook:?}");
            let application = line.run(&["hook", action, "nobody", "first"]);
            assert!(
                application.code == Some(1) && application.errors.contains("app list"),
                "{application:?}"
            );
        }
    });
}

#[test]
fn a_test_notification_is_sent_shown_and_resent() {
    run_with_and_without_server(async |line| {
        register_first_hook(line).await;
        let hook = ["partner", "first"];
        let run = |action: &str, more: &[&str]| {
            line.run_successfully(&[&["hook", action][..], &hook, more].concat())
        };
        run("disable", &[]);
        let test = line.run(&["hook", "test", "partner", "first"]);
        assert!(test.out.starts_with("A test is queued") && test.errors.contains("hook enable"), "{test:?}");
        let log = line.run_json(&["hook", "deliveries", "partner", "first"]);
        let id = log["content"][0]["deliveryId"].as_str().expect("an id");
        let listed = run("deliveries", &["--state", "WAITING"]);
        assert!(listed.contains(id) && listed.trim_end().ends_with("test"), "{listed}");
        assert!(run("deliveries", &[id]).contains("notificationId"));
        assert!(run("replay", &[id]).contains(id));
        assert_eq!(
            run("replay", &["--failed"]).trim(),
            "Queued again: 0.",
            "pending deliveries are sent anyway"
        );
        let expired = "UPDATE deliveries SET state = 'EXPIRED', due = NULL, ended = queued";
        line.database.execute(expired).await;
        assert_eq!(run("replay", &["--failed", "--from", "2020-01-01"]).trim(), "Queued again: 1.");
        assert_eq!(run("deliveries", &["--state", "DELIVERED"]).trim(), "Nothing was found.");
        assert!(line.run_successfully(&["hook", "summary"]).contains("inactiveHooks"));
        let wrong = line.run(&["hook", "deliveries", "partner", "first", "--state", "waiting"]);
        assert!(wrong.code == Some(1) && wrong.errors.contains("API-40"), "{wrong:?}");
    });
}
