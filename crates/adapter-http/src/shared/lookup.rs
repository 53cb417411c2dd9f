//! The table of lookup lists. Each list is one row. The paths, media types, scopes, operations and schemas of
//! a list are derived from the row, for both APIs and for the API description.

use payroll_domain::access::Scope;
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::ResourceKind;
use serde_json::json;

mod list_spec;

pub(crate) use list_spec::{
    ElementLinks, LookupItemId, LookupListFilter, LookupListPaths, LookupListSpec, LookupListTexts,
    LookupMediaTypes, LookupSchemaNames, OperationTexts, PartnerOperations,
};

/// Creates the OpenAPI ids and summaries of the operators' operations on a lookup list, and the names of the
/// schemas of its elements.
macro_rules! object_names {
    ($one:ident, $many:ident, $words:expr, $plural:expr) => {
        (
            [
                concat!("list", stringify!($many)),
                concat!("create", stringify!($one)),
                concat!("get", stringify!($one)),
                concat!("replace", stringify!($one)),
                concat!("change", stringify!($one)),
                concat!("delete", stringify!($one)),
            ],
            [
                concat!("List a company's ", $plural),
                concat!("Add ", $words),
                concat!("Read ", $words),
                concat!("Replace ", $words),
                concat!("Change ", $words),
                concat!("Delete ", $words),
            ],
            [stringify!($one), concat!(stringify!($one), "Input"), concat!(stringify!($one), "Patch")],
        )
    };
}
pub(crate) use object_names;

