//! A simulated machine, which runs the server on a folder. The machine has power cuts and a failing disk.

use std::sync::Arc;
use std::time::Duration;

use payroll_server::app::Housekeeper;
use payroll_server::config::{Setting, Settings};
use payroll_server::system::SystemRandomness;
use tempfile::TempDir;

use super::receiver::Receivers;
use super::trace::Trace;
use crate::clock::ManualClock;
use crate::defect::Defect;
use crate::disk::{DiskEvent, SurvivingWrites};
use crate::faults::{CallFault, PlannedFaults, SystemCall};
use crate::invariants;
use crate::random::SeededRandom;
use crate::recorder::{self, Recording};
use crate::server::{Request, Response, Server, folder_from_image, new_folder};
use crate::world;

/// The average number of requests for each power cut. A failing disk interrupts requests equally often.
const REQUESTS_PER_DISTURBANCE: usize = 40;
/// The maximum number of attempts until a request is accepted. After a failure, the server reopens the
/// database.
const MAX_REQUEST_ATTEMPTS: usize = 100;
/// The pause between two attempts of a request, or between two checks for undelivered notifications.
const PAUSE: Duration = Duration::from_millis(10);
/// The maximum number of checks for undelivered notifications. After that, the simulation fails.
const MAX_DELIVERY_POLLS: usize = 600;
/// The highest number of the call that fails during a request, counted from 1. A request makes about ten
/// calls that change files.
const MAX_FAILING_CALL: usize = 12;
/// The folder with the checks of old pay periods.
const ARCHIVE_FOLDER_NAME: &str = "archive";
const PENDING: &str = "SELECT count(*) FROM deliveries WHERE due IS NOT NULL";

const SELECT_PENDING_DELIVERIES: &str = "SELECT h.hook_id || ' ' || h.active || ' ' || d.position || ' due ' || d.due || ' ' || d.claimed_until || ' attempts ' || \
    d.attempts FROM deliveries d LEFT JOIN hooks h ON h.hook = d.hook WHERE due IS NOT NULL";

/// The planned disturbance of a request.
enum Disturbance {
    None,
    Cut(SurvivingWrites),
    Failure(PlannedFaults),
}

impl Disturbance {
    fn choose_disturbance(chance: &mut SeededRandom) -> Self {
        let choice = chance.random_below(REQUESTS_PER_DISTURBANCE);
        let (survival, call) = (
            SurvivingWrites::ALL[chance.random_below(SurvivingWrites::ALL.len())],
            1 + chance.random_below(MAX_FAILING_CALL),
        );
        let (fault, only) = match chance.random_below(4) {
            0 => (CallFault::Error(libc::EIO), None),
            1 => (CallFault::Error(libc::ENOSPC), Some(SystemCall::Write)),
            2 => (CallFault::Half, Some(SystemCall::Write)),
            _ => (CallFault::Error(libc::EIO), Some(SystemCall::Sync)),
        };
        match choice {
            0 => Self::Cut(survival),
            1 => Self::Failure(PlannedFaults::new(call, fault, only)),
            _ => Self::None,
        }
    }
}

/// The accepted response to a request.
pub(super) struct AcceptedResponse {
    pub(super) response: Response,
    /// Whether an earlier attempt of the request could have been stored.
    pub(super) is_repeated: bool,
}

/// A machine with a running server.
pub(super) struct Machine {
    folder: TempDir,
    receivers: Receivers,
    defect: Defect,
    /// Whether one operator requests the completion of a pay period and another operator approves the
    /// request.
    pub(super) needs_two_operators: bool,
    chance: SeededRandom,
    running: Option<RunningServer>,
    /// The number of power cuts so far.
    pub(super) cuts: usize,
    /// The number of requests with a failing disk so far.
    pub(super) failures: usize,
}

struct RunningServer {
    server: Server,
    recording: Recording,
    /// The number of notifications that the receivers had accepted at the start of the recording.
    received: usize,
}

impl Machine {
    pub(super) async fn start(
        needs_two_operators: bool,
        chance: SeededRandom,
        receivers: Receivers,
        defect: Defect,
    ) -> Self {
        let folder = new_folder(Defect::None).await;
        std::fs::create_dir(folder.path().join(ARCHIVE_FOLDER_NAME)).expect("a folder");
        let mut machine = Self {
            folder,
            receivers,
            defect,
            needs_two_operators,
            chance,
            running: None,
            cuts: 0,
            failures: 0,
        };
        machine.power_on(ManualClock::default()).await;
        machine
    }

    fn settings(&self) -> Settings {
        let folder = self.folder.path();
        Settings {
            webhook_hosts: Setting::read(&format!("hooks.test={}", self.receivers.address)).expect("a host"),
            webhook_retry_seconds: 1,
            webhook_poll_milliseconds: 10,
            // Failing hooks stay active, so that every notification is delivered in the end.
            webhook_disable_after_hours: 8_760,
            two_person_completion: self.needs_two_operators,
            event_retention_days: 0,
            delivery_retention_days: 0,
            check_retention_days: 100,
            check_archive_folder: folder.join(ARCHIVE_FOLDER_NAME).display().to_string(),
            ..world::settings(folder)
        }
    }

    async fn power_on(&mut self, clock: ManualClock) {
        let recording = recorder::start(self.folder.path(), self.defect);
        let received = self.receivers.count();
        let server = Server::start_with(&self.settings(), clock).await;
        self.running = Some(RunningServer { server, recording, received });
    }

    fn running(&self) -> &RunningServer {
        self.running.as_ref().expect("it runs between cuts")
    }

