//! Tests of corrupt stored data: each operation that reads them returns 500 API-1 without the cause. Also
//! tests the only response without a code: a company that is being converted.

use crate::operations::OPERATIONS;
use crate::support::hooks::put_hooks;
use crate::support::{CONVERTING, OPEN, Request, good_request, on_every_database, put_checks};

const SPOILT_HOOK: &str = "hooks SET auth_type = 'CONFUSED'";
const SPOILT_COMPANY: &str = "companies SET legal_id_type = 'CONFUSED' WHERE company_id = 'OPEN'";
const SPOILT_WORKER: &str = "workers SET worker_type = 'CONFUSED'";
const SPOILT_FIELD: &str = "custom_fields SET field_type = 'CONFUSED'";
const SPOILT_CATEGORY: &str =
    "custom_field_categories SET category_id = 'a b' WHERE category_id = 'UNIFORM' AND company_id = 'OPEN'";
const SPOILT_ASSIGNMENT: &str = "labor_assignments SET position_id = 'a b'";
const SPOILT_JOB: &str = "jobs SET job_id = 'a b' WHERE job_id = 'CAKES'";
const SPOILT_SEGMENT: &str = "job_segments SET segment_number = -1 WHERE segment_number = 1";
const SPOILT_STATUS: &str = "worker_statuses SET status_type = 'CONFUSED' WHERE worker_status_id = 'HIRED'";
const SPOILT_DOCUMENT_CATEGORY: &str =
    "document_categories SET document_category_id = 'a b' WHERE document_category_id = 'CONTRACTS'";
const SPOILT_USER: &str = "users SET user_id = 'a b' WHERE user_id = 'CLERK'";
const SPOILT_FILE: &str = "documents SET content_type = 'CONFUSED'";
const SPOILT_LOCATION: &str = "locations SET communication_id = 'a b'";
const SPOILT_ORGANIZATION: &str = "organizations SET level = -1";
const SPOILT_COMPONENT: &str = "pay_components SET effect_on_pay = 'CONFUSED'";
const SPOILT_LINES: &str = "checks SET lines = 'CONFUSED' WHERE paycheck_id = 'WITH-LINES'";
const SPOILT_PERIOD: &str = "pay_periods SET interval_code = 'CONFUSED'";
const SPOILT_APPLICATION: &str = "applications SET webhook_scopes = 'CONFUSED'";

