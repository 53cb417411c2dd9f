//! What the floor reads, and shows or writes.

use serde::Serialize;

/// A company as the floor shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Company {
    pub(super) company_id: String,
    pub(super) display_id: String,
    pub(super) legal_name: String,
    pub(super) legal_id: Option<String>,
}

/// A check as the floor shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    #[serde(skip)]
    pub(super) ordinal: i64,
    pub(super) paycheck_id: String,
    pub(super) worker_id: String,
    pub(super) check_correlation_id: Option<String>,
    pub(super) earnings: Vec<Line>,
}

/// A line of a check as the floor shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    #[serde(skip)]
    pub(super) ordinal: i64,
    pub(super) check_component_id: String,
    pub(super) component_id: String,
    pub(super) name: String,
    pub(super) classification_type: String,
    pub(super) effect_on_pay: String,
    pub(super) memoed: bool,
    pub(super) pay_rate: Option<i64>,
    pub(super) pay_hours: Option<i64>,
    pub(super) pay_amount: Option<i64>,
    pub(super) section: String,
    pub(super) pay_units: Option<i64>,
    pub(super) job_id: Option<String>,
    pub(super) labor_assignment_id: Option<String>,
    pub(super) organization_id: Option<String>,
    pub(super) organization_name: Option<String>,
}

/// What one connection of the load posts to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) application_id: String,
    pub(super) company_id: String,
}

/// A worker's move.
pub(super) struct Move {
    pub(super) company_id: String,
    pub(super) worker_id: String,
    pub(super) document: String,
}
