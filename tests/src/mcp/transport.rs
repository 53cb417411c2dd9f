//! Tests of the Model Context Protocol over HTTP: its setting, the HTTP methods, origins, limits, and many
//! calls at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::client::{connect_operator_agent, connect_partner_agent};
use super::discovery::message_request;
use super::run_with_mcp;
use crate::support::{
    Caller, OPEN, OPERATOR_KEY, Request, Server, Settings, on_every_database, on_every_database_with,
};

/// The number of tool calls that the test sends at the same time.
const CALL_COUNT: usize = 100;

fn tool_call_message(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}

/// Returns an unsent request of the partner with this protocol message.
async fn partner_post_request(server: &Server, message: &Value) -> reqwest::RequestBuilder {
    let authorization = server.authorization(Caller::Partner).await.expect("a token");
    message_request(&server.address, message).header("authorization", authorization)
}

#[test]
fn the_path_exists_only_if_the_setting_enables_it() {
    on_every_database(async |server| {
        for address in [&server.address, &server.operator_address] {
            assert_eq!(message_request(address, &json!({})).send().await.expect("a response").status(), 404);
        }
        let metadata = server.send(&Request::get("/.well-known/oauth-protected-resource/mcp")).await;
        assert_eq!(metadata.status, 404);
    });
}

#[test]
fn a_server_without_sessions_accepts_only_posts() {
    run_with_mcp(async |server| {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
            let url = format!("http://{}/mcp", server.address);
            let response = http.request(method, url).send().await.expect("a response");
            assert_eq!(
                (response.status().as_u16(), &response.headers()["allow"]),
                (405, &"OPTIONS, POST".parse().expect("a value"))
            );
        }
    });
}

#[test]
fn a_page_of_another_origin_is_rejected() {
    run_with_mcp(async |server| {
        let own = format!("http://{}", server.address);
        for (origin, expected) in [(own.as_str(), 200), ("http://evil.test", 403), ("null", 403)] {
            let request = partner_post_request(server, &tool_call_message("listCompanies"))
                .await
                .header("origin", origin);
            assert_eq!(request.send().await.expect("a response").status().as_u16(), expected, "{origin}");
        }
        let rebound = partner_post_request(server, &tool_call_message("listCompanies")).await;
        let rebound = rebound.header("host", "evil.test").header("origin", "http://evil.test");
        assert_eq!(rebound.send().await.expect("a response").status(), 403, "DNS rebinding");
    });
}

#[test]
fn malformed_messages_and_selections_are_rejected() {
    run_with_mcp(async |server| {
        let authorization = server.authorization(Caller::Partner).await.expect("a token");
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let send = async |query: &str, body: &str| {
            let request = http.post(format!("http://{}/mcp{query}", server.address));
            let request =
                request.header("authorization", &authorization).header("content-type", "application/json");
            let request = request.header("accept", "application/json, text/event-stream");
            request.body(body.to_owned()).send().await.expect("a response").status().as_u16()
        };
        let call = tool_call_message("listCompanies").to_string();
        assert_eq!(send("?readonly=true&tag=Company", &call).await, 200);
        assert_eq!(send("?write=true", &call).await, 400);
        assert_eq!(send("?tag=Nope", &call).await, 400);
        assert_eq!(send("?readonly=true&readonly=false", &call).await, 400);
        for body in ["", "{", "[]", "{\"jsonrpc\":\"1.0\"}"] {
            let status = send("", body).await;
            assert!((400..500).contains(&status), "{body}: {status}");
        }
        for body in ["", "{", "[1,"] {
            assert_eq!(send("", body).await, 400, "{body}");
        }
        let large = "x".repeat(3 * 1024 * 1024);
        assert_eq!(send("", &large).await, 413);
    });
}

#[test]
fn invalid_params_of_a_known_method_are_reported_as_such() {
    run_with_mcp(async |server| {
        for (method, params) in [
            ("tools/call", json!({"name": "listCompanies", "arguments": "x"})),
            ("initialize", json!({})),
            ("prompts/get", json!({})),
            ("resources/read", json!({})),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let response = partner_post_request(server, &message).await.send().await.expect("a response");
            let document: Value = response.json().await.expect("JSON");
            assert_eq!(
                (&document["id"], &document["error"]["code"]),
                (&json!(1), &json!(-32602)),
                "{document}"
            );
        }
    });
}

#[test]
fn a_hundred_calls_at_once_succeed() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let calls = (0..CALL_COUNT).map(|_| agent.call("listPayPeriods", json!({"companyId": OPEN})));
        for document in join_all(calls).await {
            assert_eq!(document["status"], 200);
        }
        let desk = connect_operator_agent(server, OPERATOR_KEY).await;
        let calls = (0..CALL_COUNT).map(|_| desk.call("getCompany", json!({"companyId": OPEN})));
        assert!(join_all(calls).await.iter().all(|document| document["status"] == 200));
    });
}

#[test]
fn a_tool_call_counts_as_one_request_in_the_rate_limit() {
    let limited = |settings: &mut Settings| (settings.mcp, settings.rate_limit_per_minute) = (true, 3);
    on_every_database_with(limited, async |server| {
        let left = async || {
            let response = partner_post_request(server, &tool_call_message("listCompanies"))
                .await
                .send()
                .await
                .expect("a response");
            let limit = response.headers()["ratelimit"].to_str().expect("a text").to_owned();
            (response.status().as_u16(), limit)
        };
        let (first, second) = (left().await, left().await);
        assert!(first.0 == 200 && first.1.contains("r=2"), "{first:?}");
        assert!(second.0 == 200 && second.1.contains("r=1"), "{second:?}");
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        assert_eq!(partner_post_request(server, &list).await.send().await.expect("a response").status(), 200);
        let empty = partner_post_request(server, &list).await.send().await.expect("a response");
        assert_eq!(empty.status(), 429);
        assert!(empty.headers().contains_key("retry-after"));
    });
}

#[test]
fn the_request_log_marks_tool_calls_as_mcp() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        agent.call("listCompanies", json!({})).await;
        // The server writes pending entries of the request log when it stops, so the test restarts it.
        server.restart().await;
        let requests = server.send(&Request::get("/management/requests")).await.content();
        let lines: Vec<_> =
            requests.iter().map(|it| format!("{} {}", it["route"], it["correlationId"])).collect();
        assert!(lines.iter().any(|line| line.contains("\"/companies\" \"mcp-")), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("\"/mcp\"")), "{lines:?}");
    });
}
