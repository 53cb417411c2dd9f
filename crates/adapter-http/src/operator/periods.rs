//! Pay periods with the totals of their checks, for operators (specification §10.14). `period_states`
//! contains their state transitions.

use std::num::NonZeroU32;

use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::{CompanyRecord, Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::checks::CheckRows;
use payroll_ports::filters::{PayRunFilter, ResourceFilter};
use payroll_ports::periods::{PayRun, PeriodRegister, PeriodSummary, PeriodView, StateChange};
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Window};

use super::call::OperatorCall;
use super::lists::read_period_query;
use super::{response, wire};
use crate::shared::error::{Failure, unknown_company_fault};
use crate::shared::etag::combine_versions;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{CSV, JSON};
use crate::shared::page::RequestedPage;
use crate::shared::refusal;
use crate::shared::wire::{CheckResource, ProcessedCheckResource};

/// Handles a request for `GET …/payperiods`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let company_id = call.company_id()?;
    let read = read_period_query(&call.incoming.query()).map_err(Failure::from);
    let (page, filter) = call.prefer_company_not_found(&company_id, read).await?;
    let window = page.window_for_response(call.incoming.is_head());
    let listing = call.store().period_summaries(&company_id, &filter, window).await?;
    let listing = listing.ok_or(Reason::UnknownResource)?;
    response::collection_response(&call, page, listing, |row: &Versioned<PeriodSummary>| {
        // Serialization cannot fail, because the object contains only strings and numbers.
        period_summary_json(&row.value).unwrap_or_default()
    })
}

/// The query parameters of the list of pay runs.
pub(super) const PAY_RUNS_PARAMETERS: &[&str] = &[
    "status",
    "companyid",
    "checkdatefrom",
    "checkdateto",
    "overdueon",
    filters::SORT_PARAMETER,
    "offset",
    "limit",
];

/// The query parameters of the totals of pay runs.
pub(super) const PAY_RUN_TOTALS_PARAMETERS: &[&str] =
    &["status", "companyid", "checkdatefrom", "checkdateto", "overdueon"];

/// The states in which a pay period still needs work by an operator.
pub(crate) const OPEN_OR_PROCESSING: &[PeriodStatus] =
    &[PeriodStatus::Initial, PeriodStatus::Entry, PeriodStatus::Processing];

/// Handles `GET /operator/v1/payruns`: lists the pay periods of all companies that are open or in
/// processing.
pub(super) async fn list_pay_runs(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let (query, mut faults) = (call.incoming.query(), Vec::new());
    let within = call.visible_companies().map(<[_]>::to_vec);
    let order = filters::read_pay_run_order(&query, &mut faults);
    let filter = PayRunFilter {
        visible_companies: within,
        order,
        ..filters::read_pay_run_filter(&query, OPEN_OR_PROCESSING, &mut faults)
    };
    let page = RequestedPage::read_with_faults(&query, faults)?;
    let window = page.window_for_response(call.incoming.is_head());
    let listing = call.store().pay_runs(&filter, window).await?;
    response::collection_response(&call, page, listing, |run: &PayRun| {
        // Serialization cannot fail, because the object contains only strings and numbers.
        period_summary_json(&run.summary)
            .and_then(|period| wire::pay_run_json(run, &period))
            .unwrap_or_default()
    })
}

/// Handles `GET /operator/v1/payruns/totals`: returns the totals of the pay runs that the filters select.
pub(super) async fn get_pay_run_totals(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let (query, mut faults) = (call.incoming.query(), Vec::new());
    let within = call.visible_companies().map(<[_]>::to_vec);
    let filter = PayRunFilter {
        visible_companies: within,
        ..filters::read_pay_run_filter(&query, OPEN_OR_PROCESSING, &mut faults)
    };
    if let Some(faults) = Violations::from_faults(faults) {
        return Err(faults.into());
    }
    let totals = call.store().pay_run_totals(&filter).await?;
    let written = wire::pay_run_totals(totals).map_err(|error| Failure::Bug(error.into()))?;
    response::response_with_hash_etag(&call, JSON, written)
}

/// Handles a request for `GET …/payperiods/{payPeriodId}`.
pub(super) async fn get_period(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let PeriodInPath { company_id, pay_period_id } = PeriodInPath::from_call(&call)?;
    let found = call.store().period_summary(&company_id, &pay_period_id).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let content = period_summary_json(&found.value).map_err(|error| Failure::Bug(error.into()))?;
    response::single_response(&call, found.version, content)
}

/// Serializes a period with the totals of its checks.
fn period_summary_json(summary: &PeriodSummary) -> serde_json::Result<String> {
    let period = Resource::PayPeriod(Box::new(summary.period.clone()));
    wire::add_totals_to_json(&document::write_resource(&period, TaxIdMasking::Masked), summary.totals)
}

