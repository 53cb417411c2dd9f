//! Bulk changes of a company's workers. The server stores all changes of a request, or none of them
//! (specification §10.21).

use std::sync::Arc;

use actix_web::http::header::IF_MATCH;
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_domain::input::Node;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_domain::worker::Worker;
use payroll_ports::import::{ChangeWorkers, ImportCounts, WorkerChangeOutcome, WorkersToChange};
use payroll_ports::resources::WriteRefusal;
use serde_json::json;
use tokio::sync::oneshot;

use super::call::OperatorCall;
use super::csv::RowKind;
use super::csv_body::{self, RequestDocument};
use super::response;
use crate::shared::error::Failure;
use crate::shared::feed::{collect_fault, parse_parameter};
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::limits::MAX_BULK_BODY_BYTES;
use crate::shared::media_type::CSV;
use crate::shared::query::Query;
use crate::shared::refusal;
use crate::shared::response::from_stored;

/// The query parameters of a bulk change.
pub(super) const PARAMETERS: &[&str] = &["dryrun", "rows"];

/// Handles a request for `POST …/workerchanges`.
pub(super) async fn change_workers(mut call: OperatorCall) -> HandlerResult {
    let (is_dry, kind) = read_query(&call.incoming.query())?;
    call.check_media_types(&csv_body::ACCEPTED_MEDIA_TYPES)?;
    if kind.is_some() && !call.incoming.has_media_type(CSV) {
        let fault = "the query parameter rows is only for CSV files, and the body is JSON; omit rows";
        return Err(Violation::new(Reason::InvalidParameter, fault).into());
    }
    let company_id = call.company_id()?;
    let key = idempotency::validate_key_without_record(&call.incoming).map_err(Failure::from);
    call.prefer_company_not_found(&company_id, key).await?;
    if call.incoming.headers().contains_key(IF_MATCH) {
        let fault =
            "the changes concern several workers, so no version applies to the request; omit If-Match";
        return Err(Violation::new(Reason::InvalidParameter, fault).into());
    }
    let body = call.read_large_body(MAX_BULK_BODY_BYTES).await;
    let body = call.prefer_company_not_found(&company_id, body).await?;
    let document = RequestDocument::read_document(&call, body, kind, None).await;
    let document = call.prefer_company_not_found(&company_id, document).await?;
    let is_dry = is_dry || document.is_faulty();
    let changed = apply_changes(&call, &company_id, &document.json, is_dry).await;
    let counts = document.translate_faults(&call, changed).await?;
    from_stored(response::create_stored_response(
        200,
        &counts_json(counts),
        vec![response::link_to_request(&call)],
    )?)
}

/// Reads from the query whether the request is a dry run, and the kind of rows of a CSV file.
fn read_query(query: &Query) -> Result<(bool, Option<RowKind>), Violations> {
    let mut faults = Vec::new();
    let is_dry = collect_fault(query.boolean_value("dryrun"), &mut faults).flatten() == Some(true);
    let kind = |text: &str| RowKind::parse(text).filter(|kind| *kind != RowKind::Checks);
    let kind = collect_fault(parse_parameter(query, "rows", "workers or rates", kind), &mut faults).flatten();
    Violations::from_faults(faults).map_or(Ok((is_dry, kind)), Err)
}

/// Validates the document, and stores the changes unless the request is a dry run.
async fn apply_changes(
    call: &OperatorCall,
    company_id: &CompanyId,
    body: &Bytes,
    is_dry: bool,
) -> Result<ImportCounts, Failure> {
    let named = |node: Node<'_>| Ok::<_, Failure>(document::read_changed_worker_ids(&node));
    let worker_ids = call.incoming.read_document(body, named).await;
    let worker_ids = call.prefer_company_not_found(company_id, worker_ids).await?;
    let (sender, mut validated) = oneshot::channel();
    let (api, mut ids, body) = (Arc::clone(&call.incoming.api), call.new_ids(), body.clone());
    let change: ChangeWorkers = Box::new(move |stored: Vec<Worker>| {
        Box::pin(async move {
            let mut next_id = move || ids.next_id::<Reference>().to_string();
            let read = move |sent: Node<'_>| document::apply_worker_changes(&sent, stored, &mut next_id);
            match api.blocking_pool.parse(body, read).await {
                Ok(workers) => Some(workers),
                Err(failure) => {
                    // `send` fails only if the receiver no longer waits for the failure, so its result is
                    // ignored.
                    let _ = sender.send(failure);
                    None
                }
            }
        })
    });
    let company_id = company_id.clone();
    let workers = WorkersToChange { company_id, worker_ids: worker_ids.clone(), change, is_dry };
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let changed = call.commit(async move { store.change_workers(workers, &audit).await }).await?;
    match (changed, validated.try_recv()) {
        (WorkerChangeOutcome::Refused(WriteRefusal::Declined), Ok(failure)) => Err(failure),
        (WorkerChangeOutcome::Refused(why), _) => Err(refusal::write_failure(why, call.incoming.api.now())),
        (WorkerChangeOutcome::OfOthers(others), _) => Err(foreign_workers_failure(&worker_ids, &others)),
        (WorkerChangeOutcome::Stored(counts), _) => Ok(counts),
    }
}

fn counts_json(ImportCounts { created, changed: counts, unchanged }: ImportCounts) -> String {
    json!({"created": created, "changed": counts, "unchanged": unchanged}).to_string()
}

/// Returns 409 API-409 with a fault for each new worker whose id belongs to another company.
fn foreign_workers_failure(worker_ids: &[WorkerId], others: &[WorkerId]) -> Failure {
    let others: std::collections::HashSet<&WorkerId> = others.iter().collect();
    let places = worker_ids.iter().enumerate().filter(|(_, id)| others.contains(id));
    let faults = places.map(|(at, id)| {
        let sentence = format!("worker {id} belongs to another company");
        let position = DocumentPosition { at: u32::try_from(at).unwrap_or(u32::MAX), rank: 0 };
        Violation::new(Reason::Conflict, sentence).at_position(format!("/workers/{at}/workerId"), position)
    });
    Violations::from_faults(faults.collect()).unwrap_or_else(|| Reason::Conflict.into()).into()
}
