//! The JSON of resources that only operators read. Resources of both APIs are in `shared::wire`.

mod audit;
mod csv;
mod health;
mod hook_report;
mod journal;
mod pay_run;
mod register;
mod search;

pub(crate) use audit::AuditResource;
pub(crate) use health::{HealthStatus, finding, health};
pub(crate) use hook_report::{HookReportResource, QueueSummaryResource};
pub(crate) use journal::{journal, journal_csv};
pub(crate) use pay_run::{pay_run, pay_run_totals, preview, with_totals};
pub(crate) use register::{register_check, register_csv};
pub(crate) use search::hit;
