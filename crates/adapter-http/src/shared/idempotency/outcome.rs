//! Determines from the outcome of a change whether the idempotency record of the request is complete.

use payroll_domain::tax_id::LegalId;
use payroll_ports::access_requests::AccessRefusal;
use payroll_ports::applications::ApplicationRefusal;
use payroll_ports::checks::{AdditionOutcome, CheckChangeOutcome, RemovalOutcome};
use payroll_ports::completion_requests::CompletionRequestOutcome;
use payroll_ports::hooks::HookRefusal;
use payroll_ports::import::WorkerChangeOutcome;
use payroll_ports::operator_keys::KeyCreationOutcome;
use payroll_ports::operator_sessions::SessionCreationOutcome;
use payroll_ports::periods::StateChangeOutcome;
use payroll_ports::resources::{LockOutcome, WriteOutcome, WriteRefusal};
use payroll_ports::reversals::ReversalOutcome;

/// The outcome of a write, which determines whether the idempotency record of the request is complete.
pub(crate) trait StoreOutcome: Send + 'static {
    /// Whether this request no longer needs the record. Either the record contains the response, or another
    /// request owns the key.
    fn completes_record(&self) -> bool;
}

impl StoreOutcome for WriteOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Stored(_) | Self::Refused(WriteRefusal::RecordLost) => true,
            Self::Refused(_) => false,
        }
    }
}

impl StoreOutcome for StateChangeOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Done(_) | Self::RecordLost => true,
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

impl StoreOutcome for CompletionRequestOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Done => true,
            Self::Refused(moved) => moved.completes_record(),
            Self::AlreadyPending | Self::NotRequested => false,
        }
    }
}

impl StoreOutcome for ReversalOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Done(_) | Self::RecordLost => true,
            Self::Unknown | Self::NotOpen(_) | Self::Stale | Self::FactsChanged | Self::Locked(_) => false,
        }
    }
}

impl StoreOutcome for LockOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Done | Self::RecordLost => true,
            Self::UnknownCompany | Self::Held(_) | Self::NotLocked => false,
        }
    }
}

impl StoreOutcome for AdditionOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Stored | Self::RecordLost => true,
            Self::FactsChanged => false,
        }
    }
}

impl StoreOutcome for CheckChangeOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Stored(_) | Self::RecordLost => true,
            Self::FactsChanged => false,
        }
    }
}

/// A deletion needs no idempotency key, because a repeated deletion has no further effect.
impl StoreOutcome for RemovalOutcome {
    fn completes_record(&self) -> bool {
        true
    }
}

impl<T: Send + 'static> StoreOutcome for Result<T, ApplicationRefusal> {
    fn completes_record(&self) -> bool {
        matches!(self, Ok(_) | Err(ApplicationRefusal::RecordLost))
    }
}

impl<T: Send + 'static> StoreOutcome for Result<T, AccessRefusal> {
    fn completes_record(&self) -> bool {
        matches!(self, Ok(_) | Err(AccessRefusal::RecordLost))
    }
}

impl<T: Send + 'static> StoreOutcome for Result<T, HookRefusal> {
    fn completes_record(&self) -> bool {
        matches!(self, Ok(_) | Err(HookRefusal::RecordLost))
    }
}

impl StoreOutcome for KeyCreationOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Stored | Self::RecordLost => true,
            Self::Taken | Self::OperatorLooksTheSame => false,
        }
    }
}

impl StoreOutcome for SessionCreationOutcome {
    fn completes_record(&self) -> bool {
        match self {
            Self::Stored | Self::RecordLost => true,
            Self::NoKey => false,
        }
    }
}

/// A bulk change needs no idempotency key, because a repeated change has no further effect.
impl StoreOutcome for WorkerChangeOutcome {
    fn completes_record(&self) -> bool {
        true
    }
}

/// A disclosed tax id is never stored for an idempotency key, and each disclosure adds an entry to the audit
/// log.
impl StoreOutcome for Option<LegalId> {
    fn completes_record(&self) -> bool {
        true
    }
}

/// The outcome of revoking an operator key: `true` if the key existed. A revocation needs no idempotency key,
/// because a repeated revocation has no further effect.
impl StoreOutcome for bool {
    fn completes_record(&self) -> bool {
        true
    }
}
