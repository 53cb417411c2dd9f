//! Companies and their lists (specification §6).

use payroll_domain::code::Reason;
use payroll_domain::lookup::LookupKind;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::query_parameter;
use super::super::schema::{boolean_schema, schema_reference};
use super::super::schemas::custom_field;
use super::objects::WritableEndpoints;
use crate::shared::lookup::{self, LookupListFilter, LookupListSpec, PartnerOperations};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let mut operations = vec![list_companies_operation(types), get_company_operation(types)];
    operations.extend([contact_type_operation(types), state_tax_operation()]);
    operations
        .extend(lookup::all_lookup_lists().flat_map(|(kind, spec)| lookup_operations(kind, spec, types)));
    operations.extend(custom_field_operations(types));
    operations.extend(category_operations(types));
    operations.extend(organization_operations(types));
    operations
}

fn list_companies_operation(types: &VendorTypes) -> OperationDescription {
    let display_id = query_parameter(
        "displayid",
        "Return only companies with this account number. The last 8 characters are compared, without \
         dashes and spaces.",
        // The text must contain at least one character other than dashes and spaces.
        json!({"type": "string", "description": "An account number.", "pattern": "[^ -]"}),
    );
    let found = success(
        200,
        "The companies that the application has access to.",
        &[&types.companies, JSON],
        BodySchema::Collection("Company"),
    )
    .with_link("getCompany", "companyId", "/content/0/companyId")
    .with_link("listCustomFields", "companyId", "/content/0/companyId")
    .with_link("addCustomField", "companyId", "/content/0/companyId")
    .with_link("listCalculationBases", "companyId", "/content/0/companyId");
    OperationDescription::new(
        "GET",
        "/companies",
        "listCompanies",
        "List the companies that the application has access to",
    )
    .with_description(
        "With the parameter `displayid`, the response is 404 API-7 if no company has that account number.",
    )
    .with_parameters([display_id])
    .with_paging()
    .with_success(found)
    .with_reasons(&[Reason::UnknownResource])
}

fn get_company_operation(types: &VendorTypes) -> OperationDescription {
    let lineage = query_parameter(
        "includelineage",
        "Also return `lineage`, the related companies that the application has access to.",
        boolean_schema("Whether to return `lineage`."),
    );
    OperationDescription::new("GET", "/companies/{companyId}", "getCompany", "Read one company")
        .with_description(
            "While operators are converting the data of the company, its state is CONVERTING, and the \
            response is 409 without a body. Retry later.",
        )
        .with_parameters([lineage])
        .with_success(success(200, "The company.", &[&types.company, JSON], BodySchema::Resource("Company")))
        .with_success(success(
            409,
            "The company is in state CONVERTING. The response has no body.",
            &[],
            BodySchema::Nothing,
        ))
}

fn contact_type_operation(types: &VendorTypes) -> OperationDescription {
    let path = "/companies/{companyId}/contacttypes";
    OperationDescription::new("GET", path, "listContactTypes", "List a company's contact types")
        .with_description(
            "The response always has all contact types: valid values of `offset` and `limit` have no effect. \
            For a company that does not exist, the response is 403 API-2.",
        )
        .with_paging()
        .with_success(success(
            200,
            "The contact types of the company.",
            &[&types.contact_types, JSON],
            BodySchema::Resource("ContactType"),
        ))
        .without_reasons(&[Reason::UnknownResource])
}

fn state_tax_operation() -> OperationDescription {
    let path = "/companies/{companyId}/statetaxes";
    OperationDescription::new(
        "GET",
        path,
        "listCompanyStateTaxes",
        "List the states in which a company pays taxes",
    )
    .with_description(
        "The content is one element, with the codes of all states in which the company pays taxes.",
    )
    .with_success(success(
        200,
        "The states in which the company pays taxes.",
        &[JSON],
        BodySchema::Resource("CompanyStateTaxes"),
    ))
}

/// Returns the partners' operations on a lookup list.
fn lookup_operations(
    kind: LookupKind,
    spec: &'static LookupListSpec,
    types: &VendorTypes,
) -> Vec<OperationDescription> {
    let list = list_lookup_operation(kind, spec, types);
    match spec.partners {
        PartnerOperations::List => vec![list],
        PartnerOperations::One => vec![list, get_lookup_item_operation(kind, spec, types)],
        PartnerOperations::Write => {
            let mut all = vec![list, get_lookup_item_operation(kind, spec, types)];
            all.extend(job_write_operations(spec, types));
            all
        }
    }
}

