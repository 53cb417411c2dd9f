//! The traits between the payroll domain and the outside world.
//!
//! # Writing an adapter
//!
//! The server needs three things from its environment: a [`Clock`], [`Randomness`] and a [`Store`]. A store
//! is any type that implements the supertraits of [`Store`], each of which has its own module in this crate.
//! The HTTP adapter uses the store only as `Arc<dyn Store>`. The section `# Errors` of each method lists the
//! errors that an implementation must return. Enable the feature `contract-tests` and call the functions of
//! `contract` from a test of your adapter. These tests are the same for every store. The guide
//! `docs/storage-adapter.md` starts with the skeleton of an adapter.
//!
//! # Adding a port
//!
//! Use a trait only for an external system. Add a module with the trait, its plain data types, and a test in
//! `contract`. Add the trait to [`Store`] if every store must have it. Everything that happens in one
//! transaction is one method of the trait. Methods return `None` for a missing object, and a [`StoreError`]
//! for a failed lookup. For a refusal that the caller can handle, use a separate type, such as
//! [`checks::AdditionOutcome`].

pub mod access_requests;
pub mod api_calls;
pub mod applications;
pub mod archive;
pub mod audit;
pub mod checks;
mod clock;
pub mod companies;
pub mod completion;
pub mod completion_requests;
#[cfg(feature = "contract-tests")]
pub mod contract;
pub mod deliveries;
pub mod disclosures;
mod error;
pub mod events;
pub mod export;
pub mod files;
pub mod filters;
pub mod hooks;
pub mod idempotency;
pub mod import;
pub mod keys;
mod listing;
pub mod metrics;
pub mod minutes;
pub mod operator_keys;
pub mod operator_sessions;
pub mod oversight;
pub mod periods;
pub mod requests;
pub mod resources;
pub mod reversals;
pub mod sandbox;
pub mod schema;
pub mod search;
pub mod secrets;
pub mod setup;
pub mod sign_in;
pub mod signing;
mod steady_clock;
pub mod workers;
pub mod write;

pub use clock::{Clock, Randomness, id_sequence, new_uuid};
pub use error::{BoxError, StoreError};
pub use listing::{Listing, Rows, VersionScope, VersionedWindow, Window};
pub use steady_clock::{CLOCK_TRUST_DELAY, ClockReading, ClockState};

/// All traits that a store implements, as one trait.
pub trait Store:
    access_requests::AccessRequestStore
    + applications::ApplicationStore
    + archive::ArchiveStore
    + audit::AuditStore
    + checks::CheckStore
    + companies::CompanyStore
    + completion_requests::CompletionRequestStore
    + deliveries::DeliveryLog
    + deliveries::DeliveryQueue
    + disclosures::DisclosureStore
    + events::EventStore
    + export::ExportStore
    + files::BlobStore
    + files::FileStore
    + hooks::HookStore
    + idempotency::IdempotencyStore
    + import::ImportStore
    + operator_keys::OperatorKeyStore
    + operator_sessions::OperatorSessionStore
    + periods::PeriodStore
    + requests::RequestStore
    + resources::ResourceStore
    + reversals::ReversalStore
    + sandbox::SandboxStore
    + schema::SchemaStore
    + search::SearchStore
    + setup::SetupStore
    + workers::WorkerStore
{
}

impl<T> Store for T where
    T: access_requests::AccessRequestStore
        + applications::ApplicationStore
        + archive::ArchiveStore
        + audit::AuditStore
        + checks::CheckStore
        + companies::CompanyStore
        + completion_requests::CompletionRequestStore
        + deliveries::DeliveryLog
        + deliveries::DeliveryQueue
        + disclosures::DisclosureStore
        + events::EventStore
        + export::ExportStore
        + files::BlobStore
        + files::FileStore
        + hooks::HookStore
        + idempotency::IdempotencyStore
        + import::ImportStore
        + operator_keys::OperatorKeyStore
        + operator_sessions::OperatorSessionStore
        + periods::PeriodStore
        + requests::RequestStore
        + resources::ResourceStore
        + reversals::ReversalStore
        + sandbox::SandboxStore
        + schema::SchemaStore
        + search::SearchStore
        + setup::SetupStore
        + workers::WorkerStore
{
}

/// Includes the guide for implementing a store. The first program of the guide is compiled and run as a
/// documentation test.
#[cfg(all(doctest, feature = "contract-tests"))]
#[doc = include_str!("../../../docs/storage-adapter.md")]
mod page {}
