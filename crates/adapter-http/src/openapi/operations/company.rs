//! Companies and their lists (specification §6).

use payroll_domain::code::Reason;
use payroll_domain::plain::PlainKind;
use serde_json::json;

use super::super::envelope::Content;
use super::super::operation::{Operation, success};
use super::super::parameters::{named, query};
use super::super::schema::{flag, reference};
use super::super::schemas::custom_field;
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};
use crate::shared::plain::{self, PlainPaths};

pub(super) fn operations(types: &VendorTypes) -> Vec<Operation> {
    let mut operations = vec![list_companies(types), get_company(types)];
    operations.push(contact_types(types));
    operations.extend(plain::all().map(|(kind, paths)| plain_list(kind, paths, types)));
    operations.extend(custom_fields(types));
    operations.extend(one_custom_field(types));
    operations.extend(categories(types));
    operations.extend(organizations(types));
    operations
}

fn list_companies(types: &VendorTypes) -> Operation {
    let display_id = query(
        "displayid",
        "Only companies with this account number: its last 8 characters count, without dashes and spaces.",
        // Something has to be left of it without dashes and spaces.
        json!({"type": "string", "description": "An account number.", "pattern": "[^ -]"}),
    );
    let found = success(200, "Companies.", &[&types.companies, JSON], Content::Collection("Company"))
        .leads_to("getCompany", "companyId", "/content/0/companyId")
        .leads_to("listCustomFields", "companyId", "/content/0/companyId")
        .leads_to("addCustomField", "companyId", "/content/0/companyId")
        .leads_to("listCalculationBases", "companyId", "/content/0/companyId");
    Operation::new("GET", "/companies", "listCompanies", "List the companies that the application may reach")
        .says("With `displayid`, a company that is not found is 404 API-7.")
        .takes([display_id])
        .pages()
        .answers(found)
        .refuses(&[Reason::UnknownResource])
}

fn get_company(types: &VendorTypes) -> Operation {
    let lineage = query("includelineage", "Whether to tell the company's relatives too.", flag("Yes or no."));
    Operation::new("GET", "/companies/{companyId}", "getCompany", "Read one company")
        .says("409, without a body, while the company is just being converted.")
        .takes([lineage])
        .answers(success(200, "The company.", &[&types.company, JSON], Content::Resource("Company")))
        .answers(success(409, "The company is just being converted. Without a body.", &[], Content::Nothing))
}

fn contact_types(types: &VendorTypes) -> Operation {
    let path = "/companies/{companyId}/contacttypes";
    Operation::new("GET", path, "listContactTypes", "List a company's contact types")
        .says("The one list without pages: `offset` and `limit` may be sent and change nothing. A company that does not exist is 403 API-2.")
        .pages()
        .answers(success(200, "Contact types.", &[&types.contact_types, JSON], Content::Resource("ContactType")))
        .never(&[Reason::UnknownResource])
}

/// A list of plain objects.
fn plain_list(kind: PlainKind, paths: &PlainPaths, types: &VendorTypes) -> Operation {
    let ([id, ..], [schema, ..]) = (paths.ids, paths.schemas);
    let media_types: Vec<&str> = types.plain(kind).into_iter().chain([JSON]).collect();
    let operation = Operation::new("GET", paths.list, id, paths.list_summary)
        .says(paths.about)
        .pages()
        .answers(success(200, paths.answered, &media_types, Content::Collection(schema)));
    if paths.without_404 { operation.never(&[Reason::UnknownResource]) } else { operation }
}

fn custom_fields(types: &VendorTypes) -> [Operation; 2] {
    let media_types = [types.custom_fields.as_str(), JSON];
    let of_one = [types.custom_fields.as_str(), &types.custom_field, JSON];
    [
        Operation::new(
            "GET",
            "/companies/{companyId}/customfields",
            "listCustomFields",
            "List a company's custom fields",
        )
        .pages()
        .answers(success(200, "Custom fields.", &media_types, Content::Collection("CustomField"))),
        Operation::new(
            "POST",
            "/companies/{companyId}/customfields",
            "addCustomField",
            "Add a custom field to a company",
        )
        .needs_body(&of_one, &reference("CustomFieldInput"), &custom_field::example())
        .answers(success(200, "The custom field.", &of_one, Content::Resource("CustomField")))
        .refuses(FAULTS),
    ]
}

