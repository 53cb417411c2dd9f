//! Taking back checks of completed pay periods, by checks in open ones.

use async_trait::async_trait;
use payroll_domain::check::{ProcessedCheck, StoredCheck};
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use crate::StoreError;
use crate::resources::CompanyLock;
use crate::write::By;

/// What a reversal is judged on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalFacts {
    /// The period that it is to stand in.
    pub period: PayPeriod,
    /// The version of that period's row.
    pub version: i64,
    /// The check that is to be taken back; `None` when the company has no such check.
    pub original: Option<OriginalCheck>,
}

/// A check that is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginalCheck {
    /// Nobody was paid by its period, or that was taken back as a whole.
    NotPaid(PeriodStatus),
    /// It was paid.
    Paid {
        /// The check.
        check: Box<ProcessedCheck>,
        /// The check that takes it back already.
        reversed_by: Option<PaycheckId>,
    },
}

/// A reversal that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversal {
    /// The company.
    pub company_id: CompanyId,
    /// The version that the period's row must have; `None`: any.
    pub version: Option<i64>,
    /// The check, which names what it takes back and its period.
    pub check: StoredCheck,
    /// What the check was made of.
    pub original: ProcessedCheck,
}

/// A reversal that is to be removed from its open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalToRemove {
    /// The company.
    pub company_id: CompanyId,
    /// The period that it stands in.
    pub pay_period_id: PayPeriodId,
    /// Its id.
    pub paycheck_id: PaycheckId,
    /// The version that the period's row must have; `None`: any.
    pub version: Option<i64>,
}

/// What became of a reversal, or of its removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reversed {
    /// It is stored, or removed; the version of the period's row from now on.
    Done(i64),
    /// The company has no such period, or the period no such reversal.
    Unknown,
    /// The period is not open.
    NotOpen(PeriodStatus),
    /// The period has another version.
    Stale,
    /// What it was judged on has changed.
    FactsChanged,
    /// Somebody else holds the company, or a period of it is in processing.
    Locked(CompanyLock),
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// Taking back checks.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait ReversalStore: Send + Sync {
    /// What a reversal of a check in that period is judged on; `None` when the company has no such
    /// period.
    ///
    /// # Errors
    /// See the trait.
    async fn reversal_facts(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError>;

    /// Stores a reversal, with its audit row, and counts it in the period's totals, if the period is open,
    /// the worker is there, and the original is as it was and not taken back yet. Of several reversals of
    /// one check at once exactly one is stored.
    ///
    /// # Errors
    /// See the trait.
    async fn add_reversal(&self, new: &NewReversal, by: &By) -> Result<Reversed, StoreError>;

    /// Removes a reversal from an open period; the original may be taken back again. Another check is
    /// [`Reversed::Unknown`].
    ///
    /// # Errors
    /// See the trait.
    async fn remove_reversal(&self, removed: &ReversalToRemove, by: &By) -> Result<Reversed, StoreError>;
}
