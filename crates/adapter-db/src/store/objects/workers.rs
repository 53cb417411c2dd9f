//! Workers with everything that belongs to them.

use std::borrow::Borrow;

use futures_util::future::BoxFuture;
use futures_util::{join, try_join};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::{TaxSettings, Worker};

use super::children::{self, ByOwner, Child, children, of_owners, taken};
use super::lists::named;
use super::{Change, Found, Home, Kind};
use crate::error::Outcome;
use crate::rows::company::CommunicationRow;
use crate::rows::workers::{FederalTaxRow, PayRateRow, RecurringRow, StateTaxRow, WorkerRow};
use crate::seal::Sealer;

children! {
    CommunicationRow: owner_id by "position";
    PayRateRow: worker_id by "position";
    RecurringRow: worker_id by "position";
    FederalTaxRow: worker_id by "worker_id";
    StateTaxRow: worker_id by "position";
}

/// Workers.
pub(crate) struct Workers;

/// What belongs to workers.
pub(crate) struct Owned {
    communications: ByOwner<CommunicationRow>,
    pay_rates: ByOwner<PayRateRow>,
    recurring: ByOwner<RecurringRow>,
    federal: ByOwner<FederalTaxRow>,
    states: ByOwner<StateTaxRow>,
}

impl Kind for Workers {
    named!(Worker: Worker, WorkerRow, worker_id);
    type Children = Owned;

    fn version(row: &WorkerRow) -> i64 {
        row.version
    }

    /// Tax settings that say nothing are stored as none.
    fn settled(object: &Worker) -> Worker {
        let taxes = object.taxes.clone().filter(|taxes| *taxes != TaxSettings::default());
        Worker { taxes, ..object.clone() }
    }

    fn row(home: Home<'_>, created: i64, object: &Worker) -> WorkerRow {
        WorkerRow::new(home.company_id, created, object, home.sealer)
    }

    /// A tax identity that stays is not sealed anew.
    fn take_over(row: &mut WorkerRow, object: &Worker, found: &Found<Self>) {
        if object.legal_id == found.object.legal_id {
            row.keep_legal_id(&found.row);
        }
    }

    fn children<'c>(home: Home<'c>, ids: &'c [&'c str]) -> BoxFuture<'c, Outcome<Owned>> {
        Box::pin(async move {
            let (communications, pay_rates, recurring, federal, states) = try_join!(
                of_owners(home, ids),
                of_owners(home, ids),
                of_owners(home, ids),
                of_owners(home, ids),
                of_owners(home, ids),
            )?;
            Ok(Owned { communications, pay_rates, recurring, federal, states })
        })
    }

    fn object(row: WorkerRow, owned: &mut Owned, sealer: &Sealer) -> Outcome<Worker> {
        let id = row.worker_id.clone();
        let mut worker = row.worker(sealer)?;
        worker.communications = taken(&mut owned.communications, &id, CommunicationRow::communication)?;
        worker.pay_rates = taken(&mut owned.pay_rates, &id, PayRateRow::pay_rate)?;
        worker.recurring_components = taken(&mut owned.recurring, &id, RecurringRow::recurring_component)?;
        let federal = taken(&mut owned.federal, &id, FederalTaxRow::federal_tax)?.pop();
        let states = taken(&mut owned.states, &id, StateTaxRow::state_tax)?;
        if federal.is_some() || !states.is_empty() {
            worker.taxes = Some(TaxSettings { federal, states });
        }
        Ok(worker)
    }

    fn write_children<'c>(home: Home<'c>, changes: &'c [Change<'c, Self>]) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            let id = home.company_id;
            let (communications, pay_rates, recurring, federal, states) = join!(
                children::write(home, changes, |worker: &Worker| Ok(communications(id, worker))),
                children::write(home, changes, |worker: &Worker| pay_rates(id, worker)),
                children::write(home, changes, |worker: &Worker| recurring(id, worker)),
                children::write(home, changes, |worker: &Worker| federal(id, worker)),
                children::write(home, changes, |worker: &Worker| states(id, worker)),
            );
            communications.and(pay_rates).and(recurring).and(federal).and(states)
        })
    }
}

fn communications(company_id: &str, worker: &Worker) -> Vec<CommunicationRow> {
    let own = (0..).zip(&worker.communications);
    own.map(|(at, from)| CommunicationRow::new(company_id, worker.worker_id.as_str(), at, from)).collect()
}

fn pay_rates(company_id: &str, worker: &Worker) -> Outcome<Vec<PayRateRow>> {
    let own = (0..).zip(&worker.pay_rates);
    own.map(|(at, from)| PayRateRow::new(company_id, worker.worker_id.as_str(), at, from)).collect()
}

fn recurring(company_id: &str, worker: &Worker) -> Outcome<Vec<RecurringRow>> {
    let own = (0..).zip(&worker.recurring_components);
    own.map(|(at, from)| RecurringRow::new(company_id, worker.worker_id.as_str(), at, from)).collect()
}

fn federal(company_id: &str, worker: &Worker) -> Outcome<Vec<FederalTaxRow>> {
    let own = worker.taxes.iter().filter_map(|taxes| taxes.federal.as_ref());
    own.map(|from| FederalTaxRow::new(company_id, worker.worker_id.as_str(), from)).collect()
}

fn states(company_id: &str, worker: &Worker) -> Outcome<Vec<StateTaxRow>> {
    let own = (0..).zip(worker.taxes.iter().flat_map(|taxes| &taxes.states));
    own.map(|(at, from)| StateTaxRow::new(company_id, worker.worker_id.as_str(), at, from)).collect()
}
