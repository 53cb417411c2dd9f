//! Adds checks (specification §7.2 to §7.10).

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::check::{Batch, Check, RequiredLookups, StoredCheck, ValidationFacts, validate};
use payroll_domain::code::Reason;
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_domain::input::Node;
use payroll_ports::checks::{AdditionOutcome, CheckAuthor, NewChecks};
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::{BoxError, id_sequence};

use super::rejected_checks_failure;
use crate::partner::call::PartnerCall;
use crate::partner::writing;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, BeginResult, InFlightGuard};
use crate::shared::limits::{MAX_VALIDATION_ATTEMPTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::JSON;
use crate::shared::response;
use crate::shared::wire::{CheckResource, Envelope};

/// Handles a request for `POST /companies/{companyId}/checks`.
pub(crate) async fn add_checks(call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let checks = partner.media_types.checks.as_str();
    add_checks_with_media_types(call, &[checks], &[checks, JSON]).await
}

/// Handles a request for `POST /workers/{workerId}/checks`.
pub(crate) async fn add_for_worker(call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let (check, checks) = (partner.media_types.check.as_str(), partner.media_types.checks.as_str());
    let types = [check, checks, JSON];
    add_checks_with_media_types(call, &types, &types).await
}

/// Adds checks. `accepted` are the media types of the body, and `offered` are the media types of the
/// response.
async fn add_checks_with_media_types(
    mut call: PartnerCall,
    accepted: &[&str],
    offered: &[&str],
) -> HandlerResult {
    let dry_run = writing::is_dry_run(&call).await?;
    call.prefer_authentication_failure(call.incoming.check_content_type(accepted)).await?;
    let media_type = call.negotiate(offered).await?;
    let company_id = call.company_id().await?;
    let worker_id = call.ids.get("workerId");
    let body = call.read_body(Reason::TooManyChecks).await?;
    let adding = CheckAddition { call: &call, company_id: &company_id, worker_id, body: &body, media_type };
    // `unwrap_or_default` ignores a fault of the body for now. The validation reports this fault later,
    // after the other faults of the request.
    let lookups =
        adding.run_with_parsed_batch(|batch| Ok(batch.required_lookups())).await.unwrap_or_default();
    let facts = adding.read_facts(&lookups).await?;
    let started = if dry_run {
        BeginResult::Proceed(idempotency::validate_key_without_record(&call.incoming)?)
    } else {
        idempotency::begin_record(&call.incoming, call.caller.application_id.as_str(), &body).await?
    };
    let add = async |guard: &Arc<InFlightGuard>| {
        response::from_stored(adding.validate_and_add(&lookups, facts, guard, dry_run).await?)
    };
    started.run_handler(add).await
}

/// An authorized caller's request to add checks.
struct CheckAddition<'a> {
    call: &'a PartnerCall,
    company_id: &'a CompanyId,
    /// The worker in the path, if there is one.
    worker_id: Option<WorkerId>,
    body: &'a Bytes,
    media_type: &'a str,
}

impl CheckAddition<'_> {
    /// Parses the checks in the body and applies a function to the parsed batch. The parsed batch borrows
    /// from the body and cannot be stored. The body is therefore parsed twice: to determine the required
    /// stored data, and to validate the checks.
    ///
    /// # Errors
    /// A fault that prevents reading the batch, and the errors of `work`.
    async fn run_with_parsed_batch<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Batch<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let worker_id = self.worker_id.clone();
        let read = move |document: Node<'_>| {
            let batch = match &worker_id {
                Some(worker_id) => Batch::read_for_worker(&document, worker_id)?,
                None => Batch::read(&document)?,
            };
            work(&batch)
        };
        self.call.incoming.read_document(self.body, read).await
    }

    /// Validates and stores the checks. If another request changed the stored data between the two steps,
    /// both steps are repeated.
    async fn validate_and_add(
        &self,
        lookups: &RequiredLookups,
        mut facts: (ValidationFacts, bool),
        guard: &Arc<InFlightGuard>,
        dry_run: bool,
    ) -> Result<StoredResponse, Failure> {
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let (known, lasting) = facts;
            let checks = self.run_with_parsed_batch(move |batch| validate_batch(batch, &known)).await?;
            if dry_run {
                return self.stored_response(200, &checks, |check, out| {
                    serde_json::to_writer(out, &CheckResource::from_preview(check))
                });
            }
            let (mut new, response) = self.assign_ids(checks, lasting)?;
            new.response_record = guard.response_record(&response);
            let store = Arc::clone(&self.call.incoming.api.store);
            match guard.commit(async move { store.add_checks(&new).await }).await? {
                AdditionOutcome::Stored => return Ok(response),
                AdditionOutcome::RecordLost => return Err(idempotency::superseded_failure()),
                AdditionOutcome::FactsChanged => facts = self.read_facts(lookups).await?,
            }
        }
        Err(Failure::from(Reason::CompanyLocked).with_retry_after(RETRY_AFTER_SECONDS.into()))
    }

    /// Reads the stored data for the validation. The returned flag is `true` if a correlation id must be
    /// unique within the pay period.
    async fn read_facts(&self, lookups: &RequiredLookups) -> Result<(ValidationFacts, bool), Failure> {
        let now = self.call.incoming.api.now();
        let caller = &self.call.caller;
        let guarded =
            self.call.store().read_check_validation_data(caller, self.company_id, lookups, now).await?;
        let (access, facts) = self.call.check_access(guarded)?;
        Ok((facts, access.correlation_ids_last_for_the_pay_period))
    }

    /// Assigns ids to the checks and composes the response. The response is composed before the checks are
    /// stored, because the same transaction stores the checks and the response.
    fn assign_ids(
        &self,
        checks: Vec<Check>,
        ids_last_for_period: bool,
    ) -> Result<(NewChecks, StoredResponse), Failure> {
        let api = &self.call.incoming.api;
        let mut ids = id_sequence(api.clock.as_ref(), api.randomness.as_ref());
        let numbered = checks.into_iter().map(|check| StoredCheck {
            paycheck_id: ids.next_id(),
            check_component_ids: check.lines.iter().map(|_| ids.next_id()).collect(),
            reversal: None,
            check,
        });
        let checks: Vec<StoredCheck> = numbered.collect();
        let base = self.call.incoming.base_url();
        let response = self.stored_response(201, &checks, |check, out| {
            serde_json::to_writer(out, &CheckResource::from_stored(check, Some(&base)))
        })?;
        let first = checks.first().ok_or_else(|| Failure::Bug(BoxError::from("no check was validated")))?;
        let new = NewChecks {
            company_id: self.company_id.clone(),
            added_by: CheckAuthor::Application(self.call.caller.application_id.clone()),
            pay_period_id: first.check.pay_period_id.clone(),
            checks,
            now: api.now(),
            correlation_ids_last_for_the_pay_period: ids_last_for_period,
            response_record: None,
        };
        Ok((new, response))
    }

    fn stored_response<T>(
        &self,
        status: u16,
        rows: &[T],
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Result<StoredResponse, Failure> {
        let body = Envelope::without_links().serialize(rows, write)?;
        Ok(StoredResponse { status, content_type: self.media_type.to_owned(), body })
    }
}

/// Validates the checks of a request against the stored data in `facts`.
fn validate_batch(batch: &Batch<'_>, facts: &ValidationFacts) -> Result<Vec<Check>, Failure> {
    validate(batch, facts).map_err(|faults| rejected_checks_failure(faults, facts))
}
