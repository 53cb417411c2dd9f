//! Lets operators remove checks from open pay periods (specification §10.21): a reversal, a single check, or
//! all checks that operators have added.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use payroll_ports::reversals::{OperatorCheckSelection, OperatorRemoval, ReversalOutcome};

use super::call::OperatorCall;
use super::periods::PeriodInPath;
use super::precondition::IfMatch;
use super::response;
use super::reversals::reversal_failure;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;

/// The query parameters for removing all checks that operators have added.
pub(super) const PARAMETERS: &[&str] = &[CONFIRMATION_PARAMETER];
/// The query parameter that must be `true` for a bulk removal.
const CONFIRMATION_PARAMETER: &str = "deletebyoperators";

/// Handles a request for `DELETE …/payperiods/{payPeriodId}/reversals/{paycheckId}`.
pub(super) async fn remove_reversal(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let period = PeriodInPath::from_call(&call)?;
    let which = OperatorCheckSelection::Reversal(call.id("paycheckId")?);
    remove_checks(call, period, which).await
}

/// Handles a request for `DELETE …/payperiods/{payPeriodId}/checks/{paycheckId}`.
pub(super) async fn remove_check(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let period = PeriodInPath::from_call(&call)?;
    let which = OperatorCheckSelection::One(call.id("paycheckId")?);
    remove_checks(call, period, which).await
}

/// Handles a request for `DELETE …/payperiods/{payPeriodId}/checks`.
pub(super) async fn remove_operator_checks(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let period = PeriodInPath::from_call(&call)?;
    period.prefer_period_not_found(&call, require_confirmation(&call).map_err(Failure::from)).await?;
    remove_checks(call, period, OperatorCheckSelection::AddedByOperators).await
}

/// Verifies that the parameter is `true`. A bulk removal deletes only checks of operators, never checks of
/// applications. The parameter proves that the client knows this restriction.
fn require_confirmation(call: &OperatorCall) -> Result<(), Violation> {
    match call.incoming.query().single_value(CONFIRMATION_PARAMETER)? {
        Some("true") => Ok(()),
        Some(_) => {
            let problem = format!("the query parameter {CONFIRMATION_PARAMETER} must be true");
            Err(Violation::new(Reason::InvalidParameter, problem))
        }
        None => {
            let problem = format!(
                "the query parameter {CONFIRMATION_PARAMETER} is missing: send {CONFIRMATION_PARAMETER}=true"
            );
            Err(Violation::new(Reason::ParameterMissing, problem))
        }
    }
}

async fn remove_checks(
    call: OperatorCall,
    period: PeriodInPath,
    selection: OperatorCheckSelection,
) -> HandlerResult {
    let if_match = IfMatch::read_optional(call.incoming.headers())?;
    let version = if_match.required_version(period.read_view(&call, &[]).await?.version)?;
    let PeriodInPath { company_id, pay_period_id } = period;
    let removal = OperatorRemoval { company_id, pay_period_id, selection, version };
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let guard = idempotency::guard_without_record(&call.incoming);
    match guard.commit(async move { store.remove_checks_as_operator(&removal, &audit).await }).await? {
        ReversalOutcome::Done(_) => Ok(response::no_content_response()),
        refused => Err(reversal_failure(&call, refused)),
    }
}
