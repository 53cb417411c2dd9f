//! The context that every write carries.

use payroll_domain::access::Scope;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;

use crate::idempotency::ResponseRecord;

/// The actor, the instant and the conditions of a write. Its audit row and its events use them.
#[derive(Debug, Clone)]
pub struct AuditContext {
    /// The actor of the change.
    pub actor: Actor,
    /// The present instant, which the audit row and the events contain. Locks that expired before are
    /// ignored.
    pub now: Timestamp,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
    /// The scope that the application must still have for the company at the commit. `None` if the write is
    /// not an application's, or if the caller has already decided.
    pub scope: Option<Scope>,
    /// Whether the write is validated with the stored data and then rolled back.
    pub dry_run: bool,
}

impl AuditContext {
    /// An audit context without conditions.
    #[must_use]
    pub const fn new(actor: Actor, now: Timestamp, response_record: Option<ResponseRecord>) -> Self {
        Self { actor, now, response_record, scope: None, dry_run: false }
    }

    /// A change by a partner application.
    #[must_use]
    pub fn application(
        application_id: &ApplicationId,
        now: Timestamp,
        response_record: Option<ResponseRecord>,
    ) -> Self {
        let actor = Actor { kind: ActorKind::Application, name: application_id.to_string() };
        Self::new(actor, now, response_record)
    }

    /// A change by a part of the server itself.
    #[must_use]
    pub fn server(part: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::Server, name: part.to_owned() }, now, None)
    }

    /// A change by a command that is run on the server.
    #[must_use]
    pub fn command(name: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::CommandLine, name: name.to_owned() }, now, None)
    }
}
