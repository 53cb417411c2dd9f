//! Payroll checks: requested, stored and processed.
//!
//! A batch contains the checks of one request before validation, so the checks can have faults. The server
//! validates the batch against [`ValidationFacts`], the stored data that the checks refer to. The result is a
//! list of [`Check`]s, or the list of all faults.

mod applicable_rate;
mod batch;
mod case;
#[cfg(feature = "server")]
mod complete;
mod distribute;
mod draft;
mod facts;
#[cfg(feature = "server")]
mod journal;
mod line_payment;
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
mod validate;
#[cfg(feature = "server")]
mod warnings;

pub use batch::Batch;
#[cfg(feature = "server")]
pub use complete::{CompletedCheck, CompletionInput, CompletionPosition, SuppliedDeduction, complete_check};
pub use facts::{LockFacts, MaintainedList, PeriodFacts, RequiredLookups, ValidationFacts, WorkerFacts};
#[cfg(feature = "server")]
pub use journal::{
    Journal, JournalAccounts, JournalEntry, JournalFault, JournalSource, JournalSums, MAX_JOURNAL_SUMS,
};
#[cfg(feature = "server")]
pub use one_line::{create_one_line_document, to_line_document};
pub use pay::{CheckAmounts, PayFault};
#[cfg(feature = "server")]
pub use register::{RegisterCheck, WorkerLabel};
#[cfg(feature = "server")]
pub use removal::validate_check_removal;
#[cfg(feature = "server")]
pub use reversal::{REVERSAL_CHECK_TYPE, ReversalFault, reverse_check};
#[cfg(feature = "server")]
pub use totals::{EnteredPay, EnteredTotals, PeriodTotals, Totals, ValidatedCheck, ValidatedChecks};
pub use validate::validate;
#[cfg(feature = "server")]
pub use warnings::{LastPayRun, MAX_WARNINGS, Warning, WarningKind, Warnings};

use crate::company::Organization;
use crate::date::Date;
use crate::id::{
    CheckComponentId, ComponentId, OrganizationId, PayPeriodId, PaycheckId, ReferenceId, WorkerId,
};
use crate::money::{Amount, Quantity, Rate};
use crate::named::named_enum;
use crate::pay_component::{ClassificationType, EffectOnPay, PayComponent};

/// The maximum number of checks in one request (specification, limits).
pub const MAX_CHECKS_PER_REQUEST: usize = 100;
/// The maximum number of lines of one check, over all sections. A long pay stub has about 50 lines. The
/// limit bounds the memory that a page of checks needs.
pub const MAX_LINES_PER_CHECK: usize = 500;
/// The check type of a completed check if the completion document specifies no type.
pub const DEFAULT_CHECK_TYPE: &str = "Regular";
/// The maximum number of characters in a correlation id.
pub const MAX_CORRELATION_ID_LENGTH: usize = 64;

named_enum! {
    /// The section of a check that contains a line.
    Section {
        /// Lines that add to the pay.
        Earnings = "earnings",
        /// Lines that reduce the pay.
        Deductions = "deductions",
        /// Lines that are informational only.
        Informational = "informational",
    }
}

impl Section {
    /// Returns the section of a check that contains the lines of pay components with this effect.
    #[must_use]
    pub const fn for_effect(effect: EffectOnPay) -> Self {
        match effect {
            EffectOnPay::Addition | EffectOnPay::AdditionWithInOut => Self::Earnings,
            EffectOnPay::EmployerInformational => Self::Informational,
            EffectOnPay::Reduction => Self::Deductions,
        }
    }
}

/// A check that passed every rule. The server has not assigned its id yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// The pay period to which the check belongs.
    pub pay_period_id: PayPeriodId,
    /// The caller's own id for the check.
    pub correlation_id: String,
    /// Whether the caller turned automatic distribution off for this check.
    pub block_auto_distribution: bool,
    /// The day on which the worker is paid, which is the check date of the pay period.
    pub check_date: Date,
    /// The lines, section by section, each section in the caller's order. There is at least one line.
    pub lines: Vec<Line>,
}

/// A line of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The section of the check that contains the line.
    pub section: Section,
    /// The pay component of the line.
    pub component: ComponentLabel,
    /// The pay rate: from the request, or the worker's rate at the time when the check was added. `None` if
    /// the line needs no rate.
    pub pay_rate: Option<Rate>,
    /// The hours that are paid.
    pub pay_hours: Option<Quantity>,
    /// The units that are paid.
    pub pay_units: Option<Quantity>,
    /// The amount, if the caller sent one.
    pub pay_amount: Option<Amount>,
    /// Whether `pay_amount` is paid as given instead of hours times rate.
    pub memoed: bool,
    /// The day on which the work was done.
    pub line_date: Option<Date>,
    /// The job to which the line is booked.
    pub job_id: Option<ReferenceId>,
    /// The labor assignment to which the line is booked.
    pub labor_assignment_id: Option<ReferenceId>,
    /// The organization to which the line is booked.
    pub organization: Option<OrganizationLabel>,
}

