//! The transitions of the model: the operations of which a random sequence consists.

use super::state::{Access, Actor, State};

/// The validity, in seconds, of three kinds of claims: in-flight idempotency records, claims of deliveries,
/// and claims of a period to archive.
pub(super) const LEASE_SECONDS: i64 = 60;
/// The time in seconds for which a response is stored.
pub(super) const RESPONSE_LIFETIME_SECONDS: i64 = 600;

/// A pay period of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PeriodIndex {
    pub(super) company: usize,
    pub(super) period: usize,
}

/// The idempotency record under which the response of a change is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordRef {
    pub(super) application: usize,
    pub(super) key: usize,
    /// Whether the request uses an attempt that does not own the record.
    pub(super) stranger: bool,
}

/// The version that a request contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestVersion {
    Any,
    Current,
    Stale,
}

/// A change of a pay period's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeriodAction {
    Process,
    Reopen,
    Complete,
}

/// A step of archiving a period. The flag of a step is `true` if an attempt without the claim performs the
/// step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveStep {
    Begin,
    Pack(bool),
    End(bool),
    Abandon(bool),
    Erase,
}

/// The result of sending a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendResult {
    Delivered,
    RetryIn(i64),
    GivenUp,
}

/// A setting of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookSetting {
    Active(bool),
    Ordered(bool),
}

/// One step of a sequence of operations, such as adding checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Transition {
    Wait(i64),
    /// Adds checks, each with its id, its worker and its earning in cents.
    AddChecks {
        actor: Actor,
        period_index: PeriodIndex,
        checks: Vec<(usize, usize, u64)>,
        record: Option<RecordRef>,
    },
    ChangeCheck {
        application: usize,
        period_index: PeriodIndex,
        check: usize,
        cents: u64,
        record: Option<RecordRef>,
    },
    RemoveCheck {
        application: usize,
        period_index: PeriodIndex,
        check: usize,
    },
    RemoveOwnChecks {
        application: usize,
        period_index: PeriodIndex,
    },
    Lock {
        operator: usize,
        company: usize,
        seconds: Option<i64>,
    },
    Unlock {
        operator: usize,
        company: usize,
    },
    Move {
        operator: usize,
        period_index: PeriodIndex,
        to: PeriodAction,
        version: RequestVersion,
    },
    Hire {
        operator: usize,
        company: usize,
        worker: usize,
        record: Option<RecordRef>,
    },
    Rename {
        operator: usize,
        company: usize,
        worker: usize,
        name: usize,
        version: RequestVersion,
    },
    Grant {
        operator: usize,
        company: usize,
        application: usize,
        access: Access,
    },
    Begin {
        application: usize,
        key: usize,
        body: u8,
    },
    Keep(RecordRef),
    Release(RecordRef),
    ForgetExpired,
    AddHook {
        hook: usize,
        company: usize,
        domains: usize,
    },
    SetHook {
        hook: usize,
        to: HookSetting,
    },
    RemoveHook {
        hook: usize,
    },
    Claim {
        hook: usize,
        most: u32,
    },
    Record {
        hook: usize,
        delivery: usize,
        sent: SendResult,
    },
    GiveBack {
        hook: usize,
        delivery: usize,
    },
    Replay {
        hook: usize,
        delivery: usize,
    },
    Archive {
        period_index: PeriodIndex,
        step: ArchiveStep,
    },
}

impl Transition {
    /// Returns the company that a transition concerns. `None` for the passage of time, and for requests with
    /// an idempotency key.
    pub(super) fn company(&self, state: &State) -> Option<usize> {
        match self {
            Self::AddChecks { period_index, .. }
            | Self::ChangeCheck { period_index, .. }
            | Self::RemoveCheck { period_index, .. }
            | Self::RemoveOwnChecks { period_index, .. }
            | Self::Move { period_index, .. }
            | Self::Archive { period_index, .. } => Some(period_index.company),
            Self::Lock { company, .. }
            | Self::Unlock { company, .. }
            | Self::Hire { company, .. }
            | Self::Rename { company, .. }
            | Self::Grant { company, .. }
            | Self::AddHook { company, .. } => Some(*company),
            Self::SetHook { hook, .. }
            | Self::RemoveHook { hook }
            | Self::Claim { hook, .. }
            | Self::Record { hook, .. }
            | Self::GiveBack { hook, .. }
            | Self::Replay { hook, .. } => state.hooks.get(hook).map(|hook| hook.company),
            Self::Wait(_) | Self::Begin { .. } | Self::Keep(_) | Self::Release(_) | Self::ForgetExpired => {
                None
            }
        }
    }
}
