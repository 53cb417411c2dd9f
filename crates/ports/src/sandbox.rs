//! Operations that only a sandbox supports: setting its clock, and resetting its data. Other servers have no
//! implementation.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::event::FiredEvent;
use payroll_domain::id::CompanyId;

use crate::StoreError;
use crate::write::AuditContext;

/// The progress of advancing the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockAdvance {
    /// The clock has reached the instant, and everything that was due before has happened.
    Reached,
    /// The work that is due at this instant takes longer than a request may. Call again to continue from
    /// there.
    UnderWay(Timestamp),
}

/// The controls of a sandbox.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// The name of the database. A reset must repeat it.
    fn database_name(&self) -> &str;

    /// The number of seconds by which the clock is ahead of the machine's.
    fn seconds_ahead(&self) -> i64;

    /// Advances the clock to a future instant. Everything that is due before happens on the way, each at its
    /// own instant and in order, as if the time had passed.
    ///
    /// # Errors
    /// The errors of the store.
    async fn advance_to(&self, instant: Timestamp) -> Result<ClockAdvance, StoreError>;

    /// Sets the clock back to the machine's time immediately.
    fn release_clock(&self);

    /// Deletes all companies and their history, and stores the original companies and grants of the sandbox
    /// again. Applications, secrets, hooks and operator keys are kept.
    ///
    /// # Errors
    /// The errors of the store.
    async fn reset(&self) -> Result<(), StoreError>;
}

/// The methods that a sandbox needs in addition to those of every store.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`], [`StoreError::CompanyBusy`]
/// or [`StoreError::Bug`].
#[async_trait]
pub trait SandboxStore: Send + Sync {
    /// Stores an event without a change, queues its deliveries like those of any event, and returns its id.
    /// `None` if there is no such company, or if it does not have the worker or the pay period.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn trigger(
        &self,
        company_id: &CompanyId,
        event: &FiredEvent,
        audit: &AuditContext,
    ) -> Result<Option<String>, StoreError>;

    /// Whether the database is marked as a sandbox. Only such a database is ever cleared.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn is_sandbox(&self) -> Result<bool, StoreError>;

    /// Marks the database permanently as a sandbox. It must be newly created, or an anonymised copy.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn mark_as_sandbox(&self) -> Result<(), StoreError>;

    /// Deletes all companies, everything that refers to them, and the history. Applications with their
    /// secrets and hooks are kept, and so are operator keys. The failures of hooks are reset.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn clear(&self) -> Result<(), StoreError>;
}
