//! Operators approve or reject bank accounts that partners add or change (specification §6.28). A decision
//! changes the worker, so the audit log contains the decision like any change of a worker.

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::{DirectDeposit, WorkerList, WorkerPart};
use payroll_ports::Listing;
use payroll_ports::resources::EditResult;

use super::call::OperatorCall;
use super::resources::require_stored_version;
use super::response;
use crate::shared::error::Failure;
use crate::shared::etag::compute_rows_version;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::objects::{self, ObjectKey};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal::conflict_failure;

/// The maximum number of listed deposits. Further deposits are listed after an operator has decided about the
/// deposits before them.
const MAX_LISTED_REQUESTS: u32 = 10_000;

/// Handles `GET /operator/v1/depositrequests`: lists the pending bank accounts.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let mut pending =
        call.store().deposits_awaiting_approval(call.visible_companies(), MAX_LISTED_REQUESTS).await?;
    pending.sort_by_key(|it| it.deposit.requested_date);
    let rows: Vec<_> = pending
        .iter()
        .map(|it| document::write_pending_deposit(&it.company_id, &it.worker_id, &it.deposit))
        .collect();
    let version = compute_rows_version(&rows);
    let listing = Listing::from_all(rows, version, page.window_for_response(false));
    response::collection_response(&call, page, listing, String::clone)
}

/// Handles `POST …/directdeposits/{directDepositId}/approve`: approves a bank account.
pub(super) async fn approve(call: OperatorCall) -> HandlerResult {
    decide_deposit_request(call, DirectDeposit::approve).await
}

/// Handles `POST …/directdeposits/{directDepositId}/refuse`: rejects a bank account.
pub(super) async fn reject(call: OperatorCall) -> HandlerResult {
    decide_deposit_request(call, DirectDeposit::reject).await
}

async fn decide_deposit_request(
    call: OperatorCall,
    decision: fn(DirectDeposit) -> DirectDeposit,
) -> HandlerResult {
    call.check_client_accepts_json()?;
    let key = ObjectKey::from_call(&call, ResourceKind::Worker)?;
    let id = call.id::<Reference>(DirectDeposit::LIST.id_member)?.to_string();
    let if_match = key.prefer_not_found(&call, IfMatch::read_optional(call.incoming.headers())).await?;
    let request = key.change_request(if_match, Bytes::from_static(b"null"), call.audit_context(None));
    let (mut ids, guard) = (call.new_ids(), idempotency::guard_without_record(&call.incoming));
    let change = move |worker: Resource, _: Node<'_>| {
        let decided = apply_decision(&worker, &id, decision)?;
        // The limits on a worker's direct deposits are verified after each decision. Approving one deposit
        // can exceed a limit although approving all pending deposits would not, because another pending
        // change may lower an amount.
        let object = objects::parse_object(
            &mut ids,
            ResourceKind::Worker,
            document::to_resource_node(&decided),
        )
        .map_err(|_| {
            conflict_failure(
                "the direct deposits of the worker would exceed their limits; first approve or reject the \
                 worker's other pending changes",
            )
        })?;
        let WorkerList { member, id_member, .. } = DirectDeposit::LIST;
        let elements = document::write_list_elements(&object, member, id_member);
        let content = elements.into_iter().find(|(own, _)| *own == id).map(|(_, content)| content);
        Ok((EditResult::from(object), content.unwrap_or_default()))
    };
    let (written, content) = request.execute_edit(&call.incoming, &guard, change).await?;
    response::changed_response(&call, require_stored_version(&call, written)?, &content)
}

/// Returns the worker after the decision about a deposit.
fn apply_decision(
    worker: &Resource,
    id: &str,
    decision: fn(DirectDeposit) -> DirectDeposit,
) -> Result<Resource, Failure> {
    let Resource::Worker(worker) = worker else {
        return Err(Failure::Bug("a worker was read as an object of another kind".into()));
    };
    let mut worker = worker.clone();
    let found = worker.direct_deposits.iter_mut().find(|it| it.direct_deposit_id.as_str() == id);
    let deposit = found.ok_or(Reason::UnknownResource)?;
    if !deposit.is_pending() {
        return Err(conflict_failure("the direct deposit has no pending change to approve or reject"));
    }
    *deposit = decision(deposit.clone());
    Ok(Resource::Worker(worker))
}
