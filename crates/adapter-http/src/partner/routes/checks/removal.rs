//! Removes checks (specification §7.13): one check of a worker, or all checks that the application has added
//! to a pay period.

use std::sync::Arc;

use actix_web::HttpResponse;
use payroll_domain::check::{RequiredLookups, validate_check_removal};
use payroll_domain::code::Reason;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::checks::{AnyCheck, CheckSelection, ChecksToRemove, RemovalOutcome};

use super::{pay_period_id, read_check_key, rejected_checks_failure, unknown_period_fault};
use crate::partner::call::{CompanyInPath, PartnerCall};
use crate::shared::error::Failure;
use crate::shared::feed;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::limits::{MAX_VALIDATION_ATTEMPTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::JSON;
use crate::shared::query::Query;

/// Handles a request for `DELETE /workers/{workerId}/checks/{paycheckId}`.
pub(crate) async fn remove_check(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[&call.partner.media_types.check, JSON]).await?;
    let company_id = call.company_id().await?;
    let key = read_check_key(&call, company_id).await?;
    for _ in 0..MAX_VALIDATION_ATTEMPTS {
        let (_, found) = call.check_access(call.store().read_check(&call.caller, &key).await?)?;
        let pay_period_id = match found.ok_or(Reason::UnknownResource)?.check {
            AnyCheck::Unprocessed(check) => check.check.pay_period_id,
            AnyCheck::Processed(check) => check.pay_period_id,
        };
        let which = CheckSelection::One(key.paycheck_id.clone());
        if try_to_remove_checks(&call, (&key.company_id, &pay_period_id), which).await? {
            return Ok(HttpResponse::NoContent().finish());
        }
    }
    Err(contention_failure())
}

/// The query parameters for the removal of an application's own checks.
pub(crate) const PARAMETERS: &[&str] = &["payperiodid", "deletebyuserid", "companyid"];

/// Handles a request for `DELETE /checks`.
pub(crate) async fn remove_own_checks(mut call: PartnerCall) -> HandlerResult {
    let query = call.incoming.query();
    let named = call.prefer_authentication_failure(feed::read_company_filter(&query)).await?;
    let pay_period_id = call.prefer_authentication_failure(read_pay_period_id(&query)).await?;
    call.negotiate(&[&call.partner.media_types.checks, JSON]).await?;
    // The company in the query becomes the target of the request, so that access is verified as for a company
    // in a path.
    call.target.company = named.map(|company| company.map_or(CompanyInPath::Unknown, CompanyInPath::Id));
    if call.target.company.is_some() {
        call.company_id().await?;
    }
    if call.target.company.is_none() {
        let only = find_single_company_of_period(&call, &pay_period_id).await?;
        call.target.company = Some(CompanyInPath::Id(only));
    }
    let company_id = call.company_id().await?;
    for _ in 0..MAX_VALIDATION_ATTEMPTS {
        let which = CheckSelection::OfTheApplication;
        if try_to_remove_checks(&call, (&company_id, &pay_period_id), which).await? {
            return Ok(HttpResponse::NoContent().finish());
        }
    }
    Err(contention_failure())
}

/// Returns the pay period in the query. The query must also limit the removal to the caller's own checks.
fn read_pay_period_id(query: &Query) -> Result<PayPeriodId, Violations> {
    match (pay_period_id(query), require_own_checks(query)) {
        (Ok(pay_period_id), Ok(())) => Ok(pay_period_id),
        (Err(fault), own) => Err(Violations::from(fault).with_faults(own.err())),
        (Ok(_), Err(fault)) => Err(fault.into()),
    }
}

/// Verifies that the request explicitly limits the removal to the caller's own checks.
fn require_own_checks(query: &Query) -> Result<(), Violation> {
    match query.single_value("deletebyuserid")? {
        Some("true") => Ok(()),
        Some(_) => {
            let problem = "the query parameter deletebyuserid must be true";
            Err(Violation::new(Reason::InvalidParameter, problem))
        }
        None => {
            let problem = "the query parameter deletebyuserid is missing: send deletebyuserid=true";
            Err(Violation::new(Reason::ParameterMissing, problem))
        }
    }
}

/// Returns the only company of the caller that has a pay period with this id. Two or more such companies are
/// an error.
async fn find_single_company_of_period(
    call: &PartnerCall,
    pay_period_id: &PayPeriodId,
) -> Result<CompanyId, Failure> {
    let guarded = call.store().companies_of_pay_period(&call.caller, pay_period_id).await?;
    let (_, companies) = call.check_access(guarded)?;
    match <[CompanyId; 1]>::try_from(companies) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(unknown_period_fault().into()),
        Err(_) => {
            let problem = "several companies have a pay period with this id: send companyid to select one";
            Err(Violation::new(Reason::InvalidParameter, problem).into())
        }
    }
}

/// Validates and executes the removal. Returns `false` if another request changed the stored data between the
/// two steps.
async fn try_to_remove_checks(
    call: &PartnerCall,
    (company_id, pay_period_id): (&CompanyId, &PayPeriodId),
    selection: CheckSelection,
) -> Result<bool, Failure> {
    let now = call.incoming.api.now();
    let mut period = RequiredLookups::default();
    period.pay_periods = vec![pay_period_id.clone()];
    let guarded = call.store().read_check_validation_data(&call.caller, company_id, &period, now).await?;
    let (_, facts) = call.check_access(guarded)?;
    validate_check_removal(pay_period_id, &facts)
        .map_err(|faults| rejected_checks_failure(faults, &facts))?;
    let removed = ChecksToRemove {
        company_id: company_id.clone(),
        pay_period_id: pay_period_id.clone(),
        selection,
        application_id: call.caller.application_id.clone(),
        now,
    };
    let store = Arc::clone(&call.incoming.api.store);
    let guard = idempotency::guard_without_record(&call.incoming);
    match guard.commit(async move { store.remove_checks(&removed).await }).await? {
        RemovalOutcome::Done(_) => Ok(true),
        RemovalOutcome::FactsChanged => Ok(false),
    }
}

/// Returns 423 API-10: the company changed during each attempt.
pub(super) fn contention_failure() -> Failure {
    Failure::from(Reason::CompanyLocked).with_retry_after(RETRY_AFTER_SECONDS.into())
}
