//! The Model Context Protocol on each listener, if the settings enable the protocol.

use std::sync::Arc;

use payroll_adapter_mcp::{Api, ToolServer};
use payroll_ports::api_calls::AgentRequestHandler;

use crate::config::Settings;

/// Returns the protocol with the tools of the partner API. `None` if the settings disable it.
pub(super) fn partner_agent_handler(settings: &Settings) -> Option<Arc<dyn AgentRequestHandler>> {
    agent_request_handler(Api::Partner, settings)
}

/// Returns the protocol with the tools of the operator API. `None` if the settings disable it.
pub(super) fn operator_agent_handler(settings: &Settings) -> Option<Arc<dyn AgentRequestHandler>> {
    agent_request_handler(Api::Operator, settings)
}

fn agent_request_handler(side: Api, settings: &Settings) -> Option<Arc<dyn AgentRequestHandler>> {
    settings.mcp.then(|| Arc::new(ToolServer::new(side)) as Arc<dyn AgentRequestHandler>)
}
