//! Hooks: the addresses that receive an application's notifications, and the authentication of the server
//! there (specification §9.1).
//!
//! The module [`address`] validates addresses. The module [`delivery`](crate::delivery) contains the states
//! of a notification.

pub mod address;
mod authentication;
pub mod public;
pub mod tunnels;

pub use address::Address;
pub use authentication::{AuthType, Authentication, OAuthClient};

use std::fmt;

use crate::date::Timestamp;
use crate::event::EventDomain;
use crate::id::{ApplicationId, CompanyId, HookId};

/// The seconds after a rotation during which the old signing secret signs as well as the new one.
pub const OLD_SECRET_SECONDS: i64 = 86_400;

/// The key of a hook. Applications choose the ids of their hooks themselves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookKey {
    /// The application that owns the hook.
    pub application_id: ApplicationId,
    /// The id, unique in the application.
    pub hook_id: HookId,
}

/// A hook without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The key of the hook.
    pub key: HookKey,
    /// The only company whose events are sent. `None` means every company of the application.
    pub company_id: Option<CompanyId>,
    /// The address that receives the notifications.
    pub address: Address,
    /// The domains of the hook, each once, in the order of [`EventDomain::ALL`].
    pub domains: Vec<EventDomain>,
    /// The method by which the server authenticates to the receiver.
    pub auth_type: AuthType,
    /// Whether notifications are sent. An inactive hook still queues them.
    pub active: bool,
    /// The instant of the registration.
    pub created: Timestamp,
    /// The version of the hook's settings. Every change increases it.
    pub version: i64,
}

/// A change of a hook. Pending deliveries are kept and sent to the new address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookChange {
    /// The new address, if it changes.
    pub address: Option<Address>,
    /// The new domains, which replace all previous ones.
    pub domains: Option<Vec<EventDomain>>,
    /// The new authentication, which replaces the previous one completely.
    pub authentication: Option<Authentication>,
}

/// The length of a signing secret in bytes.
pub const SIGNING_SECRET_LENGTH: usize = 32;

/// The secret that signs the notifications of a hook. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SigningSecret(pub [u8; SIGNING_SECRET_LENGTH]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}
