//! The Model Context Protocol on each listener, if the settings enable it.

use std::sync::Arc;

use payroll_adapter_mcp::{Api, ToolServer};
use payroll_ports::api_calls::AgentProtocol;

use crate::config::Settings;

/// Returns the protocol with the tools of the partner API. `None` if the settings disable it.
pub(super) fn partner_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    protocol_for(Api::Partner, settings)
}

/// Returns the protocol with the tools of the operator API. `None` if the settings disable it.
pub(super) fn operator_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    protocol_for(Api::Operator, settings)
}

fn protocol_for(side: Api, settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    settings.mcp.then(|| Arc::new(ToolServer::new(side)) as Arc<dyn AgentProtocol>)
}
