//! Pay periods as an operator reads them, with what their checks come to (specification §10.14). What is
//! done with them is in `period_moves`.

use std::num::NonZeroU32;

use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIds};
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::checks::CheckRows;
use payroll_ports::filters::{PayRunFilter, ResourceFilter};
use payroll_ports::periods::{PayRun, PeriodMove, PeriodSummary, PeriodView, Register};
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Window};

use super::call::OperatorCall;
use super::lists::read_periods;
use super::{answer, wire};
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::handled::Handled;
use crate::shared::media_type::{CSV, JSON};
use crate::shared::page::Page;
use crate::shared::refusal;
use crate::shared::wire::{CheckResource, ProcessedCheckResource};

/// An odd number with its bits all over: one version does not make up for another.
const SPREAD: i64 = 0x1E37_79B9_7F4A_7C15;

/// GET …/payperiods.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let company_id = call.company_id()?;
    let read = read_periods(&call.incoming.query()).map_err(Failure::from);
    let (page, filter) = call.after_company(&company_id, read).await?;
    let window = page.window(call.incoming.is_head());
    let listing = call.store().period_summaries(&company_id, &filter, window).await?;
    let listing = listing.ok_or(Reason::UnknownResource)?;
    answer::collection(&call, page, listing, |row: &Versioned<PeriodSummary>| {
        // Only strings and numbers: writing them cannot fail.
        summary(&row.value).unwrap_or_default()
    })
}

/// The parameters of the list of pay runs.
pub(super) const PAY_RUNS_PARAMETERS: &[&str] =
    &["status", "companyid", "checkdatefrom", "checkdateto", "overdueon", filters::SORT, "offset", "limit"];

/// The parameters of the totals of pay runs.
pub(super) const PAY_RUN_TOTALS_PARAMETERS: &[&str] =
    &["status", "companyid", "checkdatefrom", "checkdateto", "overdueon"];

/// The states that a period is in while it waits for a person.
pub(crate) const WAITING: &[PeriodStatus] =
    &[PeriodStatus::Initial, PeriodStatus::Entry, PeriodStatus::Processing];

/// GET /operator/v1/payruns: the periods of all companies that are open or in processing.
pub(super) async fn pay_runs(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let (query, mut faults) = (call.incoming.query(), Vec::new());
    let within = call.within().map(<[_]>::to_vec);
    let order = filters::pay_run_order(&query, &mut faults);
    let filter = PayRunFilter { within, order, ..filters::pay_runs(&query, WAITING, &mut faults) };
    let page = Page::read_beside(&query, faults)?;
    let window = page.window(call.incoming.is_head());
    let listing = call.store().pay_runs(&filter, window).await?;
    answer::collection(&call, page, listing, |run: &PayRun| {
        // Only strings and numbers: writing them cannot fail.
        summary(&run.summary).and_then(|period| wire::pay_run(run, &period)).unwrap_or_default()
    })
}

/// GET /operator/v1/payruns/totals: the sums over the pay runs that the filters select.
pub(super) async fn pay_run_totals(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let (query, mut faults) = (call.incoming.query(), Vec::new());
    let within = call.within().map(<[_]>::to_vec);
    let filter = PayRunFilter { within, ..filters::pay_runs(&query, WAITING, &mut faults) };
    if let Some(faults) = Violations::collect(faults) {
        return Err(faults.into());
    }
    let totals = call.store().pay_run_totals(&filter).await?;
    let written = wire::pay_run_totals(totals).map_err(|error| Failure::Bug(error.into()))?;
    answer::computed(&call, JSON, written)
}

/// GET …/payperiods/{payPeriodId}.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let Period { company_id, pay_period_id } = Period::of(&call)?;
    let found = call.store().period_summary(&company_id, &pay_period_id).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let content = summary(&found.value).map_err(|error| Failure::Bug(error.into()))?;
    answer::one(&call, found.version, content)
}

