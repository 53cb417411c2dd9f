//! Completion of a pay period by two operators (specification §10.22): one operator requests the completion,
//! and another operator approves it.
//!
//! The input of the completion is stored with the completion request. On approval, the server computes the
//! amounts from this input again. The approval fails if the pay period or its totals have changed, so the
//! completed amounts equal the requested amounts.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::completion_request::CompletionRequest;
use payroll_domain::document::{self, Completion};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::completion::PeriodCompletion;
use payroll_ports::completion_requests::{
    CompletionRequestOutcome, NewCompletionRequest, StoredCompletionRequest,
};
use payroll_ports::periods::{PeriodView, StateChangeOutcome};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::call::OperatorCall;
use super::period_states::{
    PeriodStateRequest, PeriodTransition, changed_since_request_failure, check_media_types,
    preview_completion, read_optional_body,
};
use super::periods::PeriodInPath;
use super::precondition::IfMatch;
use super::resources::contention_failure;
use super::response::{self, CreatedResponse, create_stored_response};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::limits::MAX_VALIDATION_ATTEMPTS;
use crate::shared::refusal;
use crate::shared::response::from_stored;

/// The query parameters of an approval.
pub(super) const APPROVE_PARAMETERS: &[&str] = &["dryrun"];

/// Handles a request for `GET /operator/v1/completionrequests`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let window = page.window_for_response(call.incoming.is_head());
    let listing = call.store().completion_requests(call.visible_companies(), window).await?;
    response::collection_response(&call, page, listing, |row: &Versioned<CompletionRequest>| {
        document::write_completion_request(&row.value)
    })
}

/// Handles a request for `GET …/payperiods/{payPeriodId}/completionrequest`.
pub(super) async fn get_completion_request(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let found = read_request(&call, &PeriodInPath::from_call(&call)?).await?;
    response::single_response(&call, found.version, document::write_completion_request(&found.request))
}

/// Handles a request for `POST …/payperiods/{payPeriodId}/completionrequest`.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    check_media_types(&call)?;
    let period = PeriodInPath::from_call(&call)?;
    let body = read_optional_body(&mut call).await;
    let body = period.prefer_period_not_found(&call, body).await?;
    let rule = require_two_person_completion(&call);
    period.prefer_period_not_found(&call, rule).await?;
    call.run_with_idempotency(&body, async |lease| {
        let moving = PeriodStateRequest {
            call: &call,
            period: &period,
            step: PeriodTransition::Complete,
            lease,
            approves: None,
        };
        CompletionRequestCall { move_request: moving, body: &body }.complete_and_respond().await
    })
    .await
}

/// Handles a request for `DELETE …/payperiods/{payPeriodId}/completionrequest`.
pub(super) async fn withdraw(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let period = PeriodInPath::from_call(&call)?;
    let found = read_request(&call, &period).await?;
    let version = IfMatch::read_optional(call.incoming.headers())?.required_version(found.version)?;
    check_not_approved(&found.request)?;
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let PeriodInPath { company_id, pay_period_id } = period;
    let withdrawing =
        async move { store.withdraw_completion_request(&company_id, &pay_period_id, version, &audit).await };
    match call.commit(withdrawing).await? {
        CompletionRequestOutcome::Done => Ok(response::no_content_response()),
        CompletionRequestOutcome::Refused(StateChangeOutcome::Stale) => {
            Err(Reason::PreconditionFailed.into())
        }
        CompletionRequestOutcome::NotRequested
        | CompletionRequestOutcome::Refused(
            StateChangeOutcome::UnknownCompany | StateChangeOutcome::UnknownPeriod,
        ) => Err(not_requested_failure()),
        other => Err(Failure::Bug(format!("a withdrawal that is {other:?}").into())),
    }
}

