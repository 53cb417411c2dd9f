//! The media types of the partner API (specification §3.1).

pub(crate) const JSON: &str = "application/json";
pub(crate) const FORM_URLENCODED: &str = "application/x-www-form-urlencoded";
pub(crate) const COMPANIES: &str = "application/vnd.vendor.companies.v1+json";
pub(crate) const COMPANY: &str = "application/vnd.vendor.company.v1+json";
pub(crate) const CALCULATION_BASES: &str = "application/vnd.vendor.payroll.calculationbases.v1+json";
pub(crate) const CHECKS: &str = "application/vnd.vendor.payroll.checks.v1+json";
pub(crate) const PROCESSED_CHECKS: &str = "application/vnd.vendor.payroll.processedchecks.v1+json";
pub(crate) const CHECK: &str = "application/vnd.vendor.payroll.check.v1+json";
pub(crate) const CHECK_COMPONENT: &str = "application/vnd.vendor.payroll.check.checkcomponent.v1+json";
pub(crate) const PROCESSED_CHECK: &str = "application/vnd.vendor.payroll.processedcheck.v1+json";
pub(crate) const CONTACT_TYPES: &str = "application/vnd.vendor.company.contacttypes.v1+json";
pub(crate) const JOB_TITLES: &str = "application/vnd.vendor.company.jobtitles.v1+json";
pub(crate) const JOB_TITLE: &str = "application/vnd.vendor.company.jobtitle.v1+json";
pub(crate) const LABOR_ASSIGNMENTS: &str = "application/vnd.vendor.company.laborassignments.v1+json";
pub(crate) const LABOR_ASSIGNMENT: &str = "application/vnd.vendor.company.laborassignment.v1+json";
pub(crate) const LOCATIONS: &str = "application/vnd.vendor.company.locations.v1+json";
pub(crate) const LOCATION: &str = "application/vnd.vendor.company.location.v1+json";
pub(crate) const JOBS: &str = "application/vnd.vendor.company.jobs.v1+json";
pub(crate) const JOB: &str = "application/vnd.vendor.company.job.v1+json";
pub(crate) const JOB_SEGMENTS: &str = "application/vnd.vendor.company.jobsegments.v1+json";
pub(crate) const PAY_FREQUENCIES: &str = "application/vnd.vendor.payroll.payfrequencies.v1+json";
pub(crate) const CUSTOM_FIELDS: &str = "application/vnd.vendor.company.customfields.v1+json";
pub(crate) const CUSTOM_FIELD: &str = "application/vnd.vendor.company.customfield.v1+json";
pub(crate) const CATEGORIES: &str = "application/vnd.vendor.company.customfieldscategories.v1+json";
pub(crate) const CATEGORY: &str = "application/vnd.vendor.company.customfieldscategory.v1+json";
pub(crate) const ORGANIZATIONS: &str = "application/vnd.vendor.company.organizations.v1+json";
pub(crate) const ORGANIZATION: &str = "application/vnd.vendor.company.organization.v1+json";
pub(crate) const PAY_COMPONENTS: &str = "application/vnd.vendor.payroll.paycomponents.v1+json";
pub(crate) const PAY_COMPONENT: &str = "application/vnd.vendor.payroll.paycomponent.v1+json";
pub(crate) const PAY_PERIODS: &str = "application/vnd.vendor.payroll.periods.v1+json";
pub(crate) const PAY_PERIOD: &str = "application/vnd.vendor.payroll.period.v1+json";

pub(crate) const WORKERS: &str = "application/vnd.vendor.workers.v1+json";
pub(crate) const WORKERS_COMMUNICATIONS: &str = "application/vnd.vendor.workers_communications.v1+json";
pub(crate) const WORKERS_NONPII: &str = "application/vnd.vendor.workers.nonpii.v1+json";
pub(crate) const WORKERS_NONPII_COMMUNICATIONS: &str =
    "application/vnd.vendor.workers.nonpii_communications.v1+json";
pub(crate) const WORKER_NONPII: &str = "application/vnd.vendor.worker.nonpii.v1+json";
pub(crate) const WORKER_NONPII_COMMUNICATIONS: &str =
    "application/vnd.vendor.worker.nonpii_communications.v1+json";
