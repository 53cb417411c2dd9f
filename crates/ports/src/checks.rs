//! Reads the pay checks of a period, adds, changes and removes checks, and reads the data for validating
//! them.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::audit::Actor;
use payroll_domain::check::{ProcessedCheck, RequiredLookups, StoredCheck, ValidationFacts};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::idempotency::ResponseRecord;
use crate::write::AuditContext;
use crate::{Rows, StoreError, Window};

/// The filter for checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksQuery {
    /// The company whose checks are read.
    pub company_id: CompanyId,
    /// The pay period whose checks are read.
    pub pay_period_id: PayPeriodId,
    /// Whether to return only checks that the calling application added.
    pub only_own: bool,
    /// Returns only checks of the given worker. `None` returns the checks of all workers.
    pub worker_id: Option<WorkerId>,
    /// The requested range of the list: an offset and a limit.
    pub window: Window,
}

/// The checks of a pay period, which are read from one snapshot.
#[derive(Debug)]
pub struct PeriodChecks {
    /// The total number of checks that match the filter, regardless of the window.
    pub total: u64,
    /// The version of the list. The version increases with every change that is visible in the rows, and with
    /// every change of the period's status.
    pub version: i64,
    /// The checks in the order of their creation. The type of the rows depends on the state of the period.
    pub rows: CheckRows,
}

/// The checks of a period. The type of the checks depends on the state of the period.
#[derive(Debug)]
pub enum CheckRows {
    /// Checks of an unprocessed period.
    Unprocessed(Rows<StoredCheck>),
    /// Checks of a processed period.
    Processed(Rows<ProcessedCheck>),
    /// The archived checks of a processed period, for the register, the journal and the export. `None` for
    /// partners. Also `None` if this database is a copy that does not contain the archive.
    Archived(Option<Rows<ProcessedCheck>>),
}

/// Identifies one check by its company, its worker and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckKey {
    /// The company to which the check belongs.
    pub company_id: CompanyId,
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// The id of the check.
    pub paycheck_id: PaycheckId,
}

/// One check with its version. The check and the version are read from one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedCheck {
    /// The version of the check. The version increases with every visible change of the check, and with every
    /// change of the period's status.
    pub version: i64,
    /// The check in the form that matches the state of its period.
    pub check: AnyCheck,
}

/// One check in the form that matches the state of its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyCheck {
    /// A check of an unprocessed period.
    Unprocessed(StoredCheck),
    /// A check of a processed period.
    Processed(ProcessedCheck),
}

/// The application or operator that adds checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckAuthor {
    /// An application, which owns the checks.
    Application(ApplicationId),
    /// An operator. The checks belong to no application.
    Operator(Actor),
}

impl CheckAuthor {
    /// Returns the application id that is stored with the checks. The id is empty for an operator.
    #[must_use]
    pub fn application_id(&self) -> &str {
        match self {
            Self::Application(application_id) => application_id.as_str(),
            Self::Operator(_) => "",
        }
    }

    /// Returns the audit context of a change at the instant `now`.
    #[must_use]
    pub fn audit_context(&self, now: Timestamp) -> AuditContext {
        match self {
            Self::Application(application_id) => AuditContext::for_application(application_id, now, None),
            Self::Operator(actor) => AuditContext::new(actor.clone(), now, None),
        }
    }
}

/// Checks to be stored: either all of the checks, or none.
#[derive(Debug, Clone)]
pub struct NewChecks {
    /// The company to which the checks are added.
    pub company_id: CompanyId,
    /// The actor that adds the checks.
    pub added_by: CheckAuthor,
    /// The pay period of all checks.
    pub pay_period_id: PayPeriodId,
    /// The checks, which already have all ids. There is at least one check.
    pub checks: Vec<StoredCheck>,
    /// The current instant. Locks that have expired by this instant are ignored.
    pub now: Timestamp,
    /// Whether correlation ids must be unique in the period. The ids of an application are compared with the
    /// ids that the same application has used. The ids of an operator are compared with the ids of all
    /// operators.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
}

/// Checks to be removed from an open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksToRemove {
    /// The company from which the checks are removed.
    pub company_id: CompanyId,
    /// The open pay period that contains the checks.
    pub pay_period_id: PayPeriodId,
    /// The checks to remove.
    pub selection: CheckSelection,
    /// The application that removes the checks.
    pub application_id: ApplicationId,
    /// The current instant. Locks that have expired by this instant are ignored.
    pub now: Timestamp,
}

/// The selection of checks to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSelection {
    /// One check, regardless of who added it.
    One(PaycheckId),
    /// All checks in the period that the application has added. There may be none.
    OfTheApplication,
}

/// The result of a removal. The removal was validated before, with data from an earlier transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum RemovalOutcome {
    /// The removal is durable. Contains the number of removed checks.
    Done(u64),
    /// Nothing was removed. The data with which the removal was validated has changed, or the check no longer
    /// exists. Read the data and validate again.
    FactsChanged,
}

