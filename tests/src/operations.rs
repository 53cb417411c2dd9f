//! The operations of the partner API as listed in the specification (§3.1, §4.6), with the properties of
//! their responses. The test client compares each response with this table, so other tests do not repeat the
//! comparison.

mod description;
mod media_types;
mod statuses;

pub(crate) use description::{ANY_TOKEN_SCOPE, Operation, ResponseShape};
use description::{
    create_operation, delete_operation, get_operation, list_operation, operation, patch_operation,
    post_operation, read_own_data_operation,
};
pub(crate) use media_types::*;
use statuses::{
    ACTION_STATUSES, ADDITION_STATUSES, CHANGE_STATUSES, CHECK_LIST_STATUSES, CHECK_REMOVAL_STATUSES,
    LIST_STATUSES, PARTIAL_CREATION_STATUSES, PENDING_CHANGE_STATUSES, READ_OBJECT_STATUSES,
    REMOVAL_STATUSES, REMOVAL_STATUSES_IF_NOT_STARTED,
};

pub(crate) const OPERATIONS: &[Operation] = &[
    post_operation("/auth/oauth/v2/token", None, &[JSON])
        .with_success(200, ResponseShape::Bare)
        .with_error_statuses(&[400, 401, 405, 406, 408, 413, 415, 500]),
    delete_operation("/checks", Some("write:payroll")).with_error_statuses(CHECK_REMOVAL_STATUSES),
    post_operation("/checks/{checkId}/checkcomponents", Some("write:payroll"), &[CHECK_COMPONENT, JSON])
        .with_error_statuses(ADDITION_STATUSES),
    patch_operation(
        "/checks/{checkId}/checkcomponents/{checkComponentId}",
        Some("write:payroll"),
        &[CHECK_COMPONENT, JSON],
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/checks/{checkId}/checkcomponents/{checkComponentId}", Some("write:payroll"))
        .with_error_statuses(REMOVAL_STATUSES),
    list_operation("/companies", Some("read:companies"), &[COMPANIES, JSON]),
    get_operation("/companies/{companyId}", Some("read:companies"), &[COMPANY, JSON])
        .with_error_statuses(&[304, 400, 401, 403, 404, 405, 406, 409, 500]),
    list_operation(
        "/companies/{companyId}/calculationbases",
        Some("read:payroll"),
        &[CALCULATION_BASES, JSON],
    ),
    list_operation("/companies/{companyId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .with_error_statuses(CHECK_LIST_STATUSES),
    create_operation("/companies/{companyId}/checks", Some("write:payroll"), &[CHECKS, JSON]),
    get_operation("/companies/{companyId}/contacttypes", Some("read:companies"), &[CONTACT_TYPES, JSON])
        .with_error_statuses(&[304, 400, 401, 403, 405, 406, 500]),
    list_operation("/companies/{companyId}/customemploymenttypes", Some("read:companies"), &[JSON])
        .with_error_statuses(&[304, 400, 401, 403, 405, 406, 500]),
    list_operation("/companies/{companyId}/customfields", Some("read:companies"), &[CUSTOM_FIELDS, JSON]),
    post_operation(
        "/companies/{companyId}/customfields",
        Some("write:companies"),
        &[CUSTOM_FIELDS, CUSTOM_FIELD, JSON],
    )
    .with_error_statuses(ACTION_STATUSES),
    get_operation(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("read:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    ),
    patch_operation(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("write:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/companies/{companyId}/customfields/{customFieldId}", Some("write:companies"))
        .with_error_statuses(REMOVAL_STATUSES),
    list_operation(
        "/companies/{companyId}/customfieldscategories",
        Some("read:companies"),
        &[CATEGORIES, JSON],
    ),
    post_operation(
        "/companies/{companyId}/customfieldscategories",
        Some("write:companies"),
        &[CATEGORIES, JSON],
    )
    .with_success(200, ResponseShape::Content)
    .with_error_statuses(ADDITION_STATUSES),
    get_operation(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("read:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    ),
    patch_operation(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("write:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/companies/{companyId}/customfieldscategories/{categoryId}", Some("write:companies"))
        .with_error_statuses(REMOVAL_STATUSES),
    list_operation("/companies/{companyId}/jobs", Some("read:companies"), &[JOBS, JSON]),
    post_operation("/companies/{companyId}/jobs", Some("write:companies"), &[JOBS, JSON])
        .with_success(201, ResponseShape::Bare)
        .with_error_statuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    get_operation("/companies/{companyId}/jobs/{jobId}", Some("read:companies"), &[JOB, JSON])
        .with_error_statuses(LIST_STATUSES),
    patch_operation("/companies/{companyId}/jobs/{jobId}", Some("write:companies"), &[JOBS, JOB, JSON])
        .with_error_statuses(CHANGE_STATUSES),
    list_operation("/companies/{companyId}/jobsegments", Some("read:companies"), &[JOB_SEGMENTS, JSON]),
    list_operation("/companies/{companyId}/jobtitles", Some("read:companies"), &[JOB_TITLES, JSON]),
    get_operation(
        "/companies/{companyId}/jobtitles/{jobTitleId}",
        Some("read:companies"),
        &[JOB_TITLE, JSON],
    )
    .with_error_statuses(LIST_STATUSES),
    list_operation(
        "/companies/{companyId}/laborassignments",
        Some("read:companies"),
        &[LABOR_ASSIGNMENTS, JSON],
    ),
    get_operation(
        "/companies/{companyId}/laborassignments/{laborAssignmentId}",
        Some("read:companies"),
        &[LABOR_ASSIGNMENT, JSON],
    )
    .with_error_statuses(LIST_STATUSES),
    list_operation("/companies/{companyId}/locations", Some("read:companies"), &[LOCATIONS, JSON]),
    get_operation("/companies/{companyId}/locations/{locationId}", Some("read:companies"), &[LOCATION, JSON])
        .with_error_statuses(LIST_STATUSES),
    list_operation("/companies/{companyId}/organizations", Some("read:companies"), &[ORGANIZATIONS, JSON]),
    get_operation(
        "/companies/{companyId}/organizations/{organizationId}",
        Some("read:companies"),
        &[ORGANIZATION, JSON],
    ),
    list_operation("/companies/{companyId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    get_operation(
        "/companies/{companyId}/paycomponents/{componentId}",
        Some("read:payroll"),
        &[PAY_COMPONENT, JSON],
    ),
    list_operation("/companies/{companyId}/payfrequencies", Some("read:payroll"), &[PAY_FREQUENCIES, JSON])
        .with_error_statuses(&[304, 400, 401, 403, 405, 406, 500]),
    list_operation("/companies/{companyId}/payperiods", Some("read:payroll"), &[PAY_PERIODS, JSON]),
    get_operation(
        "/companies/{companyId}/payperiods/{payPeriodId}",
        Some("read:payroll"),
        &[PAY_PERIOD, JSON],
    ),
    get_operation("/companies/{companyId}/statetaxes", Some("read:payroll"), &[JSON]),
    list_operation(
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
    post_operation("/companies/{companyId}/workers", Some("write:workers"), &[WORKERS, JSON])
        .with_success(201, ResponseShape::Content)
        .with_error_statuses(PARTIAL_CREATION_STATUSES),
    list_operation(
        "/companies/{companyId}/documentcategories",
        Some("read:companies"),
        &[DOCUMENT_CATEGORIES, JSON],
    ),
    list_operation("/companies/{companyId}/users", Some("read:workers"), &[USERS, JSON]),
    list_operation("/companies/{companyId}/workerstatuses", Some("read:companies"), &[WORKER_STATUSES, JSON]),
    get_operation(
        "/companies/{companyId}/workerstatuses/{statusId}",
        Some("read:companies"),
        &[WORKER_STATUS, JSON],
    ),
    read_own_data_operation("/management/domains", Some("read:webhooks"), &[JSON]),
    list_operation("/management/events", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_error_statuses(&[304, 400, 401, 403, 404, 405, 406, 410, 500]),
    read_own_data_operation("/management/hooks", Some("read:webhooks"), &[JSON]),
    post_operation("/management/hooks", Some("write:webhooks"), &[JSON])
        .with_success(201, ResponseShape::Bare)
        .with_error_statuses(&[400, 401, 403, 405, 406, 408, 409, 413, 415, 422, 500]),
    read_own_data_operation("/management/hooks/{hookId}", Some("read:webhooks"), &[JSON])
        .with_error_statuses(READ_OBJECT_STATUSES),
    patch_operation("/management/hooks/{hookId}", Some("write:webhooks"), &[JSON])
        .with_shape(ResponseShape::Bare)
        .with_error_statuses(&[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 500]),
    delete_operation("/management/hooks/{hookId}", Some("write:webhooks"))
        .with_error_statuses(&[400, 401, 403, 404, 405, 406, 412, 500]),
    list_operation("/management/hooks/{hookId}/deliveries", Some("read:webhooks"), &[JSON]),
    get_operation("/management/hooks/{hookId}/deliveries/{deliveryId}", Some("read:webhooks"), &[JSON]),
    post_operation(
        "/management/hooks/{hookId}/deliveries/{deliveryId}/replay",
        Some("write:webhooks"),
        &[JSON],
    )
    .with_success(202, ResponseShape::Content),
    post_operation("/management/hooks/{hookId}/enable", Some("write:webhooks"), &[JSON])
        .with_success(200, ResponseShape::Bare),
    post_operation("/management/hooks/{hookId}/replay", Some("write:webhooks"), &[JSON])
        .with_success(202, ResponseShape::Bare),
    post_operation("/management/hooks/{hookId}/rotate-secret", Some("write:webhooks"), &[JSON])
        .with_success(200, ResponseShape::Bare),
    post_operation("/management/hooks/{hookId}/test", Some("write:webhooks"), &[JSON])
        .with_success(202, ResponseShape::Content),
    post_operation("/management/requestclientaccess", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_success(201, ResponseShape::Bare),
    list_operation("/management/requests", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_error_statuses(&[304, 400, 401, 405, 406, 500]),
    get_operation("/management/requests/{requestId}", Some(ANY_TOKEN_SCOPE), &[JSON])
        .with_error_statuses(&[304, 401, 404, 405, 406, 500]),
    read_own_data_operation("/management/sourceaddresses", Some("read:webhooks"), &[JSON]),
    list_operation("/workers/{workerId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .with_error_statuses(CHECK_LIST_STATUSES),
    create_operation("/workers/{workerId}/checks", Some("write:payroll"), &[CHECK, CHECKS, JSON]),
    get_operation(
        "/workers/{workerId}/checks/{paycheckId}",
        Some("read:payroll"),
        &[CHECK, PROCESSED_CHECK, JSON],
    ),
    delete_operation("/workers/{workerId}/checks/{paycheckId}", Some("write:payroll"))
        .with_error_statuses(CHECK_REMOVAL_STATUSES),
    get_operation(
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
    patch_operation("/workers/{workerId}", Some("write:workers"), &[WORKER, JSON])
        .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/workers/{workerId}", Some("write:workers")).with_error_statuses(REMOVAL_STATUSES),
    list_operation(
        "/workers/{workerId}/communications",
        Some("read:workers"),
        &[COMMUNICATIONS_OF_WORKER, JSON],
    ),
    post_operation("/workers/{workerId}/communications", Some("write:workers"), ONE_COMMUNICATION)
        .with_error_statuses(ADDITION_STATUSES),
    get_operation(
        "/workers/{workerId}/communications/{communicationId}",
        Some("read:workers"),
        &[COMMUNICATION_OF_WORKER, JSON],
    ),
    patch_operation(
        "/workers/{workerId}/communications/{communicationId}",
        Some("write:workers"),
        ONE_COMMUNICATION,
    )
    .with_error_statuses(CHANGE_STATUSES),
    operation(
        "DELETE",
        "/workers/{workerId}/communications/{communicationId}",
        Some("write:workers"),
        &[COMMUNICATIONS_OF_WORKER, COMMUNICATION_OF_WORKER, JSON],
    )
    .with_error_statuses(REMOVAL_STATUSES),
    get_operation(
        "/workers/{workerId}/compensation",
        Some("read:payroll"),
        &[COMPENSATION, COMPENSATION_COMPLETE, JSON],
    ),
    list_operation("/workers/{workerId}/compensation/payrates", Some("read:payroll"), &[PAY_RATES, JSON]),
    post_operation("/workers/{workerId}/compensation/payrates", Some("write:payroll"), ONE_PAY_RATE)
        .with_error_statuses(ADDITION_STATUSES),
    get_operation(
        "/workers/{workerId}/compensation/payrates/{rateId}",
        Some("read:payroll"),
        &[PAY_RATE, JSON],
    ),
    patch_operation(
        "/workers/{workerId}/compensation/payrates/{rateId}",
        Some("write:payroll"),
        ONE_PAY_RATE,
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/workers/{workerId}/compensation/payrates/{rateId}", Some("write:payroll"))
        .with_error_statuses(REMOVAL_STATUSES),
    get_operation(
        "/workers/{workerId}/compensation/paystandards",
        Some("read:payroll"),
        &[PAY_STANDARDS, JSON],
    ),
    list_operation("/workers/{workerId}/directdeposits", Some("read:deposits"), &[DIRECT_DEPOSITS, JSON]),
    post_operation("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_success(202, ResponseShape::Content)
        .with_error_statuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    patch_operation("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_error_statuses(PENDING_CHANGE_STATUSES),
    get_operation(
        "/workers/{workerId}/directdeposits/{directDepositId}",
        Some("read:deposits"),
        &[DIRECT_DEPOSIT, JSON],
    ),
    patch_operation(
        "/workers/{workerId}/directdeposits/{directDepositId}",
        Some("write:deposits"),
        WRITTEN_DEPOSITS,
    )
    .with_error_statuses(PENDING_CHANGE_STATUSES),
    delete_operation("/workers/{workerId}/directdeposits/{directDepositId}", Some("write:deposits"))
        .with_error_statuses(REMOVAL_STATUSES),
    get_operation("/workers/{workerId}/federaltax", Some("read:taxes"), &[FEDERAL_TAX, JSON]),
    post_operation("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON])
        .with_success(201, ResponseShape::Content)
        .with_error_statuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 423, 500]),
    patch_operation("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON])
        .with_error_statuses(CHANGE_STATUSES),
    get_operation("/workers/{workerId}/statetaxes", Some("read:taxes"), &[JSON]),
    patch_operation("/workers/{workerId}/statetaxes", Some("write:taxes"), &[JSON, JSON_PATCH])
        .with_error_statuses(CHANGE_STATUSES),
    list_operation("/workers/{workerId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    create_operation("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS),
    patch_operation("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS)
        .with_error_statuses(CHANGE_STATUSES),
    get_operation(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("read:payroll"),
        &[PAY_COMPONENT, JSON],
    ),
    patch_operation(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("write:payroll"),
        RECURRING_COMPONENTS,
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/workers/{workerId}/paycomponents/{workerComponentId}", Some("write:payroll"))
        .with_error_statuses(REMOVAL_STATUSES_IF_NOT_STARTED),
    list_operation(
        "/workers/{workerId}/customfields",
        Some("read:workers"),
        &[CUSTOM_FIELDS_OF_WORKER, JSON],
    ),
    post_operation("/workers/{workerId}/customfields", Some("write:workers"), WRITTEN_CUSTOM_FIELDS)
        .with_error_statuses(ADDITION_STATUSES),
    get_operation(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("read:workers"),
        &[CUSTOM_FIELD_OF_WORKER, JSON],
    ),
    patch_operation(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("write:workers"),
        WRITTEN_CUSTOM_FIELDS,
    )
    .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/workers/{workerId}/customfields/{workerCustomFieldId}", Some("write:workers"))
        .with_error_statuses(REMOVAL_STATUSES),
    list_operation(
        "/workers/{workerId}/assignmentdistributions",
        Some("read:workers"),
        &[ASSIGNMENT_DISTRIBUTIONS, JSON],
    ),
    list_operation("/workers/{workerId}/documents", Some("read:documents"), &[DOCUMENTS, JSON]),
    create_operation("/workers/{workerId}/documents", Some("write:documents"), ADDED_DOCUMENTS),
    read_own_data_operation(
        "/workers/{workerId}/documents/{documentId}",
        Some("read:documents"),
        &[OCTET_STREAM],
    )
    .with_error_statuses(READ_OBJECT_STATUSES),
    delete_operation("/workers/{workerId}/documents/{documentId}", Some("write:documents"))
        .with_error_statuses(REMOVAL_STATUSES),
    get_operation("/workers/{workerId}/profileimage", Some("read:documents"), &[PROFILE_IMAGE, JSON]),
    create_operation("/workers/{workerId}/profileimage", Some("write:documents"), &[PROFILE_IMAGE, JSON]),
    delete_operation("/workers/{workerId}/profileimage", Some("write:documents"))
        .with_error_statuses(REMOVAL_STATUSES),
    get_operation("/workers/{workerId}/i9status", Some("read:workers"), &[I9_STATUS, JSON]),
    list_operation("/workers/{workerId}/status", Some("read:workers"), &[WORKER_STATUSES, JSON]),
    list_operation("/workers/{workerId}/timeoff", Some("read:workers"), &[TIME_OFF, JSON]),
    list_operation("/workers/{workerId}/contacts", Some("read:workers"), &[CONTACTS_OF_WORKER, JSON]),
    create_operation("/workers/{workerId}/contacts", Some("write:workers"), WRITTEN_CONTACTS),
    get_operation(
        "/workers/{workerId}/contacts/{contactId}",
        Some("read:workers"),
        &[CONTACT_OF_WORKER, JSON],
    ),
    patch_operation("/workers/{workerId}/contacts/{contactId}", Some("write:workers"), WRITTEN_CONTACTS)
        .with_error_statuses(CHANGE_STATUSES),
    delete_operation("/workers/{workerId}/contacts/{contactId}", Some("write:workers"))
        .with_error_statuses(REMOVAL_STATUSES),
];

impl Operation {
    /// Returns the operation of a method and a path without query. HEAD counts as GET.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        let method = if method == "HEAD" { "GET" } else { method };
        OPERATIONS.iter().find(|it| it.method == method && it.matches_path(path))
    }
}
