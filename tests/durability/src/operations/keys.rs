//! Runs the command `key rotate` next to a running server. After any power cut, the key file must decrypt
//! every encrypted value.

use std::path::Path;

use payroll_server::config::Settings;

use super::backup::run_command;
use crate::clock::ManualClock;
use crate::cuts;
use crate::defect::Defect;
use crate::invariants;
use crate::recorder;
use crate::server::{Server, new_folder, write_private_file};
use crate::world;

/// The name of the key file in the folder of the database.
pub(crate) const KEY_FILE_NAME: &str = "keys";

pub(crate) fn settings(root: &Path) -> Settings {
    Settings {
        keys: Settings::default().keys,
        key_file: root.join(KEY_FILE_NAME).display().to_string(),
        ..world::settings(root)
    }
}

/// Returns the faults after a power cut. The key file must decrypt all data.
pub(crate) async fn check_image(root: &Path) -> Vec<String> {
    // The server does not start if a key is missing, and `key reseal` fails if a row cannot be decrypted.
    let server = Server::start_with(&settings(root), ManualClock::default()).await;
    run_command(root, &["--key-file", &root.join(KEY_FILE_NAME).display().to_string(), "key", "reseal"])
        .await;
    server.stop().await;
    invariants::find_violations(root)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_file_decrypts_all_data_at_each_moment_of_a_rotation() {
    let folder = new_folder(Defect::None).await;
    write_private_file(&folder.path().join(KEY_FILE_NAME), format!("{}\n", world::KEYS).as_bytes());
    let recording = recorder::start(folder.path(), Defect::None);
    let server = Server::start_with(&settings(folder.path()), ManualClock::default()).await;
    let from = recording.position();
    let file = folder.path().join(KEY_FILE_NAME).display().to_string();
    run_command(folder.path(), &["--key-file", &file, "key", "rotate"]).await;
    let recorded = recording.end_recording_early();
    server.stop().await;
    let faults = cuts::check_all_cuts(&recorded, from, cuts::read_cuts_per_operation(), async |root, _| {
        check_image(root).await
    })
    .await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
