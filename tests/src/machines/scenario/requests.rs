//! The companies of the scenario, and short functions that create requests of operators and of partners.

use reqwest::Method;
use serde_json::Value;

use crate::support::Request;

/// The company of most steps.
pub(super) const BAKERY_ID: &str = "WALK-BAKERY";
/// A company directly below [`BAKERY_ID`].
pub(super) const GARAGE_ID: &str = "WALK-GARAGE";
/// A company that an import creates, with its own pay run.
pub(super) const FARM_ID: &str = "WALK-FARM";
/// A company that the application can see only after an operator has approved its request for access.
pub(super) const HOTEL_ID: &str = "WALK-HOTEL";
/// A company that is deleted at the end.
pub(super) const INN_ID: &str = "WALK-INN";
/// All companies of the scenario.
pub(super) const COMPANY_IDS: [&str; 5] = [BAKERY_ID, GARAGE_ID, FARM_ID, HOTEL_ID, INN_ID];
/// The application of the scenario, which gets all scopes.
pub(super) const CLOCK_APPLICATION: &str = "walk-clock";
/// Another application, which receives no notifications.
pub(super) const OTHER_APPLICATION: &str = "walk-other";
/// The id of the hook of [`CLOCK_APPLICATION`].
pub(super) const HOOK_ID: &str = "walk-hook";

/// Returns the path of a resource of a company.
pub(super) fn company_path(company: &str, subpath: &str) -> String {
    format!("/companies/{company}/{subpath}")
}

pub(super) fn get(path: &str) -> Request {
    Request::operator_get(path)
}

pub(super) fn operator_post(path: &str, body: &Value) -> Request {
    Request::operator_post(path, body)
}

/// Returns a PUT that replaces an object, whatever its version is (`If-Match: *`).
pub(super) fn put_request(path: &str, body: &Value) -> Request {
    Request::operator_put(path, body)
}

/// Returns a PATCH of an object, whatever its version is (`If-Match: *`).
pub(super) fn patch_request(path: &str, body: &Value) -> Request {
    Request::operator_patch(path, body)
}

/// Returns a DELETE of an object, whatever its version is (`If-Match: *`).
pub(super) fn delete_request(path: &str) -> Request {
    Request::operator_delete(path)
}

/// Returns a POST without a body.
pub(super) fn operator_post_without_body(path: &str) -> Request {
    Request::operator(Method::POST, path)
}

pub(super) fn partner_get(path: &str) -> Request {
    Request::get(path)
}

pub(super) fn partner_post_document(path: &str, body: &Value) -> Request {
    Request::post(path, body)
}

/// Returns a partner's POST without a body.
pub(super) fn partner_post(path: &str) -> Request {
    Request::new(Method::POST, path)
}

pub(super) fn partner_delete(path: &str) -> Request {
    Request::new(Method::DELETE, path)
}
