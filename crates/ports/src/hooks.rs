//! Hooks of applications, and the validation of the addresses of hooks.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded, Scopes};
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::address::AddressRule;
use payroll_domain::hook::{Address, Authentication, Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};

use crate::StoreError;
use crate::write::AuditContext;

/// The maximum number of pending deliveries that a hook may have when it becomes ordered. Without a limit,
/// one request could update a million rows.
pub const MAX_ORDERED_DELIVERIES: u32 = 10_000;

/// A hook to be stored, with its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHook {
    /// The hook without its secrets.
    pub hook: Hook,
    /// The credentials for the hook's receiver.
    pub authentication: Authentication,
    /// The secret that signs the hook's notifications.
    pub signing_secret: SigningSecret,
}

/// The reason why a hook was not stored or changed. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookRefusal {
    /// No application has the given id.
    UnknownApplication,
    /// The application has no hook with the given id.
    UnknownHook,
    /// The application already has a hook with the given id.
    Taken,
    /// The application already has the maximum number of hooks.
    TooMany,
    /// The application has no grant for the company, or no company has the given id.
    NoGrant,
    /// The hook has a different version than the caller expects.
    Stale,
    /// The hook has more pending deliveries than [`MAX_ORDERED_DELIVERIES`], so the hook cannot become
    /// ordered.
    Backlog,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// The stored data on which the registration of a hook depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistrationFacts {
    /// The scopes of the application for the given company. Empty if no company is given, or if the company
    /// does not exist.
    pub granted_scopes: Scopes,
    /// The number of hooks that the application already has.
    pub hooks: u32,
}

/// A hook with its health and queue, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookWithQueue {
    /// The hook as its application sees it.
    pub hook: Hook,
    /// The state of the hook's queue.
    pub queue: HookQueue,
}

/// The health of a hook and its queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookQueue {
    /// The number of pending deliveries.
    pub pending: u64,
    /// The instant at which the oldest pending delivery was queued. `None` if no delivery is pending.
    pub oldest_waiting: Option<Timestamp>,
    /// The instant of the first failure since the last success. `None` if the last attempt succeeded.
    pub failing_since: Option<Timestamp>,
    /// The number of failed attempts since the last success.
    pub failures: u64,
    /// The instant at which the hook was disabled, by the server or by a person. `None` if the hook is
    /// active.
    pub disabled: Option<Timestamp>,
    /// The number of deliveries that have expired since the hook was registered.
    pub expired: u64,
}

/// Stores hooks. The credentials and signing secrets of hooks are stored encrypted. Only the sender of
/// notifications gets these secrets
/// ([`DeliveryQueue::read_targets`](crate::deliveries::DeliveryQueue::read_targets)).
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`].
#[async_trait]
pub trait HookStore: Send + Sync {
    /// Returns the hooks of the caller's application, in the order of their registration.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn hooks_of_caller(&self, caller: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError>;

    /// Reads a hook of the caller's application.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn hook_of_caller(
        &self,
        caller: &Caller,
        hook_id: &HookId,
    ) -> Result<Guarded<Option<Hook>>, StoreError>;

    /// Returns the stored data on which a registration by the caller depends.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn hook_registration_data(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Guarded<RegistrationFacts>, StoreError>;

    /// Returns all hooks, or only the hooks of one application, in the order of their registration.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn hooks(&self, application_id: Option<&ApplicationId>) -> Result<Vec<HookWithQueue>, StoreError>;

    /// Reads one hook by its key.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn hook(&self, key: &HookKey) -> Result<Option<HookWithQueue>, StoreError>;

    /// Stores a hook if the application has fewer than `max_hooks` hooks. If the hook is for one company, the
    /// application must also have a grant for this company. The hook is stored with the version that it
    /// contains.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn add_hook(
        &self,
        new: &NewHook,
        max_hooks: u32,
        audit: &AuditContext,
    ) -> Result<Result<(), HookRefusal>, StoreError>;

    /// Changes a hook if the hook has the given version. If the version is `None`, any version is accepted.
    /// Pending deliveries remain queued. Returns the changed hook.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn change_hook(
        &self,
        key: &HookKey,
        change: &HookChange,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<Result<Hook, HookRefusal>, StoreError>;

    /// Removes a hook with its pending deliveries and its log, if the hook has the given version. If the
    /// version is `None`, any version is accepted.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn remove_hook(
        &self,
        key: &HookKey,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<Result<(), HookRefusal>, StoreError>;

    /// Enables or disables a hook. The deliveries of a disabled hook are queued but not sent. When a hook is
    /// enabled, its failures are reset and its pending deliveries become due. Returns `None` if the hook does
    /// not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn set_hook_active(
        &self,
        key: &HookKey,
        active: bool,
        audit: &AuditContext,
    ) -> Result<Option<Hook>, StoreError>;

    /// Replaces the signing secret of a hook. Until the given instant, notifications are also signed with the
    /// previous secret. If an earlier rotation has left an even older secret, this secret is discarded.
    /// Returns `None` if the hook does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn rotate_signing_secret(
        &self,
        key: &HookKey,
        secret: SigningSecret,
        old_expires_at: Timestamp,
        audit: &AuditContext,
    ) -> Result<Option<Hook>, StoreError>;
}

/// Validates the address of a receiver, and sends challenges to it.
#[async_trait]
pub trait AddressChecker: Send + Sync {
    /// Resolves the host and validates each of its IP addresses. This validation is repeated for each
    /// connection to the address.
    ///
    /// # Errors
    /// Returns [`AddressRule::Name`] or [`AddressRule::Public`] if the address breaks that rule.
    async fn check_address(&self, address: &Address) -> Result<(), AddressRule>;

    /// Sends a challenge to the receiver. The receiver must return the challenge in its response
    /// (specification §9.1).
    ///
    /// # Errors
    /// Returns the behaviour of the receiver if the response is not the challenge.
    async fn send_challenge(&self, address: &Address, challenge: &str) -> Result<(), ChallengeFailure>;
}

/// The behaviour of a receiver that did not return the challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeFailure {
    /// The receiver sent no complete response.
    NoAnswer(ErrorClass),
    /// The response has the given status instead of 200.
    Status(u16),
    /// The body of the response is not the challenge.
    OtherBody,
}
