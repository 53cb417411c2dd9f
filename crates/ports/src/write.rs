//! What every write carries.

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;

use crate::idempotency::KeptAnswer;

/// By whom, when, and what to keep with it: the audit row and the events of a write come from here.
#[derive(Debug, Clone)]
pub struct By {
    /// Who writes.
    pub actor: Actor,
    /// The present instant: the time of the audit row and the events; locks that have ended by then
    /// do not count.
    pub now: Timestamp,
    /// The answer to keep under the request's idempotency key, in the same transaction.
    pub kept: Option<KeptAnswer>,
}

impl By {
    /// A partner application.
    #[must_use]
    pub fn application(application_id: &ApplicationId, now: Timestamp, kept: Option<KeptAnswer>) -> Self {
        let actor = Actor { kind: ActorKind::Application, name: application_id.to_string() };
        Self { actor, now, kept }
    }

    /// A part of the server that acts by its own rules.
    #[must_use]
    pub fn server(part: &str, now: Timestamp) -> Self {
        Self { actor: Actor { kind: ActorKind::Server, name: part.to_owned() }, now, kept: None }
    }

    /// A command beside the server.
    #[must_use]
    pub fn command(name: &str, now: Timestamp) -> Self {
        Self { actor: Actor { kind: ActorKind::CommandLine, name: name.to_owned() }, now, kept: None }
    }
}
