//! The operations of the partner API, as the specification lists them (§3.1, §4.6), and what holds
//! for every answer of each. The client of these tests checks every answer against this table, so
//! no test needs to.

/// An operation and what it may answer.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The scope that it needs, or [`ANY_TOKEN`]; none for the token operation.
    pub(crate) scope: Option<&'static str>,
    /// The media types of its success; the first one is sent where the caller does not care.
    pub(crate) media_types: &'static [&'static str],
    /// The status of its success.
    pub(crate) success: u16,
    /// What its success looks like.
    pub(crate) shape: Shape,
    /// Every other status that the specification gives it.
    pub(crate) refusals: &'static [u16],
}

/// What a success looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An envelope with `metadata`.
    Collection,
    /// An envelope without.
    Content,
    /// No envelope.
    Bare,
    /// No body.
    Nothing,
}

pub(crate) const JSON: &str = "application/json";
/// Any token will do.
pub(crate) const ANY_TOKEN: &str = "";
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
pub(crate) const COMPANIES: &str = "application/vnd.vendor.companies.v1+json";
pub(crate) const COMPANY: &str = "application/vnd.vendor.company.v1+json";
pub(crate) const CALCULATION_BASES: &str = "application/vnd.vendor.payroll.calculationbases.v1+json";
pub(crate) const CHECKS: &str = "application/vnd.vendor.payroll.checks.v1+json";
pub(crate) const PROCESSED_CHECKS: &str = "application/vnd.vendor.payroll.processedchecks.v1+json";
pub(crate) const CHECK: &str = "application/vnd.vendor.payroll.check.v1+json";
pub(crate) const PROCESSED_CHECK: &str = "application/vnd.vendor.payroll.processedcheck.v1+json";
pub(crate) const CONTACT_TYPES: &str = "application/vnd.vendor.company.contacttypes.v1+json";
pub(crate) const CUSTOM_FIELDS: &str = "application/vnd.vendor.company.customfields.v1+json";
pub(crate) const CUSTOM_FIELD: &str = "application/vnd.vendor.company.customfield.v1+json";
pub(crate) const CATEGORIES: &str = "application/vnd.vendor.company.customfieldscategories.v1+json";
pub(crate) const ORGANIZATIONS: &str = "application/vnd.vendor.company.organizations.v1+json";
pub(crate) const ORGANIZATION: &str = "application/vnd.vendor.company.organization.v1+json";
pub(crate) const PAY_COMPONENTS: &str = "application/vnd.vendor.payroll.paycomponents.v1+json";
pub(crate) const PAY_COMPONENT: &str = "application/vnd.vendor.payroll.paycomponent.v1+json";
pub(crate) const PAY_PERIODS: &str = "application/vnd.vendor.payroll.periods.v1+json";
pub(crate) const PAY_PERIOD: &str = "application/vnd.vendor.payroll.period.v1+json";

pub(crate) const WORKERS: &str = "application/vnd.vendor.workers.v1+json";
pub(crate) const WORKERS_COMMUNICATIONS: &str = "application/vnd.vendor.workers_communications.v1+json";
pub(crate) const WORKERS_NONPII: &str = "application/vnd.vendor.workers.nonpii.v1+json";
pub(crate) const WORKERS_ROSTER: &str = "application/vnd.vendor.workers.roster.v1+json";
pub(crate) const WORKER: &str = "application/vnd.vendor.worker.v1+json";
pub(crate) const WORKER_COMMUNICATIONS: &str = "application/vnd.vendor.worker_communications.v1+json";
pub(crate) const COMMUNICATIONS_OF_WORKER: &str = "application/vnd.vendor.worker.communications.v1+json";
pub(crate) const PAY_RATES: &str = "application/vnd.vendor.payroll.compensation.payrates.v1+json";
pub(crate) const PAY_RATE: &str = "application/vnd.vendor.payroll.compensation.payrate.v1+json";

/// Statuses that any operation may answer besides its own.
const ANYWHERE: &[u16] = &[414, 429, 431, 503];

