//! The protocol for programs on each listener, if the settings enable it.

use std::sync::Arc;

use payroll_adapter_mcp::{Agents, Side};
use payroll_ports::api_calls::AgentProtocol;

use crate::config::Settings;

/// The protocol with the tools of the partner API.
pub(super) fn of_partners(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    of(Side::Partner, settings)
}

/// The protocol with the tools of the operator API.
pub(super) fn of_operators(settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    of(Side::Operator, settings)
}

fn of(side: Side, settings: &Settings) -> Option<Arc<dyn AgentProtocol>> {
    settings.mcp.then(|| Arc::new(Agents::new(side)) as Arc<dyn AgentProtocol>)
}
