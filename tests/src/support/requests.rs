//! A valid request for each operation.

use reqwest::Method;
use serde_json::{Value, json};

use super::checks::valid_check;
use super::deposits::new_direct_deposit;
use super::files::{DOCUMENT_ID, new_document, new_image};
use super::hooks::{DELIVERY_ID, FAILED_REQUEST_ID, HOOK_ID, SPARE_HOOK_ID, registration};
use super::request::Request;
use super::world::{
    LOCKED, LOCKED_CHECK, PROCESSED_CHECK, REMOVABLE_CHECK, sample_check_id, sample_worker_id,
};
use crate::operations::CHECK;

/// Returns a request for the operation. The request succeeds if the state of the company permits it.
/// Operations on hooks need the hooks of [`store_hooks`](super::hooks::store_hooks). Removing a check needs a
/// check of [`store_checks`](super::checks::store_checks).
pub(crate) fn valid_request(method: &str, path: &str, company: &str) -> Request {
    let target = request_target(method, path, company);
    match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("POST", "token") => Request::token(&super::token_form()),
        ("POST", "checks") if path.starts_with("/workers/") => {
            Request::new(Method::POST, target).header("content-type", CHECK).body(valid_check().to_string())
        }
        ("POST", "checks") => Request::post_checks(company, &valid_check()),
        ("POST", "hooks") => Request::post(target, &registration()),
        ("POST", "replay") if path.ends_with("{hookId}/replay") => {
            Request::post(target, &json!({"failed": true}))
        }
        ("POST", "requestclientaccess") => Request::post(target, &json!({"displayId": "00030001"})),
        ("POST", "replay" | "enable" | "rotate-secret" | "test") => Request::new(Method::POST, target),
        ("POST", "customfieldscategories") => Request::post(target, &json!({"categoryName": "Footwear"})),
        ("POST", "jobs") => Request::post(target, &json!({"jobName": "Bridge"})),
        ("PATCH", "{jobId}") => Request::patch(target, &json!({"endDate": "2051-12-31"})),
        ("POST", "federaltax") => Request::post(target, &json!({"filingStatus": "HEAD_OF_HOUSEHOLD"})),
        ("PATCH", "federaltax") => Request::patch(target, &json!({"dependentsAmount": "10"})),
        ("PATCH", "statetaxes") => Request::patch(target, &new_state_tax()),
        ("POST", "paycomponents") => Request::post(target, &new_recurring_component()),
        ("PATCH", "paycomponents") => {
            Request::patch(target, &json!([{"workerComponentId": "DUES", "value": "15"}]))
        }
        ("PATCH", "{workerComponentId}") => Request::patch(target, &json!({"value": "15"})),
        ("POST", "directdeposits") => Request::post(target, &new_direct_deposit()),
        ("PATCH", "directdeposits") => {
            Request::patch(target, &json!([{"directDepositId": "MAIN", "value": "15"}]))
        }
        ("PATCH", "{directDepositId}") => Request::patch(target, &json!({"value": "15"})),
        ("POST", "checkcomponents") => {
            Request::post(target, &json!({"componentId": "BONUS", "payAmount": "11"}))
        }
        ("PATCH", "{checkComponentId}") => Request::patch(target, &json!({"payHours": "7"})),
        ("POST", "workers") => Request::post(target, &new_worker()),
        ("POST", "contacts") => Request::post(target, &json!([new_contact()])),
        ("PATCH", "{contactId}") => Request::patch(target, &json!({"relationship": {"primary": true}})),
        ("POST", "customfields") if path.starts_with("/workers/") => {
            Request::post(target, &new_custom_value())
        }
        ("PATCH", "{workerCustomFieldId}") => Request::patch(target, &json!({"dropdownId": "S"})),
        ("POST", "documents") => Request::post(target, &new_document()),
        ("POST", "profileimage") => Request::post(target, &new_image()),
        ("POST", "payrates") => Request::post(target, &new_rate()),
        ("POST", "communications") => Request::post(target, &new_communication()),
        ("POST", _) => {
            let field = json!({"customFieldName": "Hat size", "type": "NUMERIC"});
            Request::post_custom_field(company, &field)
        }
        ("PATCH", "{customFieldId}") => Request::patch(target, &json!({"required": true})),
        ("PATCH", "{categoryId}") => Request::patch(target, &json!({"categoryName": "Workwear"})),
        ("PATCH", "{workerId}") => Request::patch(target, &json!({"employmentType": "PART_TIME"})),
        ("PATCH", "{rateId}") => Request::patch(target, &json!({"amount": "41"})),
        ("PATCH", "{communicationId}") => Request::patch(target, &json!({"dialNumber": "5550101"})),
        ("PATCH", _) => Request::patch(target, &json!({"domains": "CLT_PYRN"})),
        ("DELETE", "checks") => {
            let query = format!("payperiodid=ENTRY&deletebyuserid=true&companyid={company}");
            Request::new(Method::DELETE, format!("{target}?{query}"))
        }
        ("DELETE", _) => Request::new(Method::DELETE, target),
        (_, "checks") => Request::get(format!("{target}?payperiodid=ENTRY")),
        _ => Request::get(target),
    }
}

