//! Payroll checks: reads those of a pay period, and validates and adds new ones.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::audit::Actor;
use payroll_domain::check::{Facts, ProcessedCheck, RequiredLookups, StoredCheck};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::idempotency::ResponseRecord;
use crate::write::AuditContext;
use crate::{Rows, StoreError, Window};

/// The filter for checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksQuery {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The id of the pay period.
    pub pay_period_id: PayPeriodId,
    /// Only checks that the calling application added.
    pub only_own: bool,
    /// Only checks of this worker.
    pub worker_id: Option<WorkerId>,
    /// The requested part of the list.
    pub window: Window,
}

/// The checks of a pay period, from one snapshot.
#[derive(Debug)]
pub struct PeriodChecks {
    /// The number of checks after the filter and before the window.
    pub total: u64,
    /// The version, which grows with every change that the rows show, including the period's status.
    pub version: i64,
    /// The checks in the form for the period's state, in the order of their creation.
    pub rows: CheckRows,
}

/// Checks in the form for the state of their period.
#[derive(Debug)]
pub enum CheckRows {
    /// Checks of an unprocessed period.
    Unprocessed(Rows<StoredCheck>),
    /// Checks of a processed period.
    Processed(Rows<ProcessedCheck>),
    /// Checks of a processed period that were archived, for its register, journal and export. `None` for
    /// partners, and in a copy of the database without the archive.
    Archived(Option<Rows<ProcessedCheck>>),
}

/// The key of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckKey {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// The id of the check.
    pub paycheck_id: PaycheckId,
}

/// One check, from one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedCheck {
    /// The version, which grows with every change that the check shows, including its period's status.
    pub version: i64,
    /// The check in the form for its period's state.
    pub check: AnyCheck,
}

/// One check in the form for its period's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyCheck {
    /// A check of an unprocessed period.
    Unprocessed(StoredCheck),
    /// A check of a processed period.
    Processed(ProcessedCheck),
}

/// The actor that adds checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckAuthor {
    /// An application, which owns the checks.
    Application(ApplicationId),
    /// An operator. The checks belong to no application.
    Operator(Actor),
}

impl CheckAuthor {
    /// The application in the form that checks store. Empty for an operator.
    #[must_use]
    pub fn application_id(&self) -> &str {
        match self {
            Self::Application(application_id) => application_id.as_str(),
            Self::Operator(_) => "",
        }
    }

    /// The audit context of a change at that instant.
    #[must_use]
    pub fn audit_context(&self, now: Timestamp) -> AuditContext {
        match self {
            Self::Application(application_id) => AuditContext::application(application_id, now, None),
            Self::Operator(actor) => AuditContext::new(actor.clone(), now, None),
        }
    }
}

/// Checks to be stored, all or none.
#[derive(Debug, Clone)]
pub struct NewChecks {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The actor that adds the checks.
    pub added_by: CheckAuthor,
    /// The pay period of all checks.
    pub pay_period_id: PayPeriodId,
    /// The checks with all their ids. There is at least one.
    pub checks: Vec<StoredCheck>,
    /// The present instant. Locks that expired before are ignored.
    pub now: Timestamp,
    /// Whether correlation ids must be unique in the period, among the checks of the application or of all
    /// operators.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
}

/// Checks to be removed from an open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksToRemove {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The pay period of the checks.
    pub pay_period_id: PayPeriodId,
    /// The selection of checks.
    pub selection: CheckSelection,
    /// The application that removes the checks.
    pub application_id: ApplicationId,
    /// The present instant. Locks that expired before are ignored.
    pub now: Timestamp,
}

/// The selection of checks to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSelection {
    /// One check, no matter who added it.
    One(PaycheckId),
    /// All checks that the application has added, possibly none.
    OfTheApplication,
}

/// The result of a removal that was validated with facts read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum RemovalOutcome {
    /// The number of removed checks. The removal is durable.
    Done(u64),
    /// The data of the validation has changed, or the check no longer exists. Nothing is removed. Read the
    /// facts and validate again.
    FactsChanged,
}

/// A change of the lines of a check in an open period.
#[derive(Debug, Clone)]
pub struct CheckChange {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The application that makes the change.
    pub application_id: ApplicationId,
    /// The check for which the change was validated.
    pub before: StoredCheck,
    /// The same check with other lines.
    pub after: StoredCheck,
    /// The present instant. Locks that expired before are ignored.
    pub now: Timestamp,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
}