fn list_lookup_operation(
    kind: LookupKind,
    spec: &'static LookupListSpec,
    types: &VendorTypes,
) -> OperationDescription {
    let media_types: Vec<&str> = types.lookup_list_type(kind).into_iter().chain([JSON]).collect();
    let found =
        success(200, spec.words.list_response, &media_types, BodySchema::Collection(spec.schemas.shown));
    let found = match spec.partners {
        PartnerOperations::List => found,
        PartnerOperations::One | PartnerOperations::Write => found
            .with_link(spec.operations.get, spec.id.name, &format!("/content/0/{}", kind.id_member()))
            .with_parameter_passed_to(spec.operations.get, "companyId"),
    };
    let operation = OperationDescription::new("GET", spec.paths.list, spec.operations.list, spec.words.list)
        .with_description(spec.words.about)
        .with_parameters(filters::lookup_filters(spec.filter))
        .with_paging()
        .with_success(found);
    if spec.unknown_company_is_403 {
        operation.without_reasons(&[Reason::UnknownResource])
    } else {
        operation
    }
}

/// Returns the partners' operations that change jobs.
fn job_write_operations(spec: &'static LookupListSpec, types: &VendorTypes) -> Vec<OperationDescription> {
    let names = |kind: fn(&VendorTypes) -> Option<&str>| kind(types).into_iter().collect::<Vec<_>>();
    let list = names(|types| types.lookup_list_type(LookupKind::CompanyJob));
    let written = WritableEndpoints {
        list: spec.paths.list,
        object_path: spec.paths.one,
        ids: [spec.operations.create, spec.operations.get, spec.operations.change, spec.operations.delete],
        summaries: ["Add a job to a company", "", "Change a job", ""],
        notes: [
            "The response is the job itself, without an envelope. Each segment of `jobNumber` must have the \
             length that GET jobsegments returns.",
            "",
            "A JSON merge patch. The change takes effect immediately. `effectiveDate` must not be after today.",
            "",
        ],
        schemas: ["CompanyJob", "CompanyJobInput", "CompanyJobChange", "CreatedCompanyJob"],
        created: 201,
        new_types: list.clone(),
        types: [list, names(|types| types.lookup_element_type(LookupKind::CompanyJob))].concat(),
        read_types: Vec::new(),
        delete_media_types: None,
        example: (spec.example)(),
        patch: (spec.patch)(),
        reasons: &[],
        reasons_to_keep: &[],
    };
    vec![
        written.creation_operation_returning(&BodySchema::Bare(schema_reference("CreatedCompanyJob"))),
        written.change_operation().with_reasons(&[Reason::IdOrDateInvalid]),
    ]
}

fn get_lookup_item_operation(
    kind: LookupKind,
    spec: &'static LookupListSpec,
    types: &VendorTypes,
) -> OperationDescription {
    let media_types: Vec<&str> = types.lookup_element_type(kind).into_iter().chain([JSON]).collect();
    let words = match spec.filter {
        LookupListFilter::None | LookupListFilter::PayFrequency => spec.words.about,
        LookupListFilter::Day => {
            "With `asof`, the response is 404 API-7 if the object is not in force on that day. Without \
             `asof`, the response has the object whether it is in force or not."
        }
    };
    OperationDescription::new("GET", spec.paths.one, spec.operations.get, spec.words.one)
        .with_description(words)
        .with_parameters(filters::lookup_filters(spec.filter))
        .with_success(success(200, "The object.", &media_types, BodySchema::Resource(spec.schemas.shown)))
        .with_reasons(if spec.filter == LookupListFilter::Day { &[Reason::InvalidParameter] } else { &[] })
}

