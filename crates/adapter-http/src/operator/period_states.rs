//! The state transitions of a pay period (specification §10.14): processing, reopening, preview and
//! completion. `completion_requests` contains the completion by two operators.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use payroll_domain::check::{PeriodTotals, Totals};
use payroll_domain::code::Reason;
use payroll_domain::company::Lock;
use payroll_domain::document::{self, Completion, TaxIdMasking};
use payroll_domain::input;
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::Resource;
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::completion::PeriodCompletion;
use payroll_ports::completion_requests::StoredCompletionRequest;
use payroll_ports::periods::{PeriodView, StateChangeOutcome};
use payroll_ports::resources::CompanyLock;

use super::call::OperatorCall;
use super::periods::PeriodInPath;
use super::precondition::IfMatch;
use super::{resources, response, wire};
use crate::shared::error::{Failure, unknown_company_fault};
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::limits::MAX_VALIDATION_ATTEMPTS;
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// The query parameters of a completion.
pub(super) const COMPLETE_QUERY_PARAMETERS: &[&str] = &["dryrun"];

/// Handles a request for `POST …/payperiods/{payPeriodId}/process`.
pub(super) async fn process(call: OperatorCall) -> HandlerResult {
    handle_transition(call, PeriodTransition::Process).await
}

/// Handles a request for `POST …/payperiods/{payPeriodId}/reopen`.
pub(super) async fn reopen(call: OperatorCall) -> HandlerResult {
    handle_transition(call, PeriodTransition::Reopen).await
}

/// Handles a request for `POST …/payperiods/{payPeriodId}/complete`.
pub(super) async fn complete(call: OperatorCall) -> HandlerResult {
    handle_transition(call, PeriodTransition::Complete).await
}

/// A transition of a pay period to another state, such as its completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeriodTransition {
    Process,
    Reopen,
    Complete,
}

impl PeriodTransition {
    /// Returns the state after the transition.
    const fn target_status(self) -> PeriodStatus {
        match self {
            Self::Process => PeriodStatus::Processing,
            Self::Reopen => PeriodStatus::Entry,
            Self::Complete => PeriodStatus::Completed,
        }
    }

    pub(super) const fn is_allowed_from(self, status: PeriodStatus) -> bool {
        match self {
            Self::Process => status.is_open(),
            Self::Reopen | Self::Complete => matches!(status, PeriodStatus::Processing),
        }
    }

    /// Returns the error 409 API-409, because the state of the period does not allow the transition.
    pub(super) fn transition_not_allowed_failure(self, status: PeriodStatus) -> Failure {
        let rule = match self {
            Self::Process => "only a pay period that is INITIAL or ENTRY can be processed",
            Self::Reopen => "only a pay period that is PROCESSING can be reopened",
            Self::Complete => "only a pay period that is PROCESSING can be completed",
        };
        refusal::conflict_failure(format!("the pay period is {status}; {rule}"))
    }

    /// Reads the input of a transition. Only a completion has input.
    pub(super) fn parse_completion(self, body: &[u8]) -> Result<Completion, Violations> {
        if body.is_empty() {
            return Ok(Completion::default());
        }
        let node = input::parse(body).map_err(Violation::from)?;
        match self {
            Self::Process | Self::Reopen => {
                document::require_empty_document(&node).map(|()| Completion::default())
            }
            Self::Complete => document::read_completion(&node),
        }
    }
}

/// Executes the transition, once for each idempotency key.
async fn handle_transition(mut call: OperatorCall, step: PeriodTransition) -> HandlerResult {
    check_media_types(&call)?;
    let period = PeriodInPath::from_call(&call)?;
    let dry_run = call.incoming.query().boolean_value("dryrun").map_err(Failure::from);
    let dry_run = period.prefer_period_not_found(&call, dry_run).await? == Some(true);
    let body = read_optional_body(&mut call).await;
    let body = period.prefer_period_not_found(&call, body).await?;
    if dry_run {
        let if_match = IfMatch::read_optional(call.incoming.headers());
        let (preview, version) = preview_completion(&call, &period, &body, if_match).await?;
        return response::with_etag(preview, version);
    }
    if step == PeriodTransition::Complete && call.incoming.api.settings.two_person_completion {
        return Err(two_operators_failure(&call, &period).await?);
    }
    call.run_with_idempotency(&body, async |lease| {
        let moving = PeriodStateRequest { call: &call, period: &period, step, lease, approves: None };
        moving.complete_and_respond(&body).await
    })
    .await
}

/// Verifies that the client accepts JSON, and that the body is JSON if there is one.
pub(super) fn check_media_types(call: &OperatorCall) -> Result<(), Failure> {
    match call.incoming.headers().contains_key(CONTENT_TYPE) {
        true => call.check_media_types(&[JSON]),
        false => call.check_client_accepts_json(),
    }
}

