//! The context of a write: the actor, the instant and the conditions of the write.

use payroll_domain::access::Scope;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;

use crate::idempotency::ResponseRecord;

/// The actor, the instant and the conditions of a write. The audit row contains the actor and the instant,
/// and the events contain the instant.
#[derive(Debug, Clone)]
pub struct AuditContext {
    /// The application, operator, command or server component that makes the change.
    pub actor: Actor,
    /// The current instant, which the audit row and the events contain. Locks that have expired by this
    /// instant are ignored.
    pub now: Timestamp,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
    /// The scope that the application must still have for the company at the commit. `None` if the actor is
    /// not an application, or if the scope need not be verified at the commit.
    pub scope: Option<Scope>,
    /// Whether the write is a dry run. A dry run is validated with the stored data and then rolled back.
    pub dry_run: bool,
}

impl AuditContext {
    /// Creates an audit context without conditions.
    #[must_use]
    pub const fn new(actor: Actor, now: Timestamp, response_record: Option<ResponseRecord>) -> Self {
        Self { actor, now, response_record, scope: None, dry_run: false }
    }

    /// Creates the context of a change by a partner application.
    #[must_use]
    pub fn for_application(
        application_id: &ApplicationId,
        now: Timestamp,
        response_record: Option<ResponseRecord>,
    ) -> Self {
        let actor = Actor { kind: ActorKind::Application, name: application_id.to_string() };
        Self::new(actor, now, response_record)
    }

    /// Creates the context of a change by a server component. `part` is the name of the component.
    #[must_use]
    pub fn for_server_component(part: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::Server, name: part.to_owned() }, now, None)
    }

    /// Creates the context of a change by a command that is run on the server.
    #[must_use]
    pub fn for_command(name: &str, now: Timestamp) -> Self {
        Self::new(Actor { kind: ActorKind::CommandLine, name: name.to_owned() }, now, None)
    }
}
