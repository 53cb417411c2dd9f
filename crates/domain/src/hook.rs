//! Hooks: where an application is notified of changes, and how the server shows there who it is
//! (specification §9.1).
//!
//! Which addresses are rejected is in [`address`]; what becomes of a notification that
//! was sent is in [`delivery`](crate::delivery).

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

/// Seconds for which the signing secret before a rotation still signs, in addition to the new one.
pub const OLD_SECRET_SECONDS: i64 = 86_400;

/// The name of a hook: applications choose their hooks' ids themselves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookKey {
    /// Whose it is.
    pub application_id: ApplicationId,
    /// Its id, unique in the application.
    pub hook_id: HookId,
}

/// A hook, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Its name.
    pub key: HookKey,
    /// The only company whose events are sent; `None`: all that the application reaches.
    pub company_id: Option<CompanyId>,
    /// Where notifications go.
    pub address: Address,
    /// The domains that it is notified of; each once, in the order of [`EventDomain::ALL`].
    pub domains: Vec<EventDomain>,
    /// How the server shows there who it is.
    pub auth_type: AuthType,
    /// Notifications are sent. A hook that is not active goes on collecting them.
    pub active: bool,
    /// When it was registered.
    pub created: Timestamp,
    /// Grows with every change of what is set on it.
    pub version: i64,
}

/// What is to be different about a hook; pending deliveries stay and go to the new address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookChange {
    /// Another address.
    pub address: Option<Address>,
    /// Other domains, in place of all before.
    pub domains: Option<Vec<EventDomain>>,
    /// Another complete authentication.
    pub authentication: Option<Authentication>,
}

/// How much the secret of a signature holds, in bytes.
pub const SIGNING_SECRET_LENGTH: usize = 32;

/// What signs the notifications of a hook. `Debug` shows nothing of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SigningSecret(pub [u8; SIGNING_SECRET_LENGTH]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}
