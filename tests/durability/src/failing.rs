//! Lets every call that changes files fail once during a request. The tests verify that acknowledged data is
//! durable, that no request is stored partly, and that the next request succeeds.

mod operations;
mod story;

use std::path::Path;

use crate::defect::Defect;
use crate::disk::SurvivingWrites;
use crate::environment;
use crate::faults::{CallFault, PlannedFaults, SystemCall};
use crate::invariants;
use crate::operations::checks;
use crate::random::SeededRandom;
use crate::recorder::{self, CompletedRecording};
use crate::server::{Request, Server, folder_from_image, new_folder};

/// The faults to test. Each fault applies only to calls of the given kind, or to all calls if the kind is
/// `None`.
const INJECTED_FAULTS: &[(CallFault, Option<SystemCall>)] = &[
    (CallFault::Error(libc::EIO), None),
    (CallFault::Error(libc::ENOSPC), Some(SystemCall::Write)),
    (CallFault::Half, Some(SystemCall::Write)),
    (CallFault::Error(libc::EIO), Some(SystemCall::Sync)),
    (CallFault::Error(libc::EIO), Some(SystemCall::Lock)),
    (CallFault::Error(libc::ENOLCK), Some(SystemCall::Lock)),
];
/// The maximum number of requests that a test sends until each call has failed once. A request makes about
/// ten calls, and one of them fails in each request.
const MAX_REQUESTS: usize = 60;

/// The default distance between two failing calls of a longer operation. Not every call is tested, because
/// each failing call needs a new server.
const DEFAULT_STRIDE: usize = 45;
/// The environment variable that replaces [`DEFAULT_STRIDE`].
const STRIDE_VARIABLE: &str = "DURABILITY_STRIDE";

/// Lets calls of a longer operation fail, and asserts that nothing is lost. The stride of this run is the
/// distance between two failing calls.
///
/// `fail_call` runs the operation and lets the call with the given number fail. `fail_call` returns the
/// faults, or `None` if the operation makes fewer calls.
async fn assert_no_loss(
    fail_call: impl AsyncFn(usize, (CallFault, Option<SystemCall>)) -> Option<Vec<String>>,
) {
    let stride = environment::read_positive_number(STRIDE_VARIABLE).unwrap_or(DEFAULT_STRIDE);
    let mut losses = Vec::new();
    for (fault, only) in INJECTED_FAULTS {
        let mut failed_calls = 0;
        for number in (1..).step_by(stride) {
            let Some(found) = fail_call(number, (*fault, *only)).await else { break };
            losses.extend(found);
            failed_calls += 1;
        }
        assert!(failed_calls > 0, "no call failed with {fault:?} of {only:?}");
    }
    assert!(losses.is_empty(), "{}", losses.join("\n"));
}

/// Sends requests in each of which one call fails. In the first request, the first call fails, in the second
/// request, the second call, and so on. The series ends when a request makes fewer calls than the number of
/// the failing call. Returns the numbers of the acknowledged requests.
async fn send_with_failures(
    server: &Server,
    recording: &recorder::Recording,
    (fault, only): (CallFault, Option<SystemCall>),
    request: fn(usize) -> Request,
) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    for number in 1..MAX_REQUESTS {
        recording.plan_faults(PlannedFaults::new(number, fault, only));
        let response = server.send(&request(number)).await;
        let (_, failed) = recording.faults().call_and_fault_counts();
        recording.plan_faults(PlannedFaults::default());
        match response.status {
            200 | 201 => acknowledged.push(number),
            // The server has not acknowledged the request, so the client retries it.
            503 => {}
            _ => panic!("{fault:?} at call {number}: {response:?}"),
        }
        if failed == 0 {
            return acknowledged;
        }
        let next = server.send(&request(MAX_REQUESTS + number)).await;
        assert!(next.status < 300, "after {fault:?} at call {number}: {next:?}");
        acknowledged.push(MAX_REQUESTS + number);
    }
    panic!("a request has more calls than {MAX_REQUESTS}");
}

/// Returns the folder after a power cut at the end of the recording.
fn folder_after_cut(recorded: &CompletedRecording) -> tempfile::TempDir {
    let mut disk = recorded.base.clone();
    recorded.events.iter().for_each(|event| disk.apply(event));
    folder_from_image(&disk.after_cut(SurvivingWrites::Nothing, &mut SeededRandom::from_seed(1)))
}

/// Runs requests on failing disks. Then simulates a power cut, and runs `check` on the folder that remains.
async fn fail_each_call(request: fn(usize) -> Request, check: impl AsyncFn(&Path, &Server, &[usize])) {
    for (fault, only) in INJECTED_FAULTS {
        let folder = new_folder(Defect::None).await;
        let recording = recorder::start(folder.path(), Defect::None);
        let server = Server::start(folder.path()).await;
        let acknowledged = send_with_failures(&server, &recording, (*fault, *only), request).await;
        let left = folder_after_cut(&recording.end_recording_early());
        server.stop().await;
        let server = Server::start(left.path()).await;
        assert_eq!(invariants::find_violations(left.path()), [""; 0], "{fault:?} of {only:?}");
        check(left.path(), &server, &acknowledged).await;
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn adding_checks_loses_nothing_if_any_system_call_fails() {
    fail_each_call(checks::add_check_request, async |folder, server, acknowledged| {
        for number in acknowledged {
            assert_eq!(checks::count_rows(folder, *number), 2, "request {number} of {acknowledged:?}");
        }
        // Each retry has the same idempotency key, so every request is stored exactly once.
        for number in 1..MAX_REQUESTS {
            assert_eq!(server.send(&checks::add_check_request(number)).await.status, 201);
            assert_eq!(checks::count_rows(folder, number), 2, "request {number}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changing_a_worker_loses_nothing_if_any_system_call_fails() {
    fail_each_call(checks::worker_change_request, async |folder, _, acknowledged| {
        let stored = "SELECT CAST(substr(family_name, 8) AS INTEGER) FROM workers WHERE worker_id = 'W-0'";
        let last = acknowledged.last().and_then(|last| i64::try_from(*last).ok());
        assert_eq!(Some(invariants::query_number(folder, stored)), last, "{acknowledged:?}");
        let events = invariants::query_number(folder, "SELECT count(*) FROM events");
        assert!(usize::try_from(events).is_ok_and(|events| events >= acknowledged.len()), "{events}");
    })
    .await;
}
