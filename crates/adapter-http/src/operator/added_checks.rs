//! Lets operators add checks to an open pay period (specification §10.21). The same rules apply as for
//! partners' checks.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::check::{Batch, Check, RequiredLookups, StoredCheck, ValidationFacts, validate};
use payroll_domain::code::Reason;
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::id::kind::PayPeriod;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::checks::{AdditionOutcome, CheckAuthor, NewChecks};
use payroll_ports::idempotency::StoredResponse;
use serde_json::json;

use super::call::OperatorCall;
use super::csv::RowKind;
use super::csv_body::{self, RequestDocument};
use super::resources::contention_failure;
use super::response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::limits::{MAX_BULK_BODY_BYTES, MAX_VALIDATION_ATTEMPTS};
use crate::shared::refusal;
use crate::shared::response::from_stored;

/// The query parameters of this operation.
pub(super) const PARAMETERS: &[&str] = &["dryrun"];

/// Handles a request for `POST …/payperiods/{payPeriodId}/checks`.
pub(super) async fn add_checks(mut call: OperatorCall) -> HandlerResult {
    let is_dry = call.incoming.query().boolean_value("dryrun")? == Some(true);
    call.check_media_types(&csv_body::ACCEPTED_MEDIA_TYPES)?;
    let (company_id, pay_period_id) = (call.company_id()?, call.id::<PayPeriod>("payPeriodId")?);
    call.require_object(&company_id, ResourceKind::PayPeriod, pay_period_id.as_str()).await?;
    require_active_company(&call, &company_id).await?;
    let body = call.read_large_body(MAX_BULK_BODY_BYTES).await?;
    let add = async |guard: &Arc<InFlightGuard>, is_dry: bool| {
        let rows = Some(RowKind::Checks);
        let document =
            RequestDocument::read_document(&call, body.clone(), rows, Some(pay_period_id.as_str())).await?;
        let (company_id, pay_period_id) = (company_id.clone(), pay_period_id.clone());
        let adding = CheckAddition { call: &call, company_id, pay_period_id, body: &document.json };
        let added = adding.validate_and_add(guard, is_dry || document.is_faulty()).await;
        from_stored(document.translate_faults(&call, added).await?)
    };
    match is_dry {
        true => add(&idempotency::guard_without_record(&call.incoming), true).await,
        false => call.run_with_idempotency(&body, async |guard| add(guard, false).await).await,
    }
}

/// Verifies that the company exists and that its end date has not passed.
async fn require_active_company(call: &OperatorCall, company_id: &CompanyId) -> Result<(), Failure> {
    let found = call.store().resource(company_id, ResourceKind::Company, company_id.as_str()).await?;
    match found.map(|found| found.value) {
        Some(Resource::Company(record)) if record.company.has_ended(call.incoming.api.now().date()) => {
            Err(Reason::CompanyEndDated.into())
        }
        Some(_) => Ok(()),
        None => Err(Reason::UnknownResource.into()),
    }
}

/// A request to add checks.
struct CheckAddition<'a> {
    call: &'a OperatorCall,
    company_id: CompanyId,
    pay_period_id: PayPeriodId,
    body: &'a Bytes,
}

impl CheckAddition<'_> {
    /// Validates and stores the checks. If the validated data changed before the checks are stored, both
    /// steps are repeated.
    async fn validate_and_add(
        &self,
        guard: &Arc<InFlightGuard>,
        is_dry: bool,
    ) -> Result<StoredResponse, Failure> {
        let lookups = self.run_with_parsed_batch(|batch| Ok(batch.required_lookups())).await?;
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let facts = self.read_facts(&lookups).await?;
            if facts.lock.is_some() {
                self.require_unlocked().await?;
            }
            let period = self.pay_period_id.clone();
            let checks =
                self.run_with_parsed_batch(move |batch| validate_batch(batch, &facts, &period)).await?;
            let counts = json!({"created": checks.len(), "changed": 0, "unchanged": 0}).to_string();
            let response =
                response::create_stored_response(200, &counts, vec![response::link_to_request(self.call)])?;
            if is_dry {
                return Ok(response);
            }
            let new =
                NewChecks { response_record: guard.response_record(&response), ..self.assign_ids(checks) };
            let store = Arc::clone(&self.call.incoming.api.store);
            match guard.commit(async move { store.add_checks(&new).await }).await? {
                AdditionOutcome::Stored => return Ok(response),
                AdditionOutcome::RecordLost => return Err(idempotency::superseded_failure()),
                AdditionOutcome::FactsChanged => {}
            }
        }
        Err(contention_failure())
    }

    /// Parses the checks in the body and applies a function to the parsed batch.
    async fn run_with_parsed_batch<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Batch<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let read = move |document: Node<'_>| work(&Batch::read_with_max_checks(&document, MAX_CHANGES)?);
        self.call.incoming.read_document(self.body, read).await
    }

    /// Fails with 423, the holder and the reason of the lock if the company is still locked.
    async fn require_unlocked(&self) -> Result<(), Failure> {
        let now = self.call.incoming.api.now();
        match self.call.store().read_lock(&self.company_id, now).await?.flatten() {
            Some(lock) => Err(refusal::locked_failure(&lock, now)),
            None => Ok(()),
        }
    }

    async fn read_facts(&self, lookups: &RequiredLookups) -> Result<ValidationFacts, Failure> {
        let now = self.call.incoming.api.now();
        Ok(self.call.store().read_operator_check_validation_data(&self.company_id, lookups, now).await?)
    }

    /// Assigns ids to the checks and their lines.
    fn assign_ids(&self, checks: Vec<Check>) -> NewChecks {
        let mut ids = self.call.new_ids();
        let numbered = checks.into_iter().map(|check| StoredCheck {
            paycheck_id: ids.next_id(),
            check_component_ids: check.lines.iter().map(|_| ids.next_id()).collect(),
            reversal: None,
            check,
        });
        NewChecks {
            company_id: self.company_id.clone(),
            added_by: CheckAuthor::Operator(self.call.caller.actor.clone()),
            pay_period_id: self.pay_period_id.clone(),
            checks: numbered.collect(),
            now: self.call.incoming.api.now(),
            correlation_ids_last_for_the_pay_period: true,
            response_record: None,
        }
    }
}

/// Validates a batch of checks. All checks must belong to `period`, the pay period in the path.
fn validate_batch(
    batch: &Batch<'_>,
    facts: &ValidationFacts,
    period: &PayPeriodId,
) -> Result<Vec<Check>, Failure> {
    let checks = validate(batch, facts)?;
    let other = checks.iter().position(|check| check.pay_period_id != *period);
    match other {
        None => Ok(checks),
        Some(index) => {
            let fault = Violation::new(Reason::FieldInvalid, "payPeriodId must be the same as in the path");
            Err(fault.at_position(format!("/{index}/payPeriodId"), DocumentPosition::default()).into())
        }
    }
}
