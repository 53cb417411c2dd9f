//! The operations of the partner API as listed in the specification (§3.1, §4.6), and the properties of all
//! their responses. The test client checks each response against this table, so no test has to.

mod media_types;
mod statuses;

pub(crate) use media_types::*;
use statuses::{
    ADDED, ANYWHERE, CHANGED, CHANGED_OR_PENDING, CREATED, CREATED_IN_PART, DONE, FOUND, LISTED,
    LISTED_CHECKS, READ, REMOVED, REMOVED_UNLESS_AHEAD,
};

/// An operation and its possible statuses.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The required scope, or [`ANY_TOKEN`]; `None` for the token operation.
    pub(crate) scope: Option<&'static str>,
    /// The media types of a success. The first one is sent if the client has no preference.
    pub(crate) media_types: &'static [&'static str],
    /// The HTTP status of a successful response.
    pub(crate) success: u16,
    /// The form of the body of a successful response.
    pub(crate) shape: Shape,
    /// All other statuses that the specification lists for the operation.
    pub(crate) refusals: &'static [u16],
}

/// The shape of a successful response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A list: an envelope with `metadata`.
    Collection,
    /// One object: an envelope without `metadata`.
    Content,
    /// A bare object without an envelope.
    Bare,
    /// A response without a body.
    Nothing,
}

/// The scope of an operation that accepts any token.
pub(crate) const ANY_TOKEN: &str = "";

/// The type of the texts in the table of operations.
type Text = &'static str;

const fn operation(method: Text, path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    Operation { method, path, scope, media_types, success: 200, shape: Shape::Content, refusals: &[] }
}

/// Returns an operation that reads a list of a company.
const fn list(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("GET", path, scope, media_types).with_shape(Shape::Collection).refuses(LISTED)
}

/// Returns an operation that reads one object.
const fn one(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("GET", path, scope, media_types).refuses(FOUND)
}

/// Returns an operation that reads data of the application itself.
const fn own_operation(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("GET", path, scope, media_types).with_shape(Shape::Bare).refuses(READ)
}

/// Returns an operation that adds or executes something.
const fn post(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("POST", path, scope, media_types).refuses(DONE)
}

/// Returns an operation that adds an object and supports a dry run.
const fn creation(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("POST", path, scope, media_types).with_success(201, Shape::Content).refuses(CREATED)
}

const fn change(path: Text, scope: Option<Text>, media_types: &'static [Text]) -> Operation {
    operation("PATCH", path, scope, media_types)
}

const fn removal(path: Text, scope: Option<Text>) -> Operation {
    operation("DELETE", path, scope, &[]).with_success(204, Shape::Nothing)
}

