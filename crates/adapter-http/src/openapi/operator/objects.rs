//! The operations that every kind of object has: list, create, read, replace, change and delete.

use payroll_domain::code::Reason;
use serde_json::Value;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::schema_reference;
use crate::shared::media_type::{JSON, MERGE_PATCH};

/// The declaration of one kind of object.
pub(super) struct ObjectEndpoints {
    /// The path at which the objects are listed and created.
    pub(super) list: &'static str,
    /// The path of a single object, which ends with its id.
    pub(super) object_path: &'static str,
    /// The ids of the operations: list, create, read, replace, change and delete.
    pub(super) ids: [&'static str; 6],
    /// The summaries of the operations, in the same order.
    pub(super) summaries: [&'static str; 6],
    /// The schemas, in this order: a document in a response, a complete document in a request, and a patch.
    pub(super) schemas: [&'static str; 3],
    /// A new object that can be created in the demo.
    pub(super) example: Value,
    /// An example of a patch.
    pub(super) patch: Value,
    /// Whether a lock of the company prevents changes to the objects.
    pub(super) is_held_by_lock: bool,
}

/// The error reasons with which a document in a request can be rejected.
pub(super) const DOCUMENT_REASONS: &[Reason] =
    &[Reason::FieldMissing, Reason::FieldAmbiguous, Reason::FieldInvalid, Reason::EmptyRequest];
/// The error reasons with which a change can be rejected because of stored data.
pub(super) const WRITE_REASONS: &[Reason] =
    &[Reason::PreconditionFailed, Reason::PreconditionRequired, Reason::Conflict];

impl ObjectEndpoints {
    /// Returns the operations on this kind of object: list, create, read, replace, change and delete.
    pub(super) fn operations(&self) -> Vec<OperationDescription> {
        self.operations_with_filters(Vec::new())
    }

    /// Returns the operations like [`Self::operations`]. The list operation accepts the query parameters
    /// `filters`.
    pub(super) fn operations_with_filters(&self, filters: Vec<Value>) -> Vec<OperationDescription> {
        let mut operations = vec![self.list_operation(filters)];
        operations.push(self.create_operation());
        operations.extend(self.element_operations());
        operations
    }

    /// Returns the operation that lists the objects in pages.
    fn list_operation(&self, filters: Vec<Value>) -> OperationDescription {
        let found = success(200, "A page of the list.", &[JSON], BodySchema::Collection(self.schemas[0]));
        OperationDescription::new("GET", self.list, self.ids[0], self.summaries[0])
            .with_parameters(filters)
            .with_paging()
            .with_success(found)
    }

    /// Returns the operation that creates an object.
    fn create_operation(&self) -> OperationDescription {
        let added = success(201, "The object was stored.", &[JSON], BodySchema::Resource(self.schemas[0]))
            .with_new_resource_headers();
        let operation = OperationDescription::new("POST", self.list, self.ids[1], self.summaries[1])
            .with_description(
                "You can choose the id of the new object. If you send no id, the server \
                creates one.",
            )
            .with_required_body(&[JSON], &schema_reference(self.schemas[1]), &self.example)
            .with_success(added)
            .with_reasons(DOCUMENT_REASONS);
        // A path without parameters creates a company. A new company cannot be locked, so this operation
        // never reports a lock.
        if self.list.contains('{') { self.with_lock_reason(operation) } else { operation }
    }

    fn element_operations(&self) -> [OperationDescription; 4] {
        let path = self.object_path;
        let stored = |words| success(200, words, &[JSON], BodySchema::Resource(self.schemas[0]));
        let changed = || stored("The updated object.").with_header("ETag");
        let [_, _, read, replace, change, delete] = self.ids;
        let [_, _, to_read, to_replace, to_change, to_delete] = self.summaries;
        let versioned = |method, id, summary| {
            OperationDescription::new(method, path, id, summary)
                .with_parameters([parameter_reference("If-Match")])
        };
        let replacement = versioned("PUT", replace, to_replace)
            .with_description(
                "The server removes the members that you omit. If nothing changes, the object keeps its \
                 version.",
            )
            .with_required_body(&[JSON], &schema_reference(self.schemas[1]), &self.example)
            .with_success(changed())
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(WRITE_REASONS);
        let patch = versioned("PATCH", change, to_change)
            .with_description(
                "A JSON merge patch: `null` removes a member, and a list replaces the stored list.",
            )
            .with_required_body(&[MERGE_PATCH, JSON], &schema_reference(self.schemas[2]), &self.patch)
            .with_success(changed())
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(WRITE_REASONS);
        let removal = versioned("DELETE", delete, to_delete)
            .with_description("The server rejects the request while other objects refer to this object.")
            .with_success(success(204, "The object was deleted.", &[], BodySchema::Nothing))
            .with_reasons(WRITE_REASONS);
        [
            OperationDescription::new("GET", path, read, to_read)
                .with_description("Send the `ETag` of the response in `If-Match` to change the object.")
                .with_success(stored("The object.")),
            self.with_lock_reason(replacement),
            self.with_lock_reason(patch),
            self.with_lock_reason(removal),
        ]
    }

    fn with_lock_reason(&self, operation: OperationDescription) -> OperationDescription {
        if self.is_held_by_lock { operation.with_reasons(&[Reason::CompanyLocked]) } else { operation }
    }
}