/// Returns the error for a completion that needs two operators. The description of the error explains what
/// the operator can do instead.
async fn two_operators_failure(call: &OperatorCall, period: &PeriodInPath) -> Result<Failure, Failure> {
    let view = period.read_view(call, &[]).await?;
    let found = call.store().completion_request(&period.company_id, &period.pay_period_id).await?;
    let waiting = found.filter(|found| found.request.is_pending_for_version(view.version));
    Ok(match waiting {
        None => Reason::TwoOperatorsNeeded.into(),
        Some(StoredCompletionRequest { request, .. }) => {
            let requested = format!("{} has requested the completion", request.requested_by.name);
            let rule = "another operator must approve the request";
            Violation::new(Reason::TwoOperatorsNeeded, format!("{requested}; {rule}")).into()
        }
    })
}

/// Computes the result of a completion without storing anything. Returns the response without its entity tag,
/// and the version of the period.
pub(super) async fn preview_completion(
    call: &OperatorCall,
    period: &PeriodInPath,
    body: &Bytes,
    if_match: Result<IfMatch, Failure>,
) -> Result<(HttpResponse, i64), Failure> {
    period
        .prefer_period_not_found(
            call,
            idempotency::validate_key_without_record(&call.incoming).map_err(Failure::from),
        )
        .await?;
    let read = call
        .incoming
        .process_body(body, |body| Ok(PeriodTransition::Complete.parse_completion(body)))
        .await?;
    let components = read.as_ref().map(Completion::components).unwrap_or_default();
    let if_match = if_match?;
    let view = period.read_view(call, &components).await?;
    if !if_match.accepts(view.version) {
        return Err(Reason::PreconditionFailed.into());
    }
    let status = view.period.status;
    if status.is_processed() {
        let rule = "only a pay period that is INITIAL, ENTRY or PROCESSING can be previewed";
        return Err(refusal::conflict_failure(format!("the pay period is {status}; {rule}")));
    }
    let moved = period.to_state_change(Some(view.version), view.period.clone());
    let completing =
        PeriodCompletion { state_change: moved, completion: Arc::new(read?), components: view.components };
    let products = period.read_company(call).await?.products;
    let preview = completing.preview_completion(call.store(), &view.period, &products).await?;
    let content = wire::preview_content(preview, response::link_to_request(call))
        .map_err(|error| Failure::Bug(error.into()))?;
    Ok((response::content_response(call, content)?, view.version))
}

/// Reads the body, which may be empty.
pub(super) async fn read_optional_body(call: &mut OperatorCall) -> Result<Bytes, Failure> {
    let body = call.body().await?;
    if !body.is_empty() {
        call.incoming.check_content_type(&[JSON])?;
    }
    Ok(body)
}

/// A transition of a pay period that is being executed.
pub(super) struct PeriodStateRequest<'a> {
    pub(super) call: &'a OperatorCall,
    pub(super) period: &'a PeriodInPath,
    pub(super) step: PeriodTransition,
    pub(super) lease: &'a Arc<InFlightGuard>,
    /// The completion request that this transition approves.
    pub(super) approves: Option<&'a StoredCompletionRequest>,
}