/// A pay component as it is shown in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentLabel {
    /// The id of the pay component.
    pub component_id: ComponentId,
    /// The name of the pay component, at the time when the check was validated or processed.
    pub name: String,
    /// The kind of pay or deduction that a pay component is.
    pub classification_type: ClassificationType,
    /// The effect of the pay component on gross earnings and net pay.
    pub effect_on_pay: EffectOnPay,
}

/// An organization as it is shown in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationLabel {
    /// The id of the organization to which the line is booked.
    pub organization_id: OrganizationId,
    /// The name of the organization, at the time when the check was validated or processed.
    pub name: String,
    /// The number of the organization. Processed checks show this number.
    pub number: Option<String>,
}

impl ComponentLabel {
    /// Creates the label of a line from members of the line's pay component.
    #[must_use]
    pub fn from_component(component: &PayComponent) -> Self {
        Self {
            component_id: component.component_id.clone(),
            name: component.name.clone(),
            classification_type: component.classification_type,
            effect_on_pay: component.effect_on_pay,
        }
    }
}

impl OrganizationLabel {
    /// Creates the label of a line from members of the line's organization.
    #[must_use]
    pub fn from_organization(organization: &Organization) -> Self {
        Self {
            organization_id: organization.organization_id.clone(),
            name: organization.name.clone(),
            number: organization.number.clone(),
        }
    }
}

/// A validated check with the ids that the server assigned to the check and to its lines.
#[cfg(feature = "server")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheck {
    /// The id that the server assigned to the check.
    pub paycheck_id: PaycheckId,
    /// The ids of the lines, in the order of the lines.
    pub check_component_ids: Vec<CheckComponentId>,
    /// The completed check that this check reverses, if this check is a reversal.
    pub reversal: Option<Box<Reversal>>,
    /// The validated content of the check.
    pub check: Check,
}

/// The data of a reversal. The amounts are already known when the reversal is created, before the pay period
/// is processed.
#[cfg(feature = "server")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// The id of the check that is reversed.
    pub original: PaycheckId,
    /// The gross earnings of the original with the opposite sign.
    pub gross_earnings: Amount,
    /// The net pay of the original with the opposite sign.
    pub net_pay: Amount,
    /// The taxes of the original with the opposite sign.
    pub taxes: Vec<TaxLine>,
}

/// A check of a processed pay period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedCheck {
    /// The id of the check.
    pub paycheck_id: PaycheckId,
    /// The worker who was paid.
    pub worker_id: WorkerId,
    /// The processed pay period to which the check belongs.
    pub pay_period_id: PayPeriodId,
    /// The caller's own id for the check, if an application added it.
    pub correlation_id: Option<String>,
    /// The day on which the worker was paid, which is the check date of the pay period.
    pub check_date: Date,
    /// The amount that the worker was paid, after taxes and deductions.
    pub net_pay: Amount,
    /// The earnings of the worker before taxes and deductions.
    pub gross_earnings: Amount,
    /// The type of the check, such as `Regular`.
    pub check_type: String,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The id of the check that this check reverses, if this check is a reversal.
    pub reversal_of: Option<PaycheckId>,
    /// The lines, section by section.
    pub lines: Vec<ProcessedLine>,
    /// The taxes, as supplied on completion or by the import.
    pub taxes: Vec<TaxLine>,
}

/// A line of a processed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedLine {
    /// The section of the check that contains the line.
    pub section: Section,
    /// The id that the server assigned to the line.
    pub check_component_id: CheckComponentId,
    /// The pay component of the line.
    pub component: ComponentLabel,
    /// Whether the amount was paid as given instead of hours times rate.
    pub memoed: bool,
    /// The amount that was paid or deducted, or the informational amount.
    pub amount: Amount,
    /// The pay rate. `None` if the line was paid without a rate.
    pub rate: Option<Rate>,
    /// The hours that were paid.
    pub hours: Option<Quantity>,
    /// The units that were paid.
    pub units: Option<Quantity>,
    /// The day on which the work was done.
    pub line_date: Option<Date>,
    /// The job to which the line is booked.
    pub job_id: Option<ReferenceId>,
    /// The labor assignment to which the line is booked.
    pub labor_assignment_id: Option<ReferenceId>,
    /// The organization to which the line is booked.
    pub organization: Option<OrganizationLabel>,
}

named_enum! {
    /// The payer of a tax.
    PaidBy {
        /// The tax is withheld from the worker's pay.
        Employee = "EMPLOYEE_WITHHOLDING",
        /// The company pays the tax in addition to the worker's pay.
        Employer = "EMPLOYER_LIABILITY",
    }
}

/// A tax of a processed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxLine {
    /// The name of the tax, such as `Federal Income Tax`.
    pub name: String,
    /// The amount of the tax in this check.
    pub amount: Amount,
    /// The payer of the tax.
    pub paid_by: PaidBy,
}
