//! Filters of lists. An element must match all conditions of a filter. A condition that is not set matches
//! every element.
//!
//! For the conditions on changes, an object is changed when a write increases its version. The instant of the
//! change is the [instant](crate::write::AuditContext::now) of the write. A pay period is also changed when
//! its checks change.

use payroll_domain::company::CompanyState;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LastFour;
use payroll_domain::worker::StatusType;

/// The filter for a company's workers. A worker must match all conditions. A condition that is not set
/// matches every worker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerFilter {
    /// The given name and the family name, joined by a blank, must contain the text of this condition. The
    /// texts are compared by [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    pub part_of_name: Option<String>,
    /// The worker's given name must be equal to the text of this condition, compared by
    /// [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    pub given_name: Option<String>,
    /// The worker's family name must be equal to the text of this condition, compared by
    /// [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    pub family_name: Option<String>,
    /// The employee id must be equal to the given text.
    pub employee_id: Option<String>,
    /// The tax ID must end with the given digits.
    pub last_four: Option<LastFour>,
    /// The worker must work at the location with the given id.
    pub location_id: Option<String>,
    /// The current status must be one of the given statuses. If the list is empty, the status does not
    /// matter.
    pub statuses: Vec<StatusType>,
    /// The current status must be effective on the given day or later. For workers without a status, the hire
    /// date is compared.
    pub from: Option<Date>,
    /// The current status must be effective on the given day or earlier. For workers without a status, the
    /// hire date is compared.
    pub to: Option<Date>,
    /// The worker must have been changed at the given instant or later.
    pub modified_since: Option<Timestamp>,
}

/// The filter for pay periods.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodFilter {
    /// The state must be one of the given states. If the list is empty, the state does not matter.
    pub statuses: Vec<PeriodStatus>,
    /// The period must start on the given day or later.
    pub from: Option<Date>,
    /// The period must end on the given day or earlier.
    pub to: Option<Date>,
    /// The period must have been changed at the given instant or later.
    pub modified_since: Option<Timestamp>,
}

impl PeriodFilter {
    /// Returns whether the filter matches every pay period.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The filter for the pay runs of all companies: pay periods that are open or in processing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PayRunFilter {
    /// The pay run must be in the given state.
    pub status: Option<PeriodStatus>,
    /// The pay run must be of the given company.
    pub company_id: Option<CompanyId>,
    /// The check date must be the given day or later.
    pub check_date_from: Option<Date>,
    /// The check date must be the given day or earlier.
    pub check_date_to: Option<Date>,
    /// The pay run must be open, and its submit-by day must be before this day.
    pub overdue_on: Option<Date>,
    /// The pay run must be of one of the given companies. `None` means all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// The order in which the pay runs are listed.
    pub order: PayRunOrder,
}

/// The column by which pay runs are sorted. Pay runs with equal values are sorted by check date, company and
/// period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PayRunColumn {
    /// The day on which the workers are paid.
    #[default]
    CheckDate,
    /// The name of the company, without regard to case.
    Company,
    /// The last day for submitting checks. Periods without such a day come last.
    SubmitBy,
    /// The number of checks in the pay run.
    Checks,
    /// The gross earnings of all checks in the pay run.
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
    /// All orders of pay runs: ascending and descending for each column.
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

    /// Returns the text form of the order: the name of the column. If the order is descending, the name is
    /// preceded by `-`.
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
    /// The component must have the given effect on pay.
    pub effect_on_pay: Option<EffectOnPay>,
    /// The component must have the given classification.
    pub classification_type: Option<ClassificationType>,
    /// The name must be exactly the given text.
    pub name: Option<String>,
    /// The name must contain the given text, compared by
    /// [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    pub part_of_name: Option<String>,
    /// The component must have been changed at the given instant or later.
    pub modified_since: Option<Timestamp>,
}

/// The filter for a list of lookup objects. If the objects of a kind do not have the member that a condition
/// compares, all of them match the condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupFilter {
    /// The object must be [valid](payroll_domain::lookup::ValidityPeriod) on the given day.
    pub in_force_on: Option<Date>,
    /// The object must be for workers with the given pay interval.
    pub pay_frequency: Option<IntervalCode>,
}

/// The filter for the companies of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompanyFilter {
    /// The company must have the given [display key](payroll_domain::company::to_display_key).
    pub display_key: Option<String>,
    /// The legal name must contain the given text, compared by
    /// [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    pub part_of_name: Option<String>,
    /// The company must be in one of the given states on the given day. `None` means any state.
    pub states: Option<(Vec<CompanyState>, Date)>,
    /// The company must be one of the given companies. `None` means all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
}

/// The filter for a company's objects in the operator API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceFilter {
    /// All objects of one kind.
    All(ResourceKind),
    /// The workers that match a filter.
    Workers(WorkerFilter),
    /// The pay components that match a filter.
    PayComponents(ComponentFilter),
}

impl ResourceFilter {
    /// Returns the kind of the filtered objects.
    #[must_use]
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::All(kind) => *kind,
            Self::Workers(_) => ResourceKind::Worker,
            Self::PayComponents(_) => ResourceKind::PayComponent,
        }
    }
}
