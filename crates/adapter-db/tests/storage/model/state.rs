//! The state of the model: the data that the storage must contain after a sequence of transitions.
//!
//! The model refers to objects by their index. Times are seconds after the start of the sequence, and amounts
//! are in cents.

use std::collections::BTreeMap;

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::delivery::DeliveryState;
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::pay_period::PeriodStatus;

pub(super) const APPLICATIONS: usize = 2;
pub(super) const OPERATORS: usize = 2;
pub(super) const COMPANIES: usize = 2;
pub(super) const PERIODS: usize = 2;
/// The number of workers that each company has at the start.
pub(super) const WORKERS: usize = 2;

/// The actor of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    Application(usize),
    Operator(usize),
    Housekeeping,
}

/// The holder of a company's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockHolder {
    Operator(OperatorLock),
    Processing(usize),
}

/// The lock that an operator has set on a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OperatorLock {
    pub(super) operator: usize,
    pub(super) expires: Option<i64>,
}

/// The result of a transition. The result that the model predicts is compared with the result that the
/// storage returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// The number of objects that were changed or removed.
    Count(u64),
    /// The version of the object, as the number of changes since its creation.
    Stored(i64),
    /// The indexes of claimed deliveries, each with the number of its earlier attempts.
    Claimed(Vec<(usize, u32)>),
    FactsChanged,
    Fresh,
    /// The stored response of the attempt with this number.
    Answered(u32),
    InProgress(i64),
    OtherRequest,
    RecordLost,
    Locked(LockHolder),
    NotLocked,
    NotFrom(PeriodStatus),
    Stale,
    Taken,
    Unknown,
    NoGrant,
    Packed,
    Lost,
    Changed,
}

impl Outcome {
    /// Returns whether the transition has changed something.
    pub(super) const fn is_change(&self) -> bool {
        matches!(self, Self::Done | Self::Count(1..) | Self::Stored(_) | Self::Packed)
    }
}

/// The data that is expected in the storage.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) now: i64,
    pub(super) companies: [Company; COMPANIES],
    /// The idempotency records by application and key.
    pub(super) records: BTreeMap<(usize, usize), RequestRecord>,
    pub(super) hooks: BTreeMap<usize, Hook>,
    /// The number of attempts that were started. Each attempt has its own number.
    pub(super) attempts: u32,
    /// The result of the last transition.
    pub(super) outcome: Outcome,
}

/// A company with its history.
#[derive(Debug, Clone)]
pub(super) struct Company {
    pub(super) lock: Option<OperatorLock>,
    pub(super) periods: [Period; PERIODS],
    pub(super) workers: BTreeMap<usize, Worker>,
    pub(super) grants: [Access; APPLICATIONS],
    pub(super) events: Vec<Event>,
    pub(super) audit: Vec<AuditEntry>,
}

/// A pay period with its checks. The checks are in the order in which they were added.
#[derive(Debug, Clone)]
pub(super) struct Period {
    pub(super) status: PeriodStatus,
    pub(super) checks: Vec<Check>,
    pub(super) archive: ArchiveProgress,
}

/// A check with one earning and one deduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) id: usize,
    pub(super) worker: usize,
    pub(super) cents: u64,
    pub(super) added_by: Actor,
}

impl Check {
    /// Returns the deduction in cents. The deduction is smaller than the earning, because pay must not be
    /// negative.
    pub(super) const fn deduction(self) -> u64 {
        self.cents / 10
    }
}

/// The progress of archiving a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveProgress {
    None,
    Claimed { until: i64, packed: bool },
    Archived { erased: bool },
}

/// A worker: the number from which the worker's name is formed, and the number of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Worker {
    pub(super) name: usize,
    pub(super) changes: i64,
}

/// The permissions of an application for a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    None,
    Workers,
    Payroll,
    All,
}

impl Access {
    /// Returns whether the application is notified of events of that domain.
    pub(super) const fn allows(self, domain: EventDomain) -> bool {
        match domain {
            EventDomain::CompanyAccess => true,
            EventDomain::PayrunCompleted => matches!(self, Self::Payroll | Self::All),
            _ => matches!(self, Self::Workers | Self::All),
        }
    }
}

/// An event of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) at: i64,
    pub(super) domain: EventDomain,
    pub(super) action: EventAction,
    /// The only application that is notified. `None` if the event is for all.
    pub(super) application: Option<usize>,
    pub(super) worker: Option<usize>,
    pub(super) period: Option<usize>,
}

/// The object of an audit row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuditSubject {
    Company,
    Period(usize),
    Worker(usize),
    Application(usize),
    Hook(usize),
}

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuditEntry {
    pub(super) at: i64,
    pub(super) actor: Actor,
    pub(super) action: AuditAction,
    pub(super) kind: AuditedKind,
    pub(super) subject: AuditSubject,
}

