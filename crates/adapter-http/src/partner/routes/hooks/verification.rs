//! Verifies a new hook address (specification §9.1) if the operator enables verification. The receiver must
//! repeat a challenge before the first notification is sent.

use actix_web::web::Bytes;
use payroll_domain::document;
use payroll_domain::hook::Address;
use payroll_domain::input::Node;
use payroll_domain::violation::Violations;
use payroll_ports::hooks::ChallengeFailure;
use payroll_ports::secrets::new_challenge;

use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;

/// Sends a challenge to the receiver, if the operator enables verification.
///
/// # Errors
/// 400 API-48 if the receiver does not repeat the challenge; 429 API-429 if the application has verified too
/// many addresses within a minute.
pub(super) async fn verify_address(
    call: &PartnerCall,
    body: &Bytes,
    address: &Address,
) -> Result<(), Failure> {
    let api = &call.incoming.api;
    if !api.settings.hooks.verify {
        return Ok(());
    }
    call.partner
        .verifications
        .take_from_bucket(call.caller.application_id.as_str(), api.monotonic_time())
        .1?;
    let challenge = new_challenge(&*api.randomness);
    let Err(failure) = call.partner.addresses.send_challenge(address, &challenge).await else {
        return Ok(());
    };
    let seen = describe_response(&failure);
    let refuse = move |node: Node<'_>| {
        Err::<(), _>(Violations::from(document::unverified_receiver_violation(&node, &seen)))
    };
    call.incoming.read_document(body, refuse).await
}

/// Describes in a sentence how the receiver responded.
fn describe_response(failure: &ChallengeFailure) -> String {
    match failure {
        ChallengeFailure::NoAnswer(error) => format!("no response came ({})", error.as_str()),
        ChallengeFailure::Status(status) => format!("the response has the status {status}"),
        ChallengeFailure::OtherBody => "the response has another body".to_owned(),
    }
}
