//! A refusal, and the request that must meet it.

use crate::support::Request;

/// An error, as `400 API-48`, and the body that causes it.
pub(super) type Fault = (&'static str, String);

/// An error, and the request that causes it.
pub(super) type Row = (&'static str, Request);

/// The same request for something that the company does not have.
pub(super) fn of_another_id(mut request: Request) -> Request {
    if let Some((list, _)) = request.target.rsplit_once('/') {
        request.target = format!("{list}/NONE");
    }
    request
}
