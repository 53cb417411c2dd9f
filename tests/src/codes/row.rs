//! A test case of an error code: a request and the expected error.

use crate::support::Request;

/// The expected error, such as `400 API-48`, and the body that causes it.
pub(super) type ExpectedFault = (&'static str, String);

/// The expected error, and the request that causes it.
pub(super) type CodeCase = (&'static str, Request);

/// Replaces the last id in the path of the request by an id that the company does not have.
pub(super) fn with_another_id(mut request: Request) -> Request {
    if let Some((list, _)) = request.target.rsplit_once('/') {
        request.target = format!("{list}/NONE");
    }
    request
}
