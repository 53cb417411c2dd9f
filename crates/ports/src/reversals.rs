//! What an operator takes back: checks of completed pay periods, by checks in open ones; and checks of
//! open periods, by removing them.

use async_trait::async_trait;
use payroll_domain::check::{ProcessedCheck, StoredCheck};
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use crate::StoreError;
use crate::resources::CompanyLock;
use crate::write::By;

/// The data to validate a reversal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalFacts {
    /// The period that it is to be added to.
    pub period: PayPeriod,
    /// The version of that period's row.
    pub version: i64,
    /// The check that is to be taken back; `None` when the company has no such check.
    pub original: Option<OriginalCheck>,
}

/// A check that is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginalCheck {
    /// Its period has paid no worker, or was reversed completely.
    NotPaid(PeriodStatus),
    /// The check was archived.
    Archived,
    /// The check was paid.
    Paid {
        /// The check with its paid amounts.
        check: Box<ProcessedCheck>,
        /// The check that takes it back already.
        reversed_by: Option<PaycheckId>,
    },
}

/// A reversal that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversal {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The version that the period's row must have; `None`: any.
    pub version: Option<i64>,
    /// The check, which names what it takes back and its period.
    pub check: StoredCheck,
    /// What the check was made of.
    pub original: ProcessedCheck,
}

/// Checks that an operator removes from their open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRemoval {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The period that they are in.
    pub pay_period_id: PayPeriodId,
    /// The checks to delete.
    pub which: RemovedByOperator,
    /// The version that the period's row must have; `None`: any.
    pub version: Option<i64>,
}

/// Which checks an operator removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedByOperator {
    /// The reversal of that id, and no other check.
    Reversal(PaycheckId),
    /// The check of that id, no matter who added it.
    One(PaycheckId),
    /// All that operators have added, but no reversal.
    AddedByOperators,
}

/// What became of a reversal, or of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reversed {
    /// It is stored, or the checks are removed; the version of the period's row from now on.
    Done(i64),
    /// The company has no such period, or the period no such check.
    Unknown,
    /// The period is not open.
    NotOpen(PeriodStatus),
    /// The period has another version.
    Stale,
    /// The data that it was validated with have changed.
    FactsChanged,
    /// Another actor has locked the company, or a period of it is in processing.
    Locked(CompanyLock),
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// Taking back checks, and removing them.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait ReversalStore: Send + Sync {
    /// The data to validate a reversal of a check in that period; `None` when the company has no such
    /// period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn reversal_facts(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError>;

    /// Stores a reversal, with its audit row, and counts it in the period's totals, if the period is open,
    /// the worker is there, and the original is unchanged and not reversed yet. Of several reversals of
    /// one check at once exactly one is stored.
    ///
    /// # Errors
    /// Those of the trait.
    async fn add_reversal(&self, new: &NewReversal, by: &By) -> Result<Reversed, StoreError>;

    /// Removes checks from an open period, with rows of the audit trail that name them, and counts them off
    /// its totals. What a removed reversal took back may be taken back again. A check that is named and is
    /// not there is [`Reversed::Unknown`]; where operators have added none, nothing changes.
    ///
    /// # Errors
    /// Those of the trait.
    async fn remove_as_operator(&self, removed: &OperatorRemoval, by: &By) -> Result<Reversed, StoreError>;
}
