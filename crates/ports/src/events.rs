//! The feed of events, without gaps and in order.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::event::{Event, EventDomain};
use payroll_domain::id::CompanyId;

use crate::StoreError;

/// Which events are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedQuery {
    /// Those after this position; `None`: from the oldest that is kept.
    pub after: Option<i64>,
    /// Only those about this company.
    pub company_id: Option<CompanyId>,
    /// Only those of these companies; `None`: of all.
    pub within: Option<Vec<CompanyId>>,
    /// Only those of this domain.
    pub domain: Option<EventDomain>,
    /// The most to give.
    pub limit: NonZeroU32,
}

/// Events, in the order of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feed {
    /// The events that follow a position.
    Events {
        /// The events of the page.
        events: Vec<Event>,
        /// The position after which to go on: that of the last event that was read, given or not. As
        /// long as it is another one than was given, there may be more. `None` when there is no event yet.
        next: Option<i64>,
    },
    /// The position is older than what is kept, or is none.
    TooOld,
}

/// Reading events. They are written by the changes that they report.
///
/// An event is shown only when nothing that would come before it can still be committed: a reader who goes on
/// after [`Feed::Events::next`] sees every event once.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait EventStore: Send + Sync {
    /// The events of all companies.
    ///
    /// # Errors
    /// Those of the trait.
    async fn events(&self, query: &FeedQuery) -> Result<Feed, StoreError>;

    /// The events that the application may see now: by its grants, and of its own access.
    ///
    /// # Errors
    /// Those of the trait.
    async fn events_for(&self, caller: &Caller, query: &FeedQuery) -> Result<Guarded<Feed>, StoreError>;

    /// Removes events from before that instant from the beginning of the feed, at most `limit`;
    /// returns how many. The last event stays, however old: a reader who has it has missed nothing.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_events(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
