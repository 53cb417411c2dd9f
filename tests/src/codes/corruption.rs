//! Tests of corrupt stored data. Each operation that reads a corrupt row returns 500 API-1 without the cause.
//! One test covers the only response without a code: the company is being converted.

use crate::operations::OPERATIONS;
use crate::support::hooks::store_hooks;
use crate::support::{CONVERTING, OPEN, Request, on_every_database, store_checks, valid_request};

const CORRUPT_HOOK: &str = "hooks SET auth_type = 'CONFUSED'";
const CORRUPT_COMPANY: &str = "companies SET legal_id_type = 'CONFUSED' WHERE company_id = 'OPEN'";
const CORRUPT_WORKER: &str = "workers SET worker_type = 'CONFUSED'";
const CORRUPT_FIELD: &str = "custom_fields SET field_type = 'CONFUSED'";
const CORRUPT_CATEGORY: &str =
    "custom_field_categories SET category_id = 'a b' WHERE category_id = 'UNIFORM' AND company_id = 'OPEN'";
const CORRUPT_ASSIGNMENT: &str = "labor_assignments SET position_id = 'a b'";
const CORRUPT_JOB: &str = "jobs SET job_id = 'a b' WHERE job_id = 'CAKES'";
const CORRUPT_SEGMENT: &str = "job_segments SET segment_number = -1 WHERE segment_number = 1";
const CORRUPT_STATUS: &str = "worker_statuses SET status_type = 'CONFUSED' WHERE worker_status_id = 'HIRED'";
const CORRUPT_DOCUMENT_CATEGORY: &str =
    "document_categories SET document_category_id = 'a b' WHERE document_category_id = 'CONTRACTS'";
const CORRUPT_USER: &str = "users SET user_id = 'a b' WHERE user_id = 'CLERK'";
const CORRUPT_FILE: &str = "documents SET content_type = 'CONFUSED'";
const CORRUPT_LOCATION: &str = "locations SET communication_id = 'a b'";
const CORRUPT_ORGANIZATION: &str = "organizations SET level = -1";
const CORRUPT_COMPONENT: &str = "pay_components SET effect_on_pay = 'CONFUSED'";
const CORRUPT_LINES: &str = "checks SET lines = 'CONFUSED' WHERE paycheck_id = 'WITH-LINES'";
const CORRUPT_PERIOD: &str = "pay_periods SET interval_code = 'CONFUSED'";
const CORRUPT_APPLICATION: &str = "applications SET webhook_scopes = 'CONFUSED'";

