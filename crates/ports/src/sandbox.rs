//! Operations that only a sandbox supports: setting its clock, and resetting its data. Other servers do not
//! implement the trait [`Sandbox`].

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::event::FiredEvent;
use payroll_domain::id::CompanyId;

use crate::StoreError;
use crate::write::AuditContext;

/// The result of advancing the clock of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockAdvance {
    /// The clock has reached the requested instant. All work that was due before this instant is complete.
    Reached,
    /// The clock has only reached the contained instant, because the due work takes longer than one request.
    /// Call the method again to continue.
    UnderWay(Timestamp),
}

/// Controls a sandbox: its clock and its data.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Returns the name of the database, which a request for a reset must contain.
    fn database_name(&self) -> &str;

    /// Returns the number of seconds by which the clock of the sandbox is ahead of the machine's clock.
    fn seconds_ahead(&self) -> i64;

    /// Advances the clock to a future instant. All work that is due before this instant is executed in order,
    /// each task at its own instant, as if the time had passed.
    ///
    /// # Errors
    /// Returns the errors of the store.
    async fn advance_to(&self, instant: Timestamp) -> Result<ClockAdvance, StoreError>;

    /// Immediately sets the clock back to the machine's time.
    fn release_clock(&self);

    /// Deletes all companies and their history. Then stores the original companies and grants of the sandbox
    /// again. Applications, secrets, hooks and operator keys remain.
    ///
    /// # Errors
    /// Returns the errors of the store.
    async fn reset_database(&self) -> Result<(), StoreError>;
}

/// The methods of a store that only a sandbox uses. Every store implements them.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`], [`StoreError::CompanyBusy`]
/// or [`StoreError::Bug`].
#[async_trait]
pub trait SandboxStore: Send + Sync {
    /// Stores an event without a change of data, and returns the id of the event. Its deliveries are queued
    /// as for every event. Returns `None` if the company, the worker or the pay period does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn trigger_events(
        &self,
        company_id: &CompanyId,
        event: &FiredEvent,
        audit: &AuditContext,
    ) -> Result<Option<String>, StoreError>;

    /// Returns whether the database is marked as a sandbox. Only a database with this mark can be cleared.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn is_sandbox(&self) -> Result<bool, StoreError>;

    /// Marks the database permanently as a sandbox. The database must be newly created, or an anonymised copy
    /// of another database.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn mark_as_sandbox(&self) -> Result<(), StoreError>;

    /// Deletes all companies, everything that refers to them, and the history. Applications with their
    /// secrets and hooks remain, and so do operator keys. The numbers of failures of hooks are reset.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn clear_database(&self) -> Result<(), StoreError>;
}
