//! Lets calls fail during changes through the partner API and the operator API. A change that was not
//! acknowledged must be stored completely or not at all. The client must be able to resend the change.

use super::{assert_no_loss, folder_after_cut};
use crate::defect::Defect;
use crate::faults::{CallFault, PlannedFaults, SystemCall};
use crate::invariants;
use crate::operations::story::{read_all_paths, story_requests};
use crate::recorder::{self, Recording};
use crate::server::{Request, Server, new_folder};

/// The code of the error in the response to a change that was not stored.
const UNAVAILABLE_CODE: &str = "API-503";

/// Sends a change while calls may fail. If the change was not acknowledged, resends it without failing calls.
/// `faults` are the planned faults, whose remaining part applies to the next change. Returns the readable
/// data after the change, or the description of a fault.
async fn send_change(
    server: &Server,
    recording: &Recording,
    faults: &mut PlannedFaults,
    step: &Request,
    before: &[String],
) -> Result<Vec<String>, String> {
    recording.plan_faults(*faults);
    let response = server.send(step).await;
    *faults = recording.faults();
    recording.plan_faults(PlannedFaults::default());
    let after = read_all_paths(server).await;
    let is_stored = after != before;
    // The status of an import is 200 even if a line fails. The response then contains the error of the line.
    let is_unavailable = response.status == 503 || response.body.contains(UNAVAILABLE_CODE);
    match response.status {
        _ if is_unavailable => {}
        200..=299 if is_stored => return Ok(after),
        _ => return Err(format!("{step:?} stored: {is_stored}: {response:?}")),
    }
    let again = server.send(step).await;
    let finally = read_all_paths(server).await;
    match again.status {
        200..=299 if !is_stored || finally == after => Ok(finally),
        // The first attempt has stored the change, so the server rejects the second attempt.
        400..=499 if is_stored && finally == after => Ok(finally),
        _ => Err(format!("{step:?} stored: {is_stored}, sent again: {again:?}")),
    }
}

/// Lets one call fail during the changes. Returns the faults, or `None` if the changes make fewer calls.
async fn fail_call(number: usize, (fault, only): (CallFault, Option<SystemCall>)) -> Option<Vec<String>> {
    let folder = new_folder(Defect::None).await;
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start(folder.path()).await;
    let mut faults = PlannedFaults::new(number, fault, only);
    let mut views = read_all_paths(&server).await;
    let mut found = Vec::new();
    for step in story_requests() {
        match send_change(&server, &recording, &mut faults, &step, &views).await {
            Ok(after) => views = after,
            Err(fault) => found.push(fault),
        }
    }
    let (_, failed) = faults.call_and_fault_counts();
    let left = folder_after_cut(&recording.end_recording_early());
    server.stop().await;
    if failed == 0 {
        return None;
    }
    let server = Server::start(left.path()).await;
    found.extend(invariants::find_violations(left.path()));
    if read_all_paths(&server).await != views {
        found.push("the views differ after the power cut".to_owned());
    }
    server.stop().await;
    Some(found.into_iter().map(|text| format!("{fault:?} at call {number}: {text}")).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_through_both_apis_lose_nothing_if_any_system_call_fails() {
    assert_no_loss(fail_call).await;
}
