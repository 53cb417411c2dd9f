//! The results of a search, as operators see them (specification §11.28).

use payroll_ports::search::SearchHit;
use serde_json::{Value, json};

/// Creates the document of one result.
pub(crate) fn search_hit_json(hit: &SearchHit) -> Value {
    match hit {
        SearchHit::Company { company_id, name, display_id } => json!({
            "kind": "company", "id": company_id.as_str(), "name": name, "number": display_id,
            "companyId": company_id.as_str(), "companyName": name,
        }),
        SearchHit::Worker { company_id, company_name, worker_id, name, employee_id } => with_member(
            json!({
                "kind": "worker", "id": worker_id.as_str(), "name": name,
                "companyId": company_id.as_str(), "companyName": company_name,
            }),
            "number",
            employee_id.as_deref(),
        ),
        SearchHit::PayPeriod { company_id, company_name, pay_period_id, description } => with_member(
            json!({
                "kind": "payPeriod", "id": pay_period_id.as_str(),
                "companyId": company_id.as_str(), "companyName": company_name,
            }),
            "name",
            description.as_deref(),
        ),
        SearchHit::Check { company_id, company_name, pay_period_id, worker_id, paycheck_id } => json!({
            "kind": "check", "id": paycheck_id.as_str(), "companyId": company_id.as_str(),
            "companyName": company_name, "payPeriodId": pay_period_id.as_str(), "workerId": worker_id.as_str(),
        }),
        SearchHit::Application { application_id, name } => {
            json!({"kind": "application", "id": application_id.as_str(), "name": name})
        }
    }
}

/// Adds a member to the document if it has a value.
fn with_member(mut document: Value, member: &str, value: Option<&str>) -> Value {
    if let (Some(value), Some(members)) = (value, document.as_object_mut()) {
        members.insert(member.to_owned(), value.into());
    }
    document
}
