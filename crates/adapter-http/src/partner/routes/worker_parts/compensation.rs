//! The compensation of a worker (specification §6.26): the pay rates and the pay standards. A response
//! contains either links to the rates and standards or their complete content. Partners change single pay
//! rates. Operators maintain the standards.

use payroll_domain::access::Access;
use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::worker::{PayRate, PayStandards, first_day_of_pay_history};
use payroll_ports::Rows;
use payroll_ports::resources::Versioned;
use payroll_ports::workers::{CheckDateRange, Compensation, WorkerKey};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::routes::workers;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Envelope, Href, Link};

/// Handles `GET /workers/{workerId}/compensation` requests. The response contains links to the pay rates and
/// the pay standards. With the media type of the complete representation, the response contains the content
/// of the rates and standards instead.
pub(crate) async fn read_compensation(call: PartnerCall) -> HandlerResult {
    let types = &call.partner.media_types;
    let offers = [types.compensation.as_str(), types.compensation_complete.as_str(), JSON];
    let is_complete = call.incoming.negotiate(&offers).is_ok_and(|chosen| chosen == offers[1]);
    if !is_complete {
        return get_compensation_links(&call, &offers).await;
    }
    let today = call.incoming.api.today();
    let read = async |worker: &WorkerKey| authorized_compensation(&call, worker, today).await;
    call.single_response(&offers, workers::worker_key, read, move |pay, context, out| {
        serde_json::to_writer(out, &CompensationResource { pay, today, context: &context })
    })
    .await
}

/// Handles `GET /workers/{workerId}/compensation/paystandards` requests. Without standards the content is
/// empty.
pub(crate) async fn get_pay_standards(call: PartnerCall) -> HandlerResult {
    let media_type = call.negotiate(&[&call.partner.media_types.pay_standards, JSON]).await?;
    let (today, worker) = (call.incoming.api.today(), workers::worker_key(&call).await?);
    let (access, found) = read_worker_compensation(&call, &worker, today).await?;
    let Versioned { value: pay, version } = found.ok_or(Reason::UnknownResource)?;
    let rows = if pay.pay_standards.is_some() { vec![pay] } else { Vec::new() };
    let reading = GetResponse::with_day(&call, &access, media_type, version, Some(today));
    reading.rows_response(Rows::All(rows), move |pay, _, out| match &pay.pay_standards {
        Some(standards) => serde_json::to_writer(out, &pay_standards_resource(standards, pay, today)),
        None => Ok(()),
    })
}

/// Creates the response with links to the pay rates and the pay standards.
async fn get_compensation_links(call: &PartnerCall, offers: &[&str]) -> HandlerResult {
    let media_type = call.negotiate(offers).await?;
    let (today, worker) = (call.incoming.api.today(), workers::worker_key(call).await?);
    let (access, found) = read_worker_compensation(call, &worker, today).await?;
    let version = found.ok_or(Reason::UnknownResource)?.version;
    let reading = GetResponse::with_day(call, &access, media_type, version, None);
    if let Some(response) = reading.without_body() {
        return Ok(response);
    }
    let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
    let link = |rel, list: &str| Link { rel, href: Href::Complete(format!("{own}/{list}")) };
    let links = vec![
        Link::to_self(Href::Complete(own.clone())),
        link("payRates", "payrates"),
        link("payStandards", "paystandards"),
    ];
    let envelope = Envelope { metadata: None, links };
    reading.with_body(envelope.serialize_rows(Rows::<()>::All(Vec::new()), |(), _| Ok(()))?)
}

async fn read_worker_compensation(
    call: &PartnerCall,
    worker: &WorkerKey,
    today: Date,
) -> Result<(Access, Option<Versioned<Compensation>>), Failure> {
    let days = CheckDateRange { first: first_day_of_pay_history(today), last: today };
    let (access, found) = call.check_access(call.store().compensation(&call.caller, worker, days).await?)?;
    let found = found.map(|found| Versioned {
        version: found.version.saturating_add(found.value.version_of_paid),
        value: found.value,
    });
    Ok((access, found))
}

async fn authorized_compensation(
    call: &PartnerCall,
    worker: &WorkerKey,
    today: Date,
) -> Result<AuthorizedListing<'static, Compensation>, Failure> {
    Ok(AuthorizedListing::from(read_worker_compensation(call, worker, today).await?)
        .with_day_dependency(today))
}

/// Creates the resource of the standards. The resource also contains the amounts that are computed from the
/// standards, the rates and the checks.
fn pay_standards_resource<'a>(
    standards: &'a PayStandards,
    pay: &Compensation,
    today: Date,
) -> DescribedResource<'a, PayStandards> {
    let calculated = standards.calculate_pay_at(&pay.pay_rates, today);
    let amounts = [
        ("calculatedPayPeriod", calculated.pay_period),
        ("calculatedAnnualSalary", calculated.annual_salary),
        ("calculatedAnnualSalaryFromHistory", pay.paid),
    ];
    let amounts =
        amounts.into_iter().filter_map(|(member, amount)| Some((member, amount?.to_string().into())));
    DescribedResource::without_links(standards).with_members(amounts.collect())
}

/// The complete compensation of a worker.
struct CompensationResource<'a> {
    pay: &'a Compensation,
    today: Date,
    context: &'a ElementContext<'a, WorkerKey>,
}

impl Serialize for CompensationResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pay, today, context } = self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(standards) = &pay.pay_standards {
            map.serialize_entry("payStandards", &pay_standards_resource(standards, pay, *today))?;
        }
        map.serialize_entry("payRates", &PayRates { rates: &pay.pay_rates, context })?;
        map.end()
    }
}

struct PayRates<'a> {
    rates: &'a [PayRate],
    context: &'a ElementContext<'a, WorkerKey>,
}

impl Serialize for PayRates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ElementContext { base, owner, .. } = self.context;
        let mut list = serializer.serialize_seq(Some(self.rates.len()))?;
        for rate in self.rates {
            let own = Href::PayRate { base, worker_id: &owner.worker_id, rate_id: &rate.rate_id };
            list.serialize_element(&DescribedResource::with_links(rate, vec![Link::to_self(own)]))?;
        }
        list.end()
    }
}
