//! The operations on objects and on elements of a worker's lists that partners write: create, read, change
//! and delete. Each kind of object declares its paths, names and schemas. This module creates the four
//! operations from each declaration.

use payroll_domain::code::Reason;
use serde_json::Value;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{boolean_schema, schema_reference};
use crate::shared::media_type::{JSON, MERGE_PATCH};

/// The declaration of objects that partners write.
pub(super) struct WritableEndpoints<'t> {
    /// The path at which the objects are created.
    pub(super) list: &'static str,
    /// The path of a single object, which ends with its id.
    pub(super) object_path: &'static str,
    /// The ids of the operations: create, read, change and delete.
    pub(super) ids: [&'static str; 4],
    /// The summaries of the operations, in the same order.
    pub(super) summaries: [&'static str; 4],
    /// Additional texts for the description of each operation, in the same order.
    pub(super) notes: [&'static str; 4],
    /// The schemas, in this order: an object in a response, a complete object in a request, a merge patch,
    /// and the object that POST returns. In a dry run, POST returns no id.
    pub(super) schemas: [&'static str; 4],
    /// The success status of POST.
    pub(super) created: u16,
    /// The vendor media types of POST. `application/json` is accepted too.
    pub(super) new_types: Vec<&'t str>,
    /// The vendor media types of PATCH. `application/json` is accepted too.
    pub(super) types: Vec<&'t str>,
    /// The vendor media types of GET of one object. `application/json` is accepted too.
    pub(super) read_types: Vec<&'t str>,
    /// The media types of DELETE, if its response contains the remaining objects.
    pub(super) delete_media_types: Option<Vec<&'t str>>,
    /// A new object that can be created in the demo.
    pub(super) example: Value,
    /// An example of a merge patch.
    pub(super) patch: Value,
    /// The additional error reasons with which a document of this kind can be rejected.
    pub(super) reasons: &'static [Reason],
    /// The additional error reasons with which a DELETE of this kind of object can be rejected.
    pub(super) reasons_to_keep: &'static [Reason],
}

/// The error reasons with which any document in a request can be rejected.
pub(super) const DOCUMENT_REASONS: &[Reason] =
    &[Reason::FieldMissing, Reason::FieldAmbiguous, Reason::FieldInvalid];
/// The error reasons with which a change can be rejected because of stored data.
pub(super) const WRITE_REASONS: &[Reason] =
    &[Reason::PreconditionFailed, Reason::Conflict, Reason::CompanyLocked];

impl WritableEndpoints<'_> {
    /// Returns the operations on this kind of object: create, read, change and delete.
    pub(super) fn operations(&self) -> [OperationDescription; 4] {
        [
            self.creation_operation(),
            self.reading_operation(),
            self.change_operation(),
            self.deletion_operation(),
        ]
    }

    fn creation_operation(&self) -> OperationDescription {
        self.creation_operation_returning(&BodySchema::Resource(self.schemas[3]))
    }

    /// Returns the POST operation. `content` is the schema of the body of its response.
    pub(super) fn creation_operation_returning(&self, content: &BodySchema) -> OperationDescription {
        let media_types = with_json_media_type(&self.new_types);
        let [id, ..] = self.ids;
        let created = success(self.created, "The new object.", &media_types, content.clone());
        let dry = (self.created != 200).then(|| {
            success(
                200,
                "The objects that a request without `dryrun` would store.",
                &media_types,
                content.clone(),
            )
        });
        let operation = OperationDescription::new("POST", self.list, id, self.summaries[0])
            .with_description(self.notes[0])
            .with_parameters([dry_run_parameter()])
            .with_required_body(&media_types, &schema_reference(self.schemas[1]), &self.example)
            .with_success(created)
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(self.reasons)
            .with_reasons(&[Reason::EmptyRequest]);
        dry.into_iter().fold(operation, OperationDescription::with_success)
    }

    fn reading_operation(&self) -> OperationDescription {
        let [_, id, ..] = self.ids;
        let found = success(
            200,
            "The object.",
            &with_json_media_type(&self.read_types),
            BodySchema::Resource(self.schemas[0]),
        );
        OperationDescription::new("GET", self.object_path, id, self.summaries[1])
            .with_description(self.notes[1])
            .with_success(found)
    }

    /// Returns the PATCH operation on one object.
    pub(super) fn change_operation(&self) -> OperationDescription {
        let media_types = with_json_media_type(&self.types);
        let accepted = [media_types.as_slice(), &[MERGE_PATCH]].concat();
        let [_, _, id, _] = self.ids;
        let changed =
            success(200, "The object after the change.", &media_types, BodySchema::Resource(self.schemas[0]));
        OperationDescription::new("PATCH", self.object_path, id, self.summaries[2])
            .with_description(self.notes[2])
            .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
            .with_required_body(&accepted, &schema_reference(self.schemas[2]), &self.patch)
            .with_success(changed.with_header("ETag"))
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(self.reasons)
            .with_reasons(&[Reason::EmptyRequest])
            .with_reasons(WRITE_REASONS)
    }

    fn deletion_operation(&self) -> OperationDescription {
        let [.., id] = self.ids;
        let deleted = match &self.delete_media_types {
            Some(types) => success(
                200,
                "The communications that the worker still has.",
                &with_json_media_type(types),
                BodySchema::Resource(self.schemas[0]),
            )
            .with_header("ETag"),
            None => success(204, "The object is deleted.", &[], BodySchema::Nothing),
        };
        OperationDescription::new("DELETE", self.object_path, id, self.summaries[3])
            .with_description(self.notes[3])
            .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
            .with_success(deleted)
            .with_reasons(&[Reason::InvalidParameter])
            .with_reasons(self.reasons_to_keep)
            .with_reasons(WRITE_REASONS)
    }
}

fn with_json_media_type<'t>(types: &[&'t str]) -> Vec<&'t str> {
    [types, &[JSON]].concat()
}

/// Returns the parameter `dryrun`, which every change has.
pub(super) fn dry_run_parameter() -> Value {
    query_parameter(
        "dryrun",
        "Validate the request against the stored data, and store nothing.",
        boolean_schema("`true` for a dry run."),
    )
}
