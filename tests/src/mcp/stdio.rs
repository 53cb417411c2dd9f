//! Tests of the command `mcp`, which serves the same tools on standard input and output. Also tests the log
//! of a server that serves `/mcp`.

use serde_json::{Value, json};

use super::discovery::message_request;
use crate::support::process::run_with_variables;
use crate::support::{
    CLIENT_ID, CLIENT_SECRET, Database, OPEN, OPERATOR_KEY, Process, on_every_database,
    on_every_database_kind,
};

/// The length of an argument in bytes, which exceeds the maximum length of a URL.
const LONG_ARGUMENT_BYTES: usize = 100_000;

/// Returns the message of a tool call as one line.
fn call(id: u32, tool: &str, arguments: Value) -> String {
    let parameters = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters}).to_string()
}

/// Sends calls to the command, and returns their results in the order of the message ids.
async fn run_and_read_results(
    variable: (&'static str, &'static str),
    arguments: Vec<String>,
    calls: Vec<String>,
) -> Vec<Value> {
    let messages = run_and_read_messages(variable, arguments, calls).await;
    messages.into_iter().skip(1).map(|message| message["result"].clone()).collect()
}

/// Returns all messages that the command writes, in the order of their ids.
async fn run_and_read_messages(
    variable: (&'static str, &'static str),
    arguments: Vec<String>,
    calls: Vec<String>,
) -> Vec<Value> {
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}).to_string();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let input = [vec![begin, initialized], calls, vec![String::new()]].concat().join("\n");
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_with_variables(&[variable], &arguments, &input)
    };
    let output = tokio::task::spawn_blocking(run).await.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut messages: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    messages.sort_by_key(|message| message["id"].as_u64());
    messages
}

fn split_arguments(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn a_server_without_the_setting_is_used_over_standard_input() {
    on_every_database(async |server| {
        let calls = vec![
            call(1, "getCompany", json!({"companyId": OPEN})),
            call(2, "addChecks", json!({"companyId": OPEN, "body": [], "execute": true})),
        ];
        let command = split_arguments(&format!("mcp --url {} --client-id {CLIENT_ID}", server.base));
        let results = run_and_read_results(("PAYROLL_CLIENT_SECRET", CLIENT_SECRET), command, calls).await;
        assert_eq!(results[0]["structuredContent"]["status"], 200, "{results:?}");
        assert_eq!(results[1]["structuredContent"]["errors"][0]["code"], "API-52", "{results:?}");
        let calls = vec![
            call(1, "getCompany", json!({"companyId": OPEN})),
            call(2, "processPayPeriod", json!({"companyId": OPEN, "payPeriodId": "ENTRY", "execute": true})),
        ];
        let command = format!("mcp --operator --read-only --url http://{}", server.operator_address);
        let results = self::run_and_read_results(
            ("PAYROLL_OPERATOR_KEY", OPERATOR_KEY),
            split_arguments(&command),
            calls,
        )
        .await;
        assert_eq!(results[0]["structuredContent"]["status"], 200, "{results:?}");
        assert_eq!(results[1], Value::Null, "no tool writes: {results:?}");
    });
}

#[test]
fn a_malformed_line_gets_an_error_and_an_unknown_tag_stops_the_command() {
    on_every_database(async |server| {
        let lines = vec![
            "{".to_owned(),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}).to_string(),
            call(2, "getCompany", json!({"companyId": "x".repeat(LONG_ARGUMENT_BYTES)})),
        ];
        let command = format!("mcp --operator --url http://{}", server.operator_address);
        let variable = ("PAYROLL_OPERATOR_KEY", OPERATOR_KEY);
        let messages = run_and_read_messages(variable, split_arguments(&command), lines).await;
        let error = |id: Value| messages.iter().find(|it| it["id"] == id).map(|it| &it["error"]["code"]);
        assert_eq!(error(Value::Null), Some(&json!(-32700)), "{messages:?}");
        assert_eq!(error(json!(1)), Some(&json!(-32602)), "{messages:?}");
        let long = messages.iter().find(|it| it["id"] == 2).expect("a response").to_string();
        assert!(long.contains("was not sent: its path and query have"), "{long}");
        let run = move || {
            let command = format!("{command} --tags Nope");
            run_with_variables(&[variable], &command.split(' ').collect::<Vec<_>>(), "")
        };
        let output = tokio::task::spawn_blocking(run).await.expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains("The tags are: "), "{error}");
    });
}

#[tokio::test]
async fn the_command_reports_missing_settings_without_a_secret() {
    for (variable, line, expected) in [
        ("PAYROLL_OPERATOR_KEY", "mcp --url http://127.0.0.1:1 --client-id k", "PAYROLL_CLIENT_SECRET"),
        ("PAYROLL_CLIENT_SECRET", "mcp --url http://127.0.0.1:1 --client-id k", "does not respond"),
        ("PAYROLL_CLIENT_SECRET", "mcp --url http://127.0.0.1:1 --operator", "PAYROLL_OPERATOR_KEY"),
    ] {
        let output = run_with_variables(
            &[(variable, "hunter2")],
            &split_arguments(line).iter().map(String::as_str).collect::<Vec<_>>(),
            "",
        );
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains(expected) && !error.contains("hunter2"),
            "{error}"
        );
    }
}

#[test]
fn the_log_marks_a_request_that_came_over_mcp() {
    on_every_database_kind(async |database: &Database| {
        let process = Process::serve_with(database, &["--mcp"]);
        let message = call(1, "getCompany", json!({"companyId": OPEN}));
        let message: Value = serde_json::from_str(&message).expect("JSON");
        let request = message_request(process.operator.address(), &message).bearer_auth(OPERATOR_KEY);
        assert_eq!(request.send().await.expect("a response").status(), 200);
        let log = process.stop_and_read_log();
        let line = log.lines().find(|line| line.contains("\"via\":\"mcp\"")).expect("a line");
        assert!(line.contains("/operator/v1/companies/{companyId}") && line.contains("\"desk\""), "{line}");
        assert!(!log.contains(OPERATOR_KEY));
    });
}
