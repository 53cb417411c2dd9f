//! How this process does, for operators (specification §10.27).

use payroll_ports::idempotency::Answer;

use super::answer;
use super::call::OperatorCall;
use super::wire;
use crate::shared::answer::send;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::wire::Envelope;

/// GET /operator/v1/health.
pub(super) async fn show(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let api = &call.incoming.api;
    let now = api.now();
    let (report, minutes) = (api.health.report().await, api.all_metrics.minutes.before(now));
    let health = wire::health(now, &report, &api.health.certificates(), &minutes);
    let envelope = Envelope { metadata: None, links: vec![answer::own(&call)] };
    let body = envelope.whole(&[health], |health, out| serde_json::to_writer(out, health))?;
    send(Answer { status: 200, content_type: JSON.to_owned(), body })
}
