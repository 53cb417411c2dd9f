//! Elements of a worker's lists (specification §6.13, §6.14, §6.17, §6.22 to §6.27, §6.29, §6.30), such as
//! communications. This module contains GET of most lists. The modules `compensation`, `direct_deposits`,
//! `read_only` and `recurring_components` contain GET of their lists. The other operations are in
//! [`shared::objects::parts`](crate::shared::objects::parts). Each kind of element implements its own rules
//! for these operations.

mod communications;
pub(crate) mod compensation;
mod contacts;
mod custom_values;
pub(crate) mod direct_deposits;
mod element;
mod pay_rates;
pub(crate) mod read_only;
pub(crate) mod recurring_components;

use payroll_domain::access::Access;
use payroll_domain::company::Communication;
use payroll_domain::date::Date;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_domain::worker::{PayRate, Worker};
use payroll_ports::resources::Versioned;
use payroll_ports::workers::WorkerKey;
use payroll_ports::{Listing, Window};

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::parts::{PartnerListElement, serialize_described_element};
use crate::partner::routes::workers;
use crate::partner::wire::{PayRateContext, write_pay_rate};
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::wire::described_resource::DescribedResource;

/// Handles a request for `GET /workers/{workerId}/communications`.
pub(crate) async fn list_communications(call: PartnerCall) -> HandlerResult {
    let page = call.read_page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.communications_of_worker, JSON];
    let read = async |worker: &WorkerKey, window| {
        let (access, found) = call.check_access(call.store().communications(&call.caller, worker).await?)?;
        Ok((access, found.map(|all| listing_for_window(all, window))))
    };
    call.list_response((page, &offers), workers::worker_key, read, |row: &Communication, _, out| {
        serde_json::to_writer(out, &DescribedResource::without_links(row))
    })
    .await
}

/// Handles a request for `GET /workers/{workerId}/compensation/payrates`.
pub(crate) async fn list_pay_rates(call: PartnerCall) -> HandlerResult {
    let page = call.read_page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.pay_rates, JSON];
    let read = async |worker: &WorkerKey, window| {
        let (access, found) = call.check_access(call.store().pay_rates(&call.caller, worker).await?)?;
        Ok((access, found.map(|all| listing_for_window(all, window))))
    };
    call.list_response((page, &offers), workers::worker_key, read, write_rate).await
}

/// The query parameters of a [list](list_elements_without_links) whose elements have dates.
pub(crate) const DATED_LIST_PARAMETERS: &[&str] = &[filters::AS_OF_PARAMETER, "offset", "limit"];

/// Handles GET of a list whose elements have no links. Elements with dates are filtered by a date, by default
/// today.
pub(crate) async fn list_elements_without_links<T: PartnerListElement + Clone>(
    call: PartnerCall,
) -> HandlerResult {
    let has_dates = T::PARAMETERS.contains(&filters::AS_OF_PARAMETER);
    let today = has_dates.then(|| call.incoming.api.today());
    let (page, day) = call.read_query(|query| read_page(query, today)).await?;
    let [list, _] = T::media_types(&call.partner.media_types);
    let read = async |worker: &WorkerKey, window| {
        // The entity tag may use the version of the referenced objects, so these objects are read before
        // the worker. If the worker changes between the two reads, the tag belongs to the older data. The
        // next response then has another entity tag, so no client keeps outdated data.
        let facts = T::read_facts(&call).await?;
        let (access, found) = read_worker_with_elements::<T>(&call, worker).await?;
        let rows = found.map(|found| {
            let rows = T::elements(&found.value).to_vec();
            let rows = rows.into_iter().filter(|row| day.is_none_or(|day| row.is_effective_on(day)));
            let rows = rows.map(|row| (facts.clone(), row)).collect();
            Listing::from_all(rows, T::referenced_data_version(&facts).unwrap_or(found.version), window)
        });
        let found = AuthorizedListing::from((access, rows));
        Ok(match day {
            Some(day) => found.with_day_dependency(day),
            None => found,
        })
    };
    call.list_response(
        (page, &[list, JSON]),
        workers::worker_key,
        read,
        |(facts, row): &(T::Facts, T), _, out| {
            let shown = DescribedResource::without_links(row).with_members(row.added_members(facts));
            out.extend_from_slice(serialize_described_element(&shown, facts)?.as_bytes());
            Ok(())
        },
    )
    .await
}

/// Reads the worker. If `STORED_LIST` names the list, the worker is read with only this list, otherwise
/// completely.
async fn read_worker_with_elements<T: PartnerListElement>(
    call: &PartnerCall,
    worker: &WorkerKey,
) -> Result<(Access, Option<Versioned<Worker>>), Failure> {
    if T::STORED_LIST.is_some() {
        return call.check_access(call.store().worker_with_list(&call.caller, worker, T::STORED_LIST).await?);
    }
    let (company_id, id) = (&worker.company_id, worker.worker_id.as_str());
    let found = call.store().object(&call.caller, company_id, ResourceKind::Worker, id).await?;
    let (access, found) = call.check_access(found)?;
    let found = found.and_then(|Versioned { value, version }| match value {
        Resource::Worker(value) => Some(Versioned { value: *value, version }),
        _ => None,
    });
    Ok((access, found))
}

/// Reads the page, and the date if the elements have dates. `today` is the default date; `None` if the
/// elements have no dates.
fn read_page(query: &Query, today: Option<Date>) -> Result<(RequestedPage, Option<Date>), Violations> {
    let mut faults = Vec::new();
    let day = today.map(|today| filters::read_as_of(query, &mut faults).unwrap_or(today));
    RequestedPage::read_with_faults(query, faults).map(|page| (page, day))
}

/// Selects the requested page (`window`) from the complete list. All elements are read at once, because a
/// worker has only a few.
fn listing_for_window<T>(all: Versioned<Vec<T>>, window: Window) -> Listing<T> {
    Listing::from_all(all.value, all.version, window)
}

fn write_rate(
    row: &PayRate,
    context: ElementContext<'_, WorkerKey>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    write_pay_rate(row, PayRateContext { base: context.base, worker_id: &context.owner.worker_id }, out)
}
