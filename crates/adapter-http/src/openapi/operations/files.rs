//! Documents and profile images of workers (specification §6.31, §6.32).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::schema_reference;
use super::objects::{WRITE_REASONS, dry_run_parameter};
use crate::shared::download::OCTET_STREAM;
use crate::shared::media_type::{FORM_DATA, JSON, VendorTypes};

const DOCUMENTS_PATH: &str = "/workers/{workerId}/documents";
const DOCUMENT_PATH: &str = "/workers/{workerId}/documents/{documentId}";
const IMAGE_PATH: &str = "/workers/{workerId}/profileimage";

/// The example document: a CSV table with two lines.
const CSV_EXAMPLE: &str = "name,day\nFirst aid,2026-05-04\n";
/// The example document in base64.
const CSV_EXAMPLE_BASE64: &str = "bmFtZSxkYXkKRmlyc3QgYWlkLDIwMjYtMDUtMDQK";
/// A PNG image with one pixel.
const PNG_EXAMPLE_BASE64: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    vec![
        list_documents_operation(types),
        add_document_operation(types),
        download_document_operation(),
        remove_file_operation(
            DOCUMENT_PATH,
            "removeDocument",
            "Remove a document of a worker",
            "The content is deleted from the storage within about an hour.",
        ),
        get_image_operation(types),
        set_image_operation(types),
        remove_file_operation(
            IMAGE_PATH,
            "removeProfileImage",
            "Remove the profile image of a worker",
            "The content is deleted from the storage within about an hour.",
        ),
    ]
}

fn list_documents_operation(types: &VendorTypes) -> OperationDescription {
    let found = success(
        200,
        "The documents of the worker.",
        &[&types.documents, JSON],
        BodySchema::Collection("WorkerDocument"),
    )
    .with_link("downloadDocument", "documentId", "/content/0/documentId")
    .with_parameter_passed_to("downloadDocument", "workerId");
    OperationDescription::new("GET", DOCUMENTS_PATH, "listDocuments", "List a worker's documents")
        .with_description("Returns the metadata of each document, with a link to its bytes.")
        .with_paging()
        .with_success(found)
}

fn add_document_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.document.as_str(), &types.documents, JSON];
    let added = |status, words| success(status, words, &media_types, BodySchema::Resource("AddedDocument"));
    let example = json!({"name": "Training.csv", "content": CSV_EXAMPLE_BASE64});
    OperationDescription::new("POST", DOCUMENTS_PATH, "addDocument", "Add a document to a worker")
        .with_description(
            "The document is a PDF, PNG, JPEG, plain text or CSV file of at most 10 MiB. You can send it \
            in base64 in JSON, or unencoded in a form. The server determines the type from the \
            content, not from the name. A worker has at most 100 documents.",
        )
        .with_parameters([dry_run_parameter()])
        .with_required_body(&media_types, &schema_reference("DocumentInput"), &example)
        .with_body_alternative(
            FORM_DATA,
            &schema_reference("DocumentForm"),
            &json!({"name": "Training.csv", "content": CSV_EXAMPLE}),
        )
        .with_success(added(201, "The new document."))
        .with_success(added(200, "The objects that a request without `dryrun` would store."))
        .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid, Reason::EmptyRequest])
        .with_reasons(&[Reason::ContentInvalid, Reason::FileTypeUnsupported, Reason::FileNameInvalid])
        .with_reasons(&[Reason::DocumentCategoryUnknown, Reason::CompanyLocked])
}

fn download_document_operation() -> OperationDescription {
    let bytes = json!({"type": "string", "contentMediaType": "application/octet-stream", "description": "The bytes of the document.", "examples": [CSV_EXAMPLE]});
    let found = success(
        200,
        "The bytes, as a download that browsers save and do not display.",
        &[OCTET_STREAM],
        BodySchema::Bare(bytes),
    )
    .with_header("Content-Disposition");
    OperationDescription::new("GET", DOCUMENT_PATH, "downloadDocument", "Download a document of a worker")
        .with_description(
            "The header `Content-Disposition` has the file name, with the extension of its \
            type. The media type is in the list of documents.",
        )
        .with_success(found)
}

fn remove_file_operation(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    description: &'static str,
) -> OperationDescription {
    OperationDescription::new("DELETE", path, id, summary)
        .with_description(description)
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_success(success(204, "The object was removed.", &[], BodySchema::Nothing))
        .with_reasons(&[Reason::InvalidParameter])
        .with_reasons(WRITE_REASONS)
}

fn get_image_operation(types: &VendorTypes) -> OperationDescription {
    let found = success(
        200,
        "The profile image of the worker.",
        &[&types.profile_image, JSON],
        BodySchema::Resource("ProfileImageWithContent"),
    );
    OperationDescription::new("GET", IMAGE_PATH, "getProfileImage", "Read the profile image of a worker")
        .with_description(
            "The member `image` has the bytes in base64. `content` is empty if the worker has no image.",
        )
        .with_success(found)
}

fn set_image_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.profile_image.as_str(), JSON];
    let stored =
        |status, words| success(status, words, &media_types, BodySchema::Resource("StoredProfileImage"));
    OperationDescription::new("POST", IMAGE_PATH, "setProfileImage", "Set the profile image of a worker")
        .with_description(
            "A PNG or JPEG image of at most 1 MiB and 16 megapixels, in base64. It replaces \
            the previous image.",
        )
        .with_parameters([dry_run_parameter()])
        .with_required_body(
            &media_types,
            &schema_reference("ProfileImageInput"),
            &json!({"image": PNG_EXAMPLE_BASE64}),
        )
        .with_success(stored(201, "The new image, without its bytes."))
        .with_success(stored(200, "The objects that a request without `dryrun` would store."))
        .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid, Reason::EmptyRequest])
        .with_reasons(&[Reason::ContentInvalid, Reason::FileTypeUnsupported, Reason::CompanyLocked])
}
