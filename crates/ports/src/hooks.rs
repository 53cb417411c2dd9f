//! Hooks of applications, and how it is found out where they lead.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded, Scopes};
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::address::AddressRule;
use payroll_domain::hook::{Address, Authentication, Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};

use crate::StoreError;
use crate::write::By;

/// A hook to be stored, with its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHook {
    /// The hook to register.
    pub hook: Hook,
    /// What the server shows its receiver.
    pub authentication: Authentication,
    /// What signs its notifications.
    pub signing_secret: SigningSecret,
}

/// Why a hook was not stored or changed. Nothing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookRefusal {
    /// No application has that id.
    UnknownApplication,
    /// The application has no such hook.
    UnknownHook,
    /// The application has a hook of that id.
    Taken,
    /// The application has as many hooks as it may.
    TooMany,
    /// The application has no grant for the company, or no company has that id.
    NoGrant,
    /// The hook has changed since it was read.
    Stale,
    /// The request's idempotency mark is no longer its own.
    MarkLost,
}

/// What a registration is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// The scopes that the application has on the company that was named; none if there is no such
    /// company, or none was named.
    pub granted: Scopes,
    /// How many hooks the application has.
    pub hooks: u32,
}

/// A hook with what its operator wants to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReport {
    /// The hook as its application sees it.
    pub hook: Hook,
    /// How it is doing.
    pub queue: HookQueue,
}

/// How a hook is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookQueue {
    /// Deliveries that wait, tried or not.
    pub waiting: u64,
    /// When the oldest of them was queued.
    pub oldest_waiting: Option<Timestamp>,
    /// The first failure since the last success.
    pub failing_since: Option<Timestamp>,
    /// Attempts that have failed since the last success.
    pub failures: u64,
    /// When it was disabled, by the server or by a person.
    pub disabled: Option<Timestamp>,
    /// Deliveries that have expired since it was registered.
    pub expired: u64,
}

/// Hooks. Their credentials and signing secrets are sealed at rest, and come back only to the
/// sender ([`DeliveryQueue::targets`](crate::deliveries::DeliveryQueue::targets)).
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`].
#[async_trait]
pub trait HookStore: Send + Sync {
    /// The hooks of the caller's application, in the order of registration.
    ///
    /// # Errors
    /// Those of the trait.
    async fn hooks_of(&self, caller: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError>;

    /// A hook of the caller's application.
    ///
    /// # Errors
    /// Those of the trait.
    async fn hook_of(&self, caller: &Caller, hook_id: &HookId) -> Result<Guarded<Option<Hook>>, StoreError>;

    /// What a registration by the caller is decided on.
    ///
    /// # Errors
    /// Those of the trait.
    async fn registration(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Guarded<Registration>, StoreError>;

    /// All hooks, or those of one application, in the order of registration.
    ///
    /// # Errors
    /// Those of the trait.
    async fn hooks(&self, of: Option<&ApplicationId>) -> Result<Vec<HookReport>, StoreError>;

    /// Reads one hook by its key.
    ///
    /// # Errors
    /// Those of the trait.
    async fn hook(&self, key: &HookKey) -> Result<Option<HookReport>, StoreError>;

    /// Stores a hook, if the application has fewer than `most` and a grant for the company, if one
    /// is named. Its version is that of the hook that is given.
    ///
    /// # Errors
    /// Those of the trait.
    async fn add_hook(
        &self,
        new: &NewHook,
        most: u32,
        by: &By,
    ) -> Result<Result<(), HookRefusal>, StoreError>;

    /// Changes a hook, if it has that version (`None`: any version); pending deliveries stay. Returns it as it
    /// is then.
    ///
    /// # Errors
    /// Those of the trait.
    async fn change_hook(
        &self,
        key: &HookKey,
        change: &HookChange,
        version: Option<i64>,
        by: &By,
    ) -> Result<Result<Hook, HookRefusal>, StoreError>;

    /// Removes a hook with everything that waits, and its log; `false` when there is none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn remove_hook(&self, key: &HookKey, by: &By) -> Result<bool, StoreError>;

    /// Enables a hook, or lets it only collect. An enabled hook counts as one that has
    /// never failed, and pending deliveries are due at once. `None` when there is no such hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn set_hook_active(&self, key: &HookKey, active: bool, by: &By)
    -> Result<Option<Hook>, StoreError>;

    /// Gives a hook another signing secret; the one before signs too until that instant. One that
    /// was still valid from an earlier rotation is dropped. `None` when there is no such hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn rotate_signing_secret(
        &self,
        key: &HookKey,
        secret: SigningSecret,
        old_until: Timestamp,
        by: &By,
    ) -> Result<Option<Hook>, StoreError>;
}

/// Finding out where an address leads.
#[async_trait]
pub trait AddressCheck: Send + Sync {
    /// Resolves the host and checks every address of it, as each dial will do again.
    ///
    /// # Errors
    /// The broken rule: [`AddressRule::Name`] or [`AddressRule::Public`].
    async fn check(&self, address: &Address) -> Result<(), AddressRule>;

    /// Sends the receiver a challenge, which it must repeat (specification §9.1).
    ///
    /// # Errors
    /// What came in its place.
    async fn challenge(&self, address: &Address, challenge: &str) -> Result<(), ChallengeFailure>;
}

/// What a receiver did in place of repeating a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeFailure {
    /// It sent no complete response.
    NoAnswer(ErrorClass),
    /// Its response has this status and not 200.
    Status(u16),
    /// Its response has another body.
    OtherBody,
}
