//! Contacts of workers (specification §6.23).

use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::schema::{list_schema, schema_reference, with_keyword};
use super::objects::{DOCUMENT_REASONS, WritableEndpoints, dry_run_parameter};
use crate::shared::media_type::{JSON, VendorTypes};

const LIST_PATH: &str = "/workers/{workerId}/contacts";

/// The reasons to reject contacts in a request, in addition to the reasons that apply to every document.
const CONTACT_REASONS: &[Reason] = &[
    Reason::EmailInvalid,
    Reason::TelephoneInvalid,
    Reason::StreetInvalid,
    Reason::AlreadyUsed,
    Reason::CompanyLocked,
];

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let several = success(
        200,
        "The contacts of the worker.",
        &[&types.contacts_of_worker, JSON],
        BodySchema::Collection("WorkerContact"),
    )
    .with_link("getContact", "contactId", "/content/0/contactId")
    .with_parameter_passed_to("getContact", "workerId");
    let listed = OperationDescription::new("GET", LIST_PATH, "listContacts", "List a worker's contacts")
        .with_description(
            "Persons and entities to contact about the worker, such as in an emergency. One contact of each \
             type is primary.",
        )
        .with_paging()
        .with_success(several);
    let [_, one, change, remove] = writable_endpoints(types).operations();
    vec![listed, add_contact_operation(types), one, change, remove]
}

fn add_contact_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.contacts_of_worker.as_str(), types.contact_of_worker.as_str(), JSON];
    let body = with_keyword(
        list_schema("The contacts of the worker.", schema_reference("WorkerContactInput")),
        "minItems",
        1,
    );
    let created =
        |status, words| success(status, words, &media_types, BodySchema::Resource("CreatedWorkerContact"));
    OperationDescription::new("POST", LIST_PATH, "addContacts", "Add contacts to a worker")
        .with_description(
            "A contact is a person or an entity, with at least one telephone, postal address \
            or e-mail address. The first contact of a type is primary. A new primary contact replaces the \
            previous primary contact of its type. Either all contacts are stored, or none. You can send \
            one contact without the array.",
        )
        .with_parameters([dry_run_parameter()])
        .with_required_body(&media_types, &body, &json!([example()]))
        .with_success(created(201, "The new contacts."))
        .with_success(created(200, "The objects that a request without `dryrun` would store."))
        .with_reasons(DOCUMENT_REASONS)
        .with_reasons(CONTACT_REASONS)
        .with_reasons(&[Reason::EmptyRequest])
}

fn example() -> Value {
    json!({
        "contactType": {"contactTypeId": "1-CONTACT-2"},
        "relationship": {
            "relationshipType": {"relationshipTypeId": "1-RELATION-24"},
            "person": {
                "name": {"familyName": "Sample", "givenName": "Bo"},
                "communication": {"telecom": [{"dialArea": "585", "dialNumber": "5550100", "type": "PHONE"}]},
            },
        },
    })
}

fn writable_endpoints(types: &VendorTypes) -> WritableEndpoints<'_> {
    let media_types = vec![types.contacts_of_worker.as_str(), types.contact_of_worker.as_str()];
    WritableEndpoints {
        list: LIST_PATH,
        object_path: "/workers/{workerId}/contacts/{contactId}",
        ids: ["addContacts", "getContact", "changeContact", "removeContact"],
        summaries: [
            "Add contacts to a worker",
            "Read one contact of a worker",
            "Change a contact of a worker",
            "Remove a contact of a worker",
        ],
        notes: [
            "",
            "The `ETag` in the response is that of the worker. You can send it in `If-Match`.",
            "A JSON merge patch. A list in the patch replaces the stored list. You can also send a \
             telephone, an address or an e-mail address of a person as a single object. This object \
             changes the stored element with the same `communicationId`, or the only stored element.",
            "If the contact is primary, the first remaining contact of its type becomes primary.",
        ],
        schemas: ["WorkerContact", "WorkerContactInput", "WorkerContactChange", "CreatedWorkerContact"],
        created: 201,
        new_types: media_types.clone(),
        types: media_types,
        read_types: vec![&types.contact_of_worker],
        delete_media_types: None,
        example: example(),
        patch: json!({"relationship": {"primary": true}}),
        reasons: CONTACT_REASONS,
        reasons_to_keep: &[],
    }
}