    pub(super) fn server(&self) -> &Server {
        &self.running().server
    }

    /// Cuts the power after a random event that follows the event `from`, and starts the server on the
    /// remaining files. Returns whether the cut happened after the last event, so that no event was lost.
    async fn cut_power(&mut self, from: usize, survival: SurvivingWrites) -> Result<bool, String> {
        let to = self.running().recording.position();
        let place = from + self.chance.random_below(to - from + 1);
        let RunningServer { server, recording, mut received } = self.running.take().expect("it runs");
        let recorded = recording.end_recording_early();
        let clock = server.clock.copy_times();
        server.stop().await;
        let mut disk = recorded.base;
        for event in &recorded.events[..place] {
            disk.apply(event);
            if let DiskEvent::Received(number) = event {
                received = number + 1;
            }
        }
        self.receivers.truncate_accepted(received);
        self.cuts += 1;
        let image = disk.after_cut(survival, &mut self.chance);
        self.folder = folder_from_image(&image);
        self.power_on(clock).await;
        let faults = self.find_faults();
        let cut = format!("a cut after call {} of {}, {survival:?}", place - from, to - from);
        if faults.is_empty() { Ok(place == to) } else { Err(format!("{cut}: {}", faults.join("; "))) }
    }

    /// Sends a request until it is accepted. A power cut or a failing disk may disturb the request. The trace
    /// contains this disturbance.
    pub(super) async fn send(
        &mut self,
        request: &Request,
        chance: &mut SeededRandom,
        trace: &mut Trace,
    ) -> Result<AcceptedResponse, String> {
        match Disturbance::choose_disturbance(chance) {
            Disturbance::None => Ok(self.send_until_accepted(request, false).await),
            Disturbance::Failure(faults) => {
                trace.add(format!("a failing disk: {faults:?}"));
                self.running().recording.plan_faults(faults);
                let first = self.server().send(request).await;
                let (_, failed) = self.running().recording.faults().call_and_fault_counts();
                self.running().recording.plan_faults(PlannedFaults::default());
                self.failures += failed.min(1);
                trace.add_unhashed_step(format!("  {failed} failed calls, status {}", first.status));
                match first.status {
                    503 => Ok(self.send_until_accepted(request, true).await),
                    _ => Ok(AcceptedResponse { response: first, is_repeated: false }),
                }
            }
            Disturbance::Cut(survival) => {
                trace.add(format!("a power cut: {survival:?}"));
                let from = self.running().recording.position();
                let first = self.server().send(request).await;
                let is_kept = self.cut_power(from, survival).await?;
                let again = self.send_until_accepted(request, true).await;
                let is_replayed = request.key.is_some() && is_kept && first.status < 300;
                if is_replayed && again.response != first {
                    return Err(format!("{request:?} gets {:?} instead of {first:?}", again.response));
                }
                Ok(again)
            }
        }
    }

    async fn send_until_accepted(&self, request: &Request, is_repeated: bool) -> AcceptedResponse {
        for attempt in 0..MAX_REQUEST_ATTEMPTS {
            let response = self.server().send(request).await;
            if response.status != 503 {
                return AcceptedResponse { response, is_repeated: is_repeated || attempt > 0 };
            }
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{request:?} gets 503 {MAX_REQUEST_ATTEMPTS} times");
    }

    /// Advances the clock by seconds until all notifications are delivered. If `cut` is set, the power fails
    /// during this time.
    pub(super) async fn deliver_notifications(&mut self, cut: Option<SurvivingWrites>) -> Result<(), String> {
        let from = self.running().recording.position();
        let mut cut = cut;
        for _ in 0..MAX_DELIVERY_POLLS {
            if invariants::query_number(self.folder.path(), PENDING) == 0 {
                return Ok(());
            }
            self.server().clock.advance_seconds(2);
            tokio::time::sleep(PAUSE).await;
            if let Some(survival) = cut.take() {
                self.cut_power(from, survival).await?;
            }
        }
        Err(format!("pending notifications: {:?}", self.query_texts(SELECT_PENDING_DELIVERIES)))
    }

    /// Advances the clock by days. Housekeeping runs before and after this step. If `cut` is set, the power
    /// fails during this time.
    pub(super) async fn pass_days(&mut self, days: i64, cut: Option<SurvivingWrites>) -> Result<(), String> {
        const DAY: i64 = 86_400;
        let from = self.running().recording.position();
        let settings = self.settings();
        let server = self.server();
        let chance = (Arc::clone(&server.clock) as _, Arc::new(SystemRandomness) as _);
        let mut housekeeper = Housekeeper::new(Arc::clone(&server.store), chance, &settings);
        // Housekeeping does not trust the clock during its first run, so the test runs it twice.
        housekeeper.run_once().await;
        server.clock.advance_seconds(days * DAY);
        housekeeper.run_once().await;
        drop(housekeeper);
        if let Some(survival) = cut {
            self.cut_power(from, survival).await?;
        }
        self.running.as_mut().expect("it runs").server.get_token().await;
        Ok(())
    }

    /// Returns the violations in the database.
    pub(super) fn find_faults(&self) -> Vec<String> {
        invariants::find_violations(self.folder.path())
    }

    /// Returns the texts in the first column of a query.
    pub(super) fn query_texts(&self, query: &str) -> Vec<String> {
        invariants::query_texts(self.folder.path(), query)
    }

    pub(super) async fn stop(mut self) {
        let RunningServer { server, recording, .. } = self.running.take().expect("it runs");
        drop(recording);
        server.stop().await;
    }
}