/// For each operation, a statement that corrupts a row that it reads.
const CORRUPTIONS: &[(&str, &str, &str)] = &[
    ("DELETE", "/checks", "pay_periods SET status = 'CONFUSED' WHERE pay_period_id = 'ENTRY'"),
    (
        "DELETE",
        "/workers/{workerId}/checks/{paycheckId}",
        "checks SET correlation_id = NULL WHERE paycheck_id = 'REMOVABLE'",
    ),
    ("GET", "/companies", SPOILT_APPLICATION),
    ("GET", "/companies/{companyId}", SPOILT_COMPANY),
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
    ("GET", "/companies/{companyId}/customfields/{customFieldId}", SPOILT_FIELD),
    ("PATCH", "/companies/{companyId}/customfields/{customFieldId}", SPOILT_FIELD),
    ("DELETE", "/companies/{companyId}/customfields/{customFieldId}", SPOILT_FIELD),
    ("GET", "/companies/{companyId}/customfieldscategories", SPOILT_CATEGORY),
    ("POST", "/companies/{companyId}/customfieldscategories", SPOILT_CATEGORY),
    ("GET", "/companies/{companyId}/customfieldscategories/{categoryId}", SPOILT_CATEGORY),
    ("PATCH", "/companies/{companyId}/customfieldscategories/{categoryId}", SPOILT_CATEGORY),
    ("DELETE", "/companies/{companyId}/customfieldscategories/{categoryId}", SPOILT_CATEGORY),
    ("GET", "/companies/{companyId}/jobs", SPOILT_JOB),
    ("GET", "/companies/{companyId}/jobs/{jobId}", SPOILT_JOB),
    ("PATCH", "/companies/{companyId}/jobs/{jobId}", SPOILT_JOB),
    ("POST", "/companies/{companyId}/jobs", SPOILT_SEGMENT),
    ("GET", "/companies/{companyId}/jobsegments", SPOILT_SEGMENT),
    (
        "GET",
        "/companies/{companyId}/jobtitles",
        "job_titles SET job_title_id = 'a b' WHERE job_title_id = 'BAKER'",
    ),
    ("GET", "/companies/{companyId}/jobtitles/{jobTitleId}", SPOILT_APPLICATION),
    ("GET", "/companies/{companyId}/laborassignments", "labor_assignments SET labor_assignment_id = 'a b'"),
    ("GET", "/companies/{companyId}/laborassignments/{laborAssignmentId}", SPOILT_ASSIGNMENT),
    ("GET", "/companies/{companyId}/locations", SPOILT_LOCATION),
    ("GET", "/companies/{companyId}/locations/{locationId}", SPOILT_LOCATION),
    ("GET", "/companies/{companyId}/organizations", SPOILT_ORGANIZATION),
    ("GET", "/companies/{companyId}/organizations/{organizationId}", SPOILT_ORGANIZATION),
    ("GET", "/companies/{companyId}/paycomponents", SPOILT_COMPONENT),
    ("GET", "/companies/{companyId}/paycomponents/{componentId}", SPOILT_COMPONENT),
    ("GET", "/companies/{companyId}/payfrequencies", "pay_frequencies SET applied = 'CONFUSED'"),
    ("GET", "/companies/{companyId}/payperiods", SPOILT_PERIOD),
    ("GET", "/companies/{companyId}/payperiods/{payPeriodId}", SPOILT_PERIOD),
    ("GET", "/companies/{companyId}/statetaxes", SPOILT_COMPANY),
    ("GET", "/companies/{companyId}/documentcategories", SPOILT_DOCUMENT_CATEGORY),
    ("GET", "/companies/{companyId}/users", SPOILT_USER),
    ("GET", "/companies/{companyId}/workerstatuses", SPOILT_STATUS),
    ("GET", "/companies/{companyId}/workerstatuses/{statusId}", SPOILT_STATUS),
    ("GET", "/companies/{companyId}/workers", SPOILT_WORKER),
    ("GET", "/workers/{workerId}", SPOILT_WORKER),
    (
        "GET",
        "/workers/{workerId}/communications",
        "communications SET owner_id = 'EMPLOYEE', usage_type = 'CONFUSED' WHERE communication_id = 'OPEN-ADDRESS'",
    ),
    ("PATCH", "/workers/{workerId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/communications", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/communications/{communicationId}", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/communications/{communicationId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/communications/{communicationId}", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/compensation/payrates", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/compensation/payrates/{rateId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/compensation/payrates/{rateId}", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/compensation/payrates", "pay_rates SET rate_type = 'CONFUSED'"),
    ("GET", "/workers/{workerId}/compensation/payrates/{rateId}", "pay_rates SET rate_type = 'CONFUSED'"),
    ("GET", "/workers/{workerId}/compensation", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/compensation/paystandards", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/directdeposits", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/directdeposits", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/directdeposits", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/directdeposits/{directDepositId}", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/directdeposits/{directDepositId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/directdeposits/{directDepositId}", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/federaltax", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/federaltax", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/federaltax", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/statetaxes", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/statetaxes", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/paycomponents", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/paycomponents", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/paycomponents", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/paycomponents/{workerComponentId}", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/paycomponents/{workerComponentId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/paycomponents/{workerComponentId}", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/customfields", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/customfields", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/customfields/{workerCustomFieldId}", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/customfields/{workerCustomFieldId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/customfields/{workerCustomFieldId}", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/assignmentdistributions", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/documents", SPOILT_FILE),
    ("POST", "/workers/{workerId}/documents", SPOILT_FILE),
    ("GET", "/workers/{workerId}/documents/{documentId}", SPOILT_FILE),
    ("DELETE", "/workers/{workerId}/documents/{documentId}", SPOILT_FILE),
    ("GET", "/workers/{workerId}/profileimage", SPOILT_FILE),
    ("POST", "/workers/{workerId}/profileimage", SPOILT_FILE),
    ("DELETE", "/workers/{workerId}/profileimage", SPOILT_FILE),
    ("GET", "/workers/{workerId}/i9status", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/status", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/timeoff", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/contacts", SPOILT_WORKER),
    ("POST", "/workers/{workerId}/contacts", SPOILT_WORKER),
    ("GET", "/workers/{workerId}/contacts/{contactId}", SPOILT_WORKER),
    ("PATCH", "/workers/{workerId}/contacts/{contactId}", SPOILT_WORKER),
    ("DELETE", "/workers/{workerId}/contacts/{contactId}", SPOILT_WORKER),
    ("POST", "/companies/{companyId}/workers", SPOILT_APPLICATION),
    ("POST", "/checks/{checkId}/checkcomponents", SPOILT_LINES),
    ("PATCH", "/checks/{checkId}/checkcomponents/{checkComponentId}", SPOILT_LINES),
    ("DELETE", "/checks/{checkId}/checkcomponents/{checkComponentId}", SPOILT_LINES),
    ("GET", "/management/events", "events SET action = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries/{deliveryId}", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks", "hooks SET auth_type = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("PATCH", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("DELETE", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/deliveries/{deliveryId}/replay", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/enable", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/replay", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/rotate-secret", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/test", SPOILT_HOOK),
    ("POST", "/management/hooks", SPOILT_APPLICATION),
    ("GET", "/management/domains", SPOILT_APPLICATION),
    ("GET", "/management/sourceaddresses", SPOILT_APPLICATION),
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
    ("GET", "/management/requests", SPOILT_APPLICATION),
    ("GET", "/management/requests/{requestId}", SPOILT_APPLICATION),
    ("POST", "/management/requestclientaccess", SPOILT_APPLICATION),
    ("POST", "/auth/oauth/v2/token", SPOILT_APPLICATION),
];

#[test]
fn every_operation_has_a_row_to_corrupt() {
    let spoilt: Vec<_> = CORRUPTIONS.iter().map(|(method, path, _)| (*method, *path)).collect();
    assert!(OPERATIONS.iter().all(|it| spoilt.contains(&(it.method, it.path))), "{spoilt:?}");
}

#[test]
fn a_corrupt_row_is_500_api_1_without_the_cause() {
    on_every_database(async |server| {
        put_hooks(server).await;
        put_checks(&server.database).await;
        server.send(&Request::get("/companies")).await; // gets the token before the secrets are corrupted
        for (method, path, row) in CORRUPTIONS {
            server.database.execute(&format!("UPDATE {row}")).await;
            let response = server.send(&good_request(method, path, OPEN)).await;
            assert_eq!(response.refusal(), "500 API-1", "{method} {path}");
            let reported = String::from_utf8_lossy(&response.body).into_owned();
            assert!(
                !["CONFUSED", "a b", "legal_id"].iter().any(|cause| reported.contains(cause)),
                "{reported}"
            );
        }
    });
}

#[test]
fn a_company_in_conversion_is_409_without_a_body_but_readable_otherwise() {
    on_every_database(async |server| {
        let converting = server.send(&Request::get(format!("/companies/{CONVERTING}"))).await;
        let lists = server.send(&Request::get(format!("/companies/{CONVERTING}/customfields"))).await;
        assert_eq!((converting.status, converting.body.len(), lists.status), (409, 0, 200));
        let wrong = Request::get(format!("/companies/{CONVERTING}?includelineage=x"));
        assert_eq!(
            server.send(&wrong).await.refusal(),
            "400 API-40",
            "what is wrong with the query comes first"
        );
    });
}
