//! Requests of applications for access to a company (specification §5.8). An operator approves or rejects
//! these requests in the operator API.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use payroll_domain::code::Reason;
use payroll_domain::company::to_display_key;
use payroll_domain::document::{self, AccessRequestDocument};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::access_requests::{AccessRefusal, NamedCompany, NewAccessRequest};
use payroll_ports::applications::SecretHash;
use payroll_ports::id_sequence;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::secrets::new_approval_token;
use payroll_ports::write::AuditContext;
use serde::Serialize;

use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::media_type::JSON;
use crate::shared::response;

/// The maximum number of pending access requests of one application. An operator reviews each request by
/// hand.
const MAX_PENDING_REQUESTS: u32 = 100;

/// The response to a request for access. The link is a secret that is shown only once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessRequestResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_link: Option<&'a str>,
    expires_date: String,
}

/// Handles a request for `POST /management/requestclientaccess`.
pub(crate) async fn request_access(mut call: PartnerCall) -> HandlerResult {
    call.prefer_authentication_failure(call.incoming.check_content_type(&[JSON])).await?;
    call.negotiate(&[JSON]).await?;
    let body = call.read_body(Reason::BodyTooLarge).await?;
    call.authorize().await?;
    let owner = call.caller.application_id.as_str();
    idempotency::run_with_idempotency(&call.incoming, owner, &body, async |guard| {
        let read = call.incoming.read_document(&body, |node| document::read_access_request(&node));
        let requested = read.await?;
        let company = find_company(&call, &requested).await?;
        store_request(&call, (company, requested), guard).await
    })
    .await
}

/// Returns the company to which access is requested.
///
/// # Errors
/// 404 API-7 if no company matches, 400 API-48 if several companies match, 403 API-68 if the company has
/// ended. 409 API-409 if all requested scopes are granted already.
async fn find_company(call: &PartnerCall, request: &AccessRequestDocument) -> Result<NamedCompany, Failure> {
    let key = to_display_key(&request.display_id);
    let (_, mut found) = call.check_access(call.store().find_named_companies(&call.caller, &key).await?)?;
    let company = found.pop().ok_or(Reason::UnknownResource)?;
    if !found.is_empty() {
        let sentence =
            "several companies have a display id with the same last 8 characters; ask the operator";
        return Err(Violation::new(Reason::FieldInvalid, sentence)
            .at_position("/displayId", DocumentPosition::default())
            .into());
    }
    if company.end_date.is_some_and(|last| last < call.incoming.api.today()) {
        return Err(Reason::CompanyEndDated.into());
    }
    if request.scopes.difference(company.granted_scopes).is_empty() {
        return Err(refusal_failure(AccessRefusal::Granted));
    }
    Ok(company)
}

/// Stores the access request. The response 201 contains its link, which is shown only once.
async fn store_request(
    call: &PartnerCall,
    (company, requested): (NamedCompany, AccessRequestDocument),
    guard: &Arc<InFlightGuard>,
) -> HandlerResult {
    let api = &call.incoming.api;
    let (now, settings) = (api.now(), &api.settings.access);
    let token = new_approval_token(&*api.randomness);
    let expires = now.plus_seconds(settings.request_seconds);
    let link = format!("{}/approve/{token}", settings.link_base.trim_end_matches('/'));
    let new = NewAccessRequest {
        access_request_id: id_sequence(&*api.clock, &*api.randomness).next_id(),
        application_id: call.caller.application_id.clone(),
        company_id: company.company_id,
        hash: SecretHash::from_secret(&token),
        scopes: requested.scopes,
        expires,
    };
    let answer_with = |approval_link: Option<&str>| {
        stored_response(&AccessRequestResponse { approval_link, expires_date: expires.to_string() })
    };
    let (sent, response_to_store) = (answer_with(Some(&link))?, answer_with(None)?);
    let audit =
        AuditContext::for_application(&new.application_id, now, guard.response_record(&response_to_store));
    let store = Arc::clone(&api.store);
    let stored =
        guard.commit(async move { store.request_access(&new, MAX_PENDING_REQUESTS, &audit).await }).await?;
    stored.map_err(refusal_failure)?;
    let mut response = response::from_stored(sent)?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn stored_response(response: &AccessRequestResponse<'_>) -> Result<StoredResponse, Failure> {
    let body = serde_json::to_vec(response).map_err(|error| Failure::Bug(error.into()))?;
    Ok(StoredResponse { status: 201, content_type: JSON.to_owned(), body })
}

fn refusal_failure(refusal: AccessRefusal) -> Failure {
    let conflict = |sentence: String| Violation::new(Reason::Conflict, sentence).into();
    match refusal {
        AccessRefusal::Unknown => Reason::UnknownResource.into(),
        AccessRefusal::Granted => {
            conflict("the application already has these scopes for the company".to_owned())
        }
        AccessRefusal::TooMany => conflict(format!(
            "the application has {MAX_PENDING_REQUESTS} open requests; wait until some are decided"
        )),
        AccessRefusal::RecordLost => idempotency::superseded_failure(),
    }
}
