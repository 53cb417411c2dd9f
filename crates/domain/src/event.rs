//! Events: the domain and action that each change of an object fires (specification §9.3).
//!
//! [`find_events_of_change`] is a pure function of the object before and after the change. The descriptions
//! of workers and companies declare the domain of each member, and `event/changes.rs` determines the events
//! for changes of lists. [`EventDomain::needed_scopes`] determines which applications are notified. The
//! server checks these scopes twice: when it stores an event and when an application reads it.

mod changes;

use std::collections::HashMap;

pub use changes::find_events_of_change;

use crate::access::{Scope, Scopes};
use crate::date::Timestamp;
use crate::id::{ApplicationId, CompanyId, PayPeriodId, WorkerId};
use crate::named::named_enum;

named_enum! {
    /// The domain of an event: the kind of data that changed.
    EventDomain {
        /// A worker was added.
        WorkerAdded = "WRKR_ADD",
        /// The personal data of a worker changed.
        WorkerDemographics = "WRKR_DEM",
        /// The employment of a worker changed.
        WorkerEmployment = "WRKR_EMPL",
        /// The tax settings of a worker changed.
        WorkerTaxes = "WRKR_TAX",
        /// The organization, job or location of a worker changed.
        WorkerAssignment = "WRKR_ASGN",
        /// The pay rates or other compensation of a worker changed.
        WorkerCompensation = "WRKR_CMP",
        /// The company's own data changed.
        CompanyDemographics = "CLT_DEM",
        /// The organizations of a company changed.
        CompanyOrganizations = "CLT_ORG",
        /// The products of a company changed.
        CompanyProducts = "CLT_PROD",
        /// The access of an application to a company changed.
        CompanyAccess = "CLT_ACCESS",
        /// A pay period was completed.
        PayrunCompleted = "CLT_PYRN",
    }
}

named_enum! {
    /// The action of an event.
    EventAction {
        /// Something was added and nothing was removed.
        Add = "ADD",
        /// Something was changed, or objects were both added and removed.
        Update = "UPDATE",
        /// Something was removed and nothing was added.
        Delete = "DELETE",
        /// A pay period was completed.
        PayrunCompleted = "PAYRUN_COMPLETED",
    }
}

/// An event that a change fires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiredEvent {
    /// The kind of data that changed.
    pub domain: EventDomain,
    /// Whether the data was added, changed or removed, or a pay period was completed.
    pub action: EventAction,
    /// The worker whose data changed. `None` unless the event's domain concerns workers.
    pub worker_id: Option<WorkerId>,
    /// The pay period that was completed. `None` for all other events.
    pub pay_period_id: Option<PayPeriodId>,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The position of the event in the feed. Later events have higher positions.
    pub position: i64,
    /// A UUID, which is also the id of the notification.
    pub event_id: String,
    /// The company whose data or access changed.
    pub company_id: CompanyId,
    /// The only application that is notified. `None` means every application that has the permission.
    pub application_id: Option<ApplicationId>,
    /// The domain, the action and the subject of the event.
    pub fired: FiredEvent,
    /// The instant at which the event was stored.
    pub as_of: Timestamp,
}

impl EventDomain {
    /// Returns the scopes for the company that an application needs in order to be notified. Events about the
    /// application's own access need no scope.
    #[must_use]
    pub fn needed_scopes(self) -> Scopes {
        let needed: &[Scope] = match self {
            Self::WorkerCompensation => &[Scope::ReadWorkers, Scope::ReadPayroll],
            Self::WorkerAdded
            | Self::WorkerDemographics
            | Self::WorkerEmployment
            | Self::WorkerTaxes
            | Self::WorkerAssignment => &[Scope::ReadWorkers],
            Self::CompanyDemographics | Self::CompanyOrganizations | Self::CompanyProducts => {
                &[Scope::ReadCompanies]
            }
            Self::CompanyAccess => &[],
            Self::PayrunCompleted => &[Scope::ReadPayroll],
        };
        needed.iter().copied().collect()
    }

