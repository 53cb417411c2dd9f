//! The real binary is told to stop in the middle of changes, as at every release, and the next one takes
//! over. What was answered is there once, and every notification arrives.

use crate::support::{Database, Process, Receiver, on_every_kind};
use crate::under_load::{Load, loses_nothing, settings};

/// Restarts one after the other.
const RESTARTS: usize = 3;

/// A server that sends to the receiver and soon takes over what another one has left behind.
fn serve(database: &Database, receiver: &Receiver) -> Process {
    let hosts = receiver.hosts();
    let mut arguments = settings(&hosts).to_vec();
    arguments.extend(["--webhook-claim-seconds", "20"]);
    Process::serve_with(database, &arguments)
}

#[test]
fn a_server_that_is_told_to_stop_under_load_loses_nothing() {
    let receiver = Receiver::start();
    on_every_kind(async |database| {
        let restarts = async |mut process: Process, load: &Load| {
            for _ in 0..RESTARTS {
                process.ask_to_stop();
                let stopped = tokio::task::spawn_blocking(move || process.wait());
                assert_eq!(stopped.await.expect("it ends"), Some(0));
                process = serve(database, &receiver);
                load.goes_to(&process);
                load.until_added().await;
            }
            process
        };
        let seen = loses_nothing(database, &receiver, || serve(database, &receiver), restarts).await;
        assert!(seen.broken > 0, "nobody noticed");
    });
}
