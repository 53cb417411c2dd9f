//! Workers in each of their representations, and the elements of their lists, such as pay rates
//! (specification §11.13, §11.14, §11.31, §11.32, §11.34 to §11.38, §11.41).

use payroll_domain::check::MAX_CORRELATION_ID_LENGTH;
use payroll_domain::description::{Described, MemberView};
use payroll_domain::worker::{
    AssignmentDistribution, ContactRelationship, CurrentStatus, FederalTax, I9Status, Job, Name, PayRate,
    RecurringComponent, StateTax, StatusEntry, TimeOff, Worker, WorkerContact, WorkerCustomField,
};
use serde_json::{Value, json};

use super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_schema, request_schema_with};
use super::super::schema::{
    ObjectMember, boolean_schema, created_object_schema, described_members, described_schema,
    described_schema_with, enumeration_schema, id_schema, list_schema, object_schema, optional, required,
    schema_reference, text_schema, with_keyword, with_member_reference, with_member_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("Worker", worker_schema(MemberView::Full, "A worker of a company.")),
        ("ImpersonalWorker", worker_schema(MemberView::Impersonal, "A worker without personal data.")),
        (
            "ReachableWorker",
            worker_schema(MemberView::Reachable, "A worker without personal data except communications."),
        ),
        (
            "RosterWorker",
            worker_schema(MemberView::Roster, "A worker, with only the members that a roster needs."),
        ),
        ("WorkerName", described_schema::<Name>()),
        ("WorkerStatus", described_schema::<CurrentStatus>()),
        ("JobTitle", described_schema::<Job>()),
        ("WorkersUnit", organizational_unit_schema()),
        ("PayRateInput", request_schema::<PayRate>(SchemaUse::Request, &["rateId", "startDate"])),
        ("PayRateChange", request_schema::<PayRate>(SchemaUse::Patch, &[])),
        ("WorkerChange", request_schema::<Worker>(SchemaUse::Patch, &[])),
        ("WorkerInput", worker_input_schema()),
        ("CreatedWorker", created_worker_schema()),
        ("CreatedWorkerStatus", created_object_schema(described_schema::<CurrentStatus>(), "workerStatusId")),
        ("PayRate", pay_rate_schema()),
        ("CreatedPayRate", created_object_schema(pay_rate_schema(), "rateId")),
        ("FederalTax", federal_tax_schema(SchemaUse::Response)),
        ("FederalTaxInput", federal_tax_schema(SchemaUse::Request)),
        ("FederalTaxChange", federal_tax_schema(SchemaUse::Patch)),
        ("StateTax", state_tax_schema()),
        ("StateTaxPatch", state_tax_patch_schema()),
        (
            "RecurringComponentInput",
            request_schema::<RecurringComponent>(SchemaUse::Request, &["workerComponentId"]),
        ),
        ("RecurringComponentChange", request_schema::<RecurringComponent>(SchemaUse::Patch, &[])),
        ("NamedRecurringComponentChange", bulk_change_item_schema()),
        ("RecurringComponent", recurring_component_schema()),
        ("TimeOff", described_schema::<TimeOff>()),
        ("StatusEntry", described_schema::<StatusEntry>()),
        ("I9Status", described_schema::<I9Status>()),
        ("AssignmentDistribution", described_schema::<AssignmentDistribution>()),
        ("WorkerContactInput", request_schema::<WorkerContact>(SchemaUse::Request, &["contactId"])),
        ("WorkerContactChange", request_schema::<WorkerContact>(SchemaUse::Patch, &[])),
        ("WorkerContact", contact_schema()),
        ("CreatedWorkerContact", created_object_schema(contact_schema(), "contactId")),
        ("WorkerCustomFieldInput", custom_value_input_schema()),
        (
            "WorkerCustomFieldChange",
            request_schema_with::<WorkerCustomField>(SchemaUse::Patch, &[], [choice_member()]),
        ),
        ("WorkerCustomField", custom_value_schema()),
        ("CreatedWorkerCustomField", created_object_schema(custom_value_schema(), "workerCustomFieldId")),
        (
            "CreatedRecurringComponent",
            created_object_schema(recurring_component_schema(), "workerComponentId"),
        ),
    ]
}

