//! Companies, their lists and their locks, and imports and exports (specification §10.6, §10.8, §10.9).

use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{query_parameter, to_required_parameter, with_example};
use super::super::schema::{boolean_schema, id_schema, schema_reference, text_schema};
use super::objects::{DOCUMENT_REASONS, ObjectEndpoints};
use crate::shared::lookup::{self, LookupListSpec, object_names};
use crate::shared::media_type::{JSON, NDJSON};

pub(super) fn operations() -> Vec<OperationDescription> {
    let mut operations = company_operations();
    for objects in list_endpoints() {
        operations.extend(objects.operations());
    }
    operations.extend(
        pay_component_endpoints()
            .operations_with_filters(with_name_filter("components", filters::component_filters())),
    );
    operations.push(reveal_tax_id_operation(
        "/operator/v1/companies/{companyId}/reveal-taxid",
        "revealTaxIdOfCompany",
        "Show the full tax id of a company",
    ));
    operations.extend(lock_operations());
    operations.push(search_operation());
    operations.push(import_operation());
    operations.push(export_operation());
    operations
}

fn company_operations() -> Vec<OperationDescription> {
    let objects = ObjectEndpoints {
        list: "/operator/v1/companies",
        object_path: "/operator/v1/companies/{companyId}",
        ids: [
            "listCompanies",
            "createCompany",
            "getCompany",
            "replaceCompany",
            "changeCompany",
            "deleteCompany",
        ],
        summaries: [
            "List all companies",
            "Add a company",
            "Read one company",
            "Replace a company's own data",
            "Change a company's own data",
            "Delete a company and all of its data",
        ],
        schemas: ["Company", "CompanyInput", "CompanyPatch"],
        example: json!({"displayId": "00099001", "legalName": "Example Bakery LLC"}),
        patch: json!({"legalName": "Example Bakery Inc."}),
        is_held_by_lock: true,
    };
    objects.operations_with_filters(filters::company_filters())
}

/// Declares one kind of company object. The arguments are: the path of the list, the path parameter with the
/// object's id, the singular and plural in identifiers, the singular and plural in texts, whether the
/// company's lock protects the objects, an example object, and an example patch.
macro_rules! list_endpoint {
    ($path:literal, $id:literal, $one:ident, $many:ident, $words:literal $plural:literal, $held:literal, $example:expr, $patch:expr) => {
        ObjectEndpoints {
            list: concat!("/operator/v1/companies/{companyId}/", $path),
            object_path: concat!("/operator/v1/companies/{companyId}/", $path, "/{", $id, "}"),
            ids: object_names!($one, $many, $words, $plural).0,
            summaries: object_names!($one, $many, $words, $plural).1,
            schemas: object_names!($one, $many, $words, $plural).2,
            example: $example,
            patch: $patch,
            is_held_by_lock: $held,
        }
    };
}

/// Returns the declarations of all lists of a company.
fn list_endpoints() -> Vec<ObjectEndpoints> {
    people_object_endpoints()
        .into_iter()
        .chain(custom_field_endpoints())
        .chain(lookup::all_lookup_lists().map(|(_, spec)| lookup_endpoints(spec)))
        .collect()
}

/// Returns the declarations of organizations and contact types.
fn people_object_endpoints() -> [ObjectEndpoints; 2] {
    [
        list_endpoint!(
            "organizations",
            "organizationId",
            Organization,
            Organizations,
            "an organizational unit" "organizational units",
            false,
            json!({"name": "Night shift"}),
            json!({"number": "200"})
        ),
        list_endpoint!(
            "contacttypes",
            "contactTypeId",
            ContactType,
            ContactTypes,
            "a contact type" "contact types",
            false,
            json!({"contactTypeName": "Emergency abroad"}),
            json!({"contactTypeName": "Emergency"})
        ),
    ]
}

/// Returns the declaration of a lookup list of a company.
fn lookup_endpoints(spec: &LookupListSpec) -> ObjectEndpoints {
    ObjectEndpoints {
        list: spec.paths.operator_list,
        object_path: spec.paths.operator_one,
        ids: spec.operations.to_array(),
        summaries: spec.summaries.to_array(),
        schemas: spec.schemas.to_array(),
        example: (spec.example)(),
        patch: (spec.patch)(),
        is_held_by_lock: false,
    }
}

/// Returns the declarations of custom fields and their categories.
fn custom_field_endpoints() -> [ObjectEndpoints; 2] {
    [
        list_endpoint!(
            "customfieldscategories",
            "categoryId",
            CustomFieldCategory,
            CustomFieldCategories,
            "a category of custom fields" "categories of custom fields",
            false,
            json!({"categoryName": "Tools"}),
            json!({"categoryName": "Equipment"})
        ),
        list_endpoint!(
            "customfields",
            "customFieldId",
            CustomField,
            CustomFields,
            "a custom field" "custom fields",
            false,
            json!({"customFieldName": "Glove size", "type": "NUMERIC", "numericValue": 8}),
            json!({"employeeEditable": true})
        ),
    ]
}

fn pay_component_endpoints() -> ObjectEndpoints {
    list_endpoint!(
        "paycomponents",
        "componentId",
        PayComponent,
        PayComponents,
        "a pay component" "pay components",
        true,
        json!({"name": "Holiday bonus", "classificationType": "SUPPLEMENTAL", "effectOnPay": "ADDITION", "startDate": "2026-01-01"}),
        json!({"description": "Paid in December"})
    )
}

