//! Schemas of operators' requests and responses (specification §11.18 to §11.30). Schemas that both APIs
//! share are taken from the partners' schemas.

mod access;
mod bulk;
mod custom_fields;
mod history;
mod journal;
mod pay_runs;
mod sandbox;

use payroll_domain::company::{Company, ContactType, Organization};
use payroll_domain::custom_field::CustomFieldCategory;
use payroll_domain::description::Described;
use payroll_domain::file::WorkerDocument;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::with_lookup_kind;
use payroll_domain::worker::{
    DirectDeposit, PayRate, RecurringComponent, Worker, WorkerContact, WorkerCustomField,
};

use super::super::documents::{SchemaUse, document_schema, request_object_schema};
use super::super::schema::{
    ObjectMember, date_schema, id_schema, list_schema, object_schema, optional, request_date_schema,
    required, text_schema, with_member_schema,
};
use super::super::schemas::named::NamedSchemas;
use super::super::schemas::select_schemas;
use super::super::schemas::worker_files::{document_form_schema, document_input_schema, hash_schema};
use crate::shared::lookup;

/// The names of the schemas that both APIs share.
const SHARED_SCHEMAS: &[&str] = &[
    "AnsweredRequest",
    "AuthType",
    "Check",
    "CheckInput",
    "CheckLine",
    "CheckLineInput",
    "CheckTax",
    "ClassificationType",
    "CustomFieldType",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryState",
    "EffectOnPay",
    "EventAction",
    "EventDomain",
    "LegalId",
    "Link",
    "NotedRequest",
    "PeriodStatus",
    "ProcessedCheckLine",
    "Replay",
    "ReplayRequest",
    "RequestDetails",
];

/// Returns all schemas of the operator API.
pub(super) fn operator_schemas() -> NamedSchemas {
    let mut schemas = select_schemas(SHARED_SCHEMAS);
    schemas.extend(described_schemas());
    schemas.extend(lookup::all_lookup_lists().flat_map(
        |(kind, spec)| with_lookup_kind!(kind, Object => resource_schemas::<Object>(spec.schemas.to_array(), |_| Vec::new())),
    ));
    schemas.extend(custom_fields::custom_field_schemas());
    schemas.extend(bulk::bulk_schemas());
    schemas.extend(pay_runs::pay_period_schemas());
    schemas.extend(pay_runs::preview_schemas());
    schemas.extend(pay_runs::completion_request_schemas());
    schemas.extend(pay_runs::register_schemas());
    schemas.extend(pay_runs::reversal_schemas());
    schemas.extend(journal::journal_schemas());
    schemas.extend(access::access_schemas());
    schemas.extend(history::hook_schemas());
    schemas.extend(history::history_schemas());
    schemas.extend(history::lock_schemas());
    schemas.extend(sandbox::schemas());
    schemas
}

/// Returns three schemas of a resource that the domain describes: a document in a response, a complete
/// document in a request, and a patch. The members of `others` come after the members of the resource.
fn resource_schemas<T: Described>(
    names: [&'static str; 3],
    others: fn(SchemaUse) -> Vec<ObjectMember>,
) -> NamedSchemas {
    let [answered, sent, patch] = names;
    [(answered, SchemaUse::Response), (sent, SchemaUse::Request), (patch, SchemaUse::Patch)]
        .map(|(name, purpose)| (name, document_schema::<T>(purpose, others(purpose))))
        .into()
}

fn described_schemas() -> NamedSchemas {
    let none = |_| Vec::new();
    [
        resource_schemas::<Company>(["Company", "CompanyInput", "CompanyPatch"], product_members),
        resource_schemas::<Organization>(["Organization", "OrganizationInput", "OrganizationPatch"], none),
        resource_schemas::<ContactType>(["ContactType", "ContactTypeInput", "ContactTypePatch"], none),
        resource_schemas::<CustomFieldCategory>(
            ["CustomFieldCategory", "CustomFieldCategoryInput", "CustomFieldCategoryPatch"],
            none,
        ),
        resource_schemas::<PayComponent>(["PayComponent", "PayComponentInput", "PayComponentPatch"], none),
        resource_schemas::<PayPeriod>(
            ["PayPeriod", "PayPeriodInput", "PayPeriodPatch"],
            pay_runs::totals_members,
        ),
        resource_schemas::<Worker>(["Worker", "WorkerInput", "WorkerPatch"], none),
        resource_schemas::<PayRate>(["PayRate", "PayRateInput", "PayRatePatch"], none),
        resource_schemas::<RecurringComponent>(
            ["RecurringComponent", "RecurringComponentInput", "RecurringComponentPatch"],
            none,
        ),
        resource_schemas::<DirectDeposit>(
            ["DirectDeposit", "DirectDepositInput", "DirectDepositPatch"],
            none,
        ),
        vec![("PendingDirectDeposit", pending_deposit_schema())],
        vec![
            ("StoredDocument", stored_document_schema()),
            ("DocumentInput", document_input_schema()),
            ("DocumentForm", document_form_schema()),
        ],
        resource_schemas::<WorkerCustomField>(
            ["WorkerCustomField", "WorkerCustomFieldInput", "WorkerCustomFieldPatch"],
            none,
        ),
        resource_schemas::<WorkerContact>(
            ["WorkerContact", "WorkerContactInput", "WorkerContactPatch"],
            none,
        ),
    ]
    .concat()
}

fn stored_document_schema() -> serde_json::Value {
    with_member_schema(document_schema::<WorkerDocument>(SchemaUse::Response, []), "sha256", hash_schema())
}

fn pending_deposit_schema() -> serde_json::Value {
    let members =
        [required("companyId", id_schema("The company.")), required("workerId", id_schema("The worker."))];
    document_schema::<DirectDeposit>(SchemaUse::Response, members)
}

fn product_members(purpose: SchemaUse) -> Vec<ObjectMember> {
    let day =
        |words| if purpose == SchemaUse::Response { date_schema(words) } else { request_date_schema(words) };
    let members = [
        required("productCode", text_schema("The code of the product, such as PAYROLL or RETIREMENT.")),
        required("startDate", day("The first day on which the company has the product.")),
        optional("endDate", day("The last day on which the company has the product.")),
    ];
    let product = match purpose {
        SchemaUse::Response => object_schema("A product of the company.", members),
        SchemaUse::Request | SchemaUse::Patch => {
            request_object_schema("A product of the company.", SchemaUse::Request, members)
        }
    };
    vec![optional("products", list_schema("The products of the company.", product))]
}
