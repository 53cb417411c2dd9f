//! How this process does, as an operator sees it (specification §11.29).

use payroll_domain::date::Timestamp;
use serde_json::{Value, json};

use crate::shared::health::{Certificate, Report};
use crate::shared::metrics::Minute;

/// The document.
pub(crate) fn health(
    now: Timestamp,
    report: &Report,
    certificates: &[Certificate],
    minutes: &[Minute],
) -> Value {
    let minutes: Vec<Value> = minutes
        .iter()
        .map(|it| {
            json!({
                "date": it.begin.to_string(), "requests": it.requests, "refused": it.refused, "failed": it.failed,
            })
        })
        .collect();
    json!({
        "date": now.to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "ready": report.ready,
        "checks": report.checks(),
        "certificates": certificates,
        "minutes": minutes,
    })
}