/// Handles a request for `GET …/payperiods/{payPeriodId}/checks`.
pub(super) async fn list_checks(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let period = PeriodInPath::from_call(&call)?;
    let page = period.prefer_period_not_found(&call, call.page()).await?;
    let window = page.window_for_response(call.incoming.is_head());
    let found = call.store().checks_of_period(&period.company_id, &period.pay_period_id, window).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let (total, version) = (found.total, found.version);
    // Serialization cannot fail, because the objects contain only strings and numbers.
    match found.rows {
        CheckRows::Unprocessed(rows) => {
            response::collection_response(&call, page, Listing { total, version, rows }, |check| {
                serde_json::to_string(&CheckResource::from_stored(check, None)).unwrap_or_default()
            })
        }
        CheckRows::Processed(rows) => {
            response::collection_response(&call, page, Listing { total, version, rows }, |check| {
                serde_json::to_string(&ProcessedCheckResource::new(check, None)).unwrap_or_default()
            })
        }
        CheckRows::Archived(_) => Err(refusal::checks_archived_failure()),
    }
}

/// Handles a request for `GET …/payperiods/{payPeriodId}/register`.
pub(super) async fn get_register(call: OperatorCall) -> HandlerResult {
    let media_type = call.incoming.negotiate(&[JSON, CSV])?;
    let period = PeriodInPath::from_call(&call)?;
    let page = period.prefer_period_not_found(&call, call.page()).await?;
    let window = page.window_for_response(call.incoming.is_head());
    // The version of the workers is read before the register. If a worker changes between the two reads, the
    // next response has another entity tag.
    let one = Window { offset: 0, limit: Some(NonZeroU32::MIN) };
    let workers =
        call.store().resources(&period.company_id, &ResourceFilter::All(ResourceKind::Worker), one).await?;
    let found = call.store().read_register(&period.company_id, &period.pay_period_id, window).await?;
    let PeriodRegister::Checks(mut listing) = found.ok_or(Reason::UnknownResource)? else {
        return Err(refusal::checks_archived_failure());
    };
    // The register contains names of workers, so a change of a worker must change the version.
    let of_workers = workers.map_or(0, |workers| workers.version);
    listing.version = combine_versions(listing.version, of_workers);
    if media_type == CSV {
        return response::csv_response(&call, listing, wire::register_csv);
    }
    // Serialization cannot fail, because the objects contain only strings and numbers.
    response::collection_response(&call, page, listing, |check| {
        wire::register_check_json(check).unwrap_or_default()
    })
}

/// The company and the pay period in a path.
pub(super) struct PeriodInPath {
    pub(super) company_id: CompanyId,
    pub(super) pay_period_id: PayPeriodId,
}

impl PeriodInPath {
    /// Reads the ids in the path.
    ///
    /// # Errors
    /// 404 API-7 if one of the texts is not a valid id.
    pub(super) fn from_call(call: &OperatorCall) -> Result<Self, Failure> {
        Ok(Self { company_id: call.company_id()?, pay_period_id: call.id("payPeriodId")? })
    }

    /// Reads the period from the store.
    ///
    /// # Errors
    /// 404 API-7 if the pay period is unknown.
    pub(super) async fn read_view(
        &self,
        call: &OperatorCall,
        components: &[ComponentId],
    ) -> Result<PeriodView, Failure> {
        let now = call.incoming.api.now();
        let view = call.store().period(&self.company_id, &self.pay_period_id, components, now).await?;
        view.ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Reads the company of the period, with its products.
    ///
    /// # Errors
    /// 404 API-7 if the company is unknown.
    pub(super) async fn read_company(&self, call: &OperatorCall) -> Result<CompanyRecord, Failure> {
        let id = &self.company_id;
        let company = call.store().resource(id, ResourceKind::Company, id.as_str()).await?;
        match company.ok_or_else(unknown_company_fault)?.value {
            Resource::Company(record) => Ok(*record),
            _ => Err(Failure::Bug("a company was read as an object of another kind".into())),
        }
    }

    /// Creates a state change of this period. The store rejects the change if the stored period is not at
    /// `version`, unless `version` is `None`. The store also rejects it if the stored period differs from
    /// `expected_period` in more than its state.
    pub(super) fn to_state_change(&self, version: Option<i64>, expected_period: PayPeriod) -> StateChange {
        StateChange {
            company_id: self.company_id.clone(),
            pay_period_id: self.pay_period_id.clone(),
            version,
            expected_period: Some(expected_period),
            request: None,
        }
    }

    /// Returns `result` unchanged, except if `result` is a fault and the period is unknown. In that case,
    /// returns the error for the unknown period instead of the fault.
    ///
    /// # Errors
    /// 404 API-7 if the period is unknown, otherwise the fault.
    pub(super) async fn prefer_period_not_found<T>(
        &self,
        call: &OperatorCall,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if result.is_err() {
            self.read_view(call, &[]).await?;
        }
        result
    }
}