impl PeriodStateRequest<'_> {
    /// Validates and executes the transition. If the period changed between the two steps, both steps are
    /// repeated.
    async fn complete_and_respond(&self, body: &Bytes) -> HandlerResult {
        let step = self.step;
        let read = self.call.incoming.process_body(body, move |body| Ok(step.parse_completion(body)));
        let completion = read.await?.map(Arc::new);
        let components = completion.as_ref().map(|it| it.components()).unwrap_or_default();
        let if_match = IfMatch::read_optional(self.call.incoming.headers())?;
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let view = self.period.read_view(self.call, &components).await?;
            if !if_match.accepts(view.version) {
                return Err(Reason::PreconditionFailed.into());
            }
            if !self.step.is_allowed_from(view.period.status) {
                return Err(self.step.transition_not_allowed_failure(view.period.status));
            }
            let completion = completion.clone()?;
            self.check_not_locked(&view)?;
            match self.execute_transition(&if_match, view, completion).await? {
                (StateChangeOutcome::Done(version), content) => {
                    return response::changed_response(self.call, version, &content);
                }
                // With `If-Match: *` every version is accepted, so the transition is repeated with the new
                // version.
                (StateChangeOutcome::Stale, _) if if_match == IfMatch::Any => {}
                (refused, _) => return Err(self.transition_failure(refused)),
            }
        }
        Err(resources::contention_failure())
    }

    /// Returns 423 API-10 if another operator has locked the company.
    pub(super) fn check_not_locked(&self, view: &PeriodView) -> Result<(), Failure> {
        let others = |lock: &&Lock| lock.holder != self.call.caller.actor.name;
        match view.lock.as_ref().filter(others) {
            Some(lock) => Err(self.locked_failure(&CompanyLock::Operator(lock.clone()))),
            None => Ok(()),
        }
    }

    fn locked_failure(&self, lock: &CompanyLock) -> Failure {
        refusal::locked_failure(lock, self.call.incoming.api.now())
    }

    /// Returns the document of the period after the transition.
    fn period_content(&self, view: &PeriodView) -> String {
        let period = PayPeriod { status: self.step.target_status(), ..view.period.clone() };
        document::write_resource(&Resource::PayPeriod(Box::new(period)), TaxIdMasking::Masked)
    }

    /// Executes the transition. Returns the outcome and the content of the response.
    pub(super) async fn execute_transition(
        &self,
        if_match: &IfMatch,
        view: PeriodView,
        completion: Arc<Completion>,
    ) -> Result<(StateChangeOutcome, String), Failure> {
        // With `If-Match: *`, processing does not require the version that was read. Partners may add checks
        // to an open period at any time, and the response does not depend on checks. The other transitions
        // start from PROCESSING, where a period does not change. The other transitions therefore always
        // require the version.
        let any = self.step == PeriodTransition::Process && *if_match == IfMatch::Any;
        let mut content = self.period_content(&view);
        let mut moved = self.period.to_state_change((!any).then_some(view.version), view.period);
        moved.request = self.approves.map(|stored| stored.version);
        let completing = PeriodCompletion { state_change: moved, completion, components: view.components };
        if self.step == PeriodTransition::Complete {
            let totals =
                self.require_requested_totals(completing.validate_period(self.call.store()).await?)?;
            let totals = PeriodTotals::Processed(totals);
            content =
                wire::add_totals_to_json(&content, totals).map_err(|error| Failure::Bug(error.into()))?;
        }
        let stored_response =
            response::create_stored_response(200, &content, vec![response::link_to_request(self.call)])?;
        let audit = self.call.audit_context(self.lease.response_record(&stored_response));
        let mut ids = self.call.new_ids();
        let (step, store) = (self.step, Arc::clone(&self.call.incoming.api.store));
        let change = async move {
            match step {
                PeriodTransition::Process => store.process_period(&completing.state_change, &audit).await,
                PeriodTransition::Reopen => store.reopen_period(&completing.state_change, &audit).await,
                PeriodTransition::Complete => {
                    completing.complete_period(store.as_ref(), &mut ids, &audit, &|_| ()).await
                }
            }
        };
        Ok((self.lease.commit(change).await?, content))
    }

    /// Returns the calculated totals (`result`). An approval fails if these totals differ from the totals in
    /// the completion request.
    fn require_requested_totals(&self, result: Result<Totals, Violations>) -> Result<Totals, Failure> {
        match self.approves {
            None => Ok(result?),
            Some(stored) => {
                let totals = result.ok().filter(|totals| *totals == stored.request.totals);
                totals.ok_or_else(changed_since_request_failure)
            }
        }
    }

    pub(super) fn transition_failure(&self, outcome: StateChangeOutcome) -> Failure {
        match outcome {
            StateChangeOutcome::UnknownCompany => unknown_company_fault().into(),
            StateChangeOutcome::UnknownPeriod => Reason::UnknownResource.into(),
            StateChangeOutcome::Stale | StateChangeOutcome::NotFrom(_) if self.approves.is_some() => {
                changed_since_request_failure()
            }
            StateChangeOutcome::Stale => Reason::PreconditionFailed.into(),
            StateChangeOutcome::NotFrom(status) => self.step.transition_not_allowed_failure(status),
            StateChangeOutcome::Locked(lock) => self.locked_failure(&lock),
            StateChangeOutcome::Overtaken => {
                refusal::conflict_failure("another completion of the pay period has started in the meantime")
            }
            StateChangeOutcome::NotRequested => {
                refusal::conflict_failure("the request was withdrawn in the meantime")
            }
            StateChangeOutcome::SameOperator => Reason::SameOperator.into(),
            StateChangeOutcome::RecordLost => idempotency::superseded_failure(),
            StateChangeOutcome::Done(_) => {
                Failure::Bug("a completed change was handled as a rejection".into())
            }
        }
    }
}

/// Returns the error 409 API-409, because the pay period changed after the completion was requested.
pub(super) fn changed_since_request_failure() -> Failure {
    refusal::conflict_failure(
        "the pay period has changed since its completion was requested; request it again",
    )
}
