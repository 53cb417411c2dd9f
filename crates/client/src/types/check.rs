//! Checks as the server returns them.

use rust_decimal::Decimal;
use serde::Deserialize;
use time::Date;

use super::{EffectOnPay, Link};
use crate::exact;

/// A check of a worker in a pay period.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Check {
    /// The id of the check, which is absent in a dry run.
    pub paycheck_id: Option<String>,
    /// The worker who is paid.
    pub worker_id: String,
    /// The pay period of the check.
    pub pay_period_id: String,
    /// Your own id for the check.
    pub check_correlation_id: Option<String>,
    /// The day on which the worker is paid.
    #[serde(deserialize_with = "exact::day::deserialize")]
    pub check_date: Date,
    /// The lines that add to the pay.
    #[serde(default)]
    pub earnings: Vec<CheckLine>,
    /// The lines that reduce the pay.
    #[serde(default)]
    pub deductions: Vec<CheckLine>,
    /// The informational lines, which do not change the pay.
    #[serde(default)]
    pub informational: Vec<CheckLine>,
    /// The taxes of a processed check.
    #[serde(default)]
    pub taxes: Vec<CheckTax>,
    /// The gross earnings of a processed check.
    #[serde(default, deserialize_with = "exact::optional_decimal::deserialize")]
    pub gross_earnings: Option<Decimal>,
    /// The net pay of a processed check.
    #[serde(default, deserialize_with = "exact::optional_decimal::deserialize")]
    pub net_pay: Option<Decimal>,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The type of a processed check, such as `Regular`.
    pub check_type: Option<String>,
    /// The id of the check that this check reverses.
    pub reversal_of: Option<String>,
    /// Whether automatic distribution is disabled for this check, so that its earnings are not split by the
    /// worker's assignment distributions.
    #[serde(default)]
    pub block_auto_distribution: bool,
    /// The link to the check. The list is empty in a dry run.
    #[serde(default)]
    pub links: Vec<Link>,
}

impl Check {
    /// Returns the lines of all sections.
    pub fn lines(&self) -> impl Iterator<Item = &CheckLine> {
        self.earnings.iter().chain(&self.deductions).chain(&self.informational)
    }

    /// Returns whether the pay period of the check is processed, so that the totals and taxes are known.
    #[must_use]
    pub const fn is_processed(&self) -> bool {
        self.net_pay.is_some()
    }
}

/// A line of a check. The API uses the names `hours`, `units`, `rate` and `amount` for processed checks. For
/// other checks, the names are `payHours`, `payUnits`, `payRate` and `payAmount`. Both sets of names are read
/// into the same fields.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckLine {
    /// The id of the line, which is absent in a dry run.
    pub check_component_id: Option<String>,
    /// The pay component of the line.
    pub component_id: String,
    /// The name of the pay component.
    pub name: String,
    /// The kind of pay or deduction, such as `REGULAR`.
    pub classification_type: String,
    /// The effect of the line on pay.
    pub effect_on_pay: EffectOnPay,
    /// The hours of the line.
    #[serde(default, alias = "payHours", deserialize_with = "exact::optional_decimal::deserialize")]
    pub hours: Option<Decimal>,
    /// The units of the line.
    #[serde(default, alias = "payUnits", deserialize_with = "exact::optional_decimal::deserialize")]
    pub units: Option<Decimal>,
    /// The rate that applies to hours or units.
    #[serde(default, alias = "payRate", deserialize_with = "exact::optional_decimal::deserialize")]
    pub rate: Option<Decimal>,
    /// The amount of the line. Before processing, a line with hours or units has no amount.
    #[serde(default, alias = "payAmount", deserialize_with = "exact::optional_decimal::deserialize")]
    pub amount: Option<Decimal>,
    /// Whether the line pays its stated amount. If false, the line pays its hours or units multiplied by the
    /// rate.
    #[serde(default)]
    pub memoed: bool,
    /// The day on which the work of the line was done.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub line_date: Option<Date>,
    /// The job on which the line is booked.
    pub job_id: Option<String>,
    /// The labor assignment of the line.
    pub labor_assignment_id: Option<String>,
    /// The organizational unit that the line is booked on.
    pub organization: Option<LineOrganization>,
}

/// The organizational unit that a line is booked on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LineOrganization {
    /// The id of the organizational unit.
    pub organization_id: String,
    /// The name of the organizational unit.
    pub name: Option<String>,
}

/// A tax on a processed check.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckTax {
    /// The name of the tax.
    pub name: String,
    /// The payer: `EMPLOYEE_WITHHOLDING` or `EMPLOYER_LIABILITY`.
    pub paid_by: String,
    /// The amount of the tax.
    #[serde(deserialize_with = "exact::decimal::deserialize")]
    pub amount: Decimal,
}
