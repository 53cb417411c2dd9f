//! The audit trail: who changed what, when, from what to what, and who saw values that are otherwise masked.

use crate::date::Timestamp;
use crate::id::CompanyId;
use crate::named::{named, named_with};
use crate::plain::PlainKind;
use crate::resource::ResourceKind;

named! {
    /// By which door a change came.
    ActorKind {
        /// The operator's listener, with an operator key.
        Operator = "operator",
        /// The partner API.
        Application = "application",
        /// A command next to the server.
        CommandLine = "command line",
        /// The server itself, by its own rules.
        Server = "server",
    }
}

/// Who makes a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// By which door.
    pub kind: ActorKind,
    /// The name of the operator key, the id of the application, the command, or
    /// the part of the server.
    pub name: String,
}

named! {
    /// The action that was taken.
    AuditAction {
        /// It is new.
        Create = "create",
        /// It is different.
        Update = "update",
        /// It is gone.
        Delete = "delete",
        /// Its tax identity was shown unmasked; it has not changed.
        Reveal = "reveal",
        /// It was exported with everything in it; it has not changed.
        Export = "export",
    }
}

named_with! {
    /// What a row of the trail is about: the objects of companies, and what controls access.
    AuditedKind {
        /// A company with its products.
        Company = "company",
        /// A unit of a company.
        Organization = "organization",
        /// A contact type.
        ContactType = "contactType",
        /// A category of custom fields.
        CustomFieldCategory = "customFieldCategory",
        /// A custom field.
        CustomField = "customField",
        /// A pay component.
        PayComponent = "payComponent",
        /// A pay period.
        PayPeriod = "payPeriod",
        /// A worker with everything that belongs to them.
        Worker = "worker",
        /// A document of a worker.
        Document = "document",
        /// The profile image of a worker.
        ProfileImage = "profileImage",
        /// Checks that were added together, or imported.
        Checks = "checks",
        /// The operator's lock of a company.
        Lock = "lock",
        /// A partner application.
        Application = "application",
        /// A secret of an application.
        Secret = "secret",
        /// The scopes of an application for a company.
        Grant = "grant",
        /// An operator key.
        OperatorKey = "operatorKey",
        /// A session of an operator's browser.
        OperatorSession = "operatorSession",
        /// A hook of an application.
        Hook = "hook",
        /// A request of an application for access to a company.
        AccessRequest = "accessRequest",
        /// A request to complete a pay period.
        CompletionRequest = "completionRequest",
    }
    /// A plain object of a company.
    Plain(PlainKind)
}

impl From<ResourceKind> for AuditedKind {
    fn from(kind: ResourceKind) -> Self {
        match kind {
            ResourceKind::Company => Self::Company,
            ResourceKind::Organization => Self::Organization,
            ResourceKind::ContactType => Self::ContactType,
            ResourceKind::CustomFieldCategory => Self::CustomFieldCategory,
            ResourceKind::CustomField => Self::CustomField,
            ResourceKind::PayComponent => Self::PayComponent,
            ResourceKind::PayPeriod => Self::PayPeriod,
            ResourceKind::Worker => Self::Worker,
            ResourceKind::Plain(kind) => Self::Plain(kind),
        }
    }
}

/// A row of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its place in the trail; later rows have greater ones.
    pub position: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// The company that it concerns, if it concerns one.
    pub company_id: Option<CompanyId>,
    /// The action that was taken.
    pub action: AuditAction,
    /// To what.
    pub kind: AuditedKind,
    /// Its id.
    pub resource_id: String,
    /// Its document before, with tax identities masked and without secrets.
    pub before: Option<String>,
    /// Its document after, likewise.
    pub after: Option<String>,
}
