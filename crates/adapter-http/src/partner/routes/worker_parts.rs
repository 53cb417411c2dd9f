//! What belongs to one worker (specification §6.13, §6.14): what they can be reached by, and what
//! they are paid by.

use payroll_domain::code::Reason;
use payroll_domain::company::Communication;
use payroll_domain::id::RateId;
use payroll_domain::worker::PayRate;
use payroll_ports::{Listing, Rows};

use crate::partner::call::Call;
use crate::partner::routes::workers;
use crate::partner::wire::{PayRateContext, write_pay_rate};
use crate::shared::answer::Reading;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::wire::described::DescribedResource;

/// GET /workers/{workerId}/communications.
pub(crate) async fn communications(call: Call) -> Handled {
    let page = call.page().await?;
    let media_type = call.negotiate(&[&call.partner.media_types.communications_of_worker, JSON]).await?;
    let worker = workers::of_path(&call).await?;
    let (access, found) = call.open(call.store().communications(&call.caller, &worker).await?)?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let window = page.window(call.incoming.is_head());
    let listing = Listing::of(found.value, found.version, window);
    let reading = Reading::new(&call, &access, media_type, found.version);
    reading.collection(page, listing, |row: &Communication, _, out| {
        serde_json::to_writer(out, &DescribedResource::bare(row))
    })
}

/// GET /workers/{workerId}/compensation/payrates.
pub(crate) async fn pay_rates(call: Call) -> Handled {
    let page = call.page().await?;
    let media_type = call.negotiate(&[&call.partner.media_types.pay_rates, JSON]).await?;
    let worker = workers::of_path(&call).await?;
    let (access, found) = call.open(call.store().pay_rates(&call.caller, &worker).await?)?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let window = page.window(call.incoming.is_head());
    let listing = Listing::of(found.value, found.version, window);
    let reading = Reading::new(&call, &access, media_type, found.version);
    reading.collection(page, listing, move |row: &PayRate, base, out| {
        write_pay_rate(row, PayRateContext { base, worker_id: &worker.worker_id }, out)
    })
}

/// GET /workers/{workerId}/compensation/payrates/{rateId}. A worker has few rates: it is picked out
/// of all.
pub(crate) async fn pay_rate(call: Call) -> Handled {
    let media_type = call.negotiate(&[&call.partner.media_types.pay_rate, JSON]).await?;
    let worker = workers::of_path(&call).await?;
    let rate_id: RateId = call.id("rateId").await?;
    let (access, found) = call.open(call.store().pay_rates(&call.caller, &worker).await?)?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let rate = found.value.into_iter().find(|rate| rate.rate_id == rate_id);
    let rate = rate.ok_or(Reason::UnknownResource)?;
    let reading = Reading::new(&call, &access, media_type, found.version);
    reading.plain(Rows::All(vec![rate]), move |row: &PayRate, base, out| {
        write_pay_rate(row, PayRateContext { base, worker_id: &worker.worker_id }, out)
    })
}
