//! What a sandbox can do that no other server does: set its clock, and begin anew. A server that is
//! none has nothing that implements this.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::event::Fired;
use payroll_domain::id::CompanyId;

use crate::StoreError;
use crate::write::By;

/// How far an advance of the clock has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// The clock is there, and what was due on the way has happened.
    Arrived,
    /// What is due at this instant takes longer than a request may; asking again goes on from there.
    UnderWay(Timestamp),
}

/// The controls of a sandbox.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// The name of its database, which a reset has to name.
    fn database_name(&self) -> &str;

    /// How many seconds the clock is ahead of the machine's.
    fn seconds_ahead(&self) -> i64;

    /// Sets the clock forward to an instant that is still to come. Everything that is due before it happens
    /// on the way, each at its own moment and one after the other, as if the time had passed.
    ///
    /// # Errors
    /// What the store says.
    async fn advance_to(&self, instant: Timestamp) -> Result<Advance, StoreError>;

    /// Lets the clock go by the machine's again, at once.
    fn release_clock(&self);

    /// Removes all companies and all that has happened, and stores the companies and grants anew that the
    /// sandbox began with. Applications, secrets, hooks and operator keys stay as they are.
    ///
    /// # Errors
    /// What the store says.
    async fn reset(&self) -> Result<(), StoreError>;
}

/// What a sandbox needs of a store in addition to what every server does.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`], [`StoreError::CompanyBusy`] or
/// [`StoreError::Bug`].
#[async_trait]
pub trait SandboxStore: Send + Sync {
    /// Stores an event for which nothing has changed, and queues its deliveries as for any other; gives
    /// its id. `None` where there is no such company, or none that has the worker or the pay period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn trigger(
        &self,
        company_id: &CompanyId,
        fired: &Fired,
        by: &By,
    ) -> Result<Option<String>, StoreError>;

    /// Whether the database is marked as a sandbox. Only such a database is ever cleared.
    ///
    /// # Errors
    /// Those of the trait.
    async fn is_sandbox(&self) -> Result<bool, StoreError>;

    /// Marks the database as a sandbox, for good: one that was just created, or an anonymised copy.
    ///
    /// # Errors
    /// Those of the trait.
    async fn mark_as_sandbox(&self) -> Result<(), StoreError>;

    /// Removes all companies, what refers to them, and all that has happened. Applications with their
    /// secrets and hooks stay, and so do operator keys; hooks count as ones that have never failed.
    ///
    /// # Errors
    /// Those of the trait.
    async fn clear(&self) -> Result<(), StoreError>;
}
