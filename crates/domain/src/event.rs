//! Events: which change of which object fires an event of which domain (specification §9.3).
//!
//! [`fired`] is a pure function of what was and what is; its table of fields is in `event/changes.rs`.
//! Who is notified is decided where the event is stored or read, by [`EventDomain::needed_scopes`].

mod changes;

use std::collections::HashMap;

pub use changes::fired;

use crate::access::{Scope, Scopes};
use crate::date::Timestamp;
use crate::id::{ApplicationId, CompanyId, PayPeriodId, WorkerId};
use crate::named::named;

named! {
    /// What has changed.
    EventDomain {
        /// A worker is new.
        WorkerAdded = "WRKR_ADD",
        /// A worker's person.
        WorkerDemographics = "WRKR_DEM",
        /// How a worker is employed.
        WorkerEmployment = "WRKR_EMPL",
        /// A worker's tax settings.
        WorkerTaxes = "WRKR_TAX",
        /// Where a worker works.
        WorkerAssignment = "WRKR_ASGN",
        /// What a worker is paid by.
        WorkerCompensation = "WRKR_CMP",
        /// A company's own data.
        CompanyDemographics = "CLT_DEM",
        /// A company's units.
        CompanyOrganizations = "CLT_ORG",
        /// A company's products.
        CompanyProducts = "CLT_PROD",
        /// An application's access to a company.
        CompanyAccess = "CLT_ACCESS",
        /// A pay period is completed.
        PayrunCompleted = "CLT_PYRN",
    }
}

named! {
    /// What has happened to it.
    EventAction {
        /// Something came and nothing went.
        Add = "ADD",
        /// Something is different.
        Update = "UPDATE",
        /// Something went and nothing came.
        Delete = "DELETE",
        /// A pay period is completed.
        PayrunCompleted = "PAYRUN_COMPLETED",
    }
}

/// An event that a change fires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// What has changed.
    pub domain: EventDomain,
    /// What has happened to it.
    pub action: EventAction,
    /// Whose it is, in the domains of workers.
    pub worker_id: Option<WorkerId>,
    /// The period, when one is completed.
    pub pay_period_id: Option<PayPeriodId>,
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its place in the feed; later events have greater ones, in no other order than that of the
    /// feed itself.
    pub position: i64,
    /// A UUID; the notification's id too.
    pub event_id: String,
    /// The company that it is about.
    pub company_id: CompanyId,
    /// The only application that is notified; `None`: all that may know.
    pub application_id: Option<ApplicationId>,
    /// What has happened.
    pub fired: Fired,
    /// When it was stored.
    pub as_of: Timestamp,
}

impl EventDomain {
    /// The scopes that an application needs for the company to be notified; none for what concerns its
    /// own access.
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

    /// Whether its events are about a worker.
    #[must_use]
    pub const fn is_of_worker(self) -> bool {
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

    /// The notification's word for it, by which older clients sort what they receive.
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
    /// What two actions on the same are together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Update }
    }
}

/// The events of one transaction: of a domain, a worker and a period one, in the order in which they
/// came up. Actions that differ become an update.
///
/// ```
/// use payroll_domain::event::{EventAction, EventDomain, Fired, merged};
/// let of_units = |action| Fired {
///     domain: EventDomain::CompanyOrganizations,
///     action,
///     worker_id: None,
///     pay_period_id: None,
/// };
/// let changes = merged([of_units(EventAction::Add), of_units(EventAction::Delete)]);
/// assert_eq!(changes, [of_units(EventAction::Update)]);
/// ```
#[must_use]
pub fn merged(fired: impl IntoIterator<Item = Fired>) -> Vec<Fired> {
    let mut places = HashMap::new();
    let mut merged: Vec<Fired> = Vec::new();
    for fired in fired {
        let about = (fired.domain, fired.worker_id.clone(), fired.pay_period_id.clone());
        let place = *places.entry(about).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(earlier) => earlier.action = earlier.action.and(fired.action),
            None => merged.push(fired),
        }
    }
    merged
}

/// The event of a change of an application's scopes for a company.
///
/// ```
/// use payroll_domain::access::{Scope, Scopes};
/// use payroll_domain::event::{EventAction, fired_by_grant};
/// let (none, all) = (Scopes::NONE, Scopes::all());
/// let one: Scopes = [Scope::ReadPayroll].into_iter().collect();
/// assert_eq!(fired_by_grant(none, one), Some(EventAction::Add));
/// assert_eq!(fired_by_grant(one, all), Some(EventAction::Update));
/// assert_eq!(fired_by_grant(all, one), Some(EventAction::Update));
/// assert_eq!(fired_by_grant(all, none), Some(EventAction::Delete));
/// assert_eq!(fired_by_grant(one, one), None);
/// ```
#[must_use]
pub fn fired_by_grant(before: Scopes, after: Scopes) -> Option<EventAction> {
    match (before.is_empty(), after.is_empty()) {
        _ if before == after => None,
        (true, _) => Some(EventAction::Add),
        (false, true) => Some(EventAction::Delete),
        (false, false) => Some(EventAction::Update),
    }
}
