//! Tests that a tool call sends the JSON documents in its arguments unchanged. Numbers keep their digits, and
//! a duplicate member is rejected.

use serde_json::{Value, json};

use super::run_with_mcp;
use crate::support::{
    CLIENT_ID, CLIENT_SECRET, Caller, Database, OPEN, OPERATOR_KEY, Process, Server, on_every_database_kind,
};

/// Sends a tool call with arguments as raw text to an MCP endpoint, and returns the response.
async fn send_call(address: &str, authorization: &str, tool: &str, arguments: &str) -> Value {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = http
        .post(format!("http://{address}/mcp"))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("authorization", authorization)
        .body(message);
    request.send().await.expect("a response").json().await.expect("JSON")
}

/// Calls a tool of the partner API with arguments as raw text.
async fn call_partner(server: &Server, tool: &str, arguments: &str) -> Value {
    let authorization = server.authorization(Caller::Partner).await.expect("a token");
    send_call(&server.address, &authorization, tool, arguments).await
}

/// Returns the arguments of a tool call that adds a check. `line` is the raw text of members of its earning.
fn add_check_arguments(line: &str, rest: &str) -> String {
    format!(
        r#"{{"companyId":"{OPEN}","body":[{{"workerId":"EMPLOYEE","payPeriodId":"ENTRY",
            "checkCorrelationId":"exact","earnings":[{{"componentId":"HOURLY",{line}}}]}}]{rest}}}"#
    )
    .replace('\n', " ")
}

/// Returns the codes of the errors in the result of a tool.
fn error_codes(response: &Value) -> Vec<&str> {
    let errors = response["result"]["structuredContent"]["errors"].as_array();
    errors.into_iter().flatten().filter_map(|error| error["code"].as_str()).collect()
}

#[test]
fn a_number_that_the_api_rejects_is_not_converted_to_a_valid_one() {
    run_with_mcp(async |server| {
        for (line, expected) in [
            (r#""payHours":1e2"#, "API-48"),
            (r#""payHours":8.00009999999999999999"#, "API-48"),
            (r#""payHours":1,"payHours":2"#, "API-47"),
        ] {
            for tool in ["addChecks", "draft_checks"] {
                let arguments = match tool {
                    "draft_checks" => add_check_arguments(line, "").replace("\"body\":", "\"checks\":"),
                    _ => add_check_arguments(line, ""),
                };
                let response = call_partner(server, tool, &arguments).await;
                assert_eq!(error_codes(&response), [expected], "{tool} {line}: {response}");
            }
        }
        let valid = call_partner(server, "addChecks", &add_check_arguments(r#""payHours":8.0"#, "")).await;
        assert_eq!(valid["result"]["structuredContent"]["status"], 200, "{valid}");
    });
}

#[test]
fn an_amount_keeps_all_its_digits() {
    run_with_mcp(async |server| {
        let arguments = r#"{"workerId":"EMPLOYEE","execute":true,
            "body":{"rateType":"HOURLY_RATE","rateNumber":"RATE_9","amount":12345678901234.5678}}"#;
        let added = call_partner(server, "addPayRate", &arguments.replace('\n', " ")).await;
        assert!(added.to_string().contains("12345678901234.5678"), "{added}");
    });
}

#[test]
fn a_repeated_argument_is_rejected_and_nothing_is_stored() {
    run_with_mcp(async |server| {
        for rest in [r#","execute":false,"execute":true"#, r#","companyId":"OTHER","execute":true"#] {
            let arguments = add_check_arguments(r#""payHours":8"#, rest);
            let response = call_partner(server, "addChecks", &arguments).await;
            assert_eq!(
                (&response["error"]["code"], &response["id"]),
                (&json!(-32600), &json!(1)),
                "{response}"
            );
        }
        assert_eq!(server.count_stored_checks().await, 0);
    });
}

#[test]
fn the_log_contains_no_content_of_a_tool_call_at_any_level() {
    const SSN: &str = "714620953";
    on_every_database_kind(async |database: &Database| {
        let process = Process::serve_with(database, &["--mcp", "--log-level", "trace,rmcp::service=trace"]);
        let arguments = format!(
            r#"{{"companyId":"{OPEN}","workerId":"EMPLOYEE","ifMatch":"*","execute":true,"body":{{"legalId":{{"legalIdType":"SSN","legalIdValue":"{SSN}"}}}}}}"#
        );
        let authorization = format!("Bearer {OPERATOR_KEY}");
        let changed = send_call(process.operator.address(), &authorization, "changeWorker", &arguments).await;
        assert_eq!(changed["result"]["structuredContent"]["status"], 200, "{changed}");
        let log = process.stop_and_read_log();
        assert!(log.contains("\"via\":\"mcp\"") && log.contains("\"level\":\"TRACE\""), "{log}");
        for secret in [SSN, OPERATOR_KEY, CLIENT_SECRET] {
            assert!(!log.contains(secret), "{secret} of {CLIENT_ID}");
        }
    });
}
