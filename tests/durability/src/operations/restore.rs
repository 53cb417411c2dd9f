//! Runs the command `restore` over an existing database. After a power cut, the path must contain the
//! previous or the restored database. If the path contains no database, the previous database must exist
//! under its new name. The previous data is never lost.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::backup::{FOLDER, run_command};
use super::checks;
use crate::cuts::{self, KnownState};
use crate::defect::Defect;
use crate::disk::DiskEvent;
use crate::recorder;
use crate::server::{Server, new_folder};
use crate::world;

/// Number of checks that each request stores.
const CHECKS_PER_REQUEST: i64 = 2;

/// Returns the path of the previous database under its new name. `None` if no such file exists.
fn previous_database(database: &Path) -> Option<PathBuf> {
    let beginning = format!("{}.before-restore-", database.file_name()?.to_str()?);
    let entries = std::fs::read_dir(database.parent()?).ok()?.flatten();
    let named = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with(&beginning) && name.ends_with('Z'))
    };
    entries.map(|entry| entry.path()).find(named)
}

/// Counts the checks in a database, or returns a fault if the database is damaged.
fn count_rows(database: &Path) -> Result<i64, String> {
    let failed = |error: rusqlite::Error| format!("{} is damaged: {error}", database.display());
    let connection = Connection::open(database).map_err(failed)?;
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0)).map_err(failed);
    match number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")? {
        0 => number("SELECT count(*) FROM checks WHERE application_id <> ''"),
        _ => Err(format!("{} is damaged", database.display())),
    }
}

/// Returns the faults after a power cut. The data from before the restore must exist in one of the two
/// databases.
pub(crate) fn check_image(root: &Path, known: &KnownState) -> Vec<String> {
    let database = root.join(world::DATABASE_FILE_NAME);
    let is_done = known.requests.get(&1) == Some(&true);
    let (before, after) = (2 * CHECKS_PER_REQUEST, CHECKS_PER_REQUEST);
    let present = database.exists().then(|| count_rows(&database)).transpose();
    let previous = previous_database(&database).map(|path| count_rows(&path)).transpose();
    match (present, previous) {
        (Err(fault), _) | (_, Err(fault)) => vec![fault],
        (Ok(Some(checks)), Ok(Some(previous))) if checks == after && previous == before => Vec::new(),
        (Ok(Some(checks)), Ok(None)) if checks == before && !is_done => Vec::new(),
        (Ok(None), Ok(Some(previous))) if previous == before && !is_done => Vec::new(),
        other => {
            vec![format!("restored: {is_done}, checks in the database and in the previous one: {other:?}")]
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_loses_neither_the_backup_nor_the_previous_database() {
    let folder = new_folder(Defect::None).await;
    let copy = folder.path().join(FOLDER).join("copy.db").display().to_string();
    std::fs::create_dir(folder.path().join(FOLDER)).expect("a folder");
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start(folder.path()).await;
    assert_eq!(server.send(&checks::add_check_request(0)).await.status, 201);
    run_command(folder.path(), &["backup", &copy]).await;
    assert_eq!(server.send(&checks::add_check_request(1)).await.status, 201);
    server.stop().await;
    let from = recording.position();
    recorder::add_event(DiskEvent::Sent(1));
    run_command(folder.path(), &["restore", &copy, "--force"]).await;
    recorder::add_event(DiskEvent::Acknowledged(1));
    let recorded = recording.end_recording_early();
    let faults =
        cuts::check_all_cuts(&recorded, from, cuts::read_cuts_per_operation(), async |root, known| {
            check_image(root, known)
        })
        .await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
