//! JSON out: what only operators read. The rest is `shared::wire`.

mod audit;
mod hook_report;
mod pay_run;

pub(crate) use audit::AuditResource;
pub(crate) use hook_report::{HookReportResource, QueueSummaryResource};
pub(crate) use pay_run::{preview, with_totals};
