//! Reads the checks of a pay period or of a worker, and single checks (specification §7.1, §7.12). The
//! submodules add and remove checks.

mod addition;
pub(crate) mod lines;
mod removal;
#[cfg(test)]
mod tests;

use payroll_domain::check::ValidationFacts;
use payroll_domain::code::Reason;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::Listing;
use payroll_ports::checks::{AnyCheck, CheckKey, CheckRows, ChecksQuery, PeriodChecks, VersionedCheck};
use payroll_ports::resources::Versioned;

pub(crate) use addition::{add_checks, add_for_worker};
pub(crate) use removal::{PARAMETERS as REMOVAL_PARAMETERS, remove_check, remove_own_checks};

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::refusal;
use crate::shared::wire::{CheckResource, ProcessedCheckResource};

/// The query parameters of a list of checks.
pub(crate) const PARAMETERS: &[&str] = &["payperiodid", "filterbyuserid", "offset", "limit"];

/// Handles `GET /companies/{companyId}/checks` and `GET /workers/{workerId}/checks`. The second request lists
/// only the checks of the worker.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let types = &call.partner.media_types;
    let ListParameters { pay_period_id, page, only_own } = call.read_query(ListParameters::read).await?;
    let read = async |company_id: &CompanyId, window| {
        let (company_id, pay_period_id) = (company_id.clone(), pay_period_id.clone());
        let worker_id = call.ids.get("workerId");
        let query = ChecksQuery { company_id, pay_period_id, only_own, worker_id, window };
        let (access, found) = call.check_access(call.store().read_checks(&call.caller, &query).await?)?;
        let PeriodChecks { total, version, rows } = found.ok_or_else(unknown_period_fault)?;
        let (rows, kind) = match rows {
            CheckRows::Unprocessed(rows) => (rows.map(AnyCheck::Unprocessed), &types.checks),
            CheckRows::Processed(rows) => (rows.map(AnyCheck::Processed), &types.processed_checks),
            CheckRows::Archived(_) => return Err(refusal::checks_archived_failure()),
        };
        Ok(AuthorizedListing::from((access, Listing { total, version, rows })).with_media_type(kind))
    };
    let offers: [&str; 3] = [&types.checks, &types.processed_checks, JSON];
    call.list_response((page, &offers), PartnerCall::company_id, read, write_check).await
}

/// Handles a request for `GET /workers/{workerId}/checks/{paycheckId}`.
pub(crate) async fn get_check(call: PartnerCall) -> HandlerResult {
    let types = &call.partner.media_types;
    let read = async |company_id: &CompanyId| {
        let key = read_check_key(&call, company_id.clone()).await?;
        let (access, found) = call.check_access(call.store().read_check(&call.caller, &key).await?)?;
        let kind = match found.as_ref().map(|found| &found.check) {
            Some(AnyCheck::Processed(_)) => &types.processed_check,
            Some(AnyCheck::Unprocessed(_)) | None => &types.check,
        };
        let found = found.map(|VersionedCheck { version, check }| Versioned { value: check, version });
        Ok(AuthorizedListing::from((access, found)).with_media_type(kind))
    };
    let offers: [&str; 3] = [&types.check, &types.processed_check, JSON];
    call.single_response(&offers, PartnerCall::company_id, read, write_check).await
}

fn write_check(check: &AnyCheck, context: ElementContext<'_>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match check {
        AnyCheck::Unprocessed(check) => {
            serde_json::to_writer(out, &CheckResource::from_stored(check, Some(context.base)))
        }
        AnyCheck::Processed(check) => {
            serde_json::to_writer(out, &ProcessedCheckResource::new(check, Some(context.base)))
        }
    }
}

/// Returns the company id, the worker id and the check id of the check in the path. A malformed id is treated
/// like an unknown id.
async fn read_check_key(call: &PartnerCall, company_id: CompanyId) -> Result<CheckKey, Failure> {
    let ids = (call.ids.get("workerId"), call.ids.get("paycheckId"));
    let (Some(worker_id), Some(paycheck_id)) = ids else {
        return call.prefer_authorization_failure(Err(Reason::UnknownResource)).await;
    };
    Ok(CheckKey { company_id, worker_id, paycheck_id })
}

/// The query parameters of a GET of checks.
#[derive(Debug, PartialEq, Eq)]
struct ListParameters {
    pay_period_id: PayPeriodId,
    page: RequestedPage,
    only_own: bool,
}

impl ListParameters {
    /// Reads the parameters and reports all faults together.
    fn read(query: &Query) -> Result<Self, Violations> {
        match (pay_period_id(query), RequestedPage::read(query), query.boolean_value("filterbyuserid")) {
            (Ok(pay_period_id), Ok(page), Ok(own)) => {
                Ok(Self { pay_period_id, page, only_own: own.unwrap_or(false) })
            }
            (Err(fault), page, own) => Err(Violations::from(fault)
                .with_faults(page.err().into_iter().flatten())
                .with_faults(own.err())),
            (Ok(_), Err(faults), own) => Err(faults.with_faults(own.err())),
            (Ok(_), Ok(_), Err(fault)) => Err(fault.into()),
        }
    }
}

fn pay_period_id(query: &Query) -> Result<PayPeriodId, Violation> {
    let missing = || {
        Violation::new(
            Reason::ParameterMissing,
            "the query parameter payperiodid is missing: send the id of a pay period",
        )
    };
    let text = query.single_value("payperiodid")?.ok_or_else(missing)?;
    text.parse().map_err(|_| unknown_period_fault())
}

fn unknown_period_fault() -> Violation {
    let problem = "the query parameter payperiodid must be the id of a pay period of the company";
    Violation::new(Reason::InvalidParameter, problem)
}

/// Converts the faults of a rejected change of pay checks to a failure. If the company is locked,
/// `Retry-After` contains the remaining duration of the lock.
fn rejected_checks_failure(faults: Violations, facts: &ValidationFacts) -> Failure {
    match &facts.lock {
        Some(lock) => {
            let seconds = lock.seconds_left.unwrap_or(RETRY_AFTER_SECONDS);
            Failure::from(faults).with_retry_after(seconds.into())
        }
        None => faults.into(),
    }
}
