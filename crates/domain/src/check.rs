//! Payroll checks: what was accepted, what is stored, what was processed.
//!
//! The way of a check: a batch (what the caller sent, fault or not) and [`Facts`] (what is
//! stored) are validated together, and out come [`Check`]s or every fault.

mod applying_rate;
mod batch;
mod case;
#[cfg(feature = "server")]
mod complete;
mod distribute;
mod draft;
mod facts;
#[cfg(feature = "server")]
mod journal;
mod judge;
#[cfg(test)]
mod mistakes;
#[cfg(feature = "server")]
mod one_line;
mod pay;
#[cfg(test)]
mod properties;
#[cfg(feature = "server")]
mod register;
#[cfg(feature = "server")]
mod removal;
#[cfg(feature = "server")]
mod reversal;
mod rules;
#[cfg(test)]
pub(crate) mod test_data;
#[cfg(feature = "server")]
mod totals;
#[cfg(feature = "server")]
mod warnings;
mod way_to_pay;

pub use batch::Batch;
#[cfg(feature = "server")]
pub use complete::{CompletedCheck, CompletionInput, GivenDeduction, GivenSpot, complete};
pub use facts::{Facts, KeptList, LockFacts, PeriodFacts, Wanted, WorkerFacts};
#[cfg(feature = "server")]
pub use journal::{
    Journal, JournalAccounts, JournalEntry, JournalFault, JournalSource, JournalSums, MAX_JOURNAL_SUMS,
};
pub use judge::judge;
#[cfg(feature = "server")]
pub use one_line::{sent_line, with_one_line};
pub use pay::{Pay, PayFault};
#[cfg(feature = "server")]
pub use register::{RegisterCheck, WorkerLabel};
#[cfg(feature = "server")]
pub use removal::may_remove;
#[cfg(feature = "server")]
pub use reversal::{Irreversible, REVERSAL_CHECK_TYPE, reverse};
#[cfg(feature = "server")]
pub use totals::{EnteredPay, EnteredTotals, JudgedCheck, JudgedChecks, PeriodTotals, Totals};
#[cfg(feature = "server")]
pub use warnings::{LastPayRun, MAX_WARNINGS, Warning, WarningKind, Warnings};

use crate::company::Organization;
use crate::date::Date;
use crate::id::{
    CheckComponentId, ComponentId, OrganizationId, PayPeriodId, PaycheckId, ReferenceId, WorkerId,
};
use crate::money::{Amount, Quantity, Rate};
use crate::named::named;
use crate::pay_component::{ClassificationType, EffectOnPay, PayComponent};

/// Checks in one request (specification, limits).
pub const MAX_CHECKS_PER_REQUEST: usize = 100;
/// Lines of one check, in all its sections: ten times what a busy pay stub has, and a bound on what
/// reading a page of checks can take.
pub const MAX_LINES_PER_CHECK: usize = 500;
/// What a check is called where nothing else is said.
pub const USUAL_CHECK_TYPE: &str = "Regular";
/// Characters of a correlation id.
pub const MAX_CORRELATION_ID_LENGTH: usize = 64;

named! {
    /// The part of a check that a line is in.
    Section {
        /// What is paid.
        Earnings = "earnings",
        /// What is taken.
        Deductions = "deductions",
        /// Lines that are informational only.
        Informational = "informational",
    }
}

impl Section {
    /// The section for lines of pay components with that effect.
    #[must_use]
    pub const fn of(effect: EffectOnPay) -> Self {
        match effect {
            EffectOnPay::Addition | EffectOnPay::AdditionWithInOut => Self::Earnings,
            EffectOnPay::EmployerInformational => Self::Informational,
            EffectOnPay::Reduction => Self::Deductions,
        }
    }
}

/// A check that passed every rule; it has no id yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// The pay period that it is in.
    pub pay_period_id: PayPeriodId,
    /// The caller's own id for it.
    pub correlation_id: String,
    /// The caller wants no automatic distribution.
    pub block_auto_distribution: bool,
    /// The day on which the worker is paid: the period's.
    pub check_date: Date,
    /// Its lines, section by section, each in the caller's order; at least one.
    pub lines: Vec<Line>,
}

