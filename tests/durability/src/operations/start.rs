//! The first start of a server, which creates its database with all migrations.

use payroll_server::app;
use payroll_server::system::SystemRandomness;
use std::sync::Arc;

use crate::clock::ManualClock;
use crate::cuts;
use crate::defect::Defect;
use crate::invariants;
use crate::recorder;
use crate::server::new_memory_folder;
use crate::world;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_first_start_continues() {
    let folder = new_memory_folder();
    let recording = recorder::start(folder.path(), Defect::None);
    let open = async |root: &std::path::Path| {
        let clock: Arc<ManualClock> = Arc::default();
        app::build_app(&world::settings(root), clock, Arc::new(SystemRandomness)).await.map(drop)
    };
    open(folder.path()).await.unwrap_or_else(|failure| panic!("{failure}"));
    let recorded = recording.end_recording_early();
    let look = async |root: &std::path::Path, _: &cuts::KnownState| match open(root).await {
        Ok(()) => invariants::find_violations(root),
        Err(failure) => vec![failure.to_string()],
    };
    let faults = cuts::check_all_cuts(&recorded, 0, cuts::read_cuts_per_operation(), look).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
