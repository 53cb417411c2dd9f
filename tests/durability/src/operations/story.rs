//! Changes data through the partner API and the operator API, one change after another. After a power cut,
//! all readable data must equal the state after the last acknowledged change or after the change in progress.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use super::checks;
use crate::cuts::{self, KnownState};
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::invariants;
use crate::recorder::{self, CompletedRecording};
use crate::server::{Request, Server, new_folder};
use crate::world::{self, COMPANY_ID, OPEN_PERIOD_ID};

/// The paths that are read after each change.
const READ_PATHS: &[&str] = &[
    "/companies/ACME/payperiods",
    "/companies/ACME/workers",
    "/workers/W-0",
    "/operator/v1/companies",
    "/operator/v1/companies/ACME/payperiods/OPEN",
    "/operator/v1/companies/ACME/payperiods/OPEN/register",
    "/operator/v1/applications",
];

/// Returns the requests that change data through the partner API and the operator API, in the order of
/// sending.
pub(crate) fn story_requests() -> Vec<Request> {
    let operator = |method: Method, path: &str, body: Option<Value>| Request {
        method,
        path: format!("/operator/v1{path}"),
        body,
        media_type: "application/json",
        key: None,
    };
    let period = |step: &str| {
        operator(Method::POST, &format!("/companies/{COMPANY_ID}/payperiods/{OPEN_PERIOD_ID}/{step}"), None)
    };
    let import = operator(Method::POST, "/import", Some(world::company("OTHER")));
    vec![
        checks::add_check_request(0),
        checks::worker_change_request(1),
        checks::add_check_request(1),
        period("process"),
        period("complete"),
        Request { media_type: "application/x-ndjson", ..import },
        operator(Method::POST, "/applications", Some(json!({"applicationId": "second", "name": "Second"}))),
        checks::worker_change_request(2),
        operator(Method::DELETE, "/applications/second", None),
    ]
}

/// Returns the response of each path in [`READ_PATHS`].
pub(crate) async fn read_all_paths(server: &Server) -> Vec<String> {
    let mut views = Vec::new();
    for path in READ_PATHS {
        let view = server.get(path).await;
        assert_eq!(view.status, 200, "{path}: {view:?}");
        views.push(view.body);
    }
    views
}

/// Makes all changes and records the calls. Returns the recording, the position of the first change in it,
/// and the readable data before the first change and after each change.
async fn record_changes_of_both_apis() -> (CompletedRecording, usize, Vec<Vec<String>>) {
    let folder = new_folder(Defect::None).await;
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start(folder.path()).await;
    let mut states = vec![read_all_paths(&server).await];
    let from = recording.position();
    for (number, step) in story_requests().iter().enumerate() {
        recorder::add_event(DiskEvent::Sent(number));
        let response = server.send(step).await;
        recorder::add_event(DiskEvent::Acknowledged(number));
        assert!(response.status < 300, "{step:?}: {response:?}");
        states.push(read_all_paths(&server).await);
        let (before, after) = (&states[number], &states[number + 1]);
        assert_ne!(before, after, "{step:?} is not seen in any view");
    }
    let recorded = recording.end_recording_early();
    server.stop().await;
    (recorded, from, states)
}

async fn check_image(folder: &Path, known: &KnownState, states: &[Vec<String>]) -> Vec<String> {
    let server = Server::start(folder).await;
    let mut faults = invariants::find_violations(folder);
    let acknowledged = known.requests.values().filter(|it| **it).count();
    let found = read_all_paths(&server).await;
    let may_be = states.iter().skip(acknowledged).take(1 + known.requests.len() - acknowledged);
    if !may_be.into_iter().any(|state| *state == found) {
        let place = states.iter().position(|state| *state == found);
        faults.push(format!("{acknowledged} changes were acknowledged, found is the state after {place:?}"));
    }
    server.stop().await;
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_changes_of_both_apis_are_never_lost() {
    let (recorded, from, states) = record_changes_of_both_apis().await;
    let look = async |folder: &Path, known: &KnownState| check_image(folder, known, &states).await;
    let faults = cuts::check_all_cuts(&recorded, from, cuts::read_cuts_per_operation(), look).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
