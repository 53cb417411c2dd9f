//! Reversals and removals of checks by operators. A check in a completed pay period is reversed by a new
//! check in an open period. A check in an open period is removed.

use async_trait::async_trait;
use payroll_domain::check::{ProcessedCheck, StoredCheck};
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use crate::StoreError;
use crate::resources::CompanyLock;
use crate::write::AuditContext;

/// The data for validating a reversal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalFacts {
    /// The open period in which the reversal is to be created.
    pub period: PayPeriod,
    /// The version of the row that stores the period.
    pub version: i64,
    /// The check to reverse. `None` if the company has no check with the given id.
    pub original: Option<OriginalCheck>,
}

/// The check to reverse, depending on its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginalCheck {
    /// The check is in a period that was not paid, or that was reversed completely.
    NotPaid(PeriodStatus),
    /// The check was archived.
    Archived,
    /// The check was paid.
    Paid {
        /// The check with its paid amounts.
        check: Box<ProcessedCheck>,
        /// The check that already reverses the original. `None` if the original was not reversed.
        reversed_by: Option<PaycheckId>,
    },
}

/// A reversal to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversal {
    /// The company to which the check belongs.
    pub company_id: CompanyId,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
    /// The new check, with its period and the id of the reversed check.
    pub check: StoredCheck,
    /// The stored original check from which the reversal was created.
    pub original: ProcessedCheck,
}

/// Checks that an operator removes from an open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRemoval {
    /// The company from which the checks are removed.
    pub company_id: CompanyId,
    /// The open pay period that contains the checks.
    pub pay_period_id: PayPeriodId,
    /// The checks to delete.
    pub selection: OperatorCheckSelection,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
}

/// The selection of checks that an operator removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorCheckSelection {
    /// The reversal with the given id. If the check with this id is no reversal, nothing is removed.
    Reversal(PaycheckId),
    /// The check with the given id, regardless of who added it.
    One(PaycheckId),
    /// All checks that operators have added, except reversals.
    AddedByOperators,
}

/// The result of a reversal or a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReversalOutcome {
    /// The reversal is stored, or the checks are removed. Contains the new version of the period's row.
    Done(i64),
    /// The period does not exist in the company, or the check does not exist in the period.
    Unknown,
    /// The period is not open.
    NotOpen(PeriodStatus),
    /// The period does not have the expected version.
    Stale,
    /// The data used for the validation has changed.
    FactsChanged,
    /// Another actor has locked the company, or one of its periods is in processing.
    Locked(CompanyLock),
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// Reverses and removes checks.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait ReversalStore: Send + Sync {
    /// Returns the data for validating a reversal of a check in that period. `None` if the period does not
    /// exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn reversal_validation_data(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError>;

    /// Stores a reversal with its audit row, and adds the reversal to the period's totals. The period must be
    /// open, and the worker must exist. The original check must be unchanged and not reversed yet. If several
    /// reversals of one check are concurrent, exactly one is stored.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn add_reversal(
        &self,
        new: &NewReversal,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError>;

    /// Removes checks from an open period, writes audit rows with the ids of the checks, and subtracts the
    /// checks from the period's totals. A check whose reversal was removed can be reversed again. If a check
    /// is selected by its id but does not exist, the result is [`ReversalOutcome::Unknown`]. If operators
    /// have added no checks, nothing changes.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn remove_checks_as_operator(
        &self,
        removed: &OperatorRemoval,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError>;
}
