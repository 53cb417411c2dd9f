//! The journal of a processed pay period (specification §10.14, §11.25).

use futures_util::TryStreamExt;
use payroll_domain::check::{Journal, JournalAccounts, JournalFault, JournalSums, MAX_JOURNAL_SUMS};
use payroll_domain::code::Reason;
use payroll_domain::pay_period::PeriodStatus;
use payroll_ports::Window;
use payroll_ports::checks::CheckRows;

use super::call::OperatorCall;
use super::periods::PeriodInPath;
use super::{response, wire};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{CSV, JSON};
use crate::shared::refusal;

/// Handles a request for `GET …/payperiods/{payPeriodId}/journal`.
pub(super) async fn get_journal(call: OperatorCall) -> HandlerResult {
    let media_type = call.incoming.negotiate(&[JSON, CSV])?;
    let place = PeriodInPath::from_call(&call)?;
    let period = place.read_view(&call, &[]).await?.period;
    let sums = sum_up_journal(&call, &place, period.status).await?;
    let journal = build_journal(&call, &place, sums).await?;
    let written = if media_type == CSV {
        wire::journal_csv(&period, &journal).map_err(Failure::Bug)?
    } else {
        wire::journal_json(&period, &journal).map_err(|error| Failure::Bug(error.into()))?.into_bytes()
    };
    response::response_with_hash_etag(&call, media_type, written)
}

/// Sums up the checks of the pay period. The checks are streamed, so only the sums are in memory.
async fn sum_up_journal(
    call: &OperatorCall,
    period: &PeriodInPath,
    status: PeriodStatus,
) -> Result<JournalSums, Failure> {
    let not_processed = || {
        refusal::conflict_failure(format!(
            "the pay period is {status}; only a processed pay period has a journal"
        ))
    };
    if !status.is_processed() {
        return Err(not_processed());
    }
    let all = Window::default();
    let found = call.store().checks_of_period(&period.company_id, &period.pay_period_id, all).await?;
    let rows = match found.ok_or(Reason::UnknownResource)?.rows {
        CheckRows::Processed(rows) | CheckRows::Archived(Some(rows)) => rows,
        CheckRows::Archived(None) => return Err(refusal::checks_archived_failure()),
        CheckRows::Unprocessed(_) => return Err(not_processed()),
    };
    let (mut chunks, mut sums) = (rows.into_stream(), JournalSums::default());
    while let Some(checks) = chunks.try_next().await? {
        checks.into_iter().try_for_each(|check| sums.add(check)).map_err(journal_failure)?;
    }
    Ok(sums)
}

/// Converts the sums to debits and credits. The accounts are the current accounts of the company and of its
/// pay components.
async fn build_journal(
    call: &OperatorCall,
    period: &PeriodInPath,
    sums: JournalSums,
) -> Result<Journal, Failure> {
    let record = period.read_company(call).await?;
    let components = period.read_view(call, &sums.component_ids()).await?.components;
    sums.into_journal(&JournalAccounts::from_company(&record.company), &components).map_err(journal_failure)
}

/// Returns the error 409 API-409, because the checks cannot be booked. The request itself is valid.
fn journal_failure(fault: JournalFault) -> Failure {
    refusal::conflict_failure(match fault {
        JournalFault::TooManySums => format!(
            "the checks of the pay period have more than {MAX_JOURNAL_SUMS} sums by component, tax and \
             organization; use the register of the pay period instead"
        ),
        JournalFault::TooLarge => "a sum of the journal exceeds the maximum amount".to_owned(),
    })
}