/// Returns the path of an operation with ids of existing objects. Only the company may be unknown.
fn request_target(method: &str, path: &str, company: &str) -> String {
    let hook = if method == "DELETE" { SPARE_HOOK_ID } else { HOOK_ID };
    let target = path.replace("{companyId}", company).replace("{hookId}", hook);
    let check = match (method, company) {
        ("DELETE", LOCKED) => LOCKED_CHECK,
        ("DELETE", _) => REMOVABLE_CHECK,
        _ => PROCESSED_CHECK,
    };
    let target = target.replace("{checkId}", sample_check_id(company)).replace("{checkComponentId}", "LINE");
    let field = if method == "DELETE" { "BADGE" } else { "SHIRT" };
    let target = target.replace("{deliveryId}", DELIVERY_ID).replace("{payPeriodId}", "ENTRY");
    let target = target.replace("{requestId}", FAILED_REQUEST_ID);
    let worker = match (method, path, company) {
        ("DELETE", "/workers/{workerId}", super::OPEN) => "STARTING",
        _ => sample_worker_id(company),
    };
    let target = target.replace("{workerId}", worker).replace("{paycheckId}", check);
    let target = target.replace("{customFieldId}", field).replace("{organizationId}", "BAKERY");
    let target = target.replace("{componentId}", "HOURLY");
    let target = target.replace("{workerComponentId}", "DUES").replace("{directDepositId}", "MAIN");
    let target = target.replace("{workerCustomFieldId}", "SIZE");
    let target = target.replace("{contactId}", "SISTER");
    let target = target.replace("{jobTitleId}", "BAKER").replace("{laborAssignmentId}", "NIGHT");
    let target = target.replace("{locationId}", "SHOP").replace("{jobId}", "CAKES");
    let target = target.replace("{statusId}", "HIRED").replace("{documentId}", DOCUMENT_ID);
    let target = target.replace("{rateId}", "HOUR").replace("{communicationId}", "DESK");
    target.replace("{categoryId}", if method == "DELETE" { "TOOLS" } else { "UNIFORM" })
}

/// Returns a worker with an unused id.
pub(crate) fn new_worker() -> Value {
    json!({"workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "New"}})
}

/// Returns a pay rate that the employee does not have.
pub(crate) fn new_rate() -> Value {
    json!({"rateNumber": "RATE_9", "rateType": "HOURLY_RATE", "amount": "40.20"})
}

/// Returns a JSON Patch that adds tax settings for a state. The employee has no settings for this state.
pub(crate) fn new_state_tax() -> Value {
    json!([{"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH"}}])
}

/// Returns a contact that the employee does not have.
pub(crate) fn new_contact() -> Value {
    json!({"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {
        "relationshipType": {"relationshipTypeId": "SPOUSE"},
        "person": {"name": {"familyName": "Sample", "givenName": "Bo"}, "communication": {
            "telecom": [{"dialArea": "585", "dialNumber": "5550100", "type": "PHONE", "usageType": "PERSONAL"}],
        }},
    }})
}

/// Returns a value of a custom field. The employee has no other value of this field for the same dates.
fn new_custom_value() -> Value {
    json!({"customFieldId": "SHIRT", "dropdownId": "S", "startDate": "2028-01-01"})
}

/// Returns a recurring component that the employee does not have.
pub(crate) fn new_recurring_component() -> Value {
    json!({"componentId": "HOURLY", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "12.50"})
}

/// Returns a communication that the employee does not have.
pub(crate) fn new_communication() -> Value {
    json!({"type": "EMAIL", "usageType": "BUSINESS", "uri": "employee@demo.example"})
}
