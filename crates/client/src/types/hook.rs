//! Hooks, their credentials, and events.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{AuthType, EventAction, EventDomain, Link};
use crate::exact;
use crate::hidden::Secret;

/// A hook: an address that is notified of changes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Hook {
    /// The id of the hook.
    pub hook_id: String,
    /// The address of the receiver.
    pub uri: String,
    /// The event domains: the kinds of changes that the hook reports.
    pub domains: Vec<EventDomain>,
    /// The method by which the server authenticates at the receiver.
    pub auth_type: AuthType,
    /// Whether the hook is enabled.
    pub active: bool,
    /// Whether notifications arrive one at a time, in order.
    #[serde(default)]
    pub ordered: bool,
    /// The number of attempts after which a notification is discarded.
    pub max_attempts: Option<u32>,
    /// The number of attempts that each server starts within a second.
    pub max_per_second: Option<u32>,
    /// The company of the hook. A hook without a company covers all companies.
    pub company_id: Option<String>,
    /// The secret that signs the notifications. Only the response to the request that creates the secret
    /// contains it.
    pub signing_secret: Option<Secret>,
    /// The time at which the hook was registered.
    #[serde(deserialize_with = "exact::instant")]
    pub created_date: OffsetDateTime,
}

/// A hook to register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookInput {
    /// The address of the receiver, which begins with `https://`.
    pub uri: String,
    /// The event domains: the kinds of changes that the hook reports.
    pub domains: Vec<EventDomain>,
    /// The credentials of the server at the receiver.
    pub authentication: HookAuthentication,
    /// The only company of the hook. A hook without a company covers all companies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_id: Option<String>,
    /// An id of your own, unique among your hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_id: Option<String>,
    /// Whether notifications are sent one at a time, in order.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
    /// The number of failed attempts after which a notification is discarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// The maximum number of attempts that each server starts within a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_second: Option<u32>,
}

/// The credentials with which the server authenticates at the receiver of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "authType", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum HookAuthentication {
    /// A key in the header `x-api-key`.
    #[serde(rename = "APIKEY")]
    ApiKey {
        /// The key by which the receiver recognizes the server.
        api_key: Secret,
    },
    /// A user name and a password.
    #[serde(rename = "BASIC_AUTH")]
    Basic {
        /// The user name at the receiver.
        username: String,
        /// The password at the receiver.
        password: Secret,
    },
    /// An OAuth token, which the server requests from the receiver's token endpoint.
    #[serde(rename = "OAUTH2_BASIC")]
    OAuth2Basic {
        /// The address of the token endpoint.
        token_url: String,
        /// The client id at the token endpoint.
        client_id: String,
        /// The client secret at the token endpoint.
        client_secret: Secret,
    },
}

/// An event: a report that something has changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Event {
    /// The id of the event. Its notification has the same id.
    pub event_id: String,
    /// The company whose data changed.
    pub company_id: String,
    /// The event domain: the kind of data that changed.
    pub domain: EventDomain,
    /// The kind of the change: an addition, a change or a deletion.
    pub action: EventAction,
    /// The time at which the change was stored.
    #[serde(deserialize_with = "exact::instant")]
    pub as_of_date: OffsetDateTime,
    /// The changed worker, only in event domains that concern workers.
    pub worker_id: Option<String>,
    /// The completed pay period, only in the event domain [`EventDomain::PayRun`].
    pub payperiod_id: Option<String>,
}

/// A page of the event feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventPage {
    /// The events in their order. The list is empty if there are no new events.
    pub events: Vec<Event>,
    /// The position after the last of these events. Store the cursor, and request the next page with the
    /// stored cursor.
    pub cursor: Option<String>,
}

impl EventPage {
    pub(crate) fn new(events: Vec<Event>, links: &[Link]) -> Self {
        let next = links.iter().find(|it| it.rel == "next").and_then(|it| url::Url::parse(&it.href).ok());
        let cursor = next.and_then(|url| {
            url.query_pairs().find(|(name, _)| name == "after").map(|(_, cursor)| cursor.into_owned())
        });
        Self { events, cursor }
    }
}
