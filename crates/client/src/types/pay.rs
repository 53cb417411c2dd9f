//! Pay periods and pay components.

use serde::Deserialize;
use time::Date;

use super::{EffectOnPay, Link, PeriodStatus, WorkerType};
use crate::exact;

/// A pay period of a company.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PayPeriod {
    /// The id of the pay period.
    pub pay_period_id: String,
    /// The frequency of the pay periods, such as `BI_WEEKLY`.
    pub interval_code: String,
    /// The state of the pay period.
    pub status: PeriodStatus,
    /// The first day of the pay period.
    #[serde(deserialize_with = "exact::day::deserialize")]
    pub start_date: Date,
    /// The last day of the pay period.
    #[serde(deserialize_with = "exact::day::deserialize")]
    pub end_date: Date,
    /// The day on which the workers are paid.
    #[serde(deserialize_with = "exact::day::deserialize")]
    pub check_date: Date,
    /// The last day on which checks should be submitted.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub submit_by_date: Option<Date>,
    /// The number of checks in the pay period.
    pub check_count: u64,
    /// A note about the pay period.
    pub description: Option<String>,
    /// The link to the pay period.
    #[serde(default)]
    pub links: Vec<Link>,
}

impl PayPeriod {
    /// Returns whether the pay period accepts checks.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status, PeriodStatus::Initial | PeriodStatus::Entry)
    }
}

/// A pay component of a company: a kind of earning or deduction.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PayComponent {
    /// The id of the pay component.
    pub component_id: String,
    /// The name of the pay component, such as "Hourly".
    pub name: String,
    /// The kind of pay or deduction, such as `REGULAR`.
    pub classification_type: String,
    /// The effect of the pay component on pay.
    pub effect_on_pay: EffectOnPay,
    /// Whether the pay component pays overtime.
    pub overtime: bool,
    /// The types of workers whose checks can use the pay component. An empty list means all types.
    #[serde(default)]
    pub applies_to_worker_types: Vec<WorkerType>,
    /// The two-digit code of the pay component.
    pub code: Option<String>,
    /// The first day on which checks can use the pay component.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub start_date: Option<Date>,
    /// The last day on which checks can use the pay component.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub end_date: Option<Date>,
}
