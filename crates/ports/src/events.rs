//! The feed of events, which is in order and has no gaps.

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
    /// Returns only events after the given position. `None` starts with the oldest stored event.
    pub after: Option<i64>,
    /// Returns only events about the given company. `None` does not filter by company.
    pub company_id: Option<CompanyId>,
    /// Returns only events about the given companies. `None` returns the events of all companies.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// Returns only events of the given event domain. `None` does not filter by domain.
    pub domain: Option<EventDomain>,
    /// The maximum number of events to return.
    pub limit: NonZeroU32,
}

/// The result of reading the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedResult {
    /// The events after a position, in the order of the feed.
    Events {
        /// The events of the page.
        events: Vec<Event>,
        /// The cursor of the next page: the position of the last event that was read. The filter may have
        /// omitted this event. If the cursor differs from the given position, there may be more events.
        /// `None` if the feed has no event yet.
        next: Option<i64>,
    },
    /// The position is older than the stored events, or no event has this position.
    TooOld,
}

/// Reads the feed of events. Each change writes its events in the transaction of the change.
///
/// An event becomes visible only when no transaction can still commit an event that precedes it in the feed.
/// A reader who continues after [`FeedResult::Events::next`] therefore gets every event exactly once.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait EventStore: Send + Sync {
    /// Returns the events of all companies.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_events(&self, query: &FeedQuery) -> Result<FeedResult, StoreError>;

    /// Returns the events that the application may see now. These are the events that the grants of the
    /// application cover, and the events about the application's own access.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_caller_events(
        &self,
        caller: &Caller,
        query: &FeedQuery,
    ) -> Result<Guarded<FeedResult>, StoreError>;

    /// Deletes at most `limit` events that were stored before the instant `before`, oldest first, and returns
    /// their number. The last event is never deleted. A reader that has read the complete feed can therefore
    /// always continue from the position of the last event.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_events_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