pub(crate) const WORKERS_ROSTER: &str = "application/vnd.vendor.workers.roster.v1+json";
pub(crate) const WORKER: &str = "application/vnd.vendor.worker.v1+json";
pub(crate) const WORKER_COMMUNICATIONS: &str = "application/vnd.vendor.worker_communications.v1+json";
pub(crate) const COMMUNICATIONS_OF_WORKER: &str = "application/vnd.vendor.worker.communications.v1+json";
pub(crate) const COMMUNICATION_OF_WORKER: &str = "application/vnd.vendor.worker.communication.v1+json";
pub(crate) const PAY_RATES: &str = "application/vnd.vendor.payroll.compensation.payrates.v1+json";
pub(crate) const COMPENSATION: &str = "application/vnd.vendor.payroll.compensation.v1+json";
pub(crate) const COMPENSATION_COMPLETE: &str =
    "application/vnd.vendor.payroll.compensation.standards_rates.v1+json";
pub(crate) const PAY_STANDARDS: &str = "application/vnd.vendor.payroll.compensation.paystandards.v1+json";
pub(crate) const DIRECT_DEPOSITS: &str = "application/vnd.vendor.payroll.directdeposits.v1+json";
pub(crate) const DIRECT_DEPOSIT: &str = "application/vnd.vendor.payroll.directdeposit.v1+json";
pub(crate) const FEDERAL_TAX: &str = "application/vnd.vendor.worker.federaltax2020.v1+json";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const PAY_RATE: &str = "application/vnd.vendor.payroll.compensation.payrate.v1+json";
pub(crate) const ASSIGNMENT_DISTRIBUTIONS: &str =
    "application/vnd.vendor.worker.assignmentdistributions.v1+json";
pub(crate) const TIME_OFF: &str = "application/vnd.vendor.worker.timeoff.v1+json";
pub(crate) const CONTACTS_OF_WORKER: &str = "application/vnd.vendor.worker.contacts.v1+json";
pub(crate) const CONTACT_OF_WORKER: &str = "application/vnd.vendor.worker.contact.v1+json";
pub(crate) const CUSTOM_FIELDS_OF_WORKER: &str = "application/vnd.vendor.worker.customfields.v1+json";
pub(crate) const CUSTOM_FIELD_OF_WORKER: &str = "application/vnd.vendor.worker.customfield.v1+json";
pub(crate) const WORKER_STATUSES: &str = "application/vnd.vendor.company.workerstatuses.v1+json";
pub(crate) const WORKER_STATUS: &str = "application/vnd.vendor.company.workerstatus.v1+json";

/// The media types of one communication of a worker.
pub(super) const ONE_COMMUNICATION: &[&str] = &[COMMUNICATION_OF_WORKER, COMMUNICATIONS_OF_WORKER, JSON];
/// The media types for writing recurring components.
pub(super) const RECURRING_COMPONENTS: &[&str] = &[PAY_COMPONENTS, PAY_COMPONENT, JSON];
/// The media types for writing direct deposits.
pub(super) const WRITTEN_DEPOSITS: &[&str] = &[DIRECT_DEPOSIT, DIRECT_DEPOSITS, JSON];
/// The media types for writing contacts.
pub(super) const WRITTEN_CONTACTS: &[&str] = &[CONTACTS_OF_WORKER, CONTACT_OF_WORKER, JSON];
/// The media types for writing values of custom fields.
pub(super) const WRITTEN_CUSTOM_FIELDS: &[&str] = &[CUSTOM_FIELDS_OF_WORKER, CUSTOM_FIELD_OF_WORKER, JSON];
/// The media types of one pay rate.
pub(super) const ONE_PAY_RATE: &[&str] = &[PAY_RATE, PAY_RATES, JSON];
pub(crate) const DOCUMENT_CATEGORIES: &str = "application/vnd.vendor.company.documentcategories.v1+json";
pub(crate) const USERS: &str = "application/vnd.vendor.company.users.v1+json";
pub(crate) const I9_STATUS: &str = "application/vnd.vendor.worker.i9status.v1+json";
pub(crate) const DOCUMENTS: &str = "application/vnd.vendor.worker.documents.v1+json";
pub(crate) const DOCUMENT: &str = "application/vnd.vendor.worker.document.v1+json";
pub(crate) const ADDED_DOCUMENTS: &[&str] = &[DOCUMENT, DOCUMENTS, JSON];
pub(crate) const PROFILE_IMAGE: &str = "application/vnd.vendor.worker.profileimage.v1+json";
pub(crate) const OCTET_STREAM: &str = "application/octet-stream";
