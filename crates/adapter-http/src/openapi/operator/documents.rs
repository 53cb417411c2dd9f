//! Documents of workers (specification §10.30).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::schema_reference;
use crate::shared::download::OCTET_STREAM;
use crate::shared::media_type::{FORM_DATA, JSON};

const LIST_PATH: &str = "/operator/v1/companies/{companyId}/workers/{workerId}/documents";
const DOCUMENT_PATH: &str = "/operator/v1/companies/{companyId}/workers/{workerId}/documents/{documentId}";

pub(super) fn operations() -> [OperationDescription; 4] {
    let bytes = json!({"type": "string", "contentMediaType": "application/octet-stream", "description": "The bytes of the document.", "examples": ["name,day\nFirst aid,2026-05-04\n"]});
    [
        OperationDescription::new("GET", LIST_PATH, "listDocuments", "List a worker's documents")
            .with_description("Returns the metadata of each document, without its bytes.")
            .with_paging()
            .with_success(success(
                200,
                "A page of the list.",
                &[JSON],
                BodySchema::Collection("StoredDocument"),
            )),
        OperationDescription::new("POST", LIST_PATH, "addDocument", "Add a document to a worker")
            .with_description(
                "The document is a PDF, PNG, JPEG, plain text or CSV file of at most 10 MiB. You can \
                send it in base64 in JSON, or unencoded in a form. The server determines the type from the \
                content, not from the name.",
            )
            .with_required_body(
                &[JSON],
                &schema_reference("DocumentInput"),
                &json!({"name": "Training.csv", "content": "bmFtZSxkYXkKRmlyc3QgYWlkLDIwMjYtMDUtMDQK"}),
            )
            .with_body_alternative(
                FORM_DATA,
                &schema_reference("DocumentForm"),
                &json!({"name": "Training.csv", "content": "name,day\nFirst aid,2026-05-04\n"}),
            )
            .with_success(success(201, "The new document.", &[JSON], BodySchema::Resource("StoredDocument")))
            .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid, Reason::EmptyRequest])
            .with_reasons(&[Reason::ContentInvalid, Reason::FileTypeUnsupported, Reason::FileNameInvalid])
            .with_reasons(&[Reason::DocumentCategoryUnknown, Reason::CompanyLocked]),
        OperationDescription::new(
            "GET",
            DOCUMENT_PATH,
            "downloadDocument",
            "Download a document of a worker",
        )
        .with_success(
            success(
                200,
                "The bytes, as a download that browsers save and do not display.",
                &[OCTET_STREAM],
                BodySchema::Bare(bytes),
            )
            .with_header("Content-Disposition"),
        ),
        OperationDescription::new("DELETE", DOCUMENT_PATH, "deleteDocument", "Delete a document of a worker")
            .with_parameters([parameter_reference("If-Match")])
            .with_success(success(204, "The document was deleted.", &[], BodySchema::Nothing))
            .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked]),
    ]
}
