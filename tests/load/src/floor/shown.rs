//! The documents that the minimal server (floor) reads, returns and writes.

use serde::{Deserialize, Serialize};

/// A company in a response of the minimal server.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Company {
    pub(super) company_id: String,
    pub(super) display_id: String,
    pub(super) legal_name: String,
    pub(super) legal_id: Option<String>,
}

/// A check in a response of the minimal server.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    pub(super) paycheck_id: String,
    pub(super) worker_id: String,
    pub(super) check_correlation_id: Option<String>,
    pub(super) earnings: Vec<Line>,
}

/// A check line in the form in which it is stored. The minimal server also returns this form.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    check_component_id: String,
    component_id: String,
    name: String,
    classification_type: String,
    effect_on_pay: String,
    #[serde(default)]
    memoed: bool,
    #[serde(rename(deserialize = "rate"))]
    pay_rate: Option<i64>,
    #[serde(rename(deserialize = "hours"))]
    pay_hours: Option<i64>,
    #[serde(rename(deserialize = "amount"))]
    pay_amount: Option<i64>,
    section: String,
    #[serde(rename(deserialize = "units"))]
    pay_units: Option<i64>,
    job_id: Option<String>,
    labor_assignment_id: Option<String>,
    organization_id: Option<String>,
    organization_name: Option<String>,
}

/// The application and the company for which one connection of the benchmark adds checks.
#[derive(Clone)]
pub(super) struct ConnectionTarget {
    pub(super) application_id: String,
    pub(super) company_id: String,
}

/// A worker's document with a new address.
pub(super) struct WorkerMove {
    pub(super) company_id: String,
    pub(super) worker_id: String,
    pub(super) document: String,
}
