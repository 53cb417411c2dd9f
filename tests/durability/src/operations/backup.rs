//! Runs the command `backup` next to a running server. After a power cut, the copy must be complete or
//! absent.

use std::path::Path;

use clap::Parser;
use payroll_server::cli::Cli;
use payroll_server::commands;
use rusqlite::Connection;

use super::checks;
use crate::cuts::{self, KnownState};
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::recorder;
use crate::server::{Server, new_folder};
use crate::world;

/// The folder of the backup copies.
pub(crate) const FOLDER: &str = "copies";
pub(crate) const COPY_PATH: &str = "copies/copy.db";

/// Runs a command of the binary on the database in a folder, and panics if it fails.
pub(crate) async fn run_command(root: &Path, words: &[&str]) {
    try_to_run_command(root, words).await.unwrap_or_else(|failure| panic!("{words:?}: {failure}"));
}

/// Runs a command of the binary on the database in a folder. Returns the text of its error if it fails.
pub(crate) async fn try_to_run_command(root: &Path, words: &[&str]) -> Result<(), String> {
    let database = root.join(world::DATABASE_FILE_NAME).display().to_string();
    let all = ["payroll-server", "--log-level", "off", "--database-url", &database]
        .into_iter()
        .chain(words.iter().copied());
    let cli = Cli::try_parse_from(all).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::new();
    commands::run(cli, &mut out).await.map(drop).map_err(|failure| failure.to_string())
}

/// Returns the faults after a power cut. The copy must be complete. The copy may be absent only if the
/// command has not reported success.
pub(crate) fn check_image(root: &Path, known: &KnownState) -> Vec<String> {
    let copy = root.join(COPY_PATH);
    if !copy.exists() {
        let is_lost = known.requests.get(&1) == Some(&true);
        return is_lost.then(|| "the copy is gone".to_owned()).into_iter().collect();
    }
    let connection = match Connection::open(copy) {
        Ok(connection) => connection,
        Err(error) => return vec![format!("the copy cannot be opened: {error}")],
    };
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let damaged = number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'");
    let stored = number("SELECT count(*) FROM checks WHERE application_id <> ''");
    match (damaged, stored) {
        (Ok(0), Ok(2)) => Vec::new(),
        other => vec![format!("the copy is damaged: {other:?}")],
    }
}

/// Creates a backup on a server with this defect, simulates `count` power cuts, and returns the faults that
/// are found.
pub(crate) async fn find_faults_caused_by_defect(defect: Defect, count: usize) -> Vec<String> {
    let folder = new_folder(defect).await;
    std::fs::create_dir(folder.path().join(FOLDER)).expect("a folder");
    let recording = recorder::start(folder.path(), defect);
    let server = Server::start(folder.path()).await;
    assert_eq!(server.send(&checks::add_check_request(0)).await.status, 201);
    let from = recording.position();
    recorder::add_event(DiskEvent::Sent(1));
    run_command(folder.path(), &["backup", &folder.path().join(COPY_PATH).display().to_string()]).await;
    recorder::add_event(DiskEvent::Acknowledged(1));
    let recorded = recording.end_recording_early();
    server.stop().await;
    cuts::check_all_cuts(&recorded, from, count, async |root, known| check_image(root, known)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_complete_or_absent() {
    let faults = find_faults_caused_by_defect(Defect::None, cuts::read_cuts_per_operation()).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