const fn operation_texts([list, create, get, replace, change, delete]: [&'static str; 6]) -> OperationTexts {
    OperationTexts { list, create, get, replace, change, delete }
}

const fn schema_names([shown, sent, patch]: [&'static str; 3]) -> LookupSchemaNames {
    LookupSchemaNames { shown, sent, patch }
}

/// Returns the plural of a noun: the given plural, or the noun with an s.
macro_rules! plural {
    ($words:literal) => {
        concat!($words, "s")
    };
    ($words:literal $plural:literal) => {
        $plural
    };
}

/// Declares the rows of the table. A row starts with the kind, its plural, the article and noun, and an
/// irregular plural if there is one. The path segment of the list and the name of the id in paths come
/// next. The other members follow by name.
macro_rules! lookup_list_specs {
    ($(
        $kind:ident and $many:ident, $article:literal $words:literal $(many $plural:literal)?, at $segment:literal audit $id:literal
        $(such as $id_example:literal)?
        { about: $about:expr, $($member:ident: $value:expr,)+ }
    )+) => {
        /// Returns the row of the table that describes this kind of lookup list.
        pub(crate) fn lookup_list_spec(kind: LookupKind) -> &'static LookupListSpec {
            match kind { $(LookupKind::$kind => {
                const NAMES: ([&str; 6], [&str; 6], [&str; 3]) =
                    object_names!($kind, $many, concat!($article, " ", $words), plural!($words $($plural)?));
                const EXAMPLES: &[&str] = &[$($id_example)?];
                const SPEC: LookupListSpec = LookupListSpec {
                    paths: LookupListPaths {
                        segment: $segment,
                        list: concat!("/companies/{companyId}/", $segment),
                        one: concat!("/companies/{companyId}/", $segment, "/{", $id, "}"),
                        operator_list: concat!("/operator/v1/companies/{companyId}/", $segment),
                        operator_one: concat!("/operator/v1/companies/{companyId}/", $segment, "/{", $id, "}"),
                    },
                    id: LookupItemId {
                        name: $id,
                        about: concat!("The ", $words, "."),
                        example: EXAMPLES.first().copied(),
                    },
                    operations: operation_texts(NAMES.0),
                    summaries: operation_texts(NAMES.1),
                    schemas: schema_names(NAMES.2),
                    words: LookupListTexts {
                        list: concat!("List a company's ", plural!($words $($plural)?)),
                        about: $about,
                        list_response: concat!("The company's ", plural!($words $($plural)?), "."),
                        one: concat!("Read one ", $words),
                    },
                    $($member: $value,)+
                };
                &SPEC
            })+ }
        }
    };
}

lookup_list_specs! {
    CalculationBase and CalculationBases, "a" "calculation base", at "calculationbases" audit "calculationBaseId" {
        about: "The bases that recurring pay components of workers are computed from.",
        scope: Scope::ReadPayroll,
        media_types: LookupMediaTypes { list: Some("payroll.calculationbases"), one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::None,
        links: ElementLinks::Absent,
        personal: false,
        unknown_company_is_403: false,
        texts: &[("calculationBaseId", "851000000007001"), ("calculationBaseName", "All earnings")],
        example: || json!({"calculationBaseName": "Overtime"}),
        patch: || json!({"calculationBaseName": "All earnings"}),
    }

    CustomEmploymentType and CustomEmploymentTypes, "a" "custom employment type",
        at "customemploymenttypes" audit "customEmploymentTypeId"
    {
        about: "The employment types that the company has defined for its workers. For a company that does \
            not exist, the response is 403 API-2.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: None, one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::None,
        links: ElementLinks::Empty,
        personal: false,
        unknown_company_is_403: true,
        texts: &[("customEmploymentTypeId", "851000000010001"), ("customEmploymentTypeName", "Seasonal")],
        example: || json!({"customEmploymentTypeName": "Harvest"}),
        patch: || json!({"customEmploymentTypeName": "Seasonal"}),
    }

    CompanyJobTitle and CompanyJobTitles, "a" "job title", at "jobtitles" audit "jobTitleId" such as "TITLE-1" {
        about: "The job titles that the company gives its workers. A worker's `job` can name one of them.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.jobtitles"), one: Some("company.jobtitle") },
        partners: PartnerOperations::One,
        filter: LookupListFilter::Day,
        links: ElementLinks::Own,
        personal: false,
        unknown_company_is_403: false,
        texts: &[],
        example: || json!({"title": "Pastry cook", "startDate": "2026-01-01"}),
        patch: || json!({"endDate": "2051-12-31"}),
    }

    LaborAssignment and LaborAssignments, "a" "labor assignment",
        at "laborassignments" audit "laborAssignmentId" such as "LABOR-1"
    {
        about: "Kinds of work that hours are booked on, such as a shift at a location. Workers and lines of \
            checks refer to a labor assignment by its id.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes {
            list: Some("company.laborassignments"),
            one: Some("company.laborassignment"),
        },
        partners: PartnerOperations::One,
        filter: LookupListFilter::Day,
        links: ElementLinks::Own,
        personal: false,
        unknown_company_is_403: false,
        texts: &[("positionId", "851000000019001")],
        example: || json!({"name": "Night shift", "startDate": "2026-01-01", "locationId": "LOCATION-1"}),
        patch: || json!({"rate": "22.50"}),
    }

    Location and Locations, "a" "location", at "locations" audit "locationId" such as "LOCATION-1" {
        about: "Places at which the company works. Workers and labor assignments refer to a location by its id.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.locations"), one: Some("company.location") },
        partners: PartnerOperations::One,
        filter: LookupListFilter::Day,
        links: ElementLinks::Own,
        personal: false,
        unknown_company_is_403: false,
        texts: &[],
        example: || {
            json!({
                "name": "Shop", "movedIn": "2026-01-01",
                "address": {"streetLineOne": "1 Example Street", "city": "Springfield", "countryCode": "US"},
            })
        },
        patch: || json!({"movedOut": "2051-12-31"}),
    }

    CompanyJob and CompanyJobs, "a" "job", at "jobs" audit "jobId" such as "JOB-1" {
        about: "Jobs that hours are booked on. Workers and lines of checks refer to a job by its id.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.jobs"), one: Some("company.job") },
        partners: PartnerOperations::Write,
        filter: LookupListFilter::Day,
        links: ElementLinks::Own,
        personal: false,
        unknown_company_is_403: false,
        texts: &[("jobCorrelationId", "site-17"), ("jobName", "Bridge repair"), ("segment1", "A1"),
            ("segment2", "B2"), ("segment3", "C3")],
        example: || json!({"jobName": "Bridge repair", "startDate": "2026-01-01", "jobNumber": {"segment1": "B17"}}),
        patch: || json!({"endDate": "2051-12-31"}),
    }

    CompanyStatus and CompanyStatuses, "a" "worker status" many "worker statuses",
        at "workerstatuses" audit "statusId" such as "851000000022001"
    {
        about: "The types and reasons that the status of a worker of the company can have.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.workerstatuses"), one: Some("company.workerstatus") },
        partners: PartnerOperations::One,
        filter: LookupListFilter::None,
        links: ElementLinks::Own,
        personal: false,
        unknown_company_is_403: false,
        texts: &[],
        example: || json!({"statusType": "TERMINATED", "statusReason": "VOLUNTARY___OTHER"}),
        patch: || json!({"statusReason": "LACK_OF_WORK___END_OF_SEASON"}),
    }

    JobSegment and JobSegments, "a" "job segment", at "jobsegments" audit "jobSegmentId" {
        about: "The segments of job numbers. A company without segments has job numbers of one part, `segment1`.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.jobsegments"), one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::None,
        links: ElementLinks::Empty,
        personal: false,
        unknown_company_is_403: false,
        texts: &[("jobSegmentId", "851000000021001")],
        example: || json!({"segmentNumber": 1, "name": "Location code", "segmentLength": 3}),
        patch: || json!({"segmentLength": 4}),
    }

    PayFrequency and PayFrequencies, "a" "pay frequency" many "pay frequencies", at "payfrequencies" audit "payFrequencyId" {
        about: "The frequencies with which recurring components can be added to checks. For a company that \
            does not exist, the response is 403 API-2.",
        scope: Scope::ReadPayroll,
        media_types: LookupMediaTypes { list: Some("payroll.payfrequencies"), one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::PayFrequency,
        links: ElementLinks::Empty,
        personal: false,
        unknown_company_is_403: true,
        texts: &[
            ("payFrequencyId", "851000000020001"), ("occurrence", "SEMI_MONTHLY"), ("interval1", "1"),
            ("interval2", "Last"),
        ],
        example: || {
            json!({
                "payFrequency": "WEEKLY",
                "payComponentFrequency": {
                    "applied": "BY_PAY_PERIOD", "occurrence": "SEMI_MONTHLY",
                    "occurrenceIntervals": {"interval1": "1", "interval2": "Last"},
                },
            })
        },
        patch: || json!({"payComponentFrequency": {"occurrenceIntervals": {"interval2": "4"}}}),
    }

    DocumentCategory and DocumentCategories, "a" "document category" many "document categories",
        at "documentcategories" audit "documentCategoryId" such as "851000000025001"
    {
        about: "The categories for documents of workers.",
        scope: Scope::ReadCompanies,
        media_types: LookupMediaTypes { list: Some("company.documentcategories"), one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::None,
        links: ElementLinks::Empty,
        personal: false,
        unknown_company_is_403: false,
        texts: &[],
        example: || json!({"categoryName": "Certificates"}),
        patch: || json!({"categoryName": "Contracts"}),
    }

    CompanyUser and CompanyUsers, "a" "user", at "users" audit "userId" {
        about: "Persons who use the payroll system of the company and are not its workers.",
        scope: Scope::ReadWorkers,
        media_types: LookupMediaTypes { list: Some("company.users"), one: None },
        partners: PartnerOperations::List,
        filter: LookupListFilter::None,
        links: ElementLinks::Empty,
        personal: true,
        unknown_company_is_403: false,
        texts: &[("userId", "851000000026001")],
        example: || {
            json!({
                "name": {"givenName": "Ada", "familyName": "Example"}, "email": "ada@example.org",
                "title": "Payroll administrator", "active": true,
            })
        },
        patch: || json!({"active": false}),
    }
}

/// Returns all rows of the table, each with its kind.
pub(crate) fn all_lookup_lists() -> impl Iterator<Item = (LookupKind, &'static LookupListSpec)> {
    LookupKind::ALL.iter().map(|kind| (*kind, lookup_list_spec(*kind)))
}

/// Returns the name of an object's id in paths. This name may differ from the name of the id in the document.
pub(crate) fn path_id_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Lookup(kind) => lookup_list_spec(kind).id.name,
        _ => kind.id_member(),
    }
}
