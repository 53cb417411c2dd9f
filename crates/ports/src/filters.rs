//! Filters of lists. An absent condition matches everything, and an element must match all other conditions.
//!
//! Every write that increases the version of an object changes it, at the
//! [instant](crate::write::AuditContext::now) of the write. A pay period is also changed by changes of its
//! checks.

use payroll_domain::company::CompanyState;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LastFour;
use payroll_domain::worker::StatusType;

/// The filter for a company's workers. An absent condition matches every worker, and a worker must match all
/// other conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerFilter {
    /// Only workers whose given name and family name, joined by a blank, contain this text. It is compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only workers with exactly this given name, compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub given_name: Option<String>,
    /// Only workers with exactly this family name, compared in the same way.
    pub family_name: Option<String>,
    /// Only the worker with this employee id.
    pub employee_id: Option<String>,
    /// Only workers whose tax ID ends with these digits.
    pub last_four: Option<LastFour>,
    /// Only workers at this location.
    pub location_id: Option<String>,
    /// Only workers with one of these statuses. If it is empty, workers with any status or none.
    pub statuses: Vec<StatusType>,
    /// Only workers whose status is effective on that day or later. For workers without a status, the hire
    /// date is compared.
    pub from: Option<Date>,
    /// Only workers whose status is effective on that day or earlier.
    pub to: Option<Date>,
    /// Only workers that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

/// The filter for pay periods.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodFilter {
    /// Only periods in one of these states. If it is empty, in any state.
    pub statuses: Vec<PeriodStatus>,
    /// Only periods that start on that day or later.
    pub from: Option<Date>,
    /// Only periods that end on that day or earlier.
    pub to: Option<Date>,
    /// Only periods that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

impl PeriodFilter {
    /// Whether the filter matches every pay period.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The filter for the pay runs of all companies: pay periods that are open or in processing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PayRunFilter {
    /// Only pay runs in this state.
    pub status: Option<PeriodStatus>,
    /// Only pay runs of this company.
    pub company_id: Option<CompanyId>,
    /// Only pay runs with this check date or a later one.
    pub check_date_from: Option<Date>,
    /// Only pay runs with this check date or an earlier one.
    pub check_date_to: Option<Date>,
    /// Only open pay runs whose submit-by day was before this day.
    pub overdue_on: Option<Date>,
    /// Only pay runs of these companies. `None` means all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// The order of the list.
    pub order: PayRunOrder,
}

/// The sort column of pay runs. Pay runs with equal values are sorted by check date, company and period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PayRunColumn {
    /// The day of payment.
    #[default]
    CheckDate,
    /// The name of the company, without regard to case.
    Company,
    /// The last day for sending checks. Periods without one come last.
    SubmitBy,
    /// The number of checks.
    Checks,
    /// The gross earnings of all checks.
    GrossEarnings,
}

/// The sort order of pay runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayRunOrder {
    /// The column of the sort order.
    pub column: PayRunColumn,
    /// Whether the largest value, or the latest day, comes first.
    pub descending: bool,
}

impl PayRunOrder {
    /// Every order that a list can have.
    pub const ALL: &[Self] = &{
        use PayRunColumn::{CheckDate, Checks, Company, GrossEarnings, SubmitBy};
        [
            Self { column: CheckDate, descending: false },
            Self { column: CheckDate, descending: true },
            Self { column: Company, descending: false },
            Self { column: Company, descending: true },
            Self { column: SubmitBy, descending: false },
            Self { column: SubmitBy, descending: true },
            Self { column: Checks, descending: false },
            Self { column: Checks, descending: true },
            Self { column: GrossEarnings, descending: false },
            Self { column: GrossEarnings, descending: true },
        ]
    };

    /// The order as a word: the column, after `-` if it is descending.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match (self.column, self.descending) {
            (PayRunColumn::CheckDate, false) => "checkdate",
            (PayRunColumn::CheckDate, true) => "-checkdate",
            (PayRunColumn::Company, false) => "company",
            (PayRunColumn::Company, true) => "-company",
            (PayRunColumn::SubmitBy, false) => "submitby",
            (PayRunColumn::SubmitBy, true) => "-submitby",
            (PayRunColumn::Checks, false) => "checks",
            (PayRunColumn::Checks, true) => "-checks",
            (PayRunColumn::GrossEarnings, false) => "gross",
            (PayRunColumn::GrossEarnings, true) => "-gross",
        }
    }
}

/// The filter for pay components.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComponentFilter {
    /// Only components with this effect.
    pub effect_on_pay: Option<EffectOnPay>,
    /// Only components with this classification.
    pub classification_type: Option<ClassificationType>,
    /// Only components with exactly this name.
    pub name: Option<String>,
    /// Only components whose name contains this text, compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only components that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

/// The filter for a list of reference data. If the objects of a list lack the member of a condition, all of
/// them match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupFilter {
    /// Only objects that are [valid](payroll_domain::lookup::ValidityPeriod) on that day.
    pub in_force_on: Option<Date>,
    /// Only objects for workers with this pay interval.
    pub pay_frequency: Option<IntervalCode>,
}

/// The filter for the companies of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompanyFilter {
    /// Only companies with this [display key](payroll_domain::company::display_key).
    pub display_key: Option<String>,
    /// Only companies whose legal name contains this text, compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only companies in one of these states on that day. `None` means any state.
    pub states: Option<(Vec<CompanyState>, Date)>,
    /// Only these companies. `None` means all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
}

/// The filter for a company's objects in the operator API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceFilter {
    /// All objects of one kind.
    All(ResourceKind),
    /// A filter of a list of workers.
    Workers(WorkerFilter),
    /// A filter of a list of pay components.
    PayComponents(ComponentFilter),
}

impl ResourceFilter {
    /// The kind of the filtered objects.
    #[must_use]
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::All(kind) => *kind,
            Self::Workers(_) => ResourceKind::Worker,
            Self::PayComponents(_) => ResourceKind::PayComponent,
        }
    }
}