/// What reading something of the application itself may answer besides.
const READ: &[u16] = &[304, 401, 403, 405, 406, 500];
/// What reading one thing of it may answer besides.
const FOUND: &[u16] = &[304, 401, 403, 404, 405, 406, 500];
/// What reading a list of a company may answer besides.
const LISTED: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 500];
/// What doing something with a hook may answer besides.
const DONE: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500];

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation {
        method: "POST",
        path: "/auth/oauth/v2/token",
        scope: None,
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: &[400, 401, 405, 406, 408, 413, 415, 500],
    },
    Operation {
        method: "DELETE",
        path: "/checks",
        scope: Some("write:payroll"),
        media_types: &[],
        success: 204,
        shape: Shape::Nothing,
        refusals: &[400, 401, 403, 404, 405, 406, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/companies",
        scope: Some("read:companies"),
        media_types: &[COMPANIES, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}",
        scope: Some("read:companies"),
        media_types: &[COMPANY, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 409, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/calculationbases",
        scope: Some("read:payroll"),
        media_types: &[CALCULATION_BASES, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/checks",
        scope: Some("read:payroll"),
        media_types: &[CHECKS, PROCESSED_CHECKS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "POST",
        path: "/companies/{companyId}/checks",
        scope: Some("write:payroll"),
        media_types: &[CHECKS, JSON],
        success: 201,
        shape: Shape::Content,
        refusals: &[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/contacttypes",
        scope: Some("read:companies"),
        media_types: &[CONTACT_TYPES, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: &[304, 401, 403, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/customemploymenttypes",
        scope: Some("read:companies"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/customfields",
        scope: Some("read:companies"),
        media_types: &[CUSTOM_FIELDS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "POST",
        path: "/companies/{companyId}/customfields",
        scope: Some("write:companies"),
        media_types: &[CUSTOM_FIELDS, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/customfields/{customFieldId}",
        scope: Some("read:companies"),
        media_types: &[CUSTOM_FIELD, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "PATCH",
        path: "/companies/{companyId}/customfields/{customFieldId}",
        scope: Some("write:companies"),
        media_types: &[CUSTOM_FIELD, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: &[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500],
    },
    Operation {
        method: "DELETE",
        path: "/companies/{companyId}/customfields/{customFieldId}",
        scope: Some("write:companies"),
        media_types: &[],
        success: 204,
        shape: Shape::Nothing,
        refusals: &[400, 401, 403, 404, 405, 406, 409, 412, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/customfieldscategories",
        scope: Some("read:companies"),
        media_types: &[CATEGORIES, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: LISTED,
    },
    Operation {
        method: "POST",
        path: "/companies/{companyId}/customfieldscategories",
        scope: Some("write:companies"),
        media_types: &[CATEGORIES, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/organizations",
        scope: Some("read:companies"),
        media_types: &[ORGANIZATIONS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: LISTED,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/organizations/{organizationId}",
        scope: Some("read:companies"),
        media_types: &[ORGANIZATION, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/paycomponents",
        scope: Some("read:payroll"),
        media_types: &[PAY_COMPONENTS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: LISTED,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/paycomponents/{componentId}",
        scope: Some("read:payroll"),
        media_types: &[PAY_COMPONENT, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/payperiods",
        scope: Some("read:payroll"),
        media_types: &[PAY_PERIODS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: LISTED,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/payperiods/{payPeriodId}",
        scope: Some("read:payroll"),
        media_types: &[PAY_PERIOD, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "GET",
        path: "/companies/{companyId}/workers",
        scope: Some("read:workers"),
        media_types: &[WORKERS, WORKERS_COMMUNICATIONS, WORKERS_NONPII, WORKERS_ROSTER, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/management/domains",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: READ,
    },
    Operation {
        method: "GET",
        path: "/management/events",
        scope: Some(ANY_TOKEN),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 410, 500],
    },
    Operation {
        method: "GET",
        path: "/management/hooks",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: READ,
    },
    Operation {
        method: "POST",
        path: "/management/hooks",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 201,
        shape: Shape::Bare,
        refusals: &[400, 401, 403, 405, 406, 408, 409, 413, 415, 422, 500],
    },
    Operation {
        method: "GET",
        path: "/management/hooks/{hookId}",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: FOUND,
    },
    Operation {
        method: "PATCH",
        path: "/management/hooks/{hookId}",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: &[400, 401, 403, 404, 405, 406, 408, 412, 413, 415, 500],
    },
    Operation {
        method: "DELETE",
        path: "/management/hooks/{hookId}",
        scope: Some("write:webhooks"),
        media_types: &[],
        success: 204,
        shape: Shape::Nothing,
        refusals: &[401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/management/hooks/{hookId}/deliveries",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/management/hooks/{hookId}/deliveries/{deliveryId}",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "POST",
        path: "/management/hooks/{hookId}/deliveries/{deliveryId}/replay",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 202,
        shape: Shape::Content,
        refusals: DONE,
    },
    Operation {
        method: "POST",
        path: "/management/hooks/{hookId}/enable",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: DONE,
    },
    Operation {
        method: "POST",
        path: "/management/hooks/{hookId}/replay",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 202,
        shape: Shape::Bare,
        refusals: DONE,
    },
    Operation {
        method: "POST",
        path: "/management/hooks/{hookId}/rotate-secret",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: DONE,
    },
    Operation {
        method: "POST",
        path: "/management/hooks/{hookId}/test",
        scope: Some("write:webhooks"),
        media_types: &[JSON],
        success: 202,
        shape: Shape::Content,
        refusals: DONE,
    },
    Operation {
        method: "POST",
        path: "/management/requestclientaccess",
        scope: Some(ANY_TOKEN),
        media_types: &[JSON],
        success: 201,
        shape: Shape::Bare,
        refusals: &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500],
    },
    Operation {
        method: "GET",
        path: "/management/requests",
        scope: Some(ANY_TOKEN),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/management/sourceaddresses",
        scope: Some("read:webhooks"),
        media_types: &[JSON],
        success: 200,
        shape: Shape::Bare,
        refusals: READ,
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}/checks",
        scope: Some("read:payroll"),
        media_types: &[CHECKS, PROCESSED_CHECKS, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "POST",
        path: "/workers/{workerId}/checks",
        scope: Some("write:payroll"),
        media_types: &[CHECK, CHECKS, JSON],
        success: 201,
        shape: Shape::Content,
        refusals: &[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}/checks/{paycheckId}",
        scope: Some("read:payroll"),
        media_types: &[CHECK, PROCESSED_CHECK, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "DELETE",
        path: "/workers/{workerId}/checks/{paycheckId}",
        scope: Some("write:payroll"),
        media_types: &[],
        success: 204,
        shape: Shape::Nothing,
        refusals: &[400, 401, 403, 404, 405, 406, 423, 500],
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}",
        scope: Some("read:workers"),
        media_types: &[WORKER, WORKER_COMMUNICATIONS, WORKERS_NONPII, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}/communications",
        scope: Some("read:workers"),
        media_types: &[COMMUNICATIONS_OF_WORKER, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}/compensation/payrates",
        scope: Some("read:payroll"),
        media_types: &[PAY_RATES, JSON],
        success: 200,
        shape: Shape::Collection,
        refusals: &[304, 400, 401, 403, 404, 405, 406, 500],
    },
    Operation {
        method: "GET",
        path: "/workers/{workerId}/compensation/payrates/{rateId}",
        scope: Some("read:payroll"),
        media_types: &[PAY_RATE, JSON],
        success: 200,
        shape: Shape::Content,
        refusals: FOUND,
    },
];

impl Operation {
    /// The operation of a method and a path (without query); HEAD counts as GET.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        let method = if method == "HEAD" { "GET" } else { method };
        OPERATIONS.iter().find(|it| it.method == method && it.fits(path))
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