/// A line of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The part of the check that it is in.
    pub section: Section,
    /// What it pays or takes.
    pub component: ComponentLabel,
    /// The rate, where one applies: as sent, or the worker's, fixed when the check is added.
    pub pay_rate: Option<Rate>,
    /// Hours.
    pub pay_hours: Option<Quantity>,
    /// Units.
    pub pay_units: Option<Quantity>,
    /// The amount, where the caller sent one.
    pub pay_amount: Option<Amount>,
    /// The amount counts and the hours do not.
    pub memoed: bool,
    /// The day that was worked.
    pub line_date: Option<Date>,
    /// The job that it is booked on.
    pub job_id: Option<ReferenceId>,
    /// The labor assignment that it is booked on.
    pub labor_assignment_id: Option<ReferenceId>,
    /// The unit that it is booked on.
    pub organization: Option<OrganizationLabel>,
}

/// A pay component as a line shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentLabel {
    /// Its id.
    pub component_id: ComponentId,
    /// Its name.
    pub name: String,
    /// What kind of pay or deduction it is.
    pub classification_type: ClassificationType,
    /// What it does to the pay.
    pub effect_on_pay: EffectOnPay,
}

/// A unit as a line shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationLabel {
    /// Its id.
    pub organization_id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Its number; processed checks show it.
    pub number: Option<String>,
}

impl ComponentLabel {
    /// The label of a pay component.
    #[must_use]
    pub fn of(component: &PayComponent) -> Self {
        Self {
            component_id: component.component_id.clone(),
            name: component.name.clone(),
            classification_type: component.classification_type,
            effect_on_pay: component.effect_on_pay,
        }
    }
}

impl OrganizationLabel {
    /// The label of a unit.
    #[must_use]
    pub fn of(organization: &Organization) -> Self {
        Self {
            organization_id: organization.organization_id.clone(),
            name: organization.name.clone(),
            number: organization.number.clone(),
        }
    }
}

/// A check with the ids that the server gave.
#[cfg(feature = "server")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheck {
    /// Its id.
    pub paycheck_id: PaycheckId,
    /// The ids of its lines, in the order of the lines.
    pub check_component_ids: Vec<CheckComponentId>,
    /// The completed check that it takes back, if it is there for that.
    pub reversal: Option<Box<Reversal>>,
    /// The check.
    pub check: Check,
}

/// What a check takes back, and what it comes to: that is known from the start.
#[cfg(feature = "server")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// The check that is taken back.
    pub original: PaycheckId,
    /// Gross of the original, with the other sign.
    pub gross_earnings: Amount,
    /// Net of the original, with the other sign.
    pub net_pay: Amount,
    /// Taxes of the original, with the other sign.
    pub taxes: Vec<TaxLine>,
}

/// A check of a processed pay period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedCheck {
    /// Its id.
    pub paycheck_id: PaycheckId,
    /// Whom it paid.
    pub worker_id: WorkerId,
    /// The pay period that it is in.
    pub pay_period_id: PayPeriodId,
    /// The caller's own id for it, where it was added by an application.
    pub correlation_id: Option<String>,
    /// The day on which the worker was paid: the period's.
    pub check_date: Date,
    /// What the worker got.
    pub net_pay: Amount,
    /// The gross earnings of the worker.
    pub gross_earnings: Amount,
    /// `Regular`, …
    pub check_type: String,
    /// Its number on paper.
    pub check_number: Option<String>,
    /// The check that it takes back, if it is there for that.
    pub reversal_of: Option<PaycheckId>,
    /// Its lines, section by section.
    pub lines: Vec<ProcessedLine>,
    /// Taxes, as they were handed to this server.
    pub taxes: Vec<TaxLine>,
}

/// A line of a processed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedLine {
    /// The part of the check that it is in.
    pub section: Section,
    /// Its id.
    pub check_component_id: CheckComponentId,
    /// What it paid or took.
    pub component: ComponentLabel,
    /// The amount counts and the hours do not.
    pub memoed: bool,
    /// What it came to.
    pub amount: Amount,
    /// The rate, where one applied.
    pub rate: Option<Rate>,
    /// Hours.
    pub hours: Option<Quantity>,
    /// Units.
    pub units: Option<Quantity>,
    /// The day that was worked.
    pub line_date: Option<Date>,
    /// The job that it is booked on.
    pub job_id: Option<ReferenceId>,
    /// The labor assignment that it is booked on.
    pub labor_assignment_id: Option<ReferenceId>,
    /// The unit that it is booked on.
    pub organization: Option<OrganizationLabel>,
}

named! {
    /// Who pays a tax.
    PaidBy {
        /// Withheld from the worker's pay.
        Employee = "EMPLOYEE_WITHHOLDING",
        /// Paid by the company on top.
        Employer = "EMPLOYER_LIABILITY",
    }
}

/// A tax of a processed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxLine {
    /// Its name.
    pub name: String,
    /// What it came to.
    pub amount: Amount,
    /// Who pays it.
    pub paid_by: PaidBy,
}
