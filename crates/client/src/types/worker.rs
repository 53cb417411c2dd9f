//! Workers and their names and statuses.

use serde::Deserialize;
use time::Date;

use super::{LegalId, Link, WorkerState, WorkerType};
use crate::exact;

/// A worker of a company.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worker {
    /// The id of the worker, as in paths.
    pub worker_id: String,
    /// The relationship of the worker to the company.
    pub worker_type: WorkerType,
    /// The name, which is absent in the media types without personal data.
    pub name: Option<WorkerName>,
    /// A short number of the worker.
    pub employee_id: Option<String>,
    /// The id of the worker on time clocks.
    pub clock_id: Option<String>,
    /// The extent of the employment: `FULL_TIME` or `PART_TIME`.
    pub employment_type: Option<String>,
    /// Whether the worker is exempt from overtime: `EXEMPT` or `NON_EXEMPT`.
    pub exemption_type: Option<String>,
    /// The current status of the employment.
    pub current_status: Option<WorkerStatus>,
    /// The day on which the worker was hired.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub hire_date: Option<Date>,
    /// The birth date of the worker.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub birth_date: Option<Date>,
    /// The tax ID of the worker.
    pub legal_id: Option<LegalId>,
    /// The organizational unit of the worker.
    pub organization: Option<WorkerOrganization>,
    /// The location at which the worker works.
    pub location_id: Option<String>,
    /// The default job for the worker's hours.
    pub job_id: Option<String>,
    /// The default labor assignment for the worker's hours.
    pub labor_assignment_id: Option<String>,
    /// The links to the worker, and to its communications and pay rates.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// The name of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerName {
    /// The family name, such as Smith.
    pub family_name: String,
    /// The given name, such as Ana.
    pub given_name: String,
    /// The middle name or its initial.
    pub middle_name: Option<String>,
    /// The name that the person wants to be called by.
    pub preferred_name: Option<String>,
}

/// The status of an employment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerStatus {
    /// The state of the employment.
    pub status_type: WorkerState,
    /// The reason, such as `HIRED` or `RESIGNED`.
    pub status_reason: Option<String>,
    /// The first day of the status.
    #[serde(default, deserialize_with = "exact::optional_day::deserialize")]
    pub effective_date: Option<Date>,
}

/// The organizational unit of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerOrganization {
    /// The id of the organizational unit.
    pub organization_id: String,
    /// The name of the organizational unit.
    pub name: Option<String>,
}