fn custom_field_operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let media_types = [types.custom_fields.as_str(), JSON];
    let path = "/companies/{companyId}/customfields";
    let list = OperationDescription::new("GET", path, "listCustomFields", "List a company's custom fields")
        .with_paging()
        .with_success(success(
            200,
            "The custom fields of the company.",
            &media_types,
            BodySchema::Collection("CustomField"),
        ));
    let written = WritableEndpoints {
        list: path,
        object_path: "/companies/{companyId}/customfields/{customFieldId}",
        ids: ["addCustomField", "getCustomField", "changeCustomField", "removeCustomField"],
        summaries: [
            "Add a custom field to a company",
            "Read one custom field",
            "Change a custom field",
            "Remove a custom field",
        ],
        notes: [
            "The name of the custom field must be unique in the company.",
            "Send the `ETag` of the response in `If-Match` to change the object.",
            "A JSON merge patch. The result is validated like a new custom field. If you change the type, \
             also remove the default value of the old type. To keep the id of a choice, send the choice \
             with its `dropdownId`.",
            "If the custom field is a drop-down field, its choices are deleted too.",
        ],
        schemas: ["CustomField", "CustomFieldInput", "CustomFieldChange", "CreatedCustomField"],
        created: 200,
        new_types: vec![&types.custom_fields, &types.custom_field],
        types: vec![&types.custom_field, &types.custom_fields],
        read_types: vec![&types.custom_field, &types.custom_fields],
        delete_media_types: None,
        example: custom_field::example(),
        patch: custom_field::change_example(),
        reasons: &[],
        reasons_to_keep: &[],
    };
    [vec![list], written.operations().into()].into_iter().flatten().collect()
}

fn category_operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let media_types = [types.categories.as_str(), JSON];
    let path = "/companies/{companyId}/customfieldscategories";
    let list = OperationDescription::new(
        "GET",
        path,
        "listCustomFieldCategories",
        "List a company's categories of custom fields",
    )
    .with_paging()
    .with_success(success(
        200,
        "The categories of custom fields of the company.",
        &media_types,
        BodySchema::Collection("CustomFieldCategory"),
    ));
    let written = WritableEndpoints {
        list: path,
        object_path: "/companies/{companyId}/customfieldscategories/{categoryId}",
        ids: [
            "addCustomFieldCategory",
            "getCustomFieldCategory",
            "changeCustomFieldCategory",
            "removeCustomFieldCategory",
        ],
        summaries: [
            "Add a category of custom fields to a company",
            "Read one category of custom fields",
            "Change a category of custom fields",
            "Remove a category of custom fields",
        ],
        notes: [
            "A company has at most one default category: `default` can be true only if the company has none yet.",
            "Send the `ETag` of the response in `If-Match` to change the object.",
            "A JSON merge patch. The result is validated like a new category.",
            "The response is 409 API-409 while the category contains custom fields.",
        ],
        schemas: [
            "CustomFieldCategory",
            "CustomFieldCategoryInput",
            "CustomFieldCategoryChange",
            "CreatedCustomFieldCategory",
        ],
        created: 200,
        new_types: vec![&types.categories],
        types: vec![&types.category, &types.categories],
        read_types: vec![&types.category, &types.categories],
        delete_media_types: None,
        example: custom_field::category_example(),
        patch: json!({"categoryName": "Workwear"}),
        reasons: &[Reason::CompanyLocked],
        reasons_to_keep: &[],
    };
    [vec![list], written.operations().into()].into_iter().flatten().collect()
}

fn organization_operations(types: &VendorTypes) -> [OperationDescription; 2] {
    let media_types = [types.organizations.as_str(), JSON];
    let found = success(
        200,
        "The organizational units of the company.",
        &media_types,
        BodySchema::Collection("Organization"),
    )
    .with_link("getOrganization", "organizationId", "/content/0/organizationId")
    .with_parameter_passed_to("getOrganization", "companyId");
    let media_types = [types.organization.as_str(), JSON];
    [
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/organizations",
            "listOrganizations",
            "List a company's organizational units",
        )
        .with_description(
            "The links of a unit show its place in the tree: `parent`, and a `child` for each \
            unit directly below.",
        )
        .with_paging()
        .with_success(found),
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/organizations/{organizationId}",
            "getOrganization",
            "Read one organizational unit",
        )
        .with_success(success(
            200,
            "The organizational unit.",
            &media_types,
            BodySchema::Resource("Organization"),
        )),
    ]
}
