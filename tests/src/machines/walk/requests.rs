//! The companies of the walk, and short functions that create requests of operators (get, make, replace,
//! change, delete, act) and of partners (read, add).

use reqwest::Method;
use serde_json::Value;

use crate::support::Request;

/// The company of most steps.
pub(super) const BAKERY: &str = "WALK-BAKERY";
/// A company directly below [`BAKERY`].
pub(super) const GARAGE: &str = "WALK-GARAGE";
/// A company that is imported with its own pay run.
pub(super) const FARM: &str = "WALK-FARM";
/// A company that is visible only after a request for access.
pub(super) const HOTEL: &str = "WALK-HOTEL";
/// A company that is deleted at the end.
pub(super) const INN: &str = "WALK-INN";
/// All companies of the walk.
pub(super) const COMPANIES: [&str; 5] = [BAKERY, GARAGE, FARM, HOTEL, INN];
/// The application of the walk, which gets all scopes.
pub(super) const CLOCK: &str = "walk-clock";
/// Another application, which receives no notifications.
pub(super) const OTHER: &str = "walk-other";
/// The id of the hook of [`CLOCK`].
pub(super) const HOOK: &str = "walk-hook";

/// Returns the path of a resource of a company.
pub(super) fn company_path(company: &str, what: &str) -> String {
    format!("/companies/{company}/{what}")
}

pub(super) fn get(path: &str) -> Request {
    Request::operator_get(path)
}

pub(super) fn operator_post(path: &str, body: &Value) -> Request {
    Request::operator_post(path, body)
}

/// Replaces an object in any version.
pub(super) fn replace(path: &str, body: &Value) -> Request {
    Request::operator_put(path, body)
}

/// Changes an object in any version.
pub(super) fn change(path: &str, body: &Value) -> Request {
    Request::operator_patch(path, body)
}

/// Deletes an object in any version.
pub(super) fn delete(path: &str) -> Request {
    Request::operator_delete(path)
}

/// Returns a POST without a body.
pub(super) fn action(path: &str) -> Request {
    Request::operator(Method::POST, path)
}

pub(super) fn read(path: &str) -> Request {
    Request::get(path)
}

pub(super) fn add(path: &str, body: &Value) -> Request {
    Request::post(path, body)
}

/// Returns a partner's POST without a body.
pub(super) fn partner_post(path: &str) -> Request {
    Request::new(Method::POST, path)
}

/// Returns a DELETE request of a partner.
pub(super) fn remove(path: &str) -> Request {
    Request::new(Method::DELETE, path)
}
