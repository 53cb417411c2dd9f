//! Sends a challenge to a new hook address. A receiver that returns the challenge agrees to get
//! notifications. The request contains no secret.

use payroll_domain::delivery::ErrorClass;
use payroll_ports::hooks::ChallengeFailure;
use reqwest::header::HOST;
use reqwest::{Method, Request, StatusCode};

use super::client::HttpClients;
use super::route::ReceiverRoute;

/// The query parameter with the challenge.
const CHALLENGE_PARAMETER: &str = "challenge";

/// The maximum bytes of a response that are read. This size suffices for a challenge with white space around
/// it.
const MAX_RESPONSE_BYTES: usize = 1_024;

/// Sends the challenge and verifies that the response contains it.
///
/// # Errors
/// [`ChallengeFailure`] describes a response that does not contain the challenge, or the reason why there is
/// no response.
pub(super) async fn send_challenge(
    clients: &HttpClients,
    route: &ReceiverRoute,
    challenge: &str,
) -> Result<(), ChallengeFailure> {
    let mut response = clients
        .execute(route, || Ok(build_challenge_request(route, challenge)))
        .await
        .map_err(ChallengeFailure::NoAnswer)?;
    if response.status() != StatusCode::OK {
        return Err(ChallengeFailure::Status(response.status().as_u16()));
    }
    let mut response_body = Vec::new();
    while response_body.len() <= MAX_RESPONSE_BYTES {
        match response.chunk().await {
            Ok(Some(chunk)) => response_body.extend_from_slice(&chunk),
            Ok(None) if response_body.trim_ascii() == challenge.as_bytes() => return Ok(()),
            Ok(None) => return Err(ChallengeFailure::OtherBody),
            Err(_) => return Err(ChallengeFailure::NoAnswer(ErrorClass::ConnectionClosed)),
        }
    }
    Err(ChallengeFailure::OtherBody)
}

fn build_challenge_request(route: &ReceiverRoute, challenge: &str) -> Request {
    let mut url = route.url.clone();
    url.query_pairs_mut().append_pair(CHALLENGE_PARAMETER, challenge);
    let mut request = Request::new(Method::GET, url);
    if let Some(host) = &route.host {
        request.headers_mut().insert(HOST, host.clone());
    }
    request
}
