//! The protocol for programs on each listener, if the settings enable it.

use std::sync::Arc;

use payroll_adapter_mcp::{Side, ToolServer};
use payroll_ports::api_calls::AgentProtocol;

use crate::config::Settings;

/// The protocol with the tools of the partner API.
pub(super) fn partner_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    protocol_for(Side::Partner, settings)
}

/// The protocol with the tools of the operator API.
pub(super) fn operator_protocol(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    protocol_for(Side::Operator, settings)
}

fn protocol_for(side: Side, settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    settings.mcp.then(|| Arc::new(ToolServer::new(side)) as Arc<dyn AgentProtocol>)
}
