//! Common code of all changes by partners: dry runs, the audit context of a commit, and reading an object
//! before its change.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{ETAG, HeaderValue};
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::ResponseRecord;
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, BeginResult, InFlightGuard};
use crate::shared::objects::ObjectKey;
use crate::shared::preference;

/// The query parameters of operations that change data.
pub(crate) const WRITE_PARAMETERS: &[&str] = &["dryrun"];

/// Whether the change is a dry run: `?dryrun=true` or `Prefer: dry-run`.
///
/// # Errors
/// 401 API-102 for an invalid token, then 400 API-40 in two cases: the value is not a boolean, or the
/// parameter and the header contradict each other.
pub(crate) async fn is_dry_run(call: &PartnerCall) -> Result<bool, Failure> {
    let is_preferred = preference::is_dry_run(call.incoming.headers());
    let parameter = match call.incoming.query().boolean_value("dryrun") {
        Ok(Some(false)) if is_preferred => {
            let problem = "dryrun=false contradicts the header Prefer: dry-run";
            Err(Violation::new(Reason::InvalidParameter, problem))
        }
        read => read.map(|parameter| parameter.unwrap_or(is_preferred)),
    };
    call.prefer_authentication_failure(parameter).await
}

/// Returns the audit context of a change, in which the application is the actor. The transaction of the
/// change fails if the application has lost the scope.
pub(crate) fn audit_context(
    call: &PartnerCall,
    response_record: Option<ResponseRecord>,
    dry_run: bool,
) -> AuditContext {
    let audit =
        AuditContext::for_application(&call.caller.application_id, call.incoming.api.now(), response_record);
    AuditContext { scope: call.target.scope, dry_run, ..audit }
}

/// Executes a POST once for each idempotency key. For a dry run, the key is only validated, and the response
/// is not stored.
///
/// # Errors
/// The errors of the idempotency key and of `handler`.
pub(crate) async fn run_with_idempotency(
    call: &PartnerCall,
    dry_run: bool,
    body: &Bytes,
    handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
) -> HandlerResult {
    if dry_run {
        return BeginResult::Proceed(idempotency::validate_key_without_record(&call.incoming)?)
            .run_handler(handler)
            .await;
    }
    idempotency::run_with_idempotency(&call.incoming, call.caller.application_id.as_str(), body, handler)
        .await
}

/// Reads the object from the store.
///
/// # Errors
/// The errors of [`PartnerCall::check_access`], then 404 API-7 if the object is unknown.
pub(crate) async fn read_object(call: &PartnerCall, key: &ObjectKey) -> Result<Versioned<Resource>, Failure> {
    let ObjectKey { company_id, kind, id } = key;
    let guarded = call.store().object(&call.caller, company_id, *kind, id).await?;
    let (_, found) = call.check_access(guarded)?;
    found.ok_or_else(|| Reason::UnknownResource.into())
}

/// Adds the `ETag` of this version to the response.
///
/// # Errors
/// [`Failure::Bug`] if the version is not a valid header value.
pub(crate) fn with_etag(mut response: HttpResponse, version: i64) -> HandlerResult {
    let tag = HeaderValue::try_from(EntityTag::from_version(version).header());
    response.headers_mut().insert(ETAG, tag.map_err(|error| Failure::Bug(error.into()))?);
    Ok(response)
}
