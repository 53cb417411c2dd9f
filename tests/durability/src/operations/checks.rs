//! Adds pay checks by POST requests with an `Idempotency-Key`, one request after another.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::cuts::{self, KnownState};
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::invariants;
use crate::recorder::{self, CompletedRecording};
use crate::server::{Request, Response, Server, new_folder};
use crate::world::{COMPANY_ID, OPEN_PERIOD_ID};

/// Number of requests in one recording.
const REQUESTS: usize = 6;
/// Number of checks in one request.
const CHECKS: usize = 2;

/// A recording of the calls that change files, and the server's response to each request.
struct RecordedAdditions {
    recorded: CompletedRecording,
    /// The position of the first request in the recording.
    from: usize,
    responses: Vec<Response>,
}

/// Returns the request with the given number.
pub(crate) fn add_check_request(number: usize) -> Request {
    let check = |at: usize| {
        json!({
            "workerId": format!("W-{at}"), "payPeriodId": OPEN_PERIOD_ID, "checkCorrelationId": format!("{number}-{at}"),
            "earnings": [{"componentId": "HOURLY", "payHours": "8"}],
        })
    };
    Request {
        method: Method::POST,
        path: format!("/companies/{COMPANY_ID}/checks"),
        body: Some(Value::Array((0..CHECKS).map(check).collect())),
        media_type: "application/vnd.vendor.payroll.checks.v1+json",
        key: Some(format!("key-{number}")),
    }
}

/// Returns a request that changes a worker. The change is different for each number.
pub(crate) fn worker_change_request(number: usize) -> Request {
    Request {
        method: Method::PATCH,
        path: "/workers/W-0".to_owned(),
        body: Some(json!({"name": {"familyName": format!("Sample {number}"), "givenName": "Number 0"}})),
        media_type: "application/json",
        key: None,
    }
}

/// Adds checks with one request after another, and records the calls that change files.
async fn record_additions(defect: Defect) -> RecordedAdditions {
    let folder = new_folder(defect).await;
    let recording = recorder::start(folder.path(), defect);
    let server = Server::start(folder.path()).await;
    let from = recording.position();
    let mut responses = Vec::new();
    for number in 0..REQUESTS {
        recorder::add_event(DiskEvent::Sent(number));
        if let Defect::EarlyResponse = defect {
            recorder::add_event(DiskEvent::Acknowledged(number));
        }
        let response = server.send(&add_check_request(number)).await;
        recorder::add_event(DiskEvent::Acknowledged(number));
        assert_eq!(response.status, 201, "{response:?}");
        responses.push(response);
    }
    let recorded = recording.end_recording_early();
    server.stop().await;
    RecordedAdditions { recorded, from, responses }
}

/// Counts the stored checks of a request.
pub(crate) fn count_rows(folder: &Path, number: usize) -> i64 {
    let query = format!(
        "SELECT count(*) FROM checks WHERE correlation_id LIKE '{number}-%' AND application_id <> ''"
    );
    invariants::query_number(folder, &query)
}

/// Returns the faults after a power cut. Acknowledged checks must exist exactly once. A request that was not
/// acknowledged may be stored completely or not at all.
pub(super) async fn check_image(folder: &Path, known: &KnownState, responses: &[Response]) -> Vec<String> {
    let server = Server::start(folder).await;
    let mut faults = invariants::find_violations(folder);
    for (number, response) in responses.iter().enumerate() {
        let found = count_rows(folder, number);
        let is_acknowledged = known.requests.get(&number).copied();
        let may_be: &[usize] = match is_acknowledged {
            Some(true) => &[CHECKS],
            Some(false) => &[0, CHECKS],
            None => &[0],
        };
        if !may_be.iter().any(|count| i64::try_from(*count) == Ok(found)) {
            faults.push(format!("{found} checks of request {number}, acknowledged: {is_acknowledged:?}"));
        }
        // The test retries the request, as a client does that got no response.
        let again = server.send(&add_check_request(number)).await;
        if again.status != 201 || (is_acknowledged == Some(true) && again != *response) {
            faults.push(format!("request {number} sent again: {again:?} instead of {response:?}"));
        }
        if i64::try_from(CHECKS) != Ok(count_rows(folder, number)) {
            faults.push(format!("request {number} sent again is not stored exactly once"));
        }
    }
    server.stop().await;
    faults.extend(invariants::find_violations(folder));
    faults
}

/// Adds checks on a server with this defect, simulates `count` power cuts, and returns the faults that are
/// found.
pub(crate) async fn find_faults_caused_by_defect(defect: Defect, count: usize) -> Vec<String> {
    let RecordedAdditions { recorded, from, responses } = record_additions(defect).await;
    cuts::check_all_cuts(&recorded, from, count, async |folder, known| {
        check_image(folder, known, &responses).await
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_checks_exist_exactly_once() {
    let faults = find_faults_caused_by_defect(Defect::None, cuts::read_cuts_per_operation()).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Tests that the recording contains every write. The content of the files must equal the result of the
/// recorded events.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_recording_contains_every_change_of_a_file() {
    let folder = new_folder(Defect::None).await;
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start(folder.path()).await;
    server.send(&add_check_request(0)).await;
    server.stop().await;
    recording.end();
}

/// Tests that a request with an idempotency key makes only one sync. The idempotency record is written to the
/// log before the change. The sync of the change therefore also syncs the record.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_a_key_syncs_once() {
    let RecordedAdditions { recorded, from, .. } = record_additions(Defect::None).await;
    let (mut syncs, mut of_each) = (0, Vec::new());
    for event in &recorded.events[from..] {
        match event {
            DiskEvent::Sent(_) => syncs = 0,
            DiskEvent::Synced(_) => syncs += 1,
            DiskEvent::Acknowledged(_) => of_each.push(syncs),
            _ => {}
        }
    }
    // The first request creates the log, whose header has a separate sync.
    assert_eq!(of_each[1..], [1; REQUESTS - 1]);
}