/// Returns the query parameters of a list: a filter on a part of the name, then `filters`.
pub(super) fn with_name_filter(of: &str, filters: Vec<Value>) -> Vec<Value> {
    let part = filters::name_substring_parameter(&format!("Return only {of} whose name contains this text"));
    [vec![part], filters].concat()
}

fn lock_operations() -> [OperationDescription; 3] {
    let path = "/operator/v1/companies/{companyId}/lock";
    let held = || success(200, "The lock of the company.", &[JSON], BodySchema::Resource("CompanyLock"));
    [
        OperationDescription::new("GET", path, "getLock", "Read the lock of a company")
            .with_description(
                "Return only `payPeriodId` if a pay period in processing locks the company. \
                The response is 404 API-7 if the company is not locked.",
            )
            .without_etag()
            .with_success(held()),
        OperationDescription::new("PUT", path, "lockCompany", "Lock a company")
            .with_description(
                "The holder is the name of the operator key. The response is 409 API-409 if \
                the company is already locked.",
            )
            .with_required_body(&[JSON], &schema_reference("LockInput"), &json!({"reason": "Month end"}))
            .with_success(held())
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(&[Reason::Conflict]),
        OperationDescription::new("DELETE", path, "unlockCompany", "Unlock a company")
            .with_description(
                "You can also release a lock that another operator has set. The response is 409 API-409 \
                if a pay period in processing locks the company.",
            )
            .with_success(success(204, "No operator lock is set for the company.", &[], BodySchema::Nothing))
            .with_reasons(&[Reason::Conflict]),
    ]
}

pub(super) fn reveal_tax_id_operation(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
) -> OperationDescription {
    OperationDescription::new("POST", path, id, summary)
        .with_description(
            "Each request adds a row to the audit log, which says who saw the tax id and when. The row \
            does not contain the tax id. An idempotency key has no effect. The response is 404 API-7 if \
            the object \
            does not exist or has no tax id.",
        )
        .with_ignored_body()
        .with_success(success(200, "The full tax id.", &[JSON], BodySchema::Resource("LegalId")))
        .with_reasons(DOCUMENT_REASONS)
        .without_reasons(&[Reason::Conflict, Reason::IdempotencyKeyReused])
}

fn search_operation() -> OperationDescription {
    let schema = text_schema(
        "The text, of at least two characters without spaces at the beginning and the \
        end.",
    );
    let parameter = with_example(
        to_required_parameter(query_parameter("q", "The text to search for.", schema)),
        "Sample",
    );
    OperationDescription::new("GET", "/operator/v1/search", "search", "Search all companies")
        .with_description(
            "Finds companies and applications by id, number or a part of the name. Finds workers by id, \
            `employeeId` or the beginning of a name, and pay periods and checks by id. Returns at \
            most 20 objects of each kind.",
        )
        .without_etag()
        .with_parameters([parameter])
        .with_success(success(
            200,
            "The objects that match the search.",
            &[JSON],
            BodySchema::Collection("SearchHit"),
        ))
        .with_reasons(&[Reason::ParameterMissing, Reason::InvalidParameter])
}

fn import_operation() -> OperationDescription {
    let line = text_schema("One company per line, with all of its data.");
    OperationDescription::new("POST", "/operator/v1/import", "importCompanies", "Import companies")
        .with_description(
            "Each line of the request is a company. The response has a line with the result of each line \
            of the request, and the server sends it while you are still sending later lines. A company \
            is stored completely or not at all. You can safely repeat an import, and an idempotency key \
            has no effect.",
        )
        .with_required_body(
            &[NDJSON],
            &line,
            &json!(
                "{\"companyId\":\"EXAMPLE\",\"displayId\":\"00099002\",\"legalName\":\"Example Farm LLC\"}\n"
            ),
        )
        .with_parameters([query_parameter(
            "dryrun",
            "Validate each company as an import does, and store nothing.",
            boolean_schema("`true` for a dry run."),
        )])
        .with_success(success(
            200,
            "A line with the result for each company.",
            &[NDJSON],
            BodySchema::Bare(schema_reference("ImportedLine")),
        ))
        .without_reasons(&[
            Reason::Conflict,
            Reason::IdempotencyKeyReused,
            Reason::BodyTooLarge,
            Reason::BodyTooSlow,
        ])
}

fn export_operation() -> OperationDescription {
    let line = json!({
        "type": "string", "description": "A complete company in the format of an import.",
        "examples": ["{\"companyId\":\"EXAMPLE\",\"displayId\":\"00099002\",\"legalName\":\"Example Farm LLC\"}\n"],
    });
    let company = with_example(
        to_required_parameter(query_parameter("companyid", "The company.", id_schema("A company."))),
        "00DEMO0001COMPANY001",
    );
    OperationDescription::new(
        "GET",
        "/operator/v1/export",
        "exportCompany",
        "Export a company with all of its data",
    )
    .with_description(
        "Returns one line in the format of the import. The line contains full tax ids, so the operation \
         requires the role `administrator` or `payroll`. The export omits checks of pay periods that are \
         not processed, because an import does not accept them.",
    )
    .without_etag()
    .with_parameters([company])
    .with_success(
        success(200, "The company.", &[NDJSON], BodySchema::Bare(line)).with_header("Checks-Left-Out"),
    )
    .with_reasons(&[
        Reason::ParameterMissing,
        Reason::InvalidParameter,
        Reason::UnknownResource,
        Reason::NotAuthorized,
    ])
}
