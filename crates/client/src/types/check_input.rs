//! Types of the checks that a program adds to a pay period.

use rust_decimal::Decimal;
use serde::Serialize;
use time::Date;

use crate::exact;

/// A check to add to an open pay period.
///
/// ```
/// use payroll_client::types::{CheckInput, CheckLineInput};
///
/// let hours: payroll_client::Decimal = "7.25".parse()?;
/// let check = CheckInput::new("WORKER", "PERIOD", "row-1").earning(CheckLineInput::hours("HOURLY", hours));
/// assert_eq!(check.earnings.len(), 1);
/// # Ok::<(), payroll_client::rust_decimal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckInput {
    /// The worker who is paid.
    pub worker_id: String,
    /// The pay period, the same for all checks of a request.
    pub pay_period_id: String,
    /// Your own id for the check, unique in the request. Responses and errors repeat this id.
    pub check_correlation_id: String,
    /// The lines that add to the pay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earnings: Vec<CheckLineInput>,
    /// The informational lines, which do not change the pay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub informational: Vec<CheckLineInput>,
    /// Whether to disable automatic distribution for this check, so that its earnings are not split by the
    /// worker's assignment distributions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub block_auto_distribution: bool,
}

impl CheckInput {
    /// Creates a check without lines.
    #[must_use]
    pub fn new(
        worker_id: impl Into<String>,
        pay_period_id: impl Into<String>,
        check_correlation_id: impl Into<String>,
    ) -> Self {
        Self {
            worker_id: worker_id.into(),
            pay_period_id: pay_period_id.into(),
            check_correlation_id: check_correlation_id.into(),
            earnings: Vec::new(),
            informational: Vec::new(),
            block_auto_distribution: false,
        }
    }

    /// Adds a line that adds to the pay.
    #[must_use]
    pub fn earning(mut self, line: CheckLineInput) -> Self {
        self.earnings.push(line);
        self
    }
}

/// A line of a check to add: hours, units, or an amount.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckLineInput {
    /// The pay component of the line.
    pub component_id: String,
    /// The hours, from 0 to 9999.99.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::optional_decimal::serialize")]
    pub pay_hours: Option<Decimal>,
    /// The units, from 0 to 9999.99.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::optional_decimal::serialize")]
    pub pay_units: Option<Decimal>,
    /// The rate of the hours or units. Without a rate, the worker's default rate applies.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::optional_decimal::serialize")]
    pub pay_rate: Option<Decimal>,
    /// The id of a pay rate of the worker, instead of `pay_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_rate_id: Option<String>,
    /// The amount, from 0.00 to 9999.99.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::optional_decimal::serialize")]
    pub pay_amount: Option<Decimal>,
    /// Whether the line pays `pay_amount`. If false, the line pays its hours or units multiplied by the rate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub memoed: bool,
    /// The day on which the work of the line was done.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::optional_day::serialize")]
    pub line_date: Option<Date>,
    /// The job on which the line is booked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// The labor assignment of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labor_assignment_id: Option<String>,
    /// The id of the organizational unit that the line is booked on.
    #[serde(
        rename = "organization",
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_organization"
    )]
    pub organization_id: Option<String>,
}

impl CheckLineInput {
    /// Creates a line that is paid by hours.
    #[must_use]
    pub fn hours(component_id: impl Into<String>, hours: Decimal) -> Self {
        Self { component_id: component_id.into(), pay_hours: Some(hours), ..Self::default() }
    }

    /// Creates a line that is paid by units.
    #[must_use]
    pub fn units(component_id: impl Into<String>, units: Decimal) -> Self {
        Self { component_id: component_id.into(), pay_units: Some(units), ..Self::default() }
    }

    /// Creates a line that states its amount.
    #[must_use]
    pub fn amount(component_id: impl Into<String>, amount: Decimal) -> Self {
        Self { component_id: component_id.into(), pay_amount: Some(amount), ..Self::default() }
    }

    /// Sets the rate of the hours or units.
    #[must_use]
    pub const fn rate(mut self, rate: Decimal) -> Self {
        self.pay_rate = Some(rate);
        self
    }
}

/// Writes the id of an organizational unit as an object with the member `organizationId`, as the API
/// expects.
fn serialize_organization<S: serde::Serializer>(
    id: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Organization<'a> {
        organization_id: Option<&'a str>,
    }
    Organization { organization_id: id.as_deref() }.serialize(serializer)
}
