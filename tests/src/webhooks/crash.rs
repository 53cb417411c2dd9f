//! Kills the server process repeatedly while clients change workers and notifications are sent. At the end,
//! exactly the events of the feed have arrived at the receiver.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::Notify;

use super::processes::{operator_authorization, received_event_ids, register_hook, serve};
use super::{change_request, wait_until_queue_is_empty};
use crate::support::{Client, OPEN, Process, Receiver, Request, on_every_database_kind};

/// The default number of kills.
const DEFAULT_KILLS: usize = 5;
/// The environment variable with the number of kills.
const KILLS_VARIABLE: &str = "TEST_KILLS";
/// The workers that the clients change. Each worker has its own client, which changes the worker repeatedly.
const WORKER_IDS: [&str; 4] = ["EMPLOYEE", "COLLEAGUE", "EXEMPT", "CONTRACTOR"];

fn kill_count() -> usize {
    let value = std::env::var(KILLS_VARIABLE).ok();
    value.map_or(DEFAULT_KILLS, |value| {
        value.parse().unwrap_or_else(|_| panic!("{KILLS_VARIABLE} is a number"))
    })
}

/// The number of changes that all clients have sent, and the number of responses. `enough` signals the time
/// for the kill.
#[derive(Default)]
struct ChangeCounts {
    sent: AtomicUsize,
    answered: AtomicUsize,
    enough: Notify,
}

/// Changes a worker until the server no longer responds. Signals `changes.enough` after `enough` responses to
/// all clients.
async fn send_changes_until_killed(operator: &Client, worker: &str, changes: &ChangeCounts, enough: usize) {
    loop {
        let number = changes.sent.fetch_add(1, Ordering::SeqCst);
        let sent =
            operator.send(&change_request(OPEN, worker, number), Some(&operator_authorization())).await;
        let Ok(response) = sent else { return };
        assert_eq!(response.status, 200, "{response:?}");
        if changes.answered.fetch_add(1, Ordering::SeqCst) + 1 == enough {
            changes.enough.notify_one();
        }
    }
}

/// Changes workers with several clients, and kills the server in the meantime.
async fn change_until_killed(mut process: Process, changes: &ChangeCounts, kill: usize) {
    // The number of changes before the kill varies, so that kills occur at different moments.
    let enough = changes.answered.load(Ordering::SeqCst) + 1 + kill * 37 % 101;
    let operator = process.operator.clone();
    let clients =
        join_all(WORKER_IDS.map(|worker| send_changes_until_killed(&operator, worker, changes, enough)));
    let killer = async {
        changes.enough.notified().await;
        process.kill();
    };
    tokio::join!(clients, killer);
}

/// Returns the ids of all events of the domain WRKR_EMPL in the operator's feed.
pub(crate) async fn event_ids(process: &Process) -> BTreeSet<String> {
    let (mut seen, mut here) = (BTreeSet::new(), "/operator/v1/events?domain=WRKR_EMPL".to_owned());
    loop {
        let response =
            process.operator.send(&Request::get(here.as_str()), Some(&operator_authorization())).await;
        let response = response.expect("an answer");
        let id = |event: &Value| event["eventId"].as_str().expect("an id").to_owned();
        seen.extend(response.content().iter().map(id));
        let next = response.link("next").expect("a feed always goes on");
        let (_, next) = next.split_once("/operator").expect("an address of the operator API");
        let next = format!("/operator{next}");
        if next == here {
            return seen;
        }
        here = next;
    }
}

#[test]
fn after_many_kills_every_committed_event_has_arrived() {
    let receiver = Receiver::start();
    on_every_database_kind(async |database| {
        receiver.reset_state();
        register_hook(database).await;
        let changes = ChangeCounts::default();
        for kill in 0..kill_count() {
            change_until_killed(serve(database, &receiver), &changes, kill).await;
        }
        let last = serve(database, &receiver);
        wait_until_queue_is_empty(database).await;
        let (arrived, fed) = (received_event_ids(&receiver), event_ids(&last).await);
        assert_eq!(arrived, fed);
        let accepted = changes.answered.load(Ordering::SeqCst);
        assert!(fed.len() >= accepted, "{} events of {accepted} changes", fed.len());
    });
}
