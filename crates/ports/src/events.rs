//! The feed of events, without gaps and in order.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::event::{Event, EventDomain};
use payroll_domain::id::CompanyId;

use crate::StoreError;

/// The filter for events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedQuery {
    /// Only events after this position. `None` starts with the oldest stored event.
    pub after: Option<i64>,
    /// Only events about this company.
    pub company_id: Option<CompanyId>,
    /// Only events about these companies. `None` means all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// Only events of this domain.
    pub domain: Option<EventDomain>,
    /// The maximum number of events.
    pub limit: NonZeroU32,
}

/// Events, in the order of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feed {
    /// The events that follow a position.
    Events {
        /// The events of the page.
        events: Vec<Event>,
        /// The cursor of the next page: the position of the last event that was read, returned or not. If it
        /// differs from the given one, there may be more events. `None` if there is no event yet.
        next: Option<i64>,
    },
    /// The position is older than the stored events, or invalid.
    TooOld,
}

/// Reads events, which changes write in their own transaction.
///
/// An event only becomes visible when no earlier event can be committed anymore. A reader who continues after
/// [`Feed::Events::next`] therefore gets every event once.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait EventStore: Send + Sync {
    /// The events of all companies.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn events(&self, query: &FeedQuery) -> Result<Feed, StoreError>;

    /// The events that the application may see now: those of its grants, and those of its own access.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn events_for(&self, caller: &Caller, query: &FeedQuery) -> Result<Guarded<Feed>, StoreError>;

    /// Deletes events from before that instant from the start of the feed, at most `limit`. Returns their
    /// number. The last event is always kept, so that a reader with its position has missed nothing.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_events_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
