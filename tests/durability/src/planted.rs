//! Tests with planted defects. The test harness must find each defect within a few power cuts. This shows
//! that the harness would also find a real defect.

use crate::cuts::CUTS_FOR_A_DEFECT;
use crate::defect::Defect;
use crate::operations::{archive, backup, checks};

/// Fails unless the description of at least one fault contains the given text.
fn assert_faults_mention(faults: &[String], words: &str) {
    let found = faults.iter().any(|fault| fault.contains(words));
    assert!(found, "{CUTS_FOR_A_DEFECT} cuts have not found it: {faults:#?}");
}

/// The text in the description of a fault that reports the loss of an acknowledged commit.
const LOSS_MESSAGE: &str = "0 checks of request";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_never_syncs_is_detected() {
    let off = Defect::Synchronous(c"PRAGMA synchronous = OFF");
    assert_faults_mention(&checks::find_faults_caused_by_defect(off, CUTS_FOR_A_DEFECT).await, LOSS_MESSAGE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_syncs_only_at_checkpoints_is_detected() {
    let normal = Defect::Synchronous(c"PRAGMA synchronous = NORMAL");
    assert_faults_mention(
        &checks::find_faults_caused_by_defect(normal, CUTS_FOR_A_DEFECT).await,
        LOSS_MESSAGE,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_before_the_commit_is_detected() {
    assert_faults_mention(
        &checks::find_faults_caused_by_defect(Defect::EarlyResponse, CUTS_FOR_A_DEFECT).await,
        LOSS_MESSAGE,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_early_removal_of_an_idempotency_record_is_detected() {
    let early = Defect::Trigger(
        "CREATE TRIGGER early AFTER UPDATE OF status ON idempotency_keys BEGIN \
           DELETE FROM idempotency_keys WHERE owner = new.owner AND idempotency_key = new.idempotency_key; END",
    );
    assert_faults_mention(
        &checks::find_faults_caused_by_defect(early, CUTS_FOR_A_DEFECT).await,
        "is not stored exactly once",
    );
}

/// Returns whether a path is the folder of archives or inside the folder.
fn is_archive(path: &std::path::Path) -> bool {
    path.to_string_lossy().contains("/archive")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removal_of_checks_before_the_sync_of_their_archive_is_detected() {
    let unsynced = Defect::Unsynced(|path| is_archive(path) && path.extension().is_some());
    let faults = archive::find_faults_caused_by_defect(unsynced, CUTS_FOR_A_DEFECT).await;
    assert_faults_mention(&faults, "checks are in the database and");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_in_an_unsynced_folder_is_detected() {
    let unsynced = Defect::Unsynced(|path| is_archive(path) && path.extension().is_none());
    let faults = archive::find_faults_caused_by_defect(unsynced, CUTS_FOR_A_DEFECT).await;
    assert_faults_mention(&faults, "checks are in the database and 0 in the file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unsynced_backup_is_detected() {
    let unsynced = Defect::Unsynced(|path| path.parent().is_some_and(|it| it.ends_with(backup::FOLDER)));
    assert_faults_mention(
        &backup::find_faults_caused_by_defect(unsynced, CUTS_FOR_A_DEFECT).await,
        "the copy is damaged",
    );
}