/// Handles a request for `POST …/payperiods/{payPeriodId}/completionrequest/approve`.
pub(super) async fn approve(mut call: OperatorCall) -> HandlerResult {
    check_media_types(&call)?;
    let period = PeriodInPath::from_call(&call)?;
    let dry_run = call.incoming.query().boolean_value("dryrun").map_err(Failure::from);
    let dry_run = period.prefer_period_not_found(&call, dry_run).await? == Some(true);
    let body = call.read_empty_body().await;
    let body = period.prefer_period_not_found(&call, body).await?;
    if dry_run {
        let found = require_pending_request(&call, &period).await?;
        let (preview, period_version) =
            preview_completion(&call, &period, &stored_completion_document(&found), Ok(IfMatch::Any)).await?;
        if period_version != found.request.period_version {
            return Err(changed_since_request_failure());
        }
        return response::with_etag(preview, found.version);
    }
    let rule = require_two_person_completion(&call);
    period.prefer_period_not_found(&call, rule).await?;
    call.run_with_idempotency(&body, async |lease| {
        let found = require_pending_request(&call, &period).await?;
        reject_own_request(&call, &found.request)?;
        let moving = PeriodStateRequest {
            call: &call,
            period: &period,
            step: PeriodTransition::Complete,
            lease,
            approves: Some(&found),
        };
        complete_period(&moving, &found).await
    })
    .await
}

/// Completes the pay period with the stored input of the request.
async fn complete_period(
    move_request: &PeriodStateRequest<'_>,
    found: &StoredCompletionRequest,
) -> HandlerResult {
    let call = move_request.call;
    let read = call
        .incoming
        .process_body(&stored_completion_document(found), |body| {
            Ok(PeriodTransition::Complete.parse_completion(body))
        })
        .await?;
    let completion =
        read.map_err(|_| Failure::Bug("the document of the completion request cannot be read".into()))?;
    let view = move_request.period.read_view(call, &completion.components()).await?;
    if view.version != found.request.period_version {
        return Err(changed_since_request_failure());
    }
    move_request.check_not_locked(&view)?;
    match move_request.execute_transition(&IfMatch::Any, view, Arc::new(completion)).await? {
        (StateChangeOutcome::Done(version), content) => response::changed_response(call, version, &content),
        (refused, _) => Err(move_request.transition_failure(refused)),
    }
}

/// The HTTP request of an operator who requests the completion of a pay period.
struct CompletionRequestCall<'a> {
    move_request: PeriodStateRequest<'a>,
    body: &'a Bytes,
}

impl CompletionRequestCall<'_> {
    /// Validates and stores the completion request. If the pay period changed after validation, both steps
    /// are repeated.
    async fn complete_and_respond(&self) -> HandlerResult {
        let PeriodStateRequest { call, period, step, .. } = self.move_request;
        let read = call.incoming.process_body(self.body, move |body| Ok(step.parse_completion(body)));
        let completion: Result<Arc<Completion>, Violations> = read.await?.map(Arc::new);
        let components = completion.as_ref().map(|it| it.components()).unwrap_or_default();
        let if_match = IfMatch::read_optional(call.incoming.headers())?;
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let view = period.read_view(call, &components).await?;
            if !if_match.accepts(view.version) {
                return Err(Reason::PreconditionFailed.into());
            }
            if !step.is_allowed_from(view.period.status) {
                return Err(step.transition_not_allowed_failure(view.period.status));
            }
            let completion = completion.clone()?;
            let found = call.store().completion_request(&period.company_id, &period.pay_period_id).await?;
            if let Some(found) = found.filter(|found| found.request.is_pending_for_version(view.version)) {
                return self.return_pending_request(found).await;
            }
            self.move_request.check_not_locked(&view)?;
            let (requested, created) = self.store_request(view, completion).await?;
            match requested {
                CompletionRequestOutcome::Done => return created.0.send_created(created.1),
                CompletionRequestOutcome::AlreadyPending => {}
                // With `If-Match: *` every version is accepted, so the request is repeated with the new
                // version.
                CompletionRequestOutcome::Refused(StateChangeOutcome::Stale) if if_match == IfMatch::Any => {}
                CompletionRequestOutcome::Refused(refused) => {
                    return Err(self.move_request.transition_failure(refused));
                }
                CompletionRequestOutcome::NotRequested => {
                    return Err(Failure::Bug("a request that is not there".into()));
                }
            }
        }
        Err(contention_failure())
    }

    /// Handles a request for a completion that is already requested. If the same operator sent the same input
    /// again, the response is the pending completion request. Otherwise the result is an error.
    async fn return_pending_request(&self, found: StoredCompletionRequest) -> HandlerResult {
        let PeriodStateRequest { call, lease, .. } = self.move_request;
        let StoredCompletionRequest { request, version, document } = found;
        if request.may_be_approved_by(&call.caller.actor) {
            let name = &request.requested_by.name;
            return Err(refusal::conflict_failure(format!(
                "{name} has requested the completion; approve that request, or withdraw it"
            )));
        }
        if document.as_bytes() != self.body.as_ref() {
            return Err(refusal::conflict_failure(
                "the completion is already requested with another document; withdraw the pending request \
                 first",
            ));
        }
        // The idempotency key is released without a stored response, because a retry finds the same
        // completion request.
        lease.release_record().await;
        let response = create_stored_response(
            200,
            &document::write_completion_request(&request),
            vec![response::link_to_request(call)],
        )?;
        response::with_etag(from_stored(response)?, version)
    }

    /// Stores the completion request. Returns the outcome, the response, and the version for the entity tag.
    async fn store_request(
        &self,
        view: PeriodView,
        completion: Arc<Completion>,
    ) -> Result<(CompletionRequestOutcome, (CreatedResponse, i64)), Failure> {
        let PeriodStateRequest { call, period, lease, .. } = self.move_request;
        let period_version = view.version;
        let moved = period.to_state_change(Some(period_version), view.period);
        let completing = PeriodCompletion { state_change: moved, completion, components: view.components };
        let totals = completing.validate_period(call.store()).await??;
        let (now, requested_by) = (call.incoming.api.now(), call.caller.actor.clone());
        let request = CompletionRequest {
            company_id: period.company_id.clone(),
            pay_period_id: period.pay_period_id.clone(),
            period_version,
            totals,
            requested_by,
            requested_at: now,
            approval: None,
        };
        let content = document::write_completion_request(&request);
        let created = CreatedResponse::with_location(response::request_address(call), &content, &content)?;
        let document = String::from_utf8(self.body.to_vec()).map_err(|error| Failure::Bug(error.into()))?;
        let new = NewCompletionRequest { state_change: completing.state_change, totals, document };
        let audit =
            AuditContext { now, ..call.audit_context(lease.response_record(created.stored_response())) };
        let store = Arc::clone(&call.incoming.api.store);
        let requested = lease.commit(async move { store.request_completion(&new, &audit).await }).await?;
        Ok((requested, (created, now.as_micros())))
    }
}

