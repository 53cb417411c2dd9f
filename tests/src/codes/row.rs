//! A refusal, and the request that must meet it.

use crate::support::Request;

/// A refusal, and the body that it is for.
pub(super) type Fault = (&'static str, String);

/// Both.
pub(super) type Row = (&'static str, Request);

/// The same request for something that the company does not have.
pub(super) fn of_another_id(mut request: Request) -> Request {
    if let Some((list, _)) = request.target.rsplit_once('/') {
        request.target = format!("{list}/NONE");
    }
    request
}
