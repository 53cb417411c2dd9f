//! Changing many workers of a company at once, all or none of them (specification §10.21).

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::WorkerId;
use payroll_domain::id::kind::Reference;
use payroll_domain::input::Node;
use payroll_domain::violation::{Place, Violation, Violations};
use payroll_domain::worker::Worker;
use payroll_ports::import::{ChangeWorkers, ImportCounts, WorkersChanged, WorkersToChange};
use payroll_ports::resources::Refusal;
use serde_json::json;
use tokio::sync::oneshot;

use super::answer;
use super::call::OperatorCall;
use crate::shared::answer::send;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency;
use crate::shared::limits::MAX_BULK_BODY_BYTES;
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// The parameters of a change of many.
pub(super) const PARAMETERS: &[&str] = &["dryrun"];

/// POST …/workerchanges.
pub(super) async fn run(mut call: OperatorCall) -> Handled {
    let is_dry = call.incoming.query().boolean("dryrun")? == Some(true);
    call.takes(&[JSON])?;
    let company_id = call.company_id()?;
    let key = idempotency::unused_key(&call.incoming).map_err(Failure::from);
    call.after_company(&company_id, key).await?;
    let body = call.large_body(MAX_BULK_BODY_BYTES).await;
    let body = call.after_company(&company_id, body).await?;
    let named = |node: Node<'_>| Ok::<_, Failure>(document::changed_workers(&node));
    let worker_ids = call.incoming.read_document(&body, named).await;
    let worker_ids = call.after_company(&company_id, worker_ids).await?;
    let (sender, mut judged) = oneshot::channel();
    let (api, mut ids) = (Arc::clone(&call.incoming.api), call.new_ids());
    let change: ChangeWorkers = Box::new(move |stored: Vec<Worker>| {
        Box::pin(async move {
            let mut next_id = move || ids.next_id::<Reference>().to_string();
            let read = move |sent: Node<'_>| document::change_workers(&sent, stored, &mut next_id);
            match api.large_work.read(body, read).await {
                Ok(workers) => Some(workers),
                Err(failure) => {
                    // Who no longer waits has gone away.
                    let _ = sender.send(failure);
                    None
                }
            }
        })
    });
    let workers = WorkersToChange { company_id, worker_ids: worker_ids.clone(), change, is_dry };
    let (store, by) = (Arc::clone(&call.incoming.api.store), call.by(None));
    let changed = call.commit(async move { store.change_workers(workers, &by).await }).await?;
    match (changed, judged.try_recv()) {
        (WorkersChanged::Refused(Refusal::Declined), Ok(failure)) => Err(failure),
        (WorkersChanged::Refused(why), _) => Err(refusal::failure(why, call.incoming.api.now())),
        (WorkersChanged::OfOthers(others), _) => Err(of_others(&worker_ids, &others)),
        (WorkersChanged::Stored(counts), _) => {
            send(answer::whole(200, &written(counts), vec![answer::own(&call)])?)
        }
    }
}

fn written(ImportCounts { created, changed, unchanged }: ImportCounts) -> String {
    json!({"created": created, "changed": changed, "unchanged": unchanged}).to_string()
}

/// 409 API-409 for each new worker whose id another company's has.
fn of_others(worker_ids: &[WorkerId], others: &[WorkerId]) -> Failure {
    let others: std::collections::HashSet<&WorkerId> = others.iter().collect();
    let places = worker_ids.iter().enumerate().filter(|(_, id)| others.contains(id));
    let faults = places.map(|(at, id)| {
        let sentence = format!("worker {id} belongs to another company");
        let place = Place { at: u32::try_from(at).unwrap_or(u32::MAX), rank: 0 };
        Violation::new(Reason::Conflict, sentence).at(format!("/workers/{at}/workerId"), place)
    });
    Violations::collect(faults.collect()).unwrap_or_else(|| Reason::Conflict.into()).into()
}
