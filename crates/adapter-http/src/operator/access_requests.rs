//! Applications' requests for access to companies, and their approval or rejection (specification §10.16). A
//! path identifies an access request by the token of its link or by its id.

use std::sync::Arc;

use payroll_domain::application::AccessRequest;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::{AccessRequestId, Id};
use payroll_domain::input::Node;
use payroll_ports::Listing;
use payroll_ports::access_requests::{AccessRefusal, AccessRequestKey};
use payroll_ports::applications::SecretHash;
use payroll_ports::secrets::is_approval_token;

use super::call::OperatorCall;
use super::response::{self, create_stored_response};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::JSON;
use crate::shared::refusal;
use crate::shared::response::from_stored;
use crate::shared::wire::{Href, Link};

/// Handles a request for `GET /operator/v1/accessrequests`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let requests = call.store().access_requests(call.incoming.api.now()).await?;
    // The version of the list is the sum of the creation times, because this sum changes when an access
    // request is added or removed.
    let version = requests.iter().fold(0_i64, |sum, request| sum.wrapping_add(request.created.as_micros()));
    let listing = Listing::from_all(requests, version, page.window_for_response(call.incoming.is_head()));
    response::collection_response(&call, page, listing, document::write_access_request)
}

/// Handles a request for `GET /operator/v1/accessrequests/{accessRequest}`.
pub(super) async fn get_access_request(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let request = read_request(&call, &request_key(&call)?).await?;
    response::single_response(&call, request.created.as_micros(), document::write_access_request(&request))
}

/// Handles a request for `POST /operator/v1/accessrequests/{accessRequest}/approve`.
pub(super) async fn approve(mut call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let body = call.body().await?;
    if !body.is_empty() {
        call.incoming.check_content_type(&[JSON])?;
    }
    let key = request_key(&call)?;
    call.run_with_idempotency(&body, async |guard| {
        let request = read_request(&call, &key).await?;
        let scopes = match body.is_empty() {
            true => request.scopes,
            false => {
                let requested = request.scopes;
                let read = move |node: Node<'_>| document::read_access_approval(&node, requested);
                call.incoming.read_document(&body, read).await?
            }
        };
        let approved = AccessRequest { scopes, ..request };
        let response = create_stored_response(
            200,
            &document::write_access_request(&approved),
            vec![grant_link(&call, &approved)],
        )?;
        let (store, audit) =
            (Arc::clone(&call.incoming.api.store), call.audit_context(guard.response_record(&response)));
        let key = key.clone();
        let granted = guard.commit(async move { store.approve_access(&key, scopes, &audit).await }).await?;
        granted.map_err(refusal_failure)?;
        from_stored(response)
    })
    .await
}

/// Handles a request for `POST /operator/v1/accessrequests/{accessRequest}/refuse`.
pub(super) async fn reject(mut call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let body = call.read_empty_body().await?;
    let key = request_key(&call)?;
    call.run_with_idempotency(&body, async |guard| {
        let request = read_request(&call, &key).await?;
        let response = create_stored_response(200, &document::write_access_request(&request), Vec::new())?;
        let (store, audit) =
            (Arc::clone(&call.incoming.api.store), call.audit_context(guard.response_record(&response)));
        let key = key.clone();
        let refusing = guard.commit(async move { store.reject_access(&key, &audit).await }).await?;
        refusing.map_err(refusal_failure)?;
        from_stored(response)
    })
    .await
}

/// Returns the token or the id that identifies the access request in the path.
fn request_key(call: &OperatorCall) -> Result<AccessRequestKey, Failure> {
    let named: Id<()> = call.id("accessRequest")?;
    if is_approval_token(named.as_str()) {
        return Ok(AccessRequestKey::Link(SecretHash::from_secret(named.as_str())));
    }
    let id: AccessRequestId = call.id("accessRequest")?;
    Ok(AccessRequestKey::Id(id))
}

async fn read_request(call: &OperatorCall, key: &AccessRequestKey) -> Result<AccessRequest, Failure> {
    let found = call.store().access_request(key, call.incoming.api.now()).await?;
    found.ok_or_else(|| Reason::UnknownResource.into())
}

/// Returns the link to the created grant. A link to the access request would contain its token.
fn grant_link(call: &OperatorCall, request: &AccessRequest) -> Link<'static> {
    let AccessRequest { application_id, company_id, .. } = request;
    let base = call.incoming.base_url();
    Link::to_self(Href::Complete(format!(
        "{base}/operator/v1/applications/{application_id}/grants/{company_id}"
    )))
}

fn refusal_failure(refusal: AccessRefusal) -> Failure {
    match refusal {
        AccessRefusal::Unknown => Reason::UnknownResource.into(),
        AccessRefusal::Granted | AccessRefusal::TooMany => {
            refusal::conflict_failure("the access request cannot be approved")
        }
        AccessRefusal::RecordLost => idempotency::superseded_failure(),
    }
}
