//! Lets every call of the longer operations fail once: commands, housekeeping, and changes through the
//! partner and the operator API.
//!
//! After a failed call, the operation may report success only if its result is durable. To verify this, a
//! power cut is simulated, after which the remaining files must contain everything that was acknowledged. An
//! operation that reported a failure runs a second time without failing calls, and must succeed.
//!
//! A usual run lets only some of the calls fail. `DURABILITY_STRIDE=1` lets every call fail.

use std::collections::BTreeMap;
use std::path::Path;

use super::{assert_no_loss, folder_after_cut};
use crate::clock::ManualClock;
use crate::cuts::KnownState;
use crate::defect::Defect;
use crate::faults::{CallFault, PlannedFaults, SystemCall};
use crate::operations::archive::{self, ARCHIVING_AGE, LONGER_THAN_CLAIM};
use crate::operations::backup::{self, COPY_PATH, run_command, try_to_run_command};
use crate::operations::{checks, keys, restore};
use crate::recorder;
use crate::server::{Server, new_folder, write_private_file};
use crate::world;

/// The request number under which the operation is recorded, and under which [`KnownState`] contains its
/// result.
const OPERATION_NUMBER: usize = 1;

/// An operation that runs in a folder with the test data.
pub(super) trait Operation: Sized {
    /// Prepares the operation. During the preparation, no call fails.
    async fn prepare(folder: &Path) -> Self;

    /// Runs the operation. Returns the text of the error that it reports.
    async fn run(&mut self, folder: &Path) -> Result<(), String>;

    /// Stops everything that the operation runs in this process, such as a server.
    async fn stop(self);

    /// Returns the faults in the files of a folder. `known` contains whether the operation was acknowledged.
    async fn find_faults(folder: &Path, known: &KnownState) -> Vec<String>;
}

fn known_state(is_acknowledged: bool) -> KnownState {
    KnownState { requests: BTreeMap::from([(OPERATION_NUMBER, is_acknowledged)]) }
}

/// Lets one call fail while an operation runs. Returns the faults. `None` if the operation makes too few
/// calls, so that none has failed.
async fn fail_call<O: Operation>(
    number: usize,
    (fault, only): (CallFault, Option<SystemCall>),
) -> Option<Vec<String>> {
    let folder = new_folder(Defect::None).await;
    let mut operation = O::prepare(folder.path()).await;
    let recording = recorder::start(folder.path(), Defect::None);
    recording.plan_faults(PlannedFaults::new(number, fault, only));
    let result = operation.run(folder.path()).await;
    let (_, failed) = recording.faults().call_and_fault_counts();
    let left = folder_after_cut(&recording.end_recording_early());
    let again = if result.is_err() { operation.run(folder.path()).await } else { Ok(()) };
    operation.stop().await;
    if failed == 0 {
        return None;
    }
    let mut faults = O::find_faults(left.path(), &known_state(result.is_ok())).await;
    if let Err(failure) = again {
        faults.push(format!("the next run failed: {failure}"));
    }
    faults.extend(O::find_faults(folder.path(), &known_state(true)).await);
    Some(faults.into_iter().map(|text| format!("{fault:?} at call {number} ({result:?}): {text}")).collect())
}

/// The operation that runs `backup` next to a running server.
struct Backup(Server);

impl Operation for Backup {
    async fn prepare(folder: &Path) -> Self {
        std::fs::create_dir(folder.join(backup::FOLDER)).expect("a folder");
        let server = Server::start(folder).await;
        assert_eq!(server.send(&checks::add_check_request(0)).await.status, 201);
        Self(server)
    }

    async fn run(&mut self, folder: &Path) -> Result<(), String> {
        try_to_run_command(folder, &["backup", &folder.join(COPY_PATH).display().to_string()]).await
    }

    async fn stop(self) {
        self.0.stop().await;
    }

    async fn find_faults(folder: &Path, known: &KnownState) -> Vec<String> {
        backup::check_image(folder, known)
    }
}

/// The operation that runs `restore` over an existing database.
struct Restore;

impl Operation for Restore {
    async fn prepare(folder: &Path) -> Self {
        let Backup(server) = Backup::prepare(folder).await;
        run_command(folder, &["backup", &folder.join(COPY_PATH).display().to_string()]).await;
        assert_eq!(server.send(&checks::add_check_request(1)).await.status, 201);
        server.stop().await;
        Self
    }

    async fn run(&mut self, folder: &Path) -> Result<(), String> {
        try_to_run_command(folder, &["restore", &folder.join(COPY_PATH).display().to_string(), "--force"])
            .await
    }

    async fn stop(self) {}

    async fn find_faults(folder: &Path, known: &KnownState) -> Vec<String> {
        restore::check_image(folder, known)
    }
}

/// The operation that rotates the encryption key next to a running server.
struct Rotation(Server);

impl Operation for Rotation {
    async fn prepare(folder: &Path) -> Self {
        write_private_file(&folder.join(keys::KEY_FILE_NAME), format!("{}\n", world::KEYS).as_bytes());
        Self(Server::start_with(&keys::settings(folder), ManualClock::default()).await)
    }

    async fn run(&mut self, folder: &Path) -> Result<(), String> {
        let file = folder.join(keys::KEY_FILE_NAME).display().to_string();
        try_to_run_command(folder, &["--key-file", &file, "key", "rotate"]).await
    }

    async fn stop(self) {
        self.0.stop().await;
    }

    async fn find_faults(folder: &Path, _: &KnownState) -> Vec<String> {
        keys::check_image(folder).await
    }
}

/// The archive of a completed pay period. Housekeeping returns no result and therefore acknowledges nothing.
/// If the archive is incomplete, the first run reports a failure, so that housekeeping runs again.
struct Archive {
    server: Server,
    register: String,
    runs: i64,
}

impl Operation for Archive {
    async fn prepare(folder: &Path) -> Self {
        std::fs::create_dir(folder.join(archive::FOLDER)).expect("a folder");
        let server = Server::start_with(&archive::settings(folder), ManualClock::default()).await;
        let register = server.get(archive::REGISTER).await.body;
        std::fs::write(folder.join("register"), &register).expect("a file");
        Self { server, register, runs: 0 }
    }

    async fn run(&mut self, folder: &Path) -> Result<(), String> {
        self.runs += 1;
        let seconds = if self.runs == 1 { ARCHIVING_AGE } else { LONGER_THAN_CLAIM };
        archive::run_archive(&self.server, folder, seconds).await;
        self.server.get_token().await;
        let is_same = self.server.get(archive::REGISTER).await.body == self.register;
        match (is_same, archive::is_archive_complete(folder)) {
            (true, true) => Ok(()),
            other => Err(format!("the register is the same, and the archive is complete: {other:?}")),
        }
    }

    async fn stop(self) {
        self.server.stop().await;
    }

    async fn find_faults(folder: &Path, _: &KnownState) -> Vec<String> {
        let register = std::fs::read_to_string(folder.join("register")).expect("the register");
        archive::check_image(folder, &KnownState::default(), &register).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_loses_nothing_if_any_system_call_fails() {
    assert_no_loss(fail_call::<Backup>).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_loses_nothing_if_any_system_call_fails() {
    assert_no_loss(fail_call::<Restore>).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_rotation_loses_nothing_if_any_system_call_fails() {
    assert_no_loss(fail_call::<Rotation>).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_loses_nothing_if_any_system_call_fails() {
    assert_no_loss(fail_call::<Archive>).await;
}