/// For each operation: the method, the path, and the end of an `UPDATE` statement. The statement corrupts a
/// row that the operation reads.
const CORRUPTIONS: &[(&str, &str, &str)] = &[
    ("DELETE", "/checks", "pay_periods SET status = 'CONFUSED' WHERE pay_period_id = 'ENTRY'"),
    (
        "DELETE",
        "/workers/{workerId}/checks/{paycheckId}",
        "checks SET correlation_id = NULL WHERE paycheck_id = 'REMOVABLE'",
    ),
    ("GET", "/companies", CORRUPT_APPLICATION),
    ("GET", "/companies/{companyId}", CORRUPT_COMPANY),
    (
        "GET",
        "/companies/{companyId}/calculationbases",
        "calculation_bases SET calculation_base_id = 'a b' WHERE calculation_base_id = 'BASE-1'",
    ),
    (
        "GET",
        "/companies/{companyId}/checks",
        "pay_periods SET status = 'CONFUSED' WHERE pay_period_id = 'ENTRY'",
    ),
    ("POST", "/companies/{companyId}/checks", "pay_components SET effect_on_pay = 'CONFUSED'"),
    ("GET", "/companies/{companyId}/contacttypes", "contact_types SET contact_type_id = 'a b'"),
    (
        "GET",
        "/companies/{companyId}/customemploymenttypes",
        "custom_employment_types SET custom_employment_type_id = 'a b' WHERE custom_employment_type_id = 'REMOTE'",
    ),
    ("GET", "/companies/{companyId}/customfields", "custom_fields SET field_type = 'CONFUSED'"),
    (
        "POST",
        "/companies/{companyId}/customfields",
        "custom_field_categories SET category_id = 'a b' WHERE category_id = 'UNIFORM'",
    ),
    ("GET", "/companies/{companyId}/customfields/{customFieldId}", CORRUPT_FIELD),
    ("PATCH", "/companies/{companyId}/customfields/{customFieldId}", CORRUPT_FIELD),
    ("DELETE", "/companies/{companyId}/customfields/{customFieldId}", CORRUPT_FIELD),
    ("GET", "/companies/{companyId}/customfieldscategories", CORRUPT_CATEGORY),
    ("POST", "/companies/{companyId}/customfieldscategories", CORRUPT_CATEGORY),
    ("GET", "/companies/{companyId}/customfieldscategories/{categoryId}", CORRUPT_CATEGORY),
    ("PATCH", "/companies/{companyId}/customfieldscategories/{categoryId}", CORRUPT_CATEGORY),
    ("DELETE", "/companies/{companyId}/customfieldscategories/{categoryId}", CORRUPT_CATEGORY),
    ("GET", "/companies/{companyId}/jobs", CORRUPT_JOB),
    ("GET", "/companies/{companyId}/jobs/{jobId}", CORRUPT_JOB),
    ("PATCH", "/companies/{companyId}/jobs/{jobId}", CORRUPT_JOB),
    ("POST", "/companies/{companyId}/jobs", CORRUPT_SEGMENT),
    ("GET", "/companies/{companyId}/jobsegments", CORRUPT_SEGMENT),
    (
        "GET",
        "/companies/{companyId}/jobtitles",
        "job_titles SET job_title_id = 'a b' WHERE job_title_id = 'BAKER'",
    ),
    ("GET", "/companies/{companyId}/jobtitles/{jobTitleId}", CORRUPT_APPLICATION),
    ("GET", "/companies/{companyId}/laborassignments", "labor_assignments SET labor_assignment_id = 'a b'"),
    ("GET", "/companies/{companyId}/laborassignments/{laborAssignmentId}", CORRUPT_ASSIGNMENT),
    ("GET", "/companies/{companyId}/locations", CORRUPT_LOCATION),
    ("GET", "/companies/{companyId}/locations/{locationId}", CORRUPT_LOCATION),
    ("GET", "/companies/{companyId}/organizations", CORRUPT_ORGANIZATION),
    ("GET", "/companies/{companyId}/organizations/{organizationId}", CORRUPT_ORGANIZATION),
    ("GET", "/companies/{companyId}/paycomponents", CORRUPT_COMPONENT),
    ("GET", "/companies/{companyId}/paycomponents/{componentId}", CORRUPT_COMPONENT),
    ("GET", "/companies/{companyId}/payfrequencies", "pay_frequencies SET applied = 'CONFUSED'"),
    ("GET", "/companies/{companyId}/payperiods", CORRUPT_PERIOD),
    ("GET", "/companies/{companyId}/payperiods/{payPeriodId}", CORRUPT_PERIOD),
    ("GET", "/companies/{companyId}/statetaxes", CORRUPT_COMPANY),
    ("GET", "/companies/{companyId}/documentcategories", CORRUPT_DOCUMENT_CATEGORY),
    ("GET", "/companies/{companyId}/users", CORRUPT_USER),
    ("GET", "/companies/{companyId}/workerstatuses", CORRUPT_STATUS),
    ("GET", "/companies/{companyId}/workerstatuses/{statusId}", CORRUPT_STATUS),
    ("GET", "/companies/{companyId}/workers", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}", CORRUPT_WORKER),
    (
        "GET",
        "/workers/{workerId}/communications",
        "communications SET owner_id = 'EMPLOYEE', usage_type = 'CONFUSED' WHERE communication_id = 'OPEN-ADDRESS'",
    ),
    ("PATCH", "/workers/{workerId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/communications", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/communications/{communicationId}", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/communications/{communicationId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/communications/{communicationId}", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/compensation/payrates", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/compensation/payrates/{rateId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/compensation/payrates/{rateId}", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/compensation/payrates", "pay_rates SET rate_type = 'CONFUSED'"),
    ("GET", "/workers/{workerId}/compensation/payrates/{rateId}", "pay_rates SET rate_type = 'CONFUSED'"),
    ("GET", "/workers/{workerId}/compensation", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/compensation/paystandards", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/directdeposits", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/directdeposits", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/directdeposits", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/directdeposits/{directDepositId}", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/directdeposits/{directDepositId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/directdeposits/{directDepositId}", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/federaltax", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/federaltax", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/federaltax", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/statetaxes", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/statetaxes", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/paycomponents", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/paycomponents", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/paycomponents", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/paycomponents/{workerComponentId}", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/paycomponents/{workerComponentId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/paycomponents/{workerComponentId}", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/customfields", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/customfields", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/customfields/{workerCustomFieldId}", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/customfields/{workerCustomFieldId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/customfields/{workerCustomFieldId}", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/assignmentdistributions", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/documents", CORRUPT_FILE),
    ("POST", "/workers/{workerId}/documents", CORRUPT_FILE),
    ("GET", "/workers/{workerId}/documents/{documentId}", CORRUPT_FILE),
    ("DELETE", "/workers/{workerId}/documents/{documentId}", CORRUPT_FILE),
    ("GET", "/workers/{workerId}/profileimage", CORRUPT_FILE),
    ("POST", "/workers/{workerId}/profileimage", CORRUPT_FILE),
    ("DELETE", "/workers/{workerId}/profileimage", CORRUPT_FILE),
    ("GET", "/workers/{workerId}/i9status", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/status", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/timeoff", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/contacts", CORRUPT_WORKER),
    ("POST", "/workers/{workerId}/contacts", CORRUPT_WORKER),
    ("GET", "/workers/{workerId}/contacts/{contactId}", CORRUPT_WORKER),
    ("PATCH", "/workers/{workerId}/contacts/{contactId}", CORRUPT_WORKER),
    ("DELETE", "/workers/{workerId}/contacts/{contactId}", CORRUPT_WORKER),
    ("POST", "/companies/{companyId}/workers", CORRUPT_APPLICATION),
    ("POST", "/checks/{checkId}/checkcomponents", CORRUPT_LINES),
    ("PATCH", "/checks/{checkId}/checkcomponents/{checkComponentId}", CORRUPT_LINES),
    ("DELETE", "/checks/{checkId}/checkcomponents/{checkComponentId}", CORRUPT_LINES),
    ("GET", "/management/events", "events SET action = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries/{deliveryId}", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks", "hooks SET auth_type = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}", CORRUPT_HOOK),
    ("PATCH", "/management/hooks/{hookId}", CORRUPT_HOOK),
    ("DELETE", "/management/hooks/{hookId}", CORRUPT_HOOK),
    ("POST", "/management/hooks/{hookId}/deliveries/{deliveryId}/replay", CORRUPT_HOOK),
    ("POST", "/management/hooks/{hookId}/enable", CORRUPT_HOOK),
    ("POST", "/management/hooks/{hookId}/replay", CORRUPT_HOOK),
    ("POST", "/management/hooks/{hookId}/rotate-secret", CORRUPT_HOOK),
    ("POST", "/management/hooks/{hookId}/test", CORRUPT_HOOK),
    ("POST", "/management/hooks", CORRUPT_APPLICATION),
    ("GET", "/management/domains", CORRUPT_APPLICATION),
    ("GET", "/management/sourceaddresses", CORRUPT_APPLICATION),
    (
        "GET",
        "/workers/{workerId}/checks",
        "pay_periods SET status = 'CONFUSED' WHERE pay_period_id = 'ENTRY'",
    ),
    ("POST", "/workers/{workerId}/checks", "pay_components SET effect_on_pay = 'CONFUSED'"),
    (
        "GET",
        "/workers/{workerId}/checks/{paycheckId}",
        "checks SET completion = replace(completion, 'EMPLOYEE_WITHHOLDING', 'CONFUSED')",
    ),
    ("GET", "/management/requests", CORRUPT_APPLICATION),
    ("GET", "/management/requests/{requestId}", CORRUPT_APPLICATION),
    ("POST", "/management/requestclientaccess", CORRUPT_APPLICATION),
    ("POST", "/auth/oauth/v2/token", CORRUPT_APPLICATION),
];

#[test]
fn every_operation_has_a_row_to_corrupt() {
    let spoilt: Vec<_> = CORRUPTIONS.iter().map(|(method, path, _)| (*method, *path)).collect();
    assert!(OPERATIONS.iter().all(|it| spoilt.contains(&(it.method, it.path))), "{spoilt:?}");
}

#[test]
fn a_corrupt_row_gets_500_api_1_without_the_cause() {
    on_every_database(async |server| {
        store_hooks(server).await;
        store_checks(&server.database).await;
        server.send(&Request::get("/companies")).await; // this request gets the token before the secrets are corrupted
        for (method, path, row) in CORRUPTIONS {
            server.database.execute(&format!("UPDATE {row}")).await;
            let response = server.send(&valid_request(method, path, OPEN)).await;
            assert_eq!(response.status_and_code(), "500 API-1", "{method} {path}");
            let reported = String::from_utf8_lossy(&response.body).into_owned();
            assert!(
                !["CONFUSED", "a b", "legal_id"].iter().any(|cause| reported.contains(cause)),
                "{reported}"
            );
        }
    });
}

#[test]
fn a_company_in_conversion_gets_409_without_a_body_but_readable_otherwise() {
    on_every_database(async |server| {
        let converting = server.send(&Request::get(format!("/companies/{CONVERTING}"))).await;
        let lists = server.send(&Request::get(format!("/companies/{CONVERTING}/customfields"))).await;
        assert_eq!((converting.status, converting.body.len(), lists.status), (409, 0, 200));
        let wrong = Request::get(format!("/companies/{CONVERTING}?includelineage=x"));
        assert_eq!(
            server.send(&wrong).await.status_and_code(),
            "400 API-40",
            "what is wrong with the query comes first"
        );
    });
}
