//! A good request of each operation.

use reqwest::Method;
use serde_json::json;

use super::checks::good_check;
use super::hooks::{DELIVERY, HOOK, SPARE, registration};
use super::request::Request;

/// A request of the operation that is good but for the company. What it does to hooks needs those of
/// [`put_hooks`](super::hooks::put_hooks).
pub(crate) fn good_request(method: &str, path: &str, company: &str) -> Request {
    let hook = if method == "DELETE" { SPARE } else { HOOK };
    let target = path.replace("{companyId}", company).replace("{hookId}", hook);
    let target = target.replace("{deliveryId}", DELIVERY);
    match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("POST", "token") => Request::token(&super::token_form()),
        ("POST", "checks") => Request::post_checks(company, &good_check()),
        ("POST", "hooks") => Request::post(target, &registration()),
        ("POST", "replay") if path.ends_with("{hookId}/replay") => {
            Request::post(target, &json!({"failed": true}))
        }
        ("POST", "replay" | "enable" | "rotate-secret" | "test") => Request::new(Method::POST, target),
        ("POST", _) => {
            let field = json!({"customFieldName": "Hat size", "type": "NUMERIC"});
            Request::post_custom_field(company, &field)
        }
        ("PATCH", _) => Request::patch(target, &json!({"domains": "CLT_PYRN"})),
        ("DELETE", _) => Request::new(Method::DELETE, target),
        (_, "checks") => Request::get(format!("{target}?payperiodid=ENTRY")),
        _ => Request::get(target),
    }
}
