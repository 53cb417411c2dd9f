//! The effect of each change's result on the idempotency record of its request.

use payroll_domain::tax_id::LegalId;
use payroll_ports::access_requests::AccessRefusal;
use payroll_ports::applications::ApplicationRefusal;
use payroll_ports::checks::{Addition, ChangedCheck, Removal};
use payroll_ports::completion_requests::Requested;
use payroll_ports::hooks::HookRefusal;
use payroll_ports::import::WorkersChanged;
use payroll_ports::operator_keys::KeyMade;
use payroll_ports::operator_sessions::SessionMade;
use payroll_ports::periods::Moved;
use payroll_ports::resources::{Locking, Refusal, Written};
use payroll_ports::reversals::Reversed;

/// The result of a change.
pub(crate) trait Outcome: Send + 'static {
    /// Whether the record is settled: it holds the response, or another request owns the key.
    fn ends_the_mark(&self) -> bool;
}

impl Outcome for Written {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Stored(_) | Self::Refused(Refusal::MarkLost) => true,
            Self::Refused(_) => false,
        }
    }
}

impl Outcome for Moved {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Done(_) | Self::MarkLost => true,
            Self::UnknownCompany
            | Self::UnknownPeriod
            | Self::Stale
            | Self::NotFrom(_)
            | Self::Locked(_)
            | Self::Overtaken
            | Self::NotRequested
            | Self::SameOperator => false,
        }
    }
}

impl Outcome for Requested {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Done => true,
            Self::Refused(moved) => moved.ends_the_mark(),
            Self::Waits | Self::NotRequested => false,
        }
    }
}

impl Outcome for Reversed {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Done(_) | Self::MarkLost => true,
            Self::Unknown | Self::NotOpen(_) | Self::Stale | Self::FactsChanged | Self::Locked(_) => false,
        }
    }
}

impl Outcome for Locking {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Done | Self::MarkLost => true,
            Self::UnknownCompany | Self::Held(_) | Self::NotLocked => false,
        }
    }
}

impl Outcome for Addition {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Stored | Self::MarkLost => true,
            Self::FactsChanged => false,
        }
    }
}

impl Outcome for ChangedCheck {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Stored(_) | Self::MarkLost => true,
            Self::FactsChanged => false,
        }
    }
}

/// A deletion needs no idempotency key, because repeating it has no effect.
impl Outcome for Removal {
    fn ends_the_mark(&self) -> bool {
        true
    }
}

impl<T: Send + 'static> Outcome for Result<T, ApplicationRefusal> {
    fn ends_the_mark(&self) -> bool {
        matches!(self, Ok(_) | Err(ApplicationRefusal::MarkLost))
    }
}

impl<T: Send + 'static> Outcome for Result<T, AccessRefusal> {
    fn ends_the_mark(&self) -> bool {
        matches!(self, Ok(_) | Err(AccessRefusal::MarkLost))
    }
}

impl<T: Send + 'static> Outcome for Result<T, HookRefusal> {
    fn ends_the_mark(&self) -> bool {
        matches!(self, Ok(_) | Err(HookRefusal::MarkLost))
    }
}

impl Outcome for KeyMade {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Stored | Self::MarkLost => true,
            Self::Taken | Self::OperatorLooksTheSame => false,
        }
    }
}

impl Outcome for SessionMade {
    fn ends_the_mark(&self) -> bool {
        match self {
            Self::Stored | Self::MarkLost => true,
            Self::NoKey => false,
        }
    }
}

/// A bulk change needs no idempotency key, because repeating it has no effect.
impl Outcome for WorkersChanged {
    fn ends_the_mark(&self) -> bool {
        true
    }
}

/// A disclosed tax id is never stored for a key, and each disclosure adds an entry to the audit log.
impl Outcome for Option<LegalId> {
    fn ends_the_mark(&self) -> bool {
        true
    }
}

/// Whether a key was revoked. Revoking needs no idempotency key.
impl Outcome for bool {
    fn ends_the_mark(&self) -> bool {
        true
    }
}