pub(crate) const OPERATIONS: &[Operation] = &[
    post("/auth/oauth/v2/token", None, &[JSON])
        .with_success(200, Shape::Bare)
        .refuses(&[400, 401, 405, 406, 408, 413, 415, 500]),
    removal("/checks", Some("write:payroll")).refuses(&[400, 401, 403, 404, 405, 406, 423, 500]),
    post("/checks/{checkId}/checkcomponents", Some("write:payroll"), &[CHECK_COMPONENT, JSON]).refuses(ADDED),
    change(
        "/checks/{checkId}/checkcomponents/{checkComponentId}",
        Some("write:payroll"),
        &[CHECK_COMPONENT, JSON],
    )
    .refuses(CHANGED),
    removal("/checks/{checkId}/checkcomponents/{checkComponentId}", Some("write:payroll")).refuses(REMOVED),
    list("/companies", Some("read:companies"), &[COMPANIES, JSON]),
    one("/companies/{companyId}", Some("read:companies"), &[COMPANY, JSON])
        .refuses(&[304, 400, 401, 403, 404, 405, 406, 409, 500]),
    list("/companies/{companyId}/calculationbases", Some("read:payroll"), &[CALCULATION_BASES, JSON]),
    list("/companies/{companyId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .refuses(LISTED_CHECKS),
    creation("/companies/{companyId}/checks", Some("write:payroll"), &[CHECKS, JSON]),
    one("/companies/{companyId}/contacttypes", Some("read:companies"), &[CONTACT_TYPES, JSON])
        .refuses(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/customemploymenttypes", Some("read:companies"), &[JSON])
        .refuses(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/customfields", Some("read:companies"), &[CUSTOM_FIELDS, JSON]),
    post(
        "/companies/{companyId}/customfields",
        Some("write:companies"),
        &[CUSTOM_FIELDS, CUSTOM_FIELD, JSON],
    )
    .refuses(DONE),
    one(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("read:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    ),
    change(
        "/companies/{companyId}/customfields/{customFieldId}",
        Some("write:companies"),
        &[CUSTOM_FIELD, CUSTOM_FIELDS, JSON],
    )
    .refuses(CHANGED),
    removal("/companies/{companyId}/customfields/{customFieldId}", Some("write:companies")).refuses(REMOVED),
    list("/companies/{companyId}/customfieldscategories", Some("read:companies"), &[CATEGORIES, JSON]),
    post("/companies/{companyId}/customfieldscategories", Some("write:companies"), &[CATEGORIES, JSON])
        .with_success(200, Shape::Content)
        .refuses(ADDED),
    one(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("read:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    ),
    change(
        "/companies/{companyId}/customfieldscategories/{categoryId}",
        Some("write:companies"),
        &[CATEGORY, CATEGORIES, JSON],
    )
    .refuses(CHANGED),
    removal("/companies/{companyId}/customfieldscategories/{categoryId}", Some("write:companies"))
        .refuses(REMOVED),
    list("/companies/{companyId}/jobs", Some("read:companies"), &[JOBS, JSON]),
    post("/companies/{companyId}/jobs", Some("write:companies"), &[JOBS, JSON])
        .with_success(201, Shape::Bare)
        .refuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    one("/companies/{companyId}/jobs/{jobId}", Some("read:companies"), &[JOB, JSON]).refuses(LISTED),
    change("/companies/{companyId}/jobs/{jobId}", Some("write:companies"), &[JOBS, JOB, JSON])
        .refuses(CHANGED),
    list("/companies/{companyId}/jobsegments", Some("read:companies"), &[JOB_SEGMENTS, JSON]),
    list("/companies/{companyId}/jobtitles", Some("read:companies"), &[JOB_TITLES, JSON]),
    one("/companies/{companyId}/jobtitles/{jobTitleId}", Some("read:companies"), &[JOB_TITLE, JSON])
        .refuses(LISTED),
    list("/companies/{companyId}/laborassignments", Some("read:companies"), &[LABOR_ASSIGNMENTS, JSON]),
    one(
        "/companies/{companyId}/laborassignments/{laborAssignmentId}",
        Some("read:companies"),
        &[LABOR_ASSIGNMENT, JSON],
    )
    .refuses(LISTED),
    list("/companies/{companyId}/locations", Some("read:companies"), &[LOCATIONS, JSON]),
    one("/companies/{companyId}/locations/{locationId}", Some("read:companies"), &[LOCATION, JSON])
        .refuses(LISTED),
    list("/companies/{companyId}/organizations", Some("read:companies"), &[ORGANIZATIONS, JSON]),
    one(
        "/companies/{companyId}/organizations/{organizationId}",
        Some("read:companies"),
        &[ORGANIZATION, JSON],
    ),
    list("/companies/{companyId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    one("/companies/{companyId}/paycomponents/{componentId}", Some("read:payroll"), &[PAY_COMPONENT, JSON]),
    list("/companies/{companyId}/payfrequencies", Some("read:payroll"), &[PAY_FREQUENCIES, JSON])
        .refuses(&[304, 400, 401, 403, 405, 406, 500]),
    list("/companies/{companyId}/payperiods", Some("read:payroll"), &[PAY_PERIODS, JSON]),
    one("/companies/{companyId}/payperiods/{payPeriodId}", Some("read:payroll"), &[PAY_PERIOD, JSON]),
    one("/companies/{companyId}/statetaxes", Some("read:payroll"), &[JSON]),
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
        .with_success(201, Shape::Content)
        .refuses(CREATED_IN_PART),
    list("/companies/{companyId}/documentcategories", Some("read:companies"), &[DOCUMENT_CATEGORIES, JSON]),
    list("/companies/{companyId}/users", Some("read:workers"), &[USERS, JSON]),
    list("/companies/{companyId}/workerstatuses", Some("read:companies"), &[WORKER_STATUSES, JSON]),
    one("/companies/{companyId}/workerstatuses/{statusId}", Some("read:companies"), &[WORKER_STATUS, JSON]),
    own_operation("/management/domains", Some("read:webhooks"), &[JSON]),
    list("/management/events", Some(ANY_TOKEN), &[JSON])
        .refuses(&[304, 400, 401, 403, 404, 405, 406, 410, 500]),
    own_operation("/management/hooks", Some("read:webhooks"), &[JSON]),
    post("/management/hooks", Some("write:webhooks"), &[JSON])
        .with_success(201, Shape::Bare)
        .refuses(&[400, 401, 403, 405, 406, 408, 409, 413, 415, 422, 500]),
    own_operation("/management/hooks/{hookId}", Some("read:webhooks"), &[JSON]).refuses(FOUND),
    change("/management/hooks/{hookId}", Some("write:webhooks"), &[JSON])
        .with_shape(Shape::Bare)
        .refuses(&[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 500]),
    removal("/management/hooks/{hookId}", Some("write:webhooks")).refuses(&[401, 403, 404, 405, 406, 500]),
    list("/management/hooks/{hookId}/deliveries", Some("read:webhooks"), &[JSON]),
    one("/management/hooks/{hookId}/deliveries/{deliveryId}", Some("read:webhooks"), &[JSON]),
    post("/management/hooks/{hookId}/deliveries/{deliveryId}/replay", Some("write:webhooks"), &[JSON])
        .with_success(202, Shape::Content),
    post("/management/hooks/{hookId}/enable", Some("write:webhooks"), &[JSON]).with_success(200, Shape::Bare),
    post("/management/hooks/{hookId}/replay", Some("write:webhooks"), &[JSON]).with_success(202, Shape::Bare),
    post("/management/hooks/{hookId}/rotate-secret", Some("write:webhooks"), &[JSON])
        .with_success(200, Shape::Bare),
    post("/management/hooks/{hookId}/test", Some("write:webhooks"), &[JSON])
        .with_success(202, Shape::Content),
    post("/management/requestclientaccess", Some(ANY_TOKEN), &[JSON]).with_success(201, Shape::Bare),
    list("/management/requests", Some(ANY_TOKEN), &[JSON]).refuses(&[304, 400, 401, 405, 406, 500]),
    one("/management/requests/{requestId}", Some(ANY_TOKEN), &[JSON])
        .refuses(&[304, 401, 404, 405, 406, 500]),
    own_operation("/management/sourceaddresses", Some("read:webhooks"), &[JSON]),
    list("/workers/{workerId}/checks", Some("read:payroll"), &[CHECKS, PROCESSED_CHECKS, JSON])
        .refuses(LISTED_CHECKS),
    creation("/workers/{workerId}/checks", Some("write:payroll"), &[CHECK, CHECKS, JSON]),
    one("/workers/{workerId}/checks/{paycheckId}", Some("read:payroll"), &[CHECK, PROCESSED_CHECK, JSON]),
    removal("/workers/{workerId}/checks/{paycheckId}", Some("write:payroll"))
        .refuses(&[400, 401, 403, 404, 405, 406, 423, 500]),
    one(
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
    change("/workers/{workerId}", Some("write:workers"), &[WORKER, JSON]).refuses(CHANGED),
    removal("/workers/{workerId}", Some("write:workers")).refuses(REMOVED),
    list("/workers/{workerId}/communications", Some("read:workers"), &[COMMUNICATIONS_OF_WORKER, JSON]),
    post("/workers/{workerId}/communications", Some("write:workers"), ONE_COMMUNICATION).refuses(ADDED),
    one(
        "/workers/{workerId}/communications/{communicationId}",
        Some("read:workers"),
        &[COMMUNICATION_OF_WORKER, JSON],
    ),
    change("/workers/{workerId}/communications/{communicationId}", Some("write:workers"), ONE_COMMUNICATION)
        .refuses(CHANGED),
    operation(
        "DELETE",
        "/workers/{workerId}/communications/{communicationId}",
        Some("write:workers"),
        &[COMMUNICATIONS_OF_WORKER, COMMUNICATION_OF_WORKER, JSON],
    )
    .refuses(REMOVED),
    one(
        "/workers/{workerId}/compensation",
        Some("read:payroll"),
        &[COMPENSATION, COMPENSATION_COMPLETE, JSON],
    ),
    list("/workers/{workerId}/compensation/payrates", Some("read:payroll"), &[PAY_RATES, JSON]),
    post("/workers/{workerId}/compensation/payrates", Some("write:payroll"), ONE_PAY_RATE).refuses(ADDED),
    one("/workers/{workerId}/compensation/payrates/{rateId}", Some("read:payroll"), &[PAY_RATE, JSON]),
    change("/workers/{workerId}/compensation/payrates/{rateId}", Some("write:payroll"), ONE_PAY_RATE)
        .refuses(CHANGED),
    removal("/workers/{workerId}/compensation/payrates/{rateId}", Some("write:payroll")).refuses(REMOVED),
    one("/workers/{workerId}/compensation/paystandards", Some("read:payroll"), &[PAY_STANDARDS, JSON]),
    list("/workers/{workerId}/directdeposits", Some("read:deposits"), &[DIRECT_DEPOSITS, JSON]),
    post("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .with_success(202, Shape::Content)
        .refuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500]),
    change("/workers/{workerId}/directdeposits", Some("write:deposits"), WRITTEN_DEPOSITS)
        .refuses(CHANGED_OR_PENDING),
    one(
        "/workers/{workerId}/directdeposits/{directDepositId}",
        Some("read:deposits"),
        &[DIRECT_DEPOSIT, JSON],
    ),
    change("/workers/{workerId}/directdeposits/{directDepositId}", Some("write:deposits"), WRITTEN_DEPOSITS)
        .refuses(CHANGED_OR_PENDING),
    removal("/workers/{workerId}/directdeposits/{directDepositId}", Some("write:deposits")).refuses(REMOVED),
    one("/workers/{workerId}/federaltax", Some("read:taxes"), &[FEDERAL_TAX, JSON]),
    post("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON])
        .with_success(201, Shape::Content)
        .refuses(&[200, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 423, 500]),
    change("/workers/{workerId}/federaltax", Some("write:taxes"), &[FEDERAL_TAX, JSON]).refuses(CHANGED),
    one("/workers/{workerId}/statetaxes", Some("read:taxes"), &[JSON]),
    change("/workers/{workerId}/statetaxes", Some("write:taxes"), &[JSON, JSON_PATCH]).refuses(CHANGED),
    list("/workers/{workerId}/paycomponents", Some("read:payroll"), &[PAY_COMPONENTS, JSON]),
    creation("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS),
    change("/workers/{workerId}/paycomponents", Some("write:payroll"), RECURRING_COMPONENTS).refuses(CHANGED),
    one(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("read:payroll"),
        &[PAY_COMPONENT, JSON],
    ),
    change(
        "/workers/{workerId}/paycomponents/{workerComponentId}",
        Some("write:payroll"),
        RECURRING_COMPONENTS,
    )
    .refuses(CHANGED),
    removal("/workers/{workerId}/paycomponents/{workerComponentId}", Some("write:payroll"))
        .refuses(REMOVED_UNLESS_AHEAD),
    list("/workers/{workerId}/customfields", Some("read:workers"), &[CUSTOM_FIELDS_OF_WORKER, JSON]),
    post("/workers/{workerId}/customfields", Some("write:workers"), WRITTEN_CUSTOM_FIELDS).refuses(ADDED),
    one(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("read:workers"),
        &[CUSTOM_FIELD_OF_WORKER, JSON],
    ),
    change(
        "/workers/{workerId}/customfields/{workerCustomFieldId}",
        Some("write:workers"),
        WRITTEN_CUSTOM_FIELDS,
    )
    .refuses(CHANGED),
    removal("/workers/{workerId}/customfields/{workerCustomFieldId}", Some("write:workers")).refuses(REMOVED),
    list(
        "/workers/{workerId}/assignmentdistributions",
        Some("read:workers"),
        &[ASSIGNMENT_DISTRIBUTIONS, JSON],
    ),
    list("/workers/{workerId}/documents", Some("read:documents"), &[DOCUMENTS, JSON]),
    creation("/workers/{workerId}/documents", Some("write:documents"), ADDED_DOCUMENTS),
    own_operation("/workers/{workerId}/documents/{documentId}", Some("read:documents"), &[OCTETS])
        .refuses(FOUND),
    removal("/workers/{workerId}/documents/{documentId}", Some("write:documents")).refuses(REMOVED),
    one("/workers/{workerId}/profileimage", Some("read:documents"), &[PROFILE_IMAGE, JSON]),
    creation("/workers/{workerId}/profileimage", Some("write:documents"), &[PROFILE_IMAGE, JSON]),
    removal("/workers/{workerId}/profileimage", Some("write:documents")).refuses(REMOVED),
    one("/workers/{workerId}/i9status", Some("read:workers"), &[I9_STATUS, JSON]),
    list("/workers/{workerId}/status", Some("read:workers"), &[WORKER_STATUSES, JSON]),
    list("/workers/{workerId}/timeoff", Some("read:workers"), &[TIME_OFF, JSON]),
    list("/workers/{workerId}/contacts", Some("read:workers"), &[CONTACTS_OF_WORKER, JSON]),
    creation("/workers/{workerId}/contacts", Some("write:workers"), WRITTEN_CONTACTS),
    one("/workers/{workerId}/contacts/{contactId}", Some("read:workers"), &[CONTACT_OF_WORKER, JSON]),
    change("/workers/{workerId}/contacts/{contactId}", Some("write:workers"), WRITTEN_CONTACTS)
        .refuses(CHANGED),
    removal("/workers/{workerId}/contacts/{contactId}", Some("write:workers")).refuses(REMOVED),
];

impl Operation {
    const fn with_success(self, success: u16, shape: Shape) -> Self {
        Self { success, shape, ..self }
    }

    const fn with_shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    const fn refuses(self, refusals: &'static [u16]) -> Self {
        Self { refusals, ..self }
    }

    /// Returns the operation of a method and a path without query. HEAD counts as GET.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        let method = if method == "HEAD" { "GET" } else { method };
        OPERATIONS.iter().find(|it| it.method == method && it.fits(path))
    }

    /// Returns whether the responses contain personal data (§2.7).
    pub(crate) fn is_personal(&self) -> bool {
        const PERSONAL: &[&str] = &[
            "/auth/oauth/v2/token",
            "/checks",
            "/companies",
            "/companies/{companyId}",
            "/companies/{companyId}/checks",
            "/companies/{companyId}/workers",
            "/management/requestclientaccess",
        ];
        self.path.starts_with("/workers/") || PERSONAL.contains(&self.path)
    }

    pub(crate) fn may_answer(&self, status: u16) -> bool {
        self.success == status || self.refusals.contains(&status) || ANYWHERE.contains(&status)
    }

    fn fits(&self, path: &str) -> bool {
        let (mut wanted, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return true,
                (Some(wanted), Some(id)) if wanted.starts_with('{') && !id.is_empty() => {}
                (Some(wanted), Some(given)) if wanted == given => {}
                _ => return false,
            }
        }
    }
}