/// Returns the completion request of the pay period.
async fn read_request(
    call: &OperatorCall,
    period: &PeriodInPath,
) -> Result<StoredCompletionRequest, Failure> {
    period.read_view(call, &[]).await?;
    let found = call.store().completion_request(&period.company_id, &period.pay_period_id).await?;
    found.ok_or_else(not_requested_failure)
}

/// Returns the pending completion request, if its version matches `If-Match`.
async fn require_pending_request(
    call: &OperatorCall,
    period: &PeriodInPath,
) -> Result<StoredCompletionRequest, Failure> {
    let found = read_request(call, period).await?;
    if !IfMatch::read_optional(call.incoming.headers())?.accepts(found.version) {
        return Err(Reason::PreconditionFailed.into());
    }
    check_not_approved(&found.request)?;
    Ok(found)
}

/// Returns the input that is stored with the completion request.
fn stored_completion_document(found: &StoredCompletionRequest) -> Bytes {
    Bytes::from(found.document.clone())
}

/// Returns 409 API-409 if the setting `two_person_completion` is disabled.
fn require_two_person_completion(call: &OperatorCall) -> Result<(), Failure> {
    match call.incoming.api.settings.two_person_completion {
        true => Ok(()),
        false => Err(refusal::conflict_failure(
            "this server needs no completion requests: the setting two_person_completion is false; complete \
             the pay period directly",
        )),
    }
}

/// Returns 403 API-2 if the caller is the operator who requested the completion.
fn reject_own_request(call: &OperatorCall, request: &CompletionRequest) -> Result<(), Failure> {
    match request.may_be_approved_by(&call.caller.actor) {
        true => Ok(()),
        false => Err(Reason::SameOperator.into()),
    }
}

/// Returns 409 API-409 if the completion request was already approved.
fn check_not_approved(request: &CompletionRequest) -> Result<(), Failure> {
    match &request.approval {
        None => Ok(()),
        Some(approval) => Err(refusal::conflict_failure(format!(
            "the request was approved by {}, and the pay period is completed",
            approval.approved_by.name
        ))),
    }
}

/// Returns the error 404 API-7, because the pay period has no completion request.
fn not_requested_failure() -> Failure {
    Violation::new(Reason::UnknownResource, "the completion of the pay period is not requested").into()
}
