//! Tests that a client can find the token endpoint if it only knows the address of `/mcp` (RFC 9728, then RFC
//! 8414).

use rmcp::ClientLifecycleMode;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::client::connect_agent;
use super::run_with_mcp;
use crate::support::{CLIENT_ID, CLIENT_SECRET, Caller, OPERATOR_KEY, Server};

/// Returns a ping message of the Model Context Protocol.
fn ping_request() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

/// Returns an unsent HTTP request with this protocol message.
pub(super) fn message_request(address: &str, message: &Value) -> reqwest::RequestBuilder {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = http.post(format!("http://{address}/mcp"));
    request.header("accept", "application/json, text/event-stream").json(message)
}

async fn get(url: &str) -> Value {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    http.get(url).send().await.expect("a response").json().await.expect("JSON")
}

#[test]
fn the_token_endpoint_is_found_from_the_address() {
    run_with_mcp(async |server| {
        let refused = message_request(&server.address, &ping_request()).send().await.expect("a response");
        assert_eq!(refused.status(), 401);
        let challenge = refused.headers()["www-authenticate"].to_str().expect("a text").to_owned();
        let metadata = challenge.split("resource_metadata=\"").nth(1).and_then(|it| it.split('"').next());
        let resource = get(metadata.expect("the address of the metadata")).await;
        assert_eq!(resource["resource"], json!(format!("{}/mcp", server.base)));
        let issuer = resource["authorization_servers"][0].as_str().expect("an issuer");
        let authorization_server = get(&format!("{issuer}/.well-known/oauth-authorization-server")).await;
        let token = request_token(&authorization_server, &resource).await;
        let discover =
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        for lifecycle in [ClientLifecycleMode::Initialize, discover] {
            let agent = connect_agent(&server.address, &token, lifecycle).await;
            assert!(agent.list_tools().await.len() > 100);
        }
    });
}

/// Requests a token with the parameter `resource`, as the Model Context Protocol requires it.
async fn request_token(authorization_server: &Value, resource: &Value) -> String {
    let endpoint = authorization_server["token_endpoint"].as_str().expect("an endpoint");
    let resource = resource["resource"].as_str().expect("a resource");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", CLIENT_ID),
        ("client_secret", CLIENT_SECRET),
        ("resource", resource),
    ];
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let response = http.post(endpoint).form(&form).send().await.expect("a response");
    let document: Value = response.json().await.expect("JSON");
    document["access_token"].as_str().expect("a token").to_owned()
}

/// Returns the HTTP status of the response to a ping message of this caller.
async fn ping_status(server: &Server, address: &str, caller: Caller) -> u16 {
    let mut request = message_request(address, &ping_request());
    if let Some(authorization) = server.authorization(caller).await {
        request = request.header("authorization", authorization);
    }
    request.send().await.expect("a response").status().as_u16()
}

#[test]
fn only_a_valid_token_or_key_of_the_listener_is_accepted() {
    run_with_mcp(async |server| {
        let (partners, operators) = (server.address.clone(), server.operator_address.clone());
        for (address, caller, expected) in [
            (&partners, Caller::Partner, 200),
            (&partners, Caller::Anonymous, 401),
            (&partners, Caller::Malformed, 401),
            (&partners, Caller::Expired, 401),
            (&partners, Caller::Operator, 401),
            (&operators, Caller::Operator, 200),
            (&operators, Caller::Anonymous, 401),
            (&operators, Caller::Partner, 401),
        ] {
            assert_eq!(ping_status(server, address, caller).await, expected, "{address} {caller:?}");
        }
        let session = message_request(&operators, &ping_request())
            .header("cookie", format!("payroll_operator_session={OPERATOR_KEY}"));
        assert_eq!(session.send().await.expect("a response").status(), 401, "a session is for pages");
    });
}
