//! Runs housekeeping, which moves the checks of an old pay period from the database to a file.

use std::path::Path;
use std::sync::Arc;

use payroll_server::app::Housekeeper;
use payroll_server::config::Settings;
use payroll_server::system::SystemRandomness;

use crate::clock::ManualClock;
use crate::cuts::{self, KnownState};
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::invariants;
use crate::recorder;
use crate::server::{Server, new_folder};
use crate::world::{self, COMPANY_ID, OLD, OLD_CHECKS};

/// The age in seconds at which a pay period without changes is due for archiving.
pub(crate) const ARCHIVING_AGE: i64 = 60 * 86_400;
/// A time in seconds that is longer than the claim of an interrupted attempt.
pub(crate) const LONGER_THAN_CLAIM: i64 = 3_600;
pub(crate) const FOLDER: &str = "archive";
pub(crate) const REGISTER: &str = "/operator/v1/companies/ACME/payperiods/OLD/register";

pub(crate) fn settings(root: &Path) -> Settings {
    let folder = root.join(FOLDER).display().to_string();
    Settings { check_retention_days: 1, check_archive_folder: folder, ..world::settings(root) }
}

/// Advances the clock by the given seconds and archives the checks that are due.
pub(crate) async fn run_archive(server: &Server, root: &Path, seconds: i64) {
    let chance = (Arc::clone(&server.clock) as _, Arc::new(SystemRandomness) as _);
    let mut housekeeper = Housekeeper::new(server.store.clone(), chance, &settings(root));
    // Housekeeping does not trust the clock during its first run, so the test runs housekeeping twice.
    housekeeper.run_once().await;
    server.clock.advance_seconds(seconds);
    housekeeper.run_once().await;
}

/// Counts the complete lines of the archive file. A missing file has 0 lines.
fn count_archived_lines(root: &Path) -> usize {
    let path = root.join(FOLDER).join(COMPANY_ID).join(format!("{OLD}.ndjson"));
    std::fs::read_to_string(path).map_or(0, |text| text.lines().filter(|line| line.ends_with('}')).count())
}

/// Returns whether all checks are in the archive file and none is in the database.
pub(crate) fn is_archive_complete(root: &Path) -> bool {
    (invariants::count_old_checks(root), count_archived_lines(root)) == (0, OLD_CHECKS)
}

/// Returns the faults of the archive. Each check must be in the database or in the file.
fn find_archive_faults(root: &Path) -> Vec<String> {
    let (rows, lines) = (invariants::count_old_checks(root), count_archived_lines(root));
    let all = i64::try_from(OLD_CHECKS).expect("64 bits");
    let mut faults = invariants::find_violations(root);
    if rows != all && lines != OLD_CHECKS {
        faults.push(format!("{rows} checks are in the database and {lines} in the file, of {OLD_CHECKS}"));
    }
    faults
}

/// Returns the faults after a power cut. The next run of housekeeping must complete the archive.
pub(crate) async fn check_image(root: &Path, known: &KnownState, register: &str) -> Vec<String> {
    let mut server = Server::start_with(&settings(root), ManualClock::ahead_of_start(ARCHIVING_AGE)).await;
    let mut faults_found = find_archive_faults(root);
    if known.requests.get(&0) == Some(&true) && invariants::count_old_checks(root) != 0 {
        faults_found.push("archived checks are back".to_owned());
    }
    let is_as_before = async |server: &Server| server.get(REGISTER).await.body == register;
    if !is_as_before(&server).await {
        faults_found.push("the register is another one".to_owned());
    }
    // The next run of housekeeping finishes an interrupted attempt.
    run_archive(&server, root, LONGER_THAN_CLAIM).await;
    server.get_token().await;
    if !is_archive_complete(root) {
        faults_found.push("an interrupted archive is not gone on with".to_owned());
    }
    if !is_as_before(&server).await {
        faults_found.push("the register is another one in the end".to_owned());
    }
    server.stop().await;
    faults_found.extend(find_archive_faults(root));
    faults_found
}

/// Archives a period on a server with this defect, simulates `count` power cuts, and returns the faults that
/// are found.
pub(crate) async fn find_faults_caused_by_defect(defect: Defect, count: usize) -> Vec<String> {
    let folder = new_folder(defect).await;
    std::fs::create_dir(folder.path().join(FOLDER)).expect("a folder");
    let recording = recorder::start(folder.path(), defect);
    let server = Server::start_with(&settings(folder.path()), ManualClock::default()).await;
    let register = server.get(REGISTER).await.body;
    let from = recording.position();
    recorder::add_event(DiskEvent::Sent(0));
    run_archive(&server, folder.path(), ARCHIVING_AGE).await;
    recorder::add_event(DiskEvent::Acknowledged(0));
    assert!(is_archive_complete(folder.path()));
    let recorded = recording.end_recording_early();
    server.stop().await;
    cuts::check_all_cuts(&recorded, from, count, async |root, known| {
        check_image(root, known, &register).await
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_is_always_in_the_database_or_in_its_archive() {
    let faults = find_faults_caused_by_defect(Defect::None, cuts::read_cuts_per_operation()).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
