//! Documents and profile images of workers (specification §11.42).

use payroll_domain::file::{MAX_DOCUMENT_NAME_LENGTH, ProfileImage, WorkerDocument};
use serde_json::{Value, json};

use super::super::schema::{
    created_object_schema, described_schema_with, id_schema, list_schema, object_schema, optional, required,
    schema_reference, with_member_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("WorkerDocument", document_schema()),
        ("AddedDocument", created_object_schema(document_schema(), "documentId")),
        ("DocumentInput", document_input_schema()),
        ("DocumentForm", document_form_schema()),
        ("ProfileImageWithContent", image_with_content_schema()),
        ("StoredProfileImage", created_object_schema(image_schema(), "imageId")),
        ("ProfileImageInput", image_input_schema()),
    ]
}

/// Returns the schema of binary data in base64.
fn base64_schema(description: &str) -> Value {
    json!({
        "type": "string",
        "contentEncoding": "base64",
        "description": description,
        "examples": ["SGVsbG8K"],
    })
}

/// Returns the schema of a hash in hexadecimal digits.
pub(in crate::openapi) fn hash_schema() -> Value {
    json!({
        "type": "string", "description": "SHA-256 hash of the bytes, in hexadecimal digits.", "pattern": "^[0-9a-f]{64}$",
        "examples": ["66a045b452102c59d840ec097d59d9467e13a3f34f6494e539ffd32c1bb35f18"],
    })
}

fn document_schema() -> Value {
    let links = required("links", list_schema("The link `self` to the object.", schema_reference("Link")));
    with_member_schema(described_schema_with::<WorkerDocument>([links]), "sha256", hash_schema())
}

fn document_name_schema() -> Value {
    json!({
        "type": "string", "minLength": 1, "maxLength": MAX_DOCUMENT_NAME_LENGTH, "examples": ["Diploma.pdf"],
        "description": "The name of the file, without a path, reserved characters or hidden characters.",
    })
}

pub(in crate::openapi) fn document_input_schema() -> Value {
    object_schema(
        "A document to add.",
        [
            required("name", document_name_schema()),
            optional("categoryId", id_schema("A document category of the company.")).or_null(),
            required(
                "content",
                base64_schema(
                    "The bytes of the document in base64, with padding and without line breaks. \
                    At most 10 MiB.",
                ),
            ),
        ],
    )
}

/// Returns the schema of a form with a document. The fields of the form are declared as pattern properties.
/// With ordinary properties, the client generators for Java and TypeScript would import a model that they do
/// not generate.
pub(in crate::openapi) fn document_form_schema() -> Value {
    let content = json!({
        "type": "string", "contentMediaType": "application/octet-stream", "examples": ["name,day\nFirst aid,2026-05-04\n"],
        "description": "The bytes of the file, at most 10 MiB. If `name` is absent, the file name of this part is used.",
    });
    json!({
        "type": "object", "required": ["content"],
        "description": "A document to add, as a form (RFC 7578) with the parts `content`, `name` and `categoryId`. Only `content` is required.",
        "patternProperties": {
            "^name$": document_name_schema(),
            "^categoryId$": id_schema("A document category of the company."),
            "^content$": content,
        },
    })
}

fn image_schema() -> Value {
    let links = required("links", list_schema("The link `self` to the object.", schema_reference("Link")));
    with_member_schema(described_schema_with::<ProfileImage>([links]), "sha256", hash_schema())
}

fn image_with_content_schema() -> Value {
    let image = required("image", base64_schema("The bytes of the image in base64."));
    with_member_schema(described_schema_with::<ProfileImage>([image]), "sha256", hash_schema())
}

fn image_input_schema() -> Value {
    object_schema(
        "A profile image to set.",
        [required(
            "image",
            base64_schema(
                "The bytes of the image in base64, with padding and without line breaks. At most \
                1 MiB.",
            ),
        )],
    )
}