/// The document of a period with what its checks come to.
fn summary(summary: &PeriodSummary) -> serde_json::Result<String> {
    let period = Resource::PayPeriod(Box::new(summary.period.clone()));
    wire::with_totals(&document::write(&period, TaxIds::Masked), summary.totals)
}

/// GET …/payperiods/{payPeriodId}/checks.
pub(super) async fn checks(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let period = Period::of(&call)?;
    let page = period.after_finding(&call, call.page()).await?;
    let window = page.window(call.incoming.is_head());
    let found = call.store().checks_of_period(&period.company_id, &period.pay_period_id, window).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let (total, version, base) = (found.total, found.version, call.incoming.base_url());
    // Only strings and numbers: writing them cannot fail.
    match found.rows {
        CheckRows::Unprocessed(rows) => {
            answer::collection(&call, page, Listing { total, version, rows }, move |check| {
                serde_json::to_string(&CheckResource::stored(check, &base)).unwrap_or_default()
            })
        }
        CheckRows::Processed(rows) => {
            answer::collection(&call, page, Listing { total, version, rows }, move |check| {
                serde_json::to_string(&ProcessedCheckResource::new(check, &base)).unwrap_or_default()
            })
        }
        CheckRows::Archived(_) => Err(refusal::archived()),
    }
}

/// GET …/payperiods/{payPeriodId}/register.
pub(super) async fn register(call: OperatorCall) -> Handled {
    let media_type = call.incoming.negotiate(&[JSON, CSV])?;
    let period = Period::of(&call)?;
    let page = period.after_finding(&call, call.page()).await?;
    let window = page.window(call.incoming.is_head());
    // Read before the rows: where a worker changes in between, the next tag is another one.
    let one = Window { offset: 0, limit: Some(NonZeroU32::MIN) };
    let workers =
        call.store().resources(&period.company_id, &ResourceFilter::All(ResourceKind::Worker), one).await?;
    let found = call.store().register(&period.company_id, &period.pay_period_id, window).await?;
    let Register::Checks(mut listing) = found.ok_or(Reason::UnknownResource)? else {
        return Err(refusal::archived());
    };
    // The rows name workers, so their changes are changes of the register.
    let of_workers = workers.map_or(0, |workers| workers.version);
    listing.version = listing.version.wrapping_mul(SPREAD).wrapping_add(of_workers);
    if media_type == CSV {
        return answer::csv(&call, listing, wire::register_csv);
    }
    // Only strings and numbers: writing them cannot fail.
    answer::collection(&call, page, listing, |check| wire::register_check(check).unwrap_or_default())
}

/// The period in the path.
pub(super) struct Period {
    pub(super) company_id: CompanyId,
    pub(super) pay_period_id: PayPeriodId,
}

impl Period {
    /// # Errors
    /// 404 API-7 for texts that can be the ids of nothing.
    pub(super) fn of(call: &OperatorCall) -> Result<Self, Failure> {
        Ok(Self { company_id: call.company_id()?, pay_period_id: call.id("payPeriodId")? })
    }

    /// The period as it is stored.
    ///
    /// # Errors
    /// 404 API-7 for an unknown pay period.
    pub(super) async fn view(
        &self,
        call: &OperatorCall,
        components: &[ComponentId],
    ) -> Result<PeriodView, Failure> {
        let now = call.incoming.api.now();
        let view = call.store().period(&self.company_id, &self.pay_period_id, components, now).await?;
        view.ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Its move from what was seen.
    pub(super) fn moved(&self, version: Option<i64>, seen: PayPeriod) -> PeriodMove {
        PeriodMove {
            company_id: self.company_id.clone(),
            pay_period_id: self.pay_period_id.clone(),
            version,
            seen: Some(seen),
            request: None,
        }
    }

    /// Lets a fault speak only where the period exists.
    ///
    /// # Errors
    /// 404 API-7, else the fault.
    pub(super) async fn after_finding<T>(
        &self,
        call: &OperatorCall,
        judged: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if judged.is_err() {
            self.view(call, &[]).await?;
        }
        judged
    }
}
