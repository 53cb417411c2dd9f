//! The health and the self-diagnosis of this process, for operators (specification §10.27, §10.28).

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::oversight::Diagnostics;

use super::call::OperatorCall;
use super::response;
use super::wire;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::from_stored;
use crate::shared::wire::{Envelope, Metadata};

/// Handles a request for `GET /operator/v1/health`.
pub(super) async fn get_health(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let api = &call.incoming.api;
    let (now, oversight) = (api.now(), require_diagnostics(&call)?);
    let seen = wire::HealthStatus {
        report: api.health.report().await,
        certificates: api.health.certificates(),
        requests: api.all_metrics.minutes.counts_of_last_hour(now),
        attempts: oversight.attempts_by_minute(now),
        backup: oversight.read_last_backup(),
        unreadable_companies: call.store().unreadable_companies(),
    };
    let envelope = Envelope { metadata: None, links: vec![response::link_to_request(&call)] };
    let health = wire::health_json(now, &seen);
    let body = envelope.serialize(&[health], |health, out| serde_json::to_writer(out, health))?;
    from_stored(StoredResponse { status: 200, content_type: JSON.to_owned(), body })
}

/// Handles a request for `GET /operator/v1/diagnosis`.
pub(super) async fn run_diagnosis(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let findings = require_diagnostics(&call)?.run_checks().await;
    let metadata = Metadata { content_item_count: findings.len() as u64, pagination: None };
    let envelope = Envelope { metadata: Some(metadata), links: vec![response::link_to_request(&call)] };
    let body = envelope
        .serialize(&findings, |finding, out| serde_json::to_writer(out, &wire::finding_json(finding)))?;
    from_stored(StoredResponse { status: 200, content_type: JSON.to_owned(), body })
}

/// Returns the source of reports about the state and problems of the process. Every operators' listener has
/// this source.
fn require_diagnostics(call: &OperatorCall) -> Result<Arc<dyn Diagnostics>, Failure> {
    call.incoming.api.oversight.clone().ok_or_else(|| Reason::UnknownResource.into())
}