fn pay_rate_schema() -> Value {
    described_schema_with::<PayRate>([required(
        "links",
        list_schema("The link `self` to the object.", schema_reference("Link")),
    )])
}

fn recurring_component_schema() -> Value {
    described_schema_with::<RecurringComponent>([
        required("name", text_schema("The name of the pay component.")),
        required("effectOnPay", schema_reference("EffectOnPay")),
        required("classificationType", schema_reference("ClassificationType")),
        required("links", list_schema("The link `self` to the object.", schema_reference("Link"))),
    ])
}

/// Returns the schema of a contact, including the names of its contact types.
fn contact_schema() -> Value {
    let named = |words: &str, id_member: &'static str, name_member: &'static str| {
        object_schema(
            words,
            [
                required(id_member, id_schema(words)),
                optional(name_member, text_schema("The name of the type.")),
            ],
        )
    };
    let of_relationship =
        named("The relationship of the contact to the worker.", "relationshipTypeId", "relationshipTypeName");
    let relationship =
        with_member_schema(described_schema::<ContactRelationship>(), "relationshipType", of_relationship);
    let contact = with_member_schema(described_schema::<WorkerContact>(), "relationship", relationship);
    let contact_type = named("The type of the contact.", "contactTypeId", "contactTypeName");
    with_member_schema(contact, "contactType", contact_type)
}

/// Returns the member that contains the text of the selected choice of a drop-down field.
fn choice_member() -> ObjectMember {
    let words = "The text of the choice. You can send it instead of `dropdownId`, or in addition.";
    optional("dropdownValue", with_keyword(text_schema(words), "maxLength", OPERATOR_NAME_LENGTH))
}

fn custom_value_input_schema() -> Value {
    request_schema_with::<WorkerCustomField>(SchemaUse::Request, &["workerCustomFieldId"], [choice_member()])
}

fn custom_value_schema() -> Value {
    described_schema_with::<WorkerCustomField>([
        required("customFieldName", text_schema("The name of the custom field.")),
        required("type", schema_reference("CustomFieldType")),
        required("required", boolean_schema("Whether each worker must have a value of the field.")),
        required("checkStub", boolean_schema("Whether the value is printed on check stubs.")),
        required("employeeEditable", boolean_schema("Whether the worker may edit the value.")),
        optional("dropdownValue", text_schema("The text of the choice of a drop-down field.")),
    ])
}

/// Returns the schema of federal tax settings. Flags are strings, such as `"true"`, instead of booleans.
fn federal_tax_schema(purpose: SchemaUse) -> Value {
    let schema = match purpose {
        SchemaUse::Response => described_schema_with::<FederalTax>([required(
            "taxId",
            id_schema("The id of the tax settings, which is the id of the worker."),
        )]),
        SchemaUse::Request | SchemaUse::Patch => request_schema::<FederalTax>(purpose, &[]),
    };
    let flags = ["multipleJobs", "taxesWithheld"].into_iter();
    flags.fold(schema, |schema, member| {
        let words = FederalTax::MEMBERS.iter().find(|it| it.name == member).map_or("", |it| it.words.trim());
        with_member_schema(schema, member, enumeration_schema(words, ["true", "false"]))
    })
}

fn state_tax_schema() -> Value {
    described_schema_with::<StateTax>([
        required("workerTaxId", id_schema("The id of the tax setting, which is the code of the state.")),
        required(
            "regulationType",
            enumeration_schema("The kind of tax that the setting is for.", ["INCOME_TAX"]),
        ),
    ])
}

/// Returns the schema of a JSON Patch. The member `value` may have any type, so its schema has no `type`. If
/// the schema listed several types, client generators would create a class that accepts only objects.
fn state_tax_patch_schema() -> Value {
    let value = json!({"description": concat!(
        "The value to store at `path`. For `/workerTaxes/{workerTaxId}`, it is an object with \
         `countrySubdivisionCode` and any other ",
        "members of `StateTax` except `workerTaxId` and `regulationType`. For the path of a single \
         member, it is the value of that member."
    )});
    let operation = object_schema(
        "An operation of a JSON Patch.",
        [
            required(
                "op",
                enumeration_schema("The operation of the JSON Patch on the path.", ["add", "replace"]),
            ),
            required(
                "path",
                text_schema("The JSON Pointer `/workerTaxes/{workerTaxId}`, or one of a member below it."),
            ),
            required("value", value),
        ],
    );
    with_keyword(
        with_keyword(list_schema("The operations of the JSON Patch, at most 100.", operation), "minItems", 1),
        "maxItems",
        100,
    )
}

