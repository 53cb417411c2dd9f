//! Information that clients need to register a hook: the event domains, and the IP addresses that send
//! notifications (specification §9.1, §9.9).

use std::net::IpAddr;

use payroll_domain::access::Access;
use payroll_domain::event::EventDomain;
use serde::Serialize;

use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::etag::compute_rows_version;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;
use crate::shared::wire::Content;

/// The IP addresses that notifications come from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SourceAddresses<'a> {
    production: &'a [IpAddr],
    non_production: &'a [IpAddr],
}

/// Handles a request for `GET /management/domains`.
pub(crate) async fn list_domains(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let access = call.authorize().await?;
    let names: Vec<_> = EventDomain::ALL.iter().map(|domain| domain.as_str()).collect();
    send_without_envelope(&call, &access, to_json(&names)?)
}

/// Handles a request for `GET /management/sourceaddresses`.
pub(crate) async fn show_source_addresses(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let access = call.authorize().await?;
    let hooks = &call.incoming.api.settings.hooks;
    let addresses = SourceAddresses {
        production: &hooks.production_addresses,
        non_production: &hooks.non_production_addresses,
    };
    send_without_envelope(&call, &access, to_json(&addresses)?)
}

/// Creates the response to a GET without an envelope. The entity tag is a hash of the content.
///
/// # Errors
/// The errors of [`GetResponse::with_body`], which do not occur for a complete content such as this one.
pub(super) fn send_without_envelope(call: &PartnerCall, access: &Access, content: Vec<u8>) -> HandlerResult {
    let reading = GetResponse::new(call, access, JSON, compute_rows_version(&[&content]));
    match reading.without_body() {
        Some(response) => Ok(response),
        None => reading.with_body(Content::Complete(content)),
    }
}

fn to_json(content: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(content).map_err(|error| Failure::Bug(error.into()))
}
