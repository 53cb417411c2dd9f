//! Adds pay checks by POST requests of several clients at the same time.

use std::time::Duration;

use futures_util::future::join_all;

use super::checks;
use crate::cuts;
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::recorder;
use crate::server::{Server, new_folder};
use crate::slow;

const CLIENTS: usize = 16;
const REQUESTS_PER_CLIENT: usize = 3;
/// The duration of a sync. During this time, the requests of all other clients arrive and wait for the next
/// sync.
const SYNC_DURATION: Duration = Duration::from_millis(50);
/// The minimum average number of requests that each sync serves.
const REQUESTS_PER_SYNC: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_checks_exist_exactly_once_under_load() {
    let folder = new_folder(Defect::None).await;
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start(folder.path()).await;
    let from = recording.position();
    let slow = slow::slow_down_syncs(SYNC_DURATION);
    let clients = (0..CLIENTS).map(async |client| {
        let mut responses = Vec::new();
        for number in client * REQUESTS_PER_CLIENT..(client + 1) * REQUESTS_PER_CLIENT {
            recorder::add_event(DiskEvent::Sent(number));
            let response = server.send(&checks::add_check_request(number)).await;
            recorder::add_event(DiskEvent::Acknowledged(number));
            assert_eq!(response.status, 201, "{response:?}");
            responses.push(response);
        }
        responses
    });
    let responses: Vec<_> = join_all(clients).await.concat();
    drop(slow);
    let recorded = recording.end_recording_early();
    server.stop().await;
    let syncs = recorded.events[from..].iter().filter(|event| matches!(event, DiskEvent::Synced(_))).count();
    assert!(syncs * REQUESTS_PER_SYNC <= responses.len(), "{syncs} syncs of {} requests", responses.len());
    let look = async |folder: &std::path::Path, known: &cuts::KnownState| {
        checks::check_image(folder, known, &responses).await
    };
    let faults = cuts::check_all_cuts(&recorded, from, cuts::read_cuts_per_operation(), look).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
