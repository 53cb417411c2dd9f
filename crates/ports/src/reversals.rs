//! Reversals by operators: of checks in completed pay periods, by new checks in open ones, and of checks in
//! open periods, by removing them.

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
    /// The period of the new check.
    pub period: PayPeriod,
    /// The version of that period's row.
    pub version: i64,
    /// The check to reverse. `None` if the company has no such check.
    pub original: Option<OriginalCheck>,
}

/// A check that will be reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginalCheck {
    /// The period of the check was not paid, or was reversed completely.
    NotPaid(PeriodStatus),
    /// The check was archived.
    Archived,
    /// The check was paid.
    Paid {
        /// The check with its paid amounts.
        check: Box<ProcessedCheck>,
        /// The check that already reverses the original, if there is one.
        reversed_by: Option<PaycheckId>,
    },
}

/// A reversal that will be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversal {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
    /// The new check, with its period and the id of the reversed check.
    pub check: StoredCheck,
    /// The original check from which the reversal was created.
    pub original: ProcessedCheck,
}

/// Checks that an operator removes from their open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRemoval {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The pay period of the checks.
    pub pay_period_id: PayPeriodId,
    /// The checks to delete.
    pub selection: OperatorCheckSelection,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
}

/// The selection of checks that an operator removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorCheckSelection {
    /// The reversal with that id, and no other check.
    Reversal(PaycheckId),
    /// The check with that id, no matter who added it.
    One(PaycheckId),
    /// All checks that operators have added, except reversals.
    AddedByOperators,
}

/// The result of a reversal or a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReversalOutcome {
    /// The reversal is stored, or the checks are removed. Contains the new version of the period's row.
    Done(i64),
    /// The company has no such period, or the period no such check.
    Unknown,
    /// The period is not open.
    NotOpen(PeriodStatus),
    /// The period has another version.
    Stale,
    /// The data of the validation has changed.
    FactsChanged,
    /// A total of the period would exceed what can be stored.
    TooLarge,
    /// Another actor has locked the company, or a period of it is in processing.
    Locked(CompanyLock),
    /// The idempotency record no longer belongs to the request.
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
    /// The data for validating a reversal of a check in that period. `None` if the company has no such
    /// period.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn reversal_facts(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError>;

    /// Stores a reversal with its audit row, and adds it to the period's totals. The period must be open, the
    /// worker must exist, and the original must be unchanged and not reversed yet. Of several concurrent
    /// reversals of one check, exactly one is stored.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn add_reversal(
        &self,
        new: &NewReversal,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError>;

    /// Removes checks from an open period with audit rows that contain their ids, and subtracts them from its
    /// totals. A check whose reversal was removed may be reversed again. A given check that does not exist is
    /// [`ReversalOutcome::Unknown`]. If operators have added no checks, nothing changes.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn remove_as_operator(
        &self,
        removed: &OperatorRemoval,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError>;
}
