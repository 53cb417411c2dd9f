//! A good request of each operation.

use serde_json::json;

use super::checks::good_check;
use super::request::Request;

/// A request of the operation that is good but for the company.
pub(crate) fn good_request(method: &str, path: &str, company: &str) -> Request {
    let path = path.replace("{companyId}", company);
    match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("POST", "token") => Request::token(&super::token_form()),
        ("POST", "checks") => Request::post_checks(company, &good_check()),
        ("POST", _) => {
            let field = json!({"customFieldName": "Hat size", "type": "NUMERIC"});
            Request::post_custom_field(company, &field)
        }
        (_, "checks") => Request::get(format!("{path}?payperiodid=ENTRY")),
        _ => Request::get(path),
    }
}
