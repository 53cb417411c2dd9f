//! The official client of the Model Context Protocol (MCP), connected to a server under test.

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Map, Value};

use crate::support::{Caller, Server};

/// A client that is connected to a server.
pub(super) struct AgentClient(pub(super) RunningService<RoleClient, ()>);

/// Returns a client with a token of the partner.
pub(super) async fn connect_partner_agent(server: &Server) -> AgentClient {
    connect_partner_agent_as(server, Caller::Partner).await
}

/// Returns a client with a token of this caller.
pub(super) async fn connect_partner_agent_as(server: &Server, caller: Caller) -> AgentClient {
    let token = server.authorization(caller).await.expect("a token");
    connect_agent(&server.address, &token, ClientLifecycleMode::Initialize).await
}

/// Returns a client with an operator key (`Bearer opk_…`).
pub(super) async fn connect_operator_agent(server: &Server, authorization: &str) -> AgentClient {
    connect_agent(&server.operator_address, authorization, ClientLifecycleMode::Initialize).await
}

/// Connects a client to the MCP endpoint of a listener.
pub(super) async fn connect_agent(
    address: &str,
    authorization: &str,
    lifecycle: ClientLifecycleMode,
) -> AgentClient {
    let token = authorization.trim_start_matches("Bearer ").to_owned();
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://{address}/mcp")).auth_header(token);
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let transport = StreamableHttpClientTransport::with_client(http, config);
    AgentClient(().serve_with_lifecycle(transport, lifecycle).await.expect("the server responds"))
}

impl AgentClient {
    /// Returns all tools of the server.
    pub(super) async fn list_tools(&self) -> Vec<Tool> {
        self.0.list_all_tools().await.expect("a list")
    }

    /// Calls a tool. Returns the result of the tool, or an error of the protocol.
    pub(super) async fn try_call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        let arguments: Map<String, Value> = arguments.as_object().expect("an object").clone();
        self.0.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)).await
    }

    /// Calls a tool successfully, and returns the JSON document of the result.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments).await.expect("a result");
        assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
        result.structured_content.expect("a document")
    }

    /// Calls a tool that must report an error, and returns the JSON document of the error.
    pub(super) async fn call_error(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments).await.expect("a result");
        assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
        result.structured_content.expect("a document")
    }
}
