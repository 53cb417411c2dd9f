//! Hooks: the addresses to which an application's notifications are sent, and the authentication of the
//! server at the receiver (specification §9.1).
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

/// The number of seconds after a rotation during which notifications are signed with the old and the new
/// secret.
pub const OLD_SECRET_LIFETIME_SECONDS: i64 = 86_400;

/// Identifies a hook by its application and its id. Applications choose the ids of their hooks themselves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookKey {
    /// The application that owns the hook.
    pub application_id: ApplicationId,
    /// The id of the hook, unique among the hooks of the application.
    pub hook_id: HookId,
}

/// A hook without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The ids of the hook and its application.
    pub key: HookKey,
    /// The only company whose events are sent. `None` means every company of the application.
    pub company_id: Option<CompanyId>,
    /// The address that receives the notifications.
    pub address: Address,
    /// The event domains of the hook, each once, in the order of [`EventDomain::ALL`].
    pub domains: Vec<EventDomain>,
    /// The method by which the server authenticates to the receiver.
    pub auth_type: AuthType,
    /// Whether notifications are sent. For an inactive hook, notifications are queued but not sent.
    pub active: bool,
    /// The options that determine how notifications are sent.
    pub delivery: DeliveryOptions,
    /// The instant at which the hook was registered.
    pub created: Timestamp,
    /// The version of the hook's settings. Every change increases the version.
    pub version: i64,
}

/// The options that determine how notifications are sent. By default, notifications are sent in no particular
/// order, and only the server's own limits apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryOptions {
    /// Whether notifications are sent one at a time, in the order in which they were queued. A failing
    /// notification then blocks all later notifications until it is delivered or given up.
    pub ordered: bool,
    /// The number of attempts after which a notification is given up, from 1 to [`MAX_ATTEMPTS`].
    pub max_attempts: Option<u32>,
    /// The number of attempts that a server starts within a second, from 1 to [`MAX_DELIVERIES_PER_SECOND`].
    pub max_per_second: Option<u32>,
}

/// The maximum of [`DeliveryOptions::max_attempts`]. With a retry every 5 minutes, 1,000 attempts take more
/// than 3 days, after which a failing hook is disabled by default.
pub const MAX_ATTEMPTS: u32 = 1_000;
/// The maximum of [`DeliveryOptions::max_per_second`]. A receiver that accepts more notifications per second
/// needs no limit.
pub const MAX_DELIVERIES_PER_SECOND: u32 = 1_000;

/// A new value of one of the [`DeliveryOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOption {
    /// The new value of [`DeliveryOptions::ordered`].
    Ordered(bool),
    /// The new value of [`DeliveryOptions::max_attempts`].
    MaxAttempts(Option<u32>),
    /// The new value of [`DeliveryOptions::max_per_second`].
    MaxPerSecond(Option<u32>),
}

impl DeliveryOptions {
    /// Returns the options with the given change applied.
    ///
    /// ```
    /// use payroll_domain::hook::{DeliveryOption, DeliveryOptions};
    /// let limited = DeliveryOptions { max_attempts: Some(3), ..DeliveryOptions::default() };
    /// let ordered = limited.with_option(DeliveryOption::Ordered(true));
    /// assert_eq!(ordered, DeliveryOptions { ordered: true, ..limited });
    /// assert_eq!(limited.with_option(DeliveryOption::MaxAttempts(None)), DeliveryOptions::default());
    /// ```
    #[must_use]
    pub const fn with_option(self, option: DeliveryOption) -> Self {
        match option {
            DeliveryOption::Ordered(ordered) => Self { ordered, ..self },
            DeliveryOption::MaxAttempts(max_attempts) => Self { max_attempts, ..self },
            DeliveryOption::MaxPerSecond(max_per_second) => Self { max_per_second, ..self },
        }
    }
}

/// A change of a hook. Pending deliveries remain queued and are sent to the new address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookChange {
    /// The new address. `None` keeps the current address.
    pub address: Option<Address>,
    /// The new event domains, which replace all previous ones.
    pub domains: Option<Vec<EventDomain>>,
    /// The new authentication, which replaces the previous one completely.
    pub authentication: Option<Authentication>,
    /// The changed delivery options of the hook.
    pub delivery: Vec<DeliveryOption>,
}

/// The length of a signing secret in bytes.
pub const SIGNING_SECRET_LENGTH: usize = 32;

/// The secret that signs the notifications of a hook. `Debug` hides the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SigningSecret(pub [u8; SIGNING_SECRET_LENGTH]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}
