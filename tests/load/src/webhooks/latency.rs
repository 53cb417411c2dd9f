//! The time from a change to the arrival of its notification, while several writers make changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::Interval;

use super::figures::{DeliveryLatencies, MeasuredInterval};
use super::receiver::Receiver;
use super::stage::{self, HookFixture, MEASUREMENT_TIME_LIMIT, RECEIVER_PORTS};
use crate::Failure;
use crate::client::{Connection, Request};
use crate::database::Database;

/// The writers of a measurement and their common rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriteLoad {
    writers: usize,
    /// The common rate of all writers. With `None`, each writer sends the next change after the response to
    /// the last one.
    changes_per_second: Option<u32>,
}

/// The load for measurements in other modules. These measurements examine how another condition affects the
/// latency.
pub(super) const LOW_RATE: WriteLoad = WriteLoad { writers: 1, changes_per_second: Some(50) };

/// The measured loads: 50 and 500 changes per second, and 64 writers without a pause.
const LOADS: [WriteLoad; 3] = [
    LOW_RATE,
    // With 16 writers, a slow response does not delay the next changes.
    WriteLoad { writers: 16, changes_per_second: Some(500) },
    WriteLoad { writers: 64, changes_per_second: None },
];

/// The time in which the server records the deliveries after their receipt. If the server were killed
/// earlier, its next start would resend the notifications. The next measurement would then count them.
const RECORDING_TIME: Duration = Duration::from_secs(1);

impl WriteLoad {
    fn name(self) -> String {
        match self.changes_per_second {
            Some(rate) => format!("{rate} changes a second"),
            None => format!("{} writers without a pause", self.writers),
        }
    }
}

/// Measures the latency and the processor time of each load, for the given time in each round.
pub(super) async fn measure_loads(
    database: &Database,
    length: Duration,
    rounds: usize,
) -> Result<(), Failure> {
    let hooked = HookFixture::set_up(database, &["WRKR_DEM"], 1).await?;
    for round in 0..rounds {
        for (number, load) in LOADS.into_iter().enumerate() {
            let server = hooked.start_server().await?;
            let interval = MeasuredInterval::begin(&server, database)?;
            let latencies = measure_load(&hooked, load, round * LOADS.len() + number, length).await?;
            let count = latencies.count() as f64;
            let cost = interval.cpu_per_thousand_items(&server, database, count)?;
            let seconds = (length).as_secs_f64();
            let (name, speed, summary) = (load.name(), count / seconds, latencies.summary());
            println!("| {} | {name} | server | {speed:.0} | {cost:.3} | {summary} |", database.name());
        }
    }
    Ok(())
}

/// Changes workers with the given load. Consecutive changes concern different workers. Returns the times
/// until the notifications arrived. `round` selects other addresses, so that each change of a server's
/// lifetime has an effect.
pub(super) async fn measure_load(
    hooked: &HookFixture<'_>,
    load: WriteLoad,
    round: usize,
    length: Duration,
) -> Result<DeliveryLatencies, Failure> {
    let arrivals = Receiver::listen(RECEIVER_PORTS[0]).await?;
    let pace = load.changes_per_second;
    let pace = pace.map(|rate| Mutex::new(tokio::time::interval(Duration::from_secs(1) / rate)));
    let shared = Arc::new(SharedChanges {
        changes: hooked.single_move_requests(round),
        next: AtomicUsize::new(0),
        pace,
        ends: Instant::now() + length,
    });
    let writers: Vec<_> =
        (0..load.writers).map(|_| tokio::spawn(send_changes(Arc::clone(&shared)))).collect();
    let mut latencies = DeliveryLatencies::default();
    for writer in writers {
        latencies.append(writer.await??);
    }
    let collected = latencies.collect(arrivals, MEASUREMENT_TIME_LIMIT).await;
    tokio::time::sleep(RECORDING_TIME).await;
    collected
}

/// A list of changes that the writers share. Each writer takes the next change from the list.
struct SharedChanges {
    changes: Vec<(String, Request)>,
    next: AtomicUsize,
    pace: Option<Mutex<Interval>>,
    ends: Instant,
}

impl SharedChanges {
    /// Waits for the next change and returns it; `None` after the end of the measurement.
    async fn next_change(&self) -> Option<&(String, Request)> {
        if let Some(pace) = &self.pace {
            pace.lock().await.tick().await;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (Instant::now() < self.ends).then(|| self.changes.get(number % self.changes.len()))?
    }
}

async fn send_changes(shared: Arc<SharedChanges>) -> Result<DeliveryLatencies, Failure> {
    let mut connection = Connection::open(stage::OPERATOR).await?;
    let mut latencies = DeliveryLatencies::default();
    while let Some((worker, request)) = shared.next_change().await {
        let sent = Instant::now();
        connection.send(request).await?;
        latencies.record_response(worker, sent, Instant::now());
    }
    Ok(latencies)
}
