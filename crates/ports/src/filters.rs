//! Which elements of a list are wanted. What is absent from a filter leaves nothing out; the others hold
//! together.
//!
//! An object is changed by every write that makes its version greater, at the
//! [instant](crate::write::By::now) of that write; a pay period so by its checks, too.

use payroll_domain::company::CompanyState;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LastFour;
use payroll_domain::worker::StatusType;

/// Which workers of a company are wanted. What is absent leaves no worker out; the others hold together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerFilter {
    /// Only those whose given name and family name, with a blank between them, have this part;
    /// compared by [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only those of that complete given name; compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub given_name: Option<String>,
    /// Only those of that family name, compared in the same way.
    pub family_name: Option<String>,
    /// Only the one with that short number.
    pub employee_id: Option<String>,
    /// Only those whose tax identity ends so.
    pub last_four: Option<LastFour>,
    /// Only those who work there.
    pub location_id: Option<String>,
    /// Only those in one of these states; empty: in any, or in none.
    pub statuses: Vec<StatusType>,
    /// Only those whose state is that of that day or later: the effective date of the state, or
    /// the day of hire of a worker without a state.
    pub from: Option<Date>,
    /// Only those whose state is that of that day or earlier.
    pub to: Option<Date>,
    /// Only those that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

/// Which pay periods are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodFilter {
    /// Only those in one of these states; empty: in any.
    pub statuses: Vec<PeriodStatus>,
    /// Only those that begin on that day or later.
    pub from: Option<Date>,
    /// Only those that end on that day or earlier.
    pub to: Option<Date>,
    /// Only those that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

impl PeriodFilter {
    /// Whether every pay period is wanted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Which pay runs of all companies are wanted: pay periods that are open or in processing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PayRunFilter {
    /// Only those in this state.
    pub status: Option<PeriodStatus>,
    /// Only those of this company.
    pub company_id: Option<CompanyId>,
    /// Only those with that check date or a later one.
    pub check_date_from: Option<Date>,
    /// Only those with that check date or an earlier one.
    pub check_date_to: Option<Date>,
    /// Only those that still take checks although their submit-by day was before this day.
    pub overdue_on: Option<Date>,
    /// Only those of these companies; `None`: of all.
    pub within: Option<Vec<CompanyId>>,
    /// The order of the list.
    pub order: PayRunOrder,
}

/// What pay runs are sorted by. Those that are equal in it follow by check date, company and period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PayRunColumn {
    /// The day of payment.
    #[default]
    CheckDate,
    /// The name of the company, without regard to case.
    Company,
    /// The day until which checks are sent. Periods without one come after all others.
    SubmitBy,
    /// The number of checks.
    Checks,
    /// The gross earnings of all checks.
    GrossEarnings,
}

/// The order of pay runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayRunOrder {
    /// What they are sorted by.
    pub by: PayRunColumn,
    /// Whether the largest value, or the latest day, comes first.
    pub descending: bool,
}

impl PayRunOrder {
    /// Every order that a list can have.
    pub const ALL: &[Self] = &{
        use PayRunColumn::{CheckDate, Checks, Company, GrossEarnings, SubmitBy};
        [
            Self { by: CheckDate, descending: false },
            Self { by: CheckDate, descending: true },
            Self { by: Company, descending: false },
            Self { by: Company, descending: true },
            Self { by: SubmitBy, descending: false },
            Self { by: SubmitBy, descending: true },
            Self { by: Checks, descending: false },
            Self { by: Checks, descending: true },
            Self { by: GrossEarnings, descending: false },
            Self { by: GrossEarnings, descending: true },
        ]
    };

    /// The order as a word: a column, after `-` where it is descending.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match (self.by, self.descending) {
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

/// Which pay components are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComponentFilter {
    /// Only those of that effect.
    pub effect_on_pay: Option<EffectOnPay>,
    /// Only those of that classification.
    pub classification_type: Option<ClassificationType>,
    /// Only those of that name, to the letter.
    pub name: Option<String>,
    /// Only those whose name has this part; compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only those that were changed at that instant or later.
    pub modified_since: Option<Timestamp>,
}

/// The filter of a list of reference data. A condition excludes nothing from a list whose objects lack what it is
/// about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlainFilter {
    /// Only those that are [in force](payroll_domain::plain::Days) on that day.
    pub in_force_on: Option<Date>,
    /// Only those for workers who are paid that often.
    pub pay_frequency: Option<IntervalCode>,
}

/// Which companies of the server are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompanyFilter {
    /// Only those with that [display key](payroll_domain::company::display_key).
    pub display_key: Option<String>,
    /// Only those whose legal name has this part; compared by
    /// [`name_keys`](payroll_domain::worker::name_keys).
    pub part_of_name: Option<String>,
    /// Only those in one of these states on that day; `None`: in any.
    pub states: Option<(Vec<CompanyState>, Date)>,
    /// Only these companies; `None`: all.
    pub within: Option<Vec<CompanyId>>,
}

/// Which objects of a company the operator wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceFilter {
    /// All of a kind.
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