/// Returns the schema of one element in a request that changes several recurring components. Each element
/// contains the id of the component that it changes.
fn bulk_change_item_schema() -> Value {
    let mut schema = request_schema::<RecurringComponent>(SchemaUse::Patch, &[]);
    if let Some(members) = schema.as_object_mut() {
        members.insert("required".to_owned(), json!(["workerComponentId"]));
    }
    with_member_schema(schema, "workerComponentId", id_schema("The recurring component to change."))
}

/// Returns the schema of a worker in one of the views. Responses also contain the names of referenced
/// objects.
fn worker_schema(view: MemberView, description: &str) -> Value {
    let links = "`self`, and `communications` and `payRates` if the caller may read them.";
    let links = required("links", list_schema(links, schema_reference("Link")));
    let worker = object_schema(description, described_members(view, Worker::MEMBERS).chain([links]));
    let worker = with_member_reference(worker, "name", "WorkerName");
    let worker = with_member_reference(worker, "job", "JobTitle");
    let worker = with_member_reference(worker, "organization", "WorkersUnit");
    let worker = with_member_reference(worker, "currentStatus", "WorkerStatus");
    let communications = list_schema(
        "Addresses, telephone numbers and e-mail addresses of the worker.",
        schema_reference("Communication"),
    );
    let worker = with_member_schema(worker, "communications", communications);
    let worker = with_member_schema(worker, "customEmploymentType", custom_employment_type_schema());
    with_member_schema(worker, "supervisor", supervisor_schema(view))
}

/// Returns the schema of a worker in a request that creates the worker.
fn worker_input_schema() -> Value {
    let mut schema = request_schema::<Worker>(SchemaUse::Request, &["workerId"]);
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        for decided in ["workerId", "jobId", "currentStatus"] {
            members.remove(decided);
        }
        members.insert("workerCorrelationId".to_owned(), correlation_id_schema());
    }
    schema
}

/// Returns the schema of a worker in the response to the request that created the worker.
fn created_worker_schema() -> Value {
    let schema = created_object_schema(worker_schema(MemberView::Full, "A new worker."), "workerId");
    let schema = with_member_reference(schema, "currentStatus", "CreatedWorkerStatus");
    let mut schema = with_member_schema(
        schema,
        "communications",
        list_schema(
            "Addresses, telephone numbers and e-mail addresses.",
            schema_reference("CreatedCommunication"),
        ),
    );
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        members.insert("workerCorrelationId".to_owned(), correlation_id_schema());
    }
    schema
}

fn correlation_id_schema() -> Value {
    let words =
        "Your own id for the worker in this request. It is required if the request has several workers.";
    with_keyword(with_keyword(text_schema(words), "minLength", 1), "maxLength", MAX_CORRELATION_ID_LENGTH)
}

fn custom_employment_type_schema() -> Value {
    let members = [
        required("customEmploymentTypeId", id_schema("The employment type.")),
        optional("customEmploymentTypeName", text_schema("The name of the employment type.")),
    ];
    object_schema("An employment type that the company has defined.", members)
}

fn supervisor_schema(view: MemberView) -> Value {
    let name = [
        required("familyName", text_schema("The family name of the supervisor.")),
        required("givenName", text_schema("The given name of the supervisor.")),
    ];
    let name = (view == MemberView::Full)
        .then(|| optional("name", object_schema("The name of the supervisor.", name)));
    let id = required("workerId", id_schema("The supervisor of the worker."));
    object_schema("The supervisor of the worker.", [id].into_iter().chain(name))
}

fn organizational_unit_schema() -> Value {
    object_schema(
        "The organizational unit of the company that the worker belongs to.",
        [
            required("organizationId", id_schema("The unit.")),
            required("name", text_schema("The name of the organizational unit.")),
            optional("number", text_schema("The number of the organizational unit.")),
        ],
    )
}
