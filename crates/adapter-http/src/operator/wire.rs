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
pub(crate) use health::{HealthStatus, finding_json, health_json};
pub(crate) use hook_report::{HookReportResource, QueueSummaryResource};
pub(crate) use journal::{journal_csv, journal_json};
pub(crate) use pay_run::{add_totals_to_json, pay_run_json, pay_run_totals, preview_content};
pub(crate) use register::{register_check_json, register_csv};
pub(crate) use search::search_hit_json;
