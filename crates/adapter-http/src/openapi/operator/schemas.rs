//! Schemas of operators' requests and responses (specification §11.18 to §11.23). Schemas that both APIs
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

use super::super::documents::{SchemaUse, document, request_object_schema};
use super::super::schema::{
    Member, date, date_sent, id, list, object, optional, required, text, with_member_schema,
};
use super::super::schemas::named::Named;
use super::super::schemas::select;
use super::super::schemas::worker_files::{document_form, document_input, hash};
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
pub(super) fn all() -> Named {
    let mut schemas = select(SHARED_SCHEMAS);
    schemas.extend(described());
    schemas.extend(lookup::all().flat_map(
        |(kind, family)| with_lookup_kind!(kind, Object => resource_schemas::<Object>(family.schemas.all(), |_| Vec::new())),
    ));
    schemas.extend(custom_fields::custom_fields());
    schemas.extend(bulk::bulk());
    schemas.extend(pay_runs::pay_periods());
    schemas.extend(pay_runs::preview());
    schemas.extend(pay_runs::completion_request());
    schemas.extend(pay_runs::register());
    schemas.extend(pay_runs::reversal());
    schemas.extend(journal::journal());
    schemas.extend(access::access());
    schemas.extend(history::hooks());
    schemas.extend(history::history());
    schemas.extend(history::lock());
    schemas.extend(sandbox::schemas());
    schemas
}

/// Returns the three schemas of a described resource: in a response, complete in a request, and as a patch.
/// Each has the members of `others` after its own.
fn resource_schemas<T: Described>(names: [&'static str; 3], others: fn(SchemaUse) -> Vec<Member>) -> Named {
    let [answered, sent, patch] = names;
    [(answered, SchemaUse::Response), (sent, SchemaUse::Request), (patch, SchemaUse::Patch)]
        .map(|(name, purpose)| (name, document::<T>(purpose, others(purpose))))
        .into()
}

fn described() -> Named {
    let none = |_| Vec::new();
    [
        resource_schemas::<Company>(["Company", "CompanyInput", "CompanyPatch"], products),
        resource_schemas::<Organization>(["Organization", "OrganizationInput", "OrganizationPatch"], none),
        resource_schemas::<ContactType>(["ContactType", "ContactTypeInput", "ContactTypePatch"], none),
        resource_schemas::<CustomFieldCategory>(
            ["CustomFieldCategory", "CustomFieldCategoryInput", "CustomFieldCategoryPatch"],
            none,
        ),
        resource_schemas::<PayComponent>(["PayComponent", "PayComponentInput", "PayComponentPatch"], none),
        resource_schemas::<PayPeriod>(["PayPeriod", "PayPeriodInput", "PayPeriodPatch"], pay_runs::totals),
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
        vec![("PendingDirectDeposit", pending_deposit())],
        vec![
            ("StoredDocument", stored_document()),
            ("DocumentInput", document_input()),
            ("DocumentForm", document_form()),
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

fn stored_document() -> serde_json::Value {
    with_member_schema(document::<WorkerDocument>(SchemaUse::Response, []), "sha256", hash())
}

fn pending_deposit() -> serde_json::Value {
    let members = [required("companyId", id("The company.")), required("workerId", id("The worker."))];
    document::<DirectDeposit>(SchemaUse::Response, members)
}

fn products(purpose: SchemaUse) -> Vec<Member> {
    let day = |words| if purpose == SchemaUse::Response { date(words) } else { date_sent(words) };
    let members = [
        required("productCode", text("The code of the product, such as PAYROLL or RETIREMENT.")),
        required("startDate", day("The first day on which the company has the product.")),
        optional("endDate", day("The last day on which the company has the product.")),
    ];
    let product = match purpose {
        SchemaUse::Response => object("A product of the company.", members),
        SchemaUse::Request | SchemaUse::Patch => {
            request_object_schema("A product of the company.", SchemaUse::Request, members)
        }
    };
    vec![optional("products", list("The products of the company.", product))]
}
