//! Checks (specification §7.1, §7.2, §7.12): reading those of a pay period or of a worker, and one.
//! Adding and removing them are in the files below.

mod adding;
mod removing;
#[cfg(test)]
mod tests;

use payroll_domain::access::Access;
use payroll_domain::check::Facts;
use payroll_domain::code::Reason;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::checks::{CheckKey, CheckRows, ChecksQuery, FoundCheck, OneCheck, PeriodChecks};
use payroll_ports::{Listing, Rows};

pub(crate) use adding::{PARAMETERS as ADDING_PARAMETERS, add, add_for_worker};
pub(crate) use removing::{PARAMETERS as REMOVAL_PARAMETERS, remove, remove_own};

use crate::partner::call::Call;
use crate::shared::answer::Reading;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::shared::media_type::JSON;
use crate::shared::page::Page;
use crate::shared::query::Query;
use crate::shared::wire::{CheckResource, ProcessedCheckResource};

/// The parameters of a list of checks.
pub(crate) const PARAMETERS: &[&str] = &["payperiodid", "filterbyuserid", "offset", "limit"];

/// GET /companies/{companyId}/checks and GET /workers/{workerId}/checks: of the worker in the path,
/// if there is one.
pub(crate) async fn list(call: Call) -> Handled {
    let types = &call.partner.media_types;
    let wanted = call.after_authentication(Parameters::read(&call.incoming.query())).await?;
    call.negotiate(&[&types.checks, &types.processed_checks, JSON]).await?;
    let company_id = call.company_id().await?;
    let page = wanted.page;
    let read = async |window| {
        let query = ChecksQuery {
            company_id: company_id.clone(),
            pay_period_id: wanted.pay_period_id.clone(),
            only_own: wanted.only_own,
            worker_id: call.ids.get("workerId"),
            window,
        };
        let (access, found) = call.open(call.store().checks(&call.caller, &query).await?)?;
        Ok((access, found.ok_or_else(unknown_period)?))
    };
    let reading = |(access, found): &(Access, PeriodChecks)| {
        let kind = match found.rows {
            CheckRows::Unprocessed(_) => &types.checks,
            CheckRows::Processed(_) => &types.processed_checks,
        };
        let media_type = call.incoming.negotiate(&[kind, JSON])?;
        Ok(Reading::new(&call, access, media_type, found.version))
    };
    let found = call.unless_held(page, read, reading).await?;
    let (reading, PeriodChecks { total, version, rows }) = (reading(&found)?, found.1);
    match rows {
        CheckRows::Unprocessed(rows) => {
            reading.collection(page, Listing { total, version, rows }, |check, base, out| {
                serde_json::to_writer(out, &CheckResource::stored(check, base))
            })
        }
        CheckRows::Processed(rows) => {
            reading.collection(page, Listing { total, version, rows }, |check, base, out| {
                serde_json::to_writer(out, &ProcessedCheckResource::new(check, base))
            })
        }
    }
}

/// GET /workers/{workerId}/checks/{paycheckId}.
pub(crate) async fn one(call: Call) -> Handled {
    let types = &call.partner.media_types;
    call.negotiate(&[&types.check, &types.processed_check, JSON]).await?;
    let company_id = call.company_id().await?;
    let key = key(&call, company_id).await?;
    let (access, found) = call.open(call.store().check(&call.caller, &key).await?)?;
    let FoundCheck { version, check } = found.ok_or(Reason::UnknownResource)?;
    match check {
        OneCheck::Unprocessed(check) => {
            let media_type = call.incoming.negotiate(&[&types.check, JSON])?;
            let reading = Reading::new(&call, &access, media_type, version);
            reading.plain(Rows::All(vec![check]), |check, base, out| {
                serde_json::to_writer(out, &CheckResource::stored(check, base))
            })
        }
        OneCheck::Processed(check) => {
            let media_type = call.incoming.negotiate(&[&types.processed_check, JSON])?;
            let reading = Reading::new(&call, &access, media_type, version);
            reading.plain(Rows::All(vec![check]), |check, base, out| {
                serde_json::to_writer(out, &ProcessedCheckResource::new(check, base))
            })
        }
    }
}

/// The check that the path names; what can be no id is the id of nothing.
async fn key(call: &Call, company_id: CompanyId) -> Result<CheckKey, Failure> {
    let ids = (call.ids.get("workerId"), call.ids.get("paycheckId"));
    let (Some(worker_id), Some(paycheck_id)) = ids else {
        return call.after_admission(Err(Reason::UnknownResource)).await;
    };
    Ok(CheckKey { company_id, worker_id, paycheck_id })
}

/// The query of a GET.
#[derive(Debug, PartialEq, Eq)]
struct Parameters {
    pay_period_id: PayPeriodId,
    page: Page,
    only_own: bool,
}

impl Parameters {
    /// Reads the parameters, and reports everything that is wrong with them.
    fn read(query: &Query) -> Result<Self, Violations> {
        match (pay_period_id(query), Page::read(query), query.boolean("filterbyuserid")) {
            (Ok(pay_period_id), Ok(page), Ok(own)) => {
                Ok(Self { pay_period_id, page, only_own: own.unwrap_or(false) })
            }
            (Err(fault), page, own) => {
                Err(Violations::from(fault).and(page.err().into_iter().flatten()).and(own.err()))
            }
            (Ok(_), Err(faults), own) => Err(faults.and(own.err())),
            (Ok(_), Ok(_), Err(fault)) => Err(fault.into()),
        }
    }
}

fn pay_period_id(query: &Query) -> Result<PayPeriodId, Violation> {
    let missing =
        || Violation::new(Reason::ParameterMissing, "the query parameter payperiodid must name a pay period");
    let text = query.single("payperiodid")?.ok_or_else(missing)?;
    text.parse().map_err(|_| unknown_period())
}

fn unknown_period() -> Violation {
    let problem = "the query parameter payperiodid names no pay period of the company";
    Violation::new(Reason::InvalidParameter, problem)
}

/// What a change of checks is refused with; the error of a locked company says how long until it
/// may be free.
fn locked_or(faults: Violations, facts: &Facts) -> Failure {
    match &facts.lock {
        Some(lock) => {
            let seconds = lock.seconds_left.unwrap_or(RETRY_AFTER_SECONDS);
            Failure::from(faults).retry_after(seconds.into())
        }
        None => faults.into(),
    }
}