/// The record of a request with an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestRecord {
    pub(super) attempt: u32,
    pub(super) body: u8,
    pub(super) answered: bool,
    pub(super) expires: i64,
}

/// A hook with its deliveries. The deliveries are in the order in which they were queued.
#[derive(Debug, Clone)]
pub(super) struct Hook {
    pub(super) company: usize,
    pub(super) domains: Vec<EventDomain>,
    pub(super) active: bool,
    /// Whether deliveries are claimed one at a time, in the order in which they were queued.
    pub(super) ordered: bool,
    /// The version of the hook. The first version is the number of microseconds from the start of the
    /// sequence to the registration.
    pub(super) version: i64,
    pub(super) deliveries: Vec<Delivery>,
}

/// Returns the application that owns a hook.
pub(super) const fn application_of(hook: usize) -> usize {
    hook % APPLICATIONS
}

/// A delivery of an event. `event` is the index of the event in the list of the company's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) event: usize,
    pub(super) state: DeliveryState,
    pub(super) due: Option<i64>,
    pub(super) claimed_until: i64,
    pub(super) attempts: u32,
    pub(super) ended: Option<i64>,
}

impl Delivery {
    /// Ends the delivery, because the application may no longer see its event.
    pub(super) const fn cancel(&mut self, now: i64) {
        (self.state, self.due) = (DeliveryState::Cancelled, None);
        (self.claimed_until, self.ended) = (0, Some(now));
    }
}

impl State {
    /// Creates two companies with open periods, for which both applications have full access.
    pub(super) fn new() -> Self {
        let period =
            || Period { status: PeriodStatus::Initial, checks: Vec::new(), archive: ArchiveProgress::None };
        let company = || Company {
            lock: None,
            periods: std::array::from_fn(|_| period()),
            workers: (0..WORKERS).map(|worker| (worker, Worker { name: 0, changes: 0 })).collect(),
            grants: [Access::None; APPLICATIONS],
            events: Vec::new(),
            audit: Vec::new(),
        };
        Self {
            now: 0,
            companies: std::array::from_fn(|_| company()),
            records: BTreeMap::new(),
            hooks: BTreeMap::new(),
            attempts: 0,
            outcome: Outcome::Done,
        }
    }

    /// Adds an audit row to the log of a company.
    pub(super) fn audit(
        &mut self,
        company: usize,
        actor: Actor,
        (action, kind, subject): (AuditAction, AuditedKind, AuditSubject),
    ) {
        let entry = AuditEntry { at: self.now, actor, action, kind, subject };
        self.companies[company].audit.push(entry);
    }

    /// Adds an event to the feed, and a delivery for each hook that subscribes to the domain of the event.
    pub(super) fn fire_event(&mut self, company: usize, event: Event) {
        let number = self.companies[company].events.len();
        for (index, hook) in &mut self.hooks {
            let application = application_of(*index);
            let permitted = event.application.map_or_else(
                || self.companies[company].grants[application].allows(event.domain),
                |only| only == application,
            );
            if hook.company == company && hook.domains.contains(&event.domain) && permitted {
                hook.deliveries.push(Delivery {
                    event: number,
                    state: DeliveryState::Waiting,
                    due: Some(event.at),
                    claimed_until: 0,
                    attempts: 0,
                    ended: None,
                });
            }
        }
        self.companies[company].events.push(event);
    }

    /// Stores the response if the idempotency record still belongs to the request. Returns whether the change
    /// can be committed.
    pub(super) fn try_store_response(&mut self, record_ref: Option<super::transition::RecordRef>) -> bool {
        let Some(record_ref) = record_ref else { return true };
        let expires = self.now + super::transition::RESPONSE_LIFETIME_SECONDS;
        match self.records.get_mut(&(record_ref.application, record_ref.key)) {
            Some(record) if !record_ref.stranger && !record.answered => {
                (record.answered, record.expires) = (true, expires);
                true
            }
            _ => false,
        }
    }

    /// Returns whether the response of the request could be stored, without storing it.
    pub(super) fn can_store_response(&self, record_ref: Option<super::transition::RecordRef>) -> bool {
        self.clone().try_store_response(record_ref)
    }
}

impl Company {
    /// Returns the lock of the operator. `None` if no such lock is active.
    pub(super) fn operator_lock(&self, now: i64) -> Option<OperatorLock> {
        self.lock.filter(|lock| lock.expires.is_none_or(|expires| expires > now))
    }

    /// Returns the period in processing. `None` if no period is in processing.
    pub(super) fn period_in_processing(&self) -> Option<usize> {
        self.periods.iter().position(|period| period.status == PeriodStatus::Processing)
    }

    /// Returns the holder of the active lock. A period in processing takes precedence over an operator.
    pub(super) fn lock_holder(&self, now: i64) -> Option<LockHolder> {
        let operator = || self.operator_lock(now).map(LockHolder::Operator);
        self.period_in_processing().map(LockHolder::Processing).or_else(operator)
    }
}
