//! Reversals: checks that reverse paid checks (specification §10.20). The module `removals` removes
//! reversals.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::check::{self, StoredCheck};
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::input;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::reversals::{NewReversal, OriginalCheck, ReversalFacts, ReversalOutcome};

use super::call::OperatorCall;
use super::periods::PeriodInPath;
use super::precondition::IfMatch;
use super::resources::contention_failure;
use super::response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::limits::MAX_VALIDATION_ATTEMPTS;
use crate::shared::media_type::JSON;
use crate::shared::refusal;
use crate::shared::response::from_stored;
use crate::shared::wire::CheckResource;

/// The pointer to the member with the id of the check to reverse.
const PAYCHECK_ID_POINTER: &str = "/paycheckId";

/// Handles a request for `POST …/payperiods/{payPeriodId}/reversals`.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let period = PeriodInPath::from_call(&call)?;
    let body = call.body().await;
    let body = period.prefer_period_not_found(&call, body).await?;
    call.run_with_idempotency(&body, async |lease| {
        ReversalRequest { call: &call, period: &period, lease }.reverse_and_respond(&body).await
    })
    .await
}

/// A reversal that is being processed.
struct ReversalRequest<'a> {
    call: &'a OperatorCall,
    period: &'a PeriodInPath,
    lease: &'a Arc<InFlightGuard>,
}

impl ReversalRequest<'_> {
    /// Validates and stores the reversal. If the data changed between the two steps, both steps are repeated.
    async fn reverse_and_respond(&self, body: &Bytes) -> HandlerResult {
        let call = self.call;
        let read = call.incoming.process_body(body, |body| {
            let node = input::parse(body).map_err(Violation::from);
            Ok(node.map_err(Into::into).and_then(|node| document::read_reversal(&node)))
        });
        let read = read.await?;
        let original = self.period.prefer_period_not_found(call, read.map_err(Failure::from)).await?;
        let if_match = IfMatch::read_optional(call.incoming.headers())?;
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let PeriodInPath { company_id, pay_period_id } = self.period;
            let facts = call.store().reversal_validation_data(company_id, pay_period_id, &original).await?;
            let facts = facts.ok_or(Reason::UnknownResource)?;
            let version = if_match.required_version(facts.version)?;
            let new = self.create_reversal(facts, version)?;
            match self.store_reversal(new).await? {
                (ReversalOutcome::Done(version), stored_response) => {
                    return response::with_etag(from_stored(stored_response)?, version);
                }
                (ReversalOutcome::FactsChanged, _) => {}
                (refused, _) => return Err(reversal_failure(call, refused)),
            }
        }
        Err(contention_failure())
    }

    /// Creates the reversal if the stored data allow it.
    fn create_reversal(&self, facts: ReversalFacts, version: Option<i64>) -> Result<NewReversal, Failure> {
        let ReversalFacts { period, original, .. } = facts;
        if !period.status.is_open() {
            return Err(period_not_open_failure(period.status));
        }
        let check = match original {
            None => {
                let rule = "must be the id of a check of the company";
                return Err(Violation::new(Reason::FieldInvalid, rule)
                    .at_position(PAYCHECK_ID_POINTER, DocumentPosition::default())
                    .into());
            }
            Some(OriginalCheck::NotPaid(status)) => {
                return Err(refusal::conflict_failure(format!(
                    "the pay period of the check is {status}; only a paid check can be reversed"
                )));
            }
            Some(OriginalCheck::Archived) => {
                return Err(refusal::conflict_failure(
                    "the check was archived with its pay period and can no longer be reversed".to_owned(),
                ));
            }
            Some(OriginalCheck::Paid { reversed_by: Some(reversal), .. }) => {
                return Err(refusal::conflict_failure(format!(
                    "the check is already reversed by check {reversal}"
                )));
            }
            Some(OriginalCheck::Paid { check, reversed_by: None }) => *check,
        };
        let stored = check::reverse_check(&check, &period, &mut self.call.new_ids());
        let stored = stored
            .map_err(|why| refusal::conflict_failure(format!("the check cannot be reversed: {why}")))?;
        let company_id = self.period.company_id.clone();
        Ok(NewReversal { company_id, version, check: stored, original: check })
    }

    /// Stores the reversal. Returns the outcome and the response.
    async fn store_reversal(
        &self,
        new: NewReversal,
    ) -> Result<(ReversalOutcome, payroll_ports::idempotency::StoredResponse), Failure> {
        let content = self.serialize_check(&new.check)?;
        let stored_response = response::create_stored_response(201, &content, Vec::new())?;
        let audit = self.call.audit_context(self.lease.response_record(&stored_response));
        let store = Arc::clone(&self.call.incoming.api.store);
        let outcome = self.lease.commit(async move { store.add_reversal(&new, &audit).await }).await?;
        Ok((outcome, stored_response))
    }

    fn serialize_check(&self, check: &StoredCheck) -> Result<String, Failure> {
        serde_json::to_string(&CheckResource::from_stored(check, None))
            .map_err(|error| Failure::Bug(error.into()))
    }
}

fn period_not_open_failure(status: payroll_domain::pay_period::PeriodStatus) -> Failure {
    refusal::conflict_failure(format!(
        "the pay period is {status}; checks can be added and deleted only in a pay \
         period that is INITIAL or ENTRY"
    ))
}

/// Returns the error for a rejected reversal or removal.
pub(super) fn reversal_failure(call: &OperatorCall, outcome: ReversalOutcome) -> Failure {
    match outcome {
        ReversalOutcome::Unknown => Reason::UnknownResource.into(),
        ReversalOutcome::NotOpen(status) => period_not_open_failure(status),
        ReversalOutcome::Stale => Reason::PreconditionFailed.into(),
        ReversalOutcome::FactsChanged => contention_failure(),
        ReversalOutcome::Locked(lock) => refusal::locked_failure(&lock, call.incoming.api.now()),
        ReversalOutcome::RecordLost => idempotency::superseded_failure(),
        ReversalOutcome::Done(_) => Failure::Bug("a completed change was handled as a rejection".into()),
    }
}