/// The result of changing a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum CheckChangeOutcome {
    /// The change is durable. Contains the new version of the check ([`VersionedCheck::version`]).
    Stored(i64),
    /// The data of the validation has changed, and nothing is stored. Validate again.
    FactsChanged,
    /// The idempotency record no longer belongs to the request, and nothing is stored.
    RecordLost,
}

/// The result of an addition that was validated with facts read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AdditionOutcome {
    /// The checks are stored durably.
    Stored,
    /// The data of the validation has changed, and nothing is stored. Read the facts and validate again.
    FactsChanged,
    /// The idempotency record no longer belongs to the request, and nothing is stored.
    RecordLost,
}

/// Reads, adds and removes checks.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, and otherwise [`StoreError::Bug`].
#[async_trait]
pub trait CheckStore: Send + Sync {
    /// The checks of a pay period, with the caller's access from the same snapshot. The data is `None` if the
    /// company has no such period. An archived period has no checks here, and a total of 0.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn checks(
        &self,
        caller: &Caller,
        query: &ChecksQuery,
    ) -> Result<Guarded<Option<PeriodChecks>>, StoreError>;

    /// One check of a worker, with the caller's access from the same snapshot. The data is `None` if the
    /// worker of that company has no such check, or if it was archived.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn check(
        &self,
        caller: &Caller,
        key: &CheckKey,
    ) -> Result<Guarded<Option<VersionedCheck>>, StoreError>;

    /// The data for validating new checks, with the caller's access from the same snapshot. A lock that
    /// expired by `now` is omitted.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn check_facts(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<Guarded<Facts>, StoreError>;

    /// The data for validating new checks of an operator. Used correlation ids are those of all operators in
    /// the period, because theirs must be unique per period. A company that does not exist has no data.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn check_facts_of_operator(
        &self,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<Facts, StoreError>;

    /// Stores checks durably in one transaction, together with the stored response and one audit row with
    /// their ids.
    ///
    /// Despite concurrent writes, these conditions are true at the commit: the period is open, the company
    /// exists, is not locked and has not ended, and every worker belongs to the company. Correlation ids are
    /// unique where required, and no id is in use in the company. Otherwise nothing is stored and the result is
    /// [`AdditionOutcome::FactsChanged`]. A period in `INITIAL` changes to `ENTRY`.
    ///
    /// The transaction ends with the call, even if its future is dropped.
    ///
    /// # Errors
    /// The errors of the trait, and [`StoreError::CompanyBusy`] if another writer of the company takes too
    /// long.
    async fn add_checks(&self, new: &NewChecks) -> Result<AdditionOutcome, StoreError>;

    /// The companies with a pay period of that id on which the caller may write payroll (by token and grant),
    /// in the order of their ids. The access is that of the caller without a company.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn companies_of_pay_period(
        &self,
        caller: &Caller,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Vec<CompanyId>>, StoreError>;

    /// The company and the worker of a check. `None` if there is no check with that id.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn owner_of_check(
        &self,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<(CompanyId, WorkerId)>, StoreError>;

    /// Changes the lines of a check durably in one transaction, together with the stored response and an
    /// audit row with the lines. The totals of the period change as well. A change to the same lines only
    /// stores the response, and the version of the period stays.
    ///
    /// Despite concurrent writes, these conditions are true at the commit: the period is open, the company
    /// exists, is not locked and has not ended, and the check is unchanged. Otherwise nothing is changed and
    /// the result is [`CheckChangeOutcome::FactsChanged`].
    ///
    /// # Errors
    /// The errors of the trait, and [`StoreError::CompanyBusy`] if another writer of the company takes too
    /// long.
    async fn change_check(&self, change: &CheckChange) -> Result<CheckChangeOutcome, StoreError>;

    /// Removes checks with all their data durably in one transaction, together with audit rows with their
    /// ids.
    ///
    /// Despite concurrent writes, these conditions are true at the commit: the period is open, the company
    /// exists, is not locked and has not ended, and a check selected by its id is in the period. Otherwise
    /// nothing is removed and the result is [`RemovalOutcome::FactsChanged`]. The remaining checks keep their
    /// order, and the period its state. Its version changes if a check was removed.
    ///
    /// The transaction ends with the call, even if its future is dropped.
    ///
    /// # Errors
    /// The errors of the trait, and [`StoreError::CompanyBusy`] if another writer of the company takes too
    /// long.
    async fn remove_checks(&self, removed: &ChecksToRemove) -> Result<RemovalOutcome, StoreError>;
}
