//! The operations of the partner API as listed in the specification (§3.1, §4.6), and the properties of all
//! their responses. The test client checks each response against this table, so the tests do not repeat these
//! checks.

mod description;
mod media_types;
mod statuses;

pub(crate) use description::{ANY_TOKEN_SCOPE, Operation, ResponseShape};
use description::{change, creation, list, operation, post, read, read_own_data_operation, removal};
pub(crate) use media_types::*;
use statuses::{
    ACTION_STATUSES, ADDITION_STATUSES, CHANGE_STATUSES, CHECK_LIST_STATUSES, LIST_STATUSES,
    PARTIAL_CREATION_STATUSES, PENDING_CHANGE_STATUSES, READ_OBJECT_STATUSES, REMOVAL_STATUSES,
    REMOVAL_STATUSES_IF_NOT_STARTED,
};

pub(crate) const OPERATIONS: &[Operation] = &[
    post("/auth/oauth/v2/token", None, &[JSON])
        .with_success(200, ResponseShape::Bare)
        .with_refusals(&[400, 401, 405, 406, 408, 413, 415, 500]),
    removal("/checks", Some("write:payroll")).with_refusals(&[400, 401, 403, 404, 405, 406, 423, 500]),
    post("/checks/{checkId}/checkcomponents", Some("write:payroll"), &[CHECK_COMPONENT, JSON])
        .with_refusals(ADDITION_STATUSES),
    change(
        "/checks/{checkId}/checkcomponents/{checkComponentId}",
        Some("write:payroll"),
        &[CHECK_COMPONENT, JSON],
    )
    .with_refusals(CHANGE_STATUSES),
    removal("/checks/{checkId}/checkcomponents/{checkComponentId}", Some("write:payroll"))
        .with_refusals(REMOVAL_STATUSES),
    list("/companies", Some("read:companies"), &[COMPANIES, JSON]),
    read("/companies/{companyId}", Some("read:companies"), &[COMPANY, JSON])
        .with_refusals(&[304, 400, 401, 403, 404, 405, 406, 409, 500]),
    list("/companies/{companyId}/calculationbases", Some("read:payroll"), &[CALCULATION_BASES, JSON]),
    list("/companies/{companyId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .with_refusals(CHECK_LIST_STATUSES),
    creation("/companies/{companyId}/checks", Some("write:payroll"), &[CHECKS, JSON]),
    read("/companies/{companyId}/contacttypes", Some("read:companies"), &[CONTACT_TYPES, JSON])
        .with_refusals(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/customemploymenttypes", Some("read:companies"), &[JSON])
        .with_refusals(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/customfields", Some("read:companies"), &[CUSTOM_FIELDS, JSON]),
    post(
        "/companies/{companyId}/customfields",
        Some("write:companies"),
        &[CUSTOM_FIELDS, CUSTOM_FIELD, JSON],
    )
    .with_refusals(ACTION_STATUSES),
    read(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("read:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    ),
    change(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("write:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    )
    .with_refusals(CHANGE_STATUSES),
    removal("/companies/{companyId}/customfields/{customFieldId}", Some("write:companies"))
        .with_refusals(REMOVAL_STATUSES),
    list("/companies/{companyId}/customfieldscategories", Some("read:companies"), &[CATEGORIES, JSON]),
    post("/companies/{companyId}/customfieldscategories", Some("write:companies"), &[CATEGORIES, JSON])
        .with_success(200, ResponseShape::Content)
        .with_refusals(ADDITION_STATUSES),
    read(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("read:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    ),
    change(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("write:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    )
    .with_refusals(CHANGE_STATUSES),
    removal("/companies/{companyId}/customfieldscategories/{categoryId}", Some("write:companies"))
        .with_refusals(REMOVAL_STATUSES),
    list("/companies/{companyId}/jobs", Some("read:companies"), &[JOBS, JSON]),
    post("/companies/{companyId}/jobs", Some("write:companies"), &[JOBS, JSON])
        .with_success(201, ResponseShape::Bare)
        .with_refusals(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    read("/companies/{companyId}/jobs/{jobId}", Some("read:companies"), &[JOB, JSON])
        .with_refusals(LIST_STATUSES),
    change("/companies/{companyId}/jobs/{jobId}", Some("write:companies"), &[JOBS, JOB, JSON])
        .with_refusals(CHANGE_STATUSES),
    list("/companies/{companyId}/jobsegments", Some("read:companies"), &[JOB_SEGMENTS, JSON]),
    list("/companies/{companyId}/jobtitles", Some("read:companies"), &[JOB_TITLES, JSON]),
    read("/companies/{companyId}/jobtitles/{jobTitleId}", Some("read:companies"), &[JOB_TITLE, JSON])
        .with_refusals(LIST_STATUSES),
    list("/companies/{companyId}/laborassignments", Some("read:companies"), &[LABOR_ASSIGNMENTS, JSON]),
    read(
        "/companies/{companyId}/laborassignments/{laborAssignmentId}",
        Some("read:companies"),
        &[LABOR_ASSIGNMENT, JSON],
    )
    .with_refusals(LIST_STATUSES),
    list("/companies/{companyId}/locations", Some("read:companies"), &[LOCATIONS, JSON]),
    read("/companies/{companyId}/locations/{locationId}", Some("read:companies"), &[LOCATION, JSON])
        .with_refusals(LIST_STATUSES),
    list("/companies/{companyId}/organizations", Some("read:companies"), &[ORGANIZATIONS, JSON]),
    read(
        "/companies/{companyId}/organizations/{organizationId}",
        Some("read:companies"),
        &[ORGANIZATION, JSON],
    ),
    list("/companies/{companyId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    read("/companies/{companyId}/paycomponents/{componentId}", Some("read:payroll"), &[PAY_COMPONENT, JSON]),
    list("/companies/{companyId}/payfrequencies", Some("read:payroll"), &[PAY_FREQUENCIES, JSON])
        .with_refusals(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/payperiods", Some("read:payroll"), &[PAY_PERIODS, JSON]),
    read("/companies/{companyId}/payperiods/{payPeriodId}", Some("read:payroll"), &[PAY_PERIOD, JSON]),
    read("/companies/{companyId}/statetaxes", Some("read:payroll"), &[JSON]),
    list(
        "/companies/{companyId}/workers",
        Some("read:workers"),
        &[
            WORKERS,
            WORKERS_COMMUNICATIONS,
            WORKERS_NONPII,
            WORKER_NONPII,
            WORKERS_NONPII_COMMUNICATIONS,
            WORKER_NONPII_COMMUNICATIONS,
            WORKERS_ROSTER,
            JSON,
        ],
    ),
    post("/companies/{companyId}/workers", Some("write:workers"), &[WORKERS, JSON])
        .with_success(201, ResponseShape::Content)
        .with_refusals(PARTIAL_CREATION_STATUSES),
    list("/companies/{companyId}/documentcategories", Some("read:companies"), &[DOCUMENT_CATEGORIES, JSON]),
    list("/companies/{companyId}/users", Some("read:workers"), &[USERS, JSON]),
    list("/companies/{companyId}/workerstatuses", Some("read:companies"), &[WORKER_STATUSES, JSON]),
    read("/companies/{companyId}/workerstatuses/{statusId}", Some("read:companies"), &[WORKER_STATUS, JSON]),
    read_own_data_operation("/management/domains", Some("read:webhooks"), &[JSON]),
    list("/management/events", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_refusals(&[304, 400, 401, 403, 404, 405, 406, 410, 500]),
    read_own_data_operation("/management/hooks", Some("read:webhooks"), &[JSON]),
    post("/management/hooks", Some("write:webhooks"), &[JSON])
        .with_success(201, ResponseShape::Bare)
        .with_refusals(&[400, 401, 403, 405, 406, 408, 409, 413, 415, 422, 500]),
    read_own_data_operation("/management/hooks/{hookId}", Some("read:webhooks"), &[JSON])
        .with_refusals(READ_OBJECT_STATUSES),
    change("/management/hooks/{hookId}", Some("write:webhooks"), &[JSON])
        .with_shape(ResponseShape::Bare)
        .with_refusals(&[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 500]),
    removal("/management/hooks/{hookId}", Some("write:webhooks"))
        .with_refusals(&[401, 403, 404, 405, 406, 500]),
    list("/management/hooks/{hookId}/deliveries", Some("read:webhooks"), &[JSON]),
    read("/management/hooks/{hookId}/deliveries/{deliveryId}", Some("read:webhooks"), &[JSON]),
    post("/management/hooks/{hookId}/deliveries/{deliveryId}/replay", Some("write:webhooks"), &[JSON])
        .with_success(202, ResponseShape::Content),
    post("/management/hooks/{hookId}/enable", Some("write:webhooks"), &[JSON])
        .with_success(200, ResponseShape::Bare),
    post("/management/hooks/{hookId}/replay", Some("write:webhooks"), &[JSON])
        .with_success(202, ResponseShape::Bare),
    post("/management/hooks/{hookId}/rotate-secret", Some("write:webhooks"), &[JSON])
        .with_success(200, ResponseShape::Bare),
    post("/management/hooks/{hookId}/test", Some("write:webhooks"), &[JSON])
        .with_success(202, ResponseShape::Content),
    post("/management/requestclientaccess", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_success(201, ResponseShape::Bare),
    list("/management/requests", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_refusals(&[304, 400, 401, 405, 406, 500]),
    read("/management/requests/{requestId}", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_refusals(&[304, 401, 404, 405, 406, 500]),
    read_own_data_operation("/management/sourceaddresses", Some("read:webhooks"), &[JSON]),
    list("/workers/{workerId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .with_refusals(CHECK_LIST_STATUSES),
    creation("/workers/{workerId}/checks", Some("write:payroll"), &[CHECK, CHECKS, JSON]),
    read("/workers/{workerId}/checks/{paycheckId}", Some("read:payroll"), &[CHECK, PROCESSED_CHECK, JSON]),
    removal("/workers/{workerId}/checks/{paycheckId}", Some("write:payroll"))
        .with_refusals(&[400, 401, 403, 404, 405, 406, 423, 500]),
    read(
        "/workers/{workerId}",
        Some("read:workers"),
        &[
            WORKER,
            WORKER_COMMUNICATIONS,
            WORKERS_NONPII,
            WORKER_NONPII,
            WORKERS_NONPII_COMMUNICATIONS,
            WORKER_NONPII_COMMUNICATIONS,
            JSON,
        ],
    ),
    change("/workers/{workerId}", Some("write:workers"), &[WORKER, JSON]).with_refusals(CHANGE_STATUSES),
    removal("/workers/{workerId}", Some("write:workers")).with_refusals(REMOVAL_STATUSES),
    list("/workers/{workerId}/communications", Some("read:workers"), &[COMMUNICATIONS_OF_WORKER, JSON]),
    post("/workers/{workerId}/communications", Some("write:workers"), ONE_COMMUNICATION)
        .with_refusals(ADDITION_STATUSES),
    read(
        "/workers/{workerId}/communications/{communicationId}",
        Some("read:workers"),
        &[COMMUNICATION_OF_WORKER, JSON],
    ),
    change("/workers/{workerId}/communications/{communicationId}", Some("write:workers"), ONE_COMMUNICATION)
        .with_refusals(CHANGE_STATUSES),
    operation(
        "DELETE",
        "/workers/{workerId}/communications/{communicationId}",
        Some("write:workers"),
        &[COMMUNICATIONS_OF_WORKER, COMMUNICATION_OF_WORKER, JSON],
    )
    .with_refusals(REMOVAL_STATUSES),
    read(
        "/workers/{workerId}/compensation",
        Some("read:payroll"),
        &[COMPENSATION, COMPENSATION_COMPLETE, JSON],
    ),
    list("/workers/{workerId}/compensation/payrates", Some("read:payroll"), &[PAY_RATES, JSON]),
    post("/workers/{workerId}/compensation/payrates", Some("write:payroll"), ONE_PAY_RATE)
        .with_refusals(ADDITION_STATUSES),
    read("/workers/{workerId}/compensation/payrates/{rateId}", Some("read:payroll"), &[PAY_RATE, JSON]),
    change("/workers/{workerId}/compensation/payrates/{rateId}", Some("write:payroll"), ONE_PAY_RATE)
        .with_refusals(CHANGE_STATUSES),
    removal("/workers/{workerId}/compensation/payrates/{rateId}", Some("write:payroll"))
        .with_refusals(REMOVAL_STATUSES),
    read("/workers/{workerId}/compensation/paystandards", Some("read:payroll"), &[PAY_STANDARDS, JSON]),
    list("/workers/{workerId}/directdeposits", Some("read:deposits"), &[DIRECT_DEPOSITS, JSON]),
    post("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_success(202, ResponseShape::Content)
        .with_refusals(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    change("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_refusals(PENDING_CHANGE_STATUSES),
    read(
        "/workers/{workerId}/directdeposits/{directDepositId}",
        Some("read:deposits"),
        &[DIRECT_DEPOSIT, JSON],
    ),
    change("/workers/{workerId}/directdeposits/{directDepositId}", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_refusals(PENDING_CHANGE_STATUSES),
    removal("/workers/{workerId}/directdeposits/{directDepositId}", Some("write:deposits"))
        .with_refusals(REMOVAL_STATUSES),
    read("/workers/{workerId}/federaltax", Some("read:taxes"), &[FEDERAL_TAX, JSON]),
    post("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON])
        .with_success(201, ResponseShape::Content)
        .with_refusals(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 423, 500]),
    change("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON])
        .with_refusals(CHANGE_STATUSES),
    read("/workers/{workerId}/statetaxes", Some("read:taxes"), &[JSON]),
    change("/workers/{workerId}/statetaxes", Some("write:taxes"), &[JSON, JSON_PATCH])
        .with_refusals(CHANGE_STATUSES),
    list("/workers/{workerId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    creation("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS),
    change("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS)
        .with_refusals(CHANGE_STATUSES),
    read(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("read:payroll"),
        &[PAY_COMPONENT, JSON],
    ),
    change(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("write:payroll"),
        RECURRING_COMPONENTS,
    )
    .with_refusals(CHANGE_STATUSES),
    removal("/workers/{workerId}/paycomponents/{workerComponentId}", Some("write:payroll"))
        .with_refusals(REMOVAL_STATUSES_IF_NOT_STARTED),
    list("/workers/{workerId}/customfields", Some("read:workers"), &[CUSTOM_FIELDS_OF_WORKER, JSON]),
    post("/workers/{workerId}/customfields", Some("write:workers"), WRITTEN_CUSTOM_FIELDS)
        .with_refusals(ADDITION_STATUSES),
    read(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("read:workers"),
        &[CUSTOM_FIELD_OF_WORKER, JSON],
    ),
    change(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("write:workers"),
        WRITTEN_CUSTOM_FIELDS,
    )
    .with_refusals(CHANGE_STATUSES),
    removal("/workers/{workerId}/customfields/{workerCustomFieldId}", Some("write:workers"))
        .with_refusals(REMOVAL_STATUSES),
    list(
        "/workers/{workerId}/assignmentdistributions",
        Some("read:workers"),
        &[ASSIGNMENT_DISTRIBUTIONS, JSON],
    ),
    list("/workers/{workerId}/documents", Some("read:documents"), &[DOCUMENTS, JSON]),
    creation("/workers/{workerId}/documents", Some("write:documents"), ADDED_DOCUMENTS),
    read_own_data_operation(
        "/workers/{workerId}/documents/{documentId}",
        Some("read:documents"),
        &[OCTET_STREAM],
    )
    .with_refusals(READ_OBJECT_STATUSES),
    removal("/workers/{workerId}/documents/{documentId}", Some("write:documents"))
        .with_refusals(REMOVAL_STATUSES),
    read("/workers/{workerId}/profileimage", Some("read:documents"), &[PROFILE_IMAGE, JSON]),
    creation("/workers/{workerId}/profileimage", Some("write:documents"), &[PROFILE_IMAGE, JSON]),
    removal("/workers/{workerId}/profileimage", Some("write:documents")).with_refusals(REMOVAL_STATUSES),
    read("/workers/{workerId}/i9status", Some("read:workers"), &[I9_STATUS, JSON]),
    list("/workers/{workerId}/status", Some("read:workers"), &[WORKER_STATUSES, JSON]),
    list("/workers/{workerId}/timeoff", Some("read:workers"), &[TIME_OFF, JSON]),
    list("/workers/{workerId}/contacts", Some("read:workers"), &[CONTACTS_OF_WORKER, JSON]),
    creation("/workers/{workerId}/contacts", Some("write:workers"), WRITTEN_CONTACTS),
    read("/workers/{workerId}/contacts/{contactId}", Some("read:workers"), &[CONTACT_OF_WORKER, JSON]),
    change("/workers/{workerId}/contacts/{contactId}", Some("write:workers"), WRITTEN_CONTACTS)
        .with_refusals(CHANGE_STATUSES),
    removal("/workers/{workerId}/contacts/{contactId}", Some("write:workers"))
        .with_refusals(REMOVAL_STATUSES),
];

impl Operation {
    /// Returns the operation of a method and a path without query. HEAD counts as GET.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        let method = if method == "HEAD" { "GET" } else { method };
        OPERATIONS.iter().find(|it| it.method == method && it.matches_path(path))
    }
}