/// A change of the lines of a check in an open period.
#[derive(Debug, Clone)]
pub struct CheckChange {
    /// The company to which the check belongs.
    pub company_id: CompanyId,
    /// The application that changes the check.
    pub application_id: ApplicationId,
    /// The stored check with which the change was validated.
    pub before: StoredCheck,
    /// The changed check, which differs from the stored check only in its lines.
    pub after: StoredCheck,
    /// The current instant. Locks that have expired by this instant are ignored.
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
    /// Nothing was stored, because the data with which the change was validated has changed. Read the data
    /// and validate again.
    FactsChanged,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    /// Nothing is stored.
    RecordLost,
}

/// The result of an addition. The checks were validated before, with data from an earlier transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AdditionOutcome {
    /// The checks are stored durably.
    Stored,
    /// Nothing was stored, because the data with which the checks were validated has changed. Read the data
    /// and validate again.
    FactsChanged,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    /// Nothing is stored.
    RecordLost,
}

/// Reads, adds and removes checks.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, or [`StoreError::Bug`].
#[async_trait]
pub trait CheckStore: Send + Sync {
    /// Returns the checks of a pay period, with the caller's access from the same snapshot. The data is
    /// `None` if the period does not exist in the company. For an archived period, no checks are returned and
    /// the total is 0.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_checks(
        &self,
        caller: &Caller,
        query: &ChecksQuery,
    ) -> Result<Guarded<Option<PeriodChecks>>, StoreError>;

    /// Returns one check of a worker, with the caller's access from the same snapshot. The data is `None` if
    /// the worker of the given company has no check with the given id, or if the check was archived.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_check(
        &self,
        caller: &Caller,
        key: &CheckKey,
    ) -> Result<Guarded<Option<VersionedCheck>>, StoreError>;

    /// Returns the data for validating new checks, with the caller's access from the same snapshot. A lock
    /// that has expired by `now` is omitted.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_check_validation_data(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<Guarded<ValidationFacts>, StoreError>;

    /// Returns the data for validating checks that an operator adds. The data contains the correlation ids
    /// that any operator has used in the period, because these ids must be unique in the period. The data
    /// is empty if the company does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_operator_check_validation_data(
        &self,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<ValidationFacts, StoreError>;

    /// Stores checks durably in one transaction, together with the stored response and one audit row with the
    /// ids of the checks.
    ///
    /// Despite concurrent writes, these conditions are true at the commit:
    /// * The period is open. The company exists, is not locked and has not ended.
    /// * Every worker belongs to the company.
    /// * Correlation ids are unique where required, and no stored check of the company has one of the ids.
    ///   The ids of archived checks are not compared, because the ids of new checks are generated.
    ///
    /// If a condition is false, nothing is stored and the result is [`AdditionOutcome::FactsChanged`].
    ///
    /// If the period has the status `INITIAL`, the status changes to `ENTRY`.
    ///
    /// The transaction ends with the call, even if the caller drops the future of the call.
    ///
    /// # Errors
    /// Returns the errors that the trait documents, and [`StoreError::CompanyBusy`] if another writer of the
    /// company takes too long.
    async fn add_checks(&self, new: &NewChecks) -> Result<AdditionOutcome, StoreError>;

    /// Returns the companies that have a pay period of the given id, ordered by company id. The result
    /// contains only companies for which the caller's token and grant allow writing payroll. The returned
    /// access is the caller's access for a request without a company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn companies_of_pay_period(
        &self,
        caller: &Caller,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Vec<CompanyId>>, StoreError>;

    /// Returns the company and the worker of a check. `None` if no check has the given id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn find_owner_of_check(
        &self,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<(CompanyId, WorkerId)>, StoreError>;

    /// Changes the lines of a check durably in one transaction, together with the stored response and an
    /// audit row with the lines. The totals of the period change as well. If the new lines equal the old
    /// lines, only the response is stored, and the version of the period does not change.
    ///
    /// Despite concurrent writes, these conditions are true at the commit: the period is open, the company
    /// exists, is not locked and has not ended, and the check is unchanged. If a condition is false, nothing
    /// is changed and the result is [`CheckChangeOutcome::FactsChanged`].
    ///
    /// # Errors
    /// Returns the errors that the trait documents, and [`StoreError::CompanyBusy`] if another writer of the
    /// company takes too long.
    async fn change_check(&self, change: &CheckChange) -> Result<CheckChangeOutcome, StoreError>;

    /// Removes checks with all their data durably in one transaction, together with audit rows with the ids
    /// of the checks.
    ///
    /// Despite concurrent writes, these conditions are true at the commit: the period is open, the company
    /// exists, is not locked and has not ended. If a check is selected by its id, the check is in the period.
    /// If a condition is false, nothing is removed and the result is [`RemovalOutcome::FactsChanged`]. The
    /// remaining checks keep their order, and the period keeps its state. The version of the period changes
    /// if a check was removed.
    ///
    /// The transaction ends with the call, even if the caller drops the future of the call.
    ///
    /// # Errors
    /// Returns the errors that the trait documents, and [`StoreError::CompanyBusy`] if another writer of the
    /// company takes too long.
    async fn remove_checks(&self, removed: &ChecksToRemove) -> Result<RemovalOutcome, StoreError>;
}