/// What can be wrong with a document.
const FAULTS: &[Reason] =
    &[Reason::FieldMissing, Reason::FieldAmbiguous, Reason::FieldInvalid, Reason::EmptyRequest];
/// The reasons to refuse a change of what is stored.
const OBSTACLES: &[Reason] = &[Reason::PreconditionFailed, Reason::Conflict, Reason::CompanyLocked];

fn one_custom_field(types: &VendorTypes) -> [Operation; 3] {
    let path = "/companies/{companyId}/customfields/{customFieldId}";
    let media_types = [types.custom_field.as_str(), &types.custom_fields, JSON];
    let taken = [media_types.as_slice(), &[MERGE_PATCH]].concat();
    let field =
        || success(200, "The custom field.", &media_types, Content::Resource("CustomField")).header("ETag");
    [
        Operation::new("GET", path, "getCustomField", "Read one custom field")
            .says("Its `ETag` is a strong one, for `If-Match`.")
            .answers(success(200, "The custom field.", &media_types, Content::Resource("CustomField"))),
        Operation::new("PATCH", path, "changeCustomField", "Change a custom field")
            .says("A JSON merge patch. What comes out is judged as a new custom field is, so a change of the type has to take away the default value of the old one. A choice that is sent with its `dropdownId` keeps it.")
            .takes([named("If-Match")])
            .needs_body(
                &taken,
                &reference("CustomFieldChange"),
                &custom_field::example_of_change(),
            )
            .answers(field())
            .refuses(FAULTS)
            .refuses(OBSTACLES),
        Operation::new("DELETE", path, "removeCustomField", "Remove a custom field")
            .says("With the choices of a drop-down.")
            .takes([named("If-Match")])
            .answers(success(204, "It is gone.", &[], Content::Nothing))
            .refuses(&[Reason::InvalidParameter])
            .refuses(OBSTACLES),
    ]
}

fn categories(types: &VendorTypes) -> [Operation; 2] {
    let path = "/companies/{companyId}/customfieldscategories";
    let media_types = [types.categories.as_str(), JSON];
    [
        Operation::new(
            "GET",
            path,
            "listCustomFieldCategories",
            "List a company's categories of custom fields",
        )
        .pages()
        .answers(success(
            200,
            "Categories.",
            &media_types,
            Content::Collection("CustomFieldCategory"),
        )),
        Operation::new(
            "POST",
            path,
            "addCustomFieldCategory",
            "Add a category of custom fields to a company",
        )
        .says("A company has one default category at most: `default` may be true where there is none.")
        .needs_body(
            &media_types,
            &reference("CustomFieldCategoryInput"),
            &custom_field::example_of_category(),
        )
        .answers(success(200, "The category.", &media_types, Content::Resource("CustomFieldCategory")))
        .refuses(FAULTS)
        .refuses(&[Reason::CompanyLocked]),
    ]
}

fn organizations(types: &VendorTypes) -> [Operation; 2] {
    let media_types = [types.organizations.as_str(), JSON];
    let found = success(200, "Units.", &media_types, Content::Collection("Organization"))
        .leads_to("getOrganization", "organizationId", "/content/0/organizationId")
        .keeping("getOrganization", "companyId");
    let media_types = [types.organization.as_str(), JSON];
    [
        Operation::new(
            "GET",
            "/companies/{companyId}/organizations",
            "listOrganizations",
            "List a company's organizational units",
        )
        .says("The tree is in the links: `parent`, and a `child` for each unit right below.")
        .pages()
        .answers(found),
        Operation::new(
            "GET",
            "/companies/{companyId}/organizations/{organizationId}",
            "getOrganization",
            "Read one organizational unit",
        )
        .answers(success(200, "The unit.", &media_types, Content::Resource("Organization"))),
    ]
}