    /// Returns whether events of this domain concern one worker and therefore contain a worker id.
    #[must_use]
    pub const fn is_about_worker(self) -> bool {
        match self {
            Self::WorkerAdded
            | Self::WorkerDemographics
            | Self::WorkerEmployment
            | Self::WorkerTaxes
            | Self::WorkerAssignment
            | Self::WorkerCompensation => true,
            Self::CompanyDemographics
            | Self::CompanyOrganizations
            | Self::CompanyProducts
            | Self::CompanyAccess
            | Self::PayrunCompleted => false,
        }
    }

    /// Returns the notification type, which determines how older clients process a notification.
    #[must_use]
    pub const fn notification_type(self) -> &'static str {
        match self {
            Self::WorkerAdded
            | Self::WorkerDemographics
            | Self::WorkerEmployment
            | Self::WorkerTaxes
            | Self::WorkerAssignment
            | Self::WorkerCompensation => "WORKER_MESSAGE",
            Self::CompanyDemographics => "CLT_DEMOGRAPHIC_MESSAGE",
            Self::CompanyOrganizations => "CLT_ORG_MESSAGE",
            Self::CompanyProducts => "CLT_PROD_MESSAGE",
            Self::CompanyAccess => "CLT_ACCESS_MESSAGE",
            Self::PayrunCompleted => "PAYRUN_MESSAGE",
        }
    }
}

impl EventAction {
    /// Combines two actions on the same object. Equal actions remain the same, and different actions become
    /// [`EventAction::Update`].
    #[must_use]
    pub fn combine_with(self, other: Self) -> Self {
        if self == other { self } else { Self::Update }
    }
}

/// Merges the events of one transaction. The result has at most one event for each domain, worker and period,
/// in the original order. Different actions become an update.
///
/// ```
/// use payroll_domain::event::{EventAction, EventDomain, FiredEvent, merge_events};
/// let of_units = |action| FiredEvent {
///     domain: EventDomain::CompanyOrganizations,
///     action,
///     worker_id: None,
///     pay_period_id: None,
/// };
/// let changes = merge_events([of_units(EventAction::Add), of_units(EventAction::Delete)]);
/// assert_eq!(changes, [of_units(EventAction::Update)]);
/// ```
#[must_use]
pub fn merge_events(events: impl IntoIterator<Item = FiredEvent>) -> Vec<FiredEvent> {
    let mut indexes = HashMap::new();
    let mut merged: Vec<FiredEvent> = Vec::new();
    for fired in events {
        let about = (fired.domain, fired.worker_id.clone(), fired.pay_period_id.clone());
        let index = *indexes.entry(about).or_insert(merged.len());
        match merged.get_mut(index) {
            Some(earlier) => earlier.action = earlier.action.combine_with(fired.action),
            None => merged.push(fired),
        }
    }
    merged
}

/// Returns the action of the event for a change of an application's scopes for a company. `None` if the
/// scopes are equal.
///
/// ```
/// use payroll_domain::access::{Scope, Scopes};
/// use payroll_domain::event::{EventAction, find_grant_event_action};
/// let (none, all) = (Scopes::NONE, Scopes::all());
/// let one: Scopes = [Scope::ReadPayroll].into_iter().collect();
/// assert_eq!(find_grant_event_action(none, one), Some(EventAction::Add));
/// assert_eq!(find_grant_event_action(one, all), Some(EventAction::Update));
/// assert_eq!(find_grant_event_action(all, one), Some(EventAction::Update));
/// assert_eq!(find_grant_event_action(all, none), Some(EventAction::Delete));
/// assert_eq!(find_grant_event_action(one, one), None);
/// ```
#[must_use]
pub fn find_grant_event_action(before: Scopes, after: Scopes) -> Option<EventAction> {
    match (before.is_empty(), after.is_empty()) {
        _ if before == after => None,
        (true, _) => Some(EventAction::Add),
        (false, true) => Some(EventAction::Delete),
        (false, false) => Some(EventAction::Update),
    }
}
