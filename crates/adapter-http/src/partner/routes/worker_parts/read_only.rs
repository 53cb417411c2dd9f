//! Lists of a worker that partners read and operators maintain: time off (specification §6.24), assignment
//! distributions (§6.25), statuses (§6.29), and the I-9 status (§6.30).

use payroll_domain::access::Access;
use payroll_domain::description::MemberSource;
use payroll_domain::worker::{I9Status, Worker};
use payroll_ports::workers::{WorkerKey, WorkerListKind};
use payroll_ports::{Listing, Window};

use crate::partner::call::PartnerCall;
use crate::partner::routes::workers;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::wire::described_resource::DescribedResource;

/// Handles `GET /workers/{workerId}/timeoff`: lists the time-off balances.
pub(crate) async fn list_time_off(call: PartnerCall) -> HandlerResult {
    let list = WorkerListKind::TimeOff;
    list_elements(call, |types| &types.time_off, list, |worker| worker.time_off).await
}

/// Handles `GET /workers/{workerId}/assignmentdistributions`: lists the assignment distributions.
pub(crate) async fn list_assignment_distributions(call: PartnerCall) -> HandlerResult {
    let list = WorkerListKind::AssignmentDistributions;
    list_elements(
        call,
        |types| &types.assignment_distributions,
        list,
        |worker| worker.assignment_distributions,
    )
    .await
}

/// Handles `GET /workers/{workerId}/status`: lists the statuses, the newest first.
pub(crate) async fn list_statuses(call: PartnerCall) -> HandlerResult {
    let newest_first = |worker: Worker| worker.statuses.into_iter().rev().collect();
    list_elements(call, |types| &types.statuses_of_worker, WorkerListKind::Statuses, newest_first).await
}

/// Handles `GET /workers/{workerId}/i9status` requests. Without a status the content is empty.
pub(crate) async fn get_i9_status(call: PartnerCall) -> HandlerResult {
    let offers = [call.partner.media_types.i9_status.as_str(), JSON];
    let read = async |worker: &WorkerKey| {
        let of = |worker: Worker| worker.i9_status.into_iter().collect();
        read_worker_list(&call, (worker, None), of, Window::default()).await
    };
    call.single_response(&offers, workers::worker_key, read, |status: &I9Status, _, out| {
        serde_json::to_writer(out, &DescribedResource::without_links(status))
    })
    .await
}

async fn list_elements<T: MemberSource + Send + 'static>(
    call: PartnerCall,
    media_type: fn(&VendorTypes) -> &str,
    list: WorkerListKind,
    of: fn(Worker) -> Vec<T>,
) -> HandlerResult {
    let page = call.read_page().await?;
    let offers = [media_type(&call.partner.media_types), JSON];
    let read =
        async |worker: &WorkerKey, window| read_worker_list(&call, (worker, Some(list)), of, window).await;
    call.list_response((page, &offers), workers::worker_key, read, |row: &T, _, out| {
        serde_json::to_writer(out, &DescribedResource::without_links(row))
    })
    .await
}

/// Returns the rows of a worker's list, for an authorized caller. The worker is read with only this list,
/// which `of` selects.
async fn read_worker_list<T>(
    call: &PartnerCall,
    (worker, list): (&WorkerKey, Option<WorkerListKind>),
    of: impl FnOnce(Worker) -> Vec<T>,
    window: Window,
) -> Result<(Access, Option<Listing<T>>), Failure> {
    let found = call.store().worker_with_list(&call.caller, worker, list).await?;
    let (access, found) = call.check_access(found)?;
    Ok((access, found.map(|found| Listing::from_all(of(found.value), found.version, window))))
}
