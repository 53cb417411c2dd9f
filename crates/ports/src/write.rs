//! What every write carries.

use payroll_domain::access::Scope;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;

use crate::idempotency::KeptAnswer;

/// By whom, when, and what to keep with it: the audit row and the events of a write come from here.
#[derive(Debug, Clone)]
pub struct By {
    /// The actor of the change.
    pub actor: Actor,
    /// The present instant: the time of the audit row and the events; locks that have ended by then
    /// do not count.
    pub now: Timestamp,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub kept: Option<KeptAnswer>,
    /// The scope that the application must still hold on the company when the write is committed. `None`: it is
    /// not an application's write, or the caller has decided.
    pub scope: Option<Scope>,
    /// Validate the write against the stored data, then undo it.
    pub dry_run: bool,
}

impl By {
    /// An actor, without conditions.
    #[must_use]
    pub const fn new(actor: Actor, now: Timestamp, kept: Option<KeptAnswer>) -> Self {
        Self { actor, now, kept, scope: None, dry_run: false }
    }

    /// A change by a partner application.
    #[must_use]
    pub fn application(application_id: &ApplicationId, now: Timestamp, kept: Option<KeptAnswer>) -> Self {
        let actor = Actor { kind: ActorKind::Application, name: application_id.to_string() };
        Self::new(actor, now, kept)
    }

    /// A part of the server that acts by its own rules.
    #[must_use]
    pub fn server(part: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::Server, name: part.to_owned() }, now, None)
    }

    /// A command next to the server.
    #[must_use]
    pub fn command(name: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::CommandLine, name: name.to_owned() }, now, None)
    }
}
