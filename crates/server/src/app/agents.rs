//! The Model Context Protocol on each listener, if the settings enable the protocol.

use std::sync::Arc;

use payroll_adapter_mcp::{Api, ToolServer};
use payroll_ports::api_calls::AgentProtocol;

use crate::config::Settings;

/// Returns the protocol with the tools of the partner API. `None` if the settings disable it.
pub(super) fn partner_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    agent_protocol(Api::Partner, settings)
}

/// Returns the protocol with the tools of the operator API. `None` if the settings disable it.
pub(super) fn operator_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    agent_protocol(Api::Operator, settings)
}

fn agent_protocol(side: Api, settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    settings.mcp.then(|| Arc::new(ToolServer::new(side)) as Arc<dyn AgentProtocol>)
}
