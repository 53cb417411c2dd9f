//! Parts of one worker (specification §6.13, §6.14): their communications and their pay rates. Lists are read
//! here. The other operations are those of [`shared::objects::parts`](crate::shared::objects::parts); a part
//! says here what is particular to it.

mod communications;
pub(crate) mod compensation;
pub(crate) mod direct_deposits;
mod pay_rates;
pub(crate) mod recurring_components;

use payroll_domain::company::Communication;
use payroll_domain::worker::PayRate;
use payroll_ports::resources::Versioned;
use payroll_ports::workers::WorkerOf;
use payroll_ports::{Listing, Window};

use crate::partner::call::Call;
use crate::partner::collection::Home;
use crate::partner::routes::workers;
use crate::partner::wire::{PayRateContext, write_pay_rate};
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::wire::described::DescribedResource;

/// GET /workers/{workerId}/communications.
pub(crate) async fn communications(call: Call) -> Handled {
    let page = call.page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.communications_of_worker, JSON];
    let read = async |worker: &WorkerOf, window| {
        let (access, found) = call.open(call.store().communications(&call.caller, worker).await?)?;
        Ok((access, found.map(|all| window_of(all, window))))
    };
    call.list((page, &offers), workers::of_path, read, |row: &Communication, _, out| {
        serde_json::to_writer(out, &DescribedResource::bare(row))
    })
    .await
}

/// GET /workers/{workerId}/compensation/payrates.
pub(crate) async fn pay_rates(call: Call) -> Handled {
    let page = call.page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.pay_rates, JSON];
    let read = async |worker: &WorkerOf, window| {
        let (access, found) = call.open(call.store().pay_rates(&call.caller, worker).await?)?;
        Ok((access, found.map(|all| window_of(all, window))))
    };
    call.list((page, &offers), workers::of_path, read, write_rate).await
}

/// A window of a list that is read completely, because a worker has few of it.
fn window_of<T>(all: Versioned<Vec<T>>, window: Window) -> Listing<T> {
    Listing::of(all.value, all.version, window)
}

fn write_rate(row: &PayRate, home: Home<'_, WorkerOf>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    write_pay_rate(row, PayRateContext { base: home.base, worker_id: &home.owner.worker_id }, out)
}
