//! The audit log: who changed what and when, with the values before and after, and who saw unmasked values.

use crate::date::Timestamp;
use crate::id::CompanyId;
use crate::lookup::LookupKind;
use crate::named::{named_enum, named_enum_extending};
use crate::resource::ResourceKind;

named_enum! {
    /// The interface through which a change was made.
    ActorKind {
        /// The operator API, with an operator key.
        Operator = "operator",
        /// The partner API, with a token.
        Application = "application",
        /// A command that is run on the server.
        CommandLine = "command line",
        /// The server itself, which applies its own rules.
        Server = "server",
    }
}

/// The author of a change: the interface, and the name of the author in this interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The interface that the actor used.
    pub kind: ActorKind,
    /// The name of the operator key, the id of the application, the name of the command, or the component of
    /// the server.
    pub name: String,
}

named_enum! {
    /// The action that the audit log records.
    AuditAction {
        /// The object was created.
        Create = "create",
        /// The object was changed.
        Update = "update",
        /// The object was deleted.
        Delete = "delete",
        /// The object's tax ID was shown unmasked. The object did not change.
        Reveal = "reveal",
        /// The object was exported with everything in it. The object did not change.
        Export = "export",
    }
}

named_enum_extending! {
    /// The kind of object in a row of the audit log: an object of a company, or one that controls access.
    AuditedKind {
        /// A company with its products.
        Company = "company",
        /// An organization, which is a unit of a company.
        Organization = "organization",
        /// A contact type of a company.
        ContactType = "contactType",
        /// A category of custom fields.
        CustomFieldCategory = "customFieldCategory",
        /// A custom field of a company.
        CustomField = "customField",
        /// A pay component of a company.
        PayComponent = "payComponent",
        /// A pay period of a company.
        PayPeriod = "payPeriod",
        /// A worker with all data that belongs to the worker.
        Worker = "worker",
        /// A document of a worker.
        Document = "document",
        /// The profile image of a worker.
        ProfileImage = "profileImage",
        /// Checks that were added or imported together.
        Checks = "checks",
        /// The operator's lock of a company.
        Lock = "lock",
        /// An application of a partner.
        Application = "application",
        /// A secret of an application.
        Secret = "secret",
        /// The scopes of an application for a company.
        Grant = "grant",
        /// A key for the operator API.
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
    /// A lookup object of a company.
    Lookup(LookupKind)
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
            ResourceKind::Lookup(kind) => Self::Lookup(kind),
        }
    }
}

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// The position of the row in the audit log. Later rows have higher positions.
    pub position: i64,
    /// The instant of the action.
    pub at: Timestamp,
    /// The actor of the recorded action.
    pub actor: Actor,
    /// The company of the object, if the object belongs to one.
    pub company_id: Option<CompanyId>,
    /// The action of the actor on the object.
    pub action: AuditAction,
    /// The kind of the object that was created, changed, deleted or shown.
    pub kind: AuditedKind,
    /// The id of the object. Together with the kind and the company, it identifies the object.
    pub resource_id: String,
    /// The JSON document of the object before the action, with tax IDs masked and without secrets.
    pub before: Option<String>,
    /// The JSON document of the object after the action, with tax IDs masked and without secrets.
    pub after: Option<String>,
}
