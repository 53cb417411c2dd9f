//! Simulates power cuts at recorded system calls, and looks for faults in the files that remain.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use crate::disk::{DiskEvent, DiskImage, SurvivingWrites};
use crate::environment;
use crate::random::SeededRandom;
use crate::recorder::CompletedRecording;
use crate::server::folder_from_image;

/// The environment variable with the number of simulated power cuts for each operation.
const CUTS_VARIABLE: &str = "DURABILITY_CUTS";
/// The default number of simulated power cuts for each operation.
const DEFAULT_CUTS_PER_OPERATION: usize = 40;
/// The number of power cuts within which a planted defect must be found.
pub(crate) const CUTS_FOR_A_DEFECT: usize = 10;

/// The requests of the client that were sent before the power cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownState {
    /// For each request number, whether the request was acknowledged.
    pub(crate) requests: BTreeMap<usize, bool>,
}

/// Returns the number of power cuts for each operation in this run.
pub(crate) fn read_cuts_per_operation() -> usize {
    environment::read_positive_number(CUTS_VARIABLE).unwrap_or(DEFAULT_CUTS_PER_OPERATION)
}

/// Simulates a power cut at `count` of the calls after the event `from`. Each cut uses the next kind of
/// [`SurvivingWrites`]. Returns the faults that `look` finds in the remaining files, each with a description
/// of the cut.
pub(crate) async fn check_all_cuts(
    recorded: &CompletedRecording,
    from: usize,
    count: usize,
    look: impl AsyncFn(&Path, &KnownState) -> Vec<String>,
) -> Vec<String> {
    let cut_points = choose_cut_points(recorded, from, count).into_iter().enumerate();
    let cuts = cut_points.map(async |(number, cut_point)| {
        let survival = SurvivingWrites::ALL[number % SurvivingWrites::ALL.len()];
        let (image, known) = simulate_cut(recorded, cut_point, survival, number);
        let folder = folder_from_image(&image);
        let looking = tokio::time::timeout(CHECK_TIMEOUT, look(folder.path(), &known));
        let found = looking.await.unwrap_or_else(|_| vec!["it hangs".to_owned()]);
        let last = recorded.events.get(cut_point.wrapping_sub(1)).map(format_without_data);
        let cut = format!(
            "cut {number} after call {cut_point} of {} ({last:?}), {survival:?}",
            recorded.events.len()
        );
        found.into_iter().map(|fault| format!("{cut}: {fault}")).collect::<Vec<_>>()
    });
    let faults: Vec<Vec<String>> = stream::iter(cuts).buffer_unordered(MAX_CONCURRENT_CHECKS).collect().await;
    faults.concat()
}

/// The maximum number of cuts whose files are examined at the same time. Most of the time is spent on waiting
/// for servers to stop.
const MAX_CONCURRENT_CHECKS: usize = 8;

/// The time limit for examining the files after one cut. After this time, the server is reported as hanging.
const CHECK_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the numbers of the events after which the power is cut. These events are evenly distributed and
/// include the last event, when most requests are acknowledged.
fn choose_cut_points(recorded: &CompletedRecording, from: usize, count: usize) -> Vec<usize> {
    let all = recorded.events.len() - from;
    (1..=count).rev().map(|number| from + all * number / count).collect()
}

fn simulate_cut(
    recorded: &CompletedRecording,
    cut_point: usize,
    survival: SurvivingWrites,
    seed: usize,
) -> (DiskImage, KnownState) {
    let (mut disk, mut known) = (recorded.base.clone(), KnownState::default());
    for event in &recorded.events[..cut_point] {
        disk.apply(event);
        match event {
            DiskEvent::Sent(number) => {
                known.requests.insert(*number, false);
            }
            DiskEvent::Acknowledged(number) => {
                known.requests.insert(*number, true);
            }
            _ => {}
        }
    }
    let seed = u64::try_from(seed).expect("64 bits");
    (disk.after_cut(survival, &mut SeededRandom::from_seed(seed)), known)
}

/// Formats a recorded event for a fault's description, without the bytes that the event wrote.
fn format_without_data(event: &DiskEvent) -> String {
    format!("{event:?}").chars().take(60).collect()
}
