//! Tests of the operator API (specification §10): reading, writing, permissions and rejections.

mod access;
mod applications;
mod audit;
mod bulk;
mod csv_bodies;
mod disclosures;
mod fields;
mod filters;
mod health;
mod hooks;
mod importing;
mod locks;
mod parts;
mod reading;
mod refusals;
pub(crate) mod roles;
mod search;
mod sessions;
mod single_sign_on;
mod story;
mod withdrawal;
mod writing;

use reqwest::Method;
use serde_json::Value;

use crate::support::{OPEN, Request, Response, Server};

/// The lists of a company. Each list has its path, the member with the id of an element, and a new element
/// without an id.
const COMPANY_LISTS: &[(&str, &str, &str)] = &[
    ("organizations", "organizationId", r#"{"name": "Kitchen", "number": "20"}"#),
    ("contacttypes", "contactTypeId", r#"{"contactTypeName": "Friend"}"#),
    ("customemploymenttypes", "customEmploymentTypeId", r#"{"customEmploymentTypeName": "Seasonal"}"#),
    ("customfieldscategories", "categoryId", r#"{"categoryName": "Clothes", "default": false}"#),
    ("customfields", "customFieldId", r#"{"customFieldName": "Hat size", "type": "NUMERIC"}"#),
    ("calculationbases", "calculationBaseId", r#"{"calculationBaseName": "All earnings"}"#),
    ("jobtitles", "jobTitleId", r#"{"title": "Baker", "startDate": "2026-01-01"}"#),
    ("laborassignments", "laborAssignmentId", r#"{"name": "Night shift", "rate": "21.50"}"#),
    ("locations", "locationId", r#"{"name": "Shop", "address": {"streetLineOne": "1 Road"}}"#),
    ("workerstatuses", "workerStatusId", r#"{"statusType": "TERMINATED", "statusReason": "HIRED"}"#),
    ("documentcategories", "categoryId", r#"{"categoryName": "Certificates"}"#),
    (
        "users",
        "userId",
        r#"{"name": {"givenName": "Kim", "familyName": "Sample"}, "title": "Clerk", "active": true}"#,
    ),
    ("jobs", "jobId", r#"{"jobName": "Cakes", "jobNumber": {"segment1": "A1"}}"#),
    ("jobsegments", "jobSegmentId", r#"{"segmentNumber": 3, "name": "Kind", "segmentLength": 2}"#),
    (
        "payfrequencies",
        "payFrequencyId",
        r#"{"payFrequency": "WEEKLY", "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY"}}"#,
    ),
    (
        "paycomponents",
        "componentId",
        r#"{"name": "Gift", "classificationType": "SUPPLEMENTAL", "effectOnPay": "ADDITION"}"#,
    ),
    (
        "payperiods",
        "payPeriodId",
        r#"{"intervalCode": "WEEKLY", "status": "INITIAL", "startDate": "2026-06-01", "endDate": "2026-06-07", "checkDate": "2026-06-12"}"#,
    ),
    (
        "workers",
        "workerId",
        r#"{"workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "New"}, "legalId": {"legalIdType": "SSN", "legalIdValue": "000006789"}}"#,
    ),
];

/// Returns the path of a list of [`OPEN`].
fn list_path(name: &str) -> String {
    format!("/companies/{OPEN}/{name}")
}

fn parse_document(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

async fn get(server: &Server, path: &str) -> Response {
    server.send(&Request::operator_get(path)).await
}

fn only_object(response: &Response) -> Value {
    response.json()["content"][0].clone()
}

/// Creates an object. Returns the response and the path of the new object.
async fn create_object(server: &Server, path: &str, new: &Value) -> (Response, String) {
    let response = server.send(&Request::operator_post(path, new)).await;
    assert_eq!(response.status, 201, "{path} {response:?}");
    let (_, created) = response.header("location").split_once("/operator/v1").expect("an address of ours");
    let created = created.to_owned();
    (response, created)
}

/// Changes an object. The request contains the current entity tag in `If-Match`.
async fn change_object(server: &Server, method: Method, path: &str, body: &Value) -> Response {
    let tag = get(server, path).await.header("etag").to_owned();
    server.send(&Request::operator(method, path).json(body).if_match(&tag)).await
}
