//! Simulates power cuts of PostgreSQL's disk while clients add checks. A power cut can lose all unsynced
//! data. Each acknowledged batch must be stored once, and a retry must return the same bytes as the first
//! response.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tempfile::TempDir;

use super::chaos::query_number;
use super::failover::{execute, run_with_postgres};
use super::postgres::{PostgresMachine, next_network};
use super::volatile_disk::VolatileDisk;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, Response, check_with_correlation_id, fill_database,
    token_form,
};

/// Settings of a PostgreSQL server whose changes survive a power cut. The server creates checkpoints often.
/// Its background writer sleeps, so that only waiting commits flush the log.
const DURABLE_SETTINGS: &str = "fsync = on\nfull_page_writes = on\nmax_wal_size = 32MB\nmin_wal_size = 32MB\n\
    wal_writer_delay = 10s\n";
/// The name of the PostgreSQL server. Its data folder has the same name.
const MACHINE_NAME: &str = "data";
/// The default number of power cuts.
const DEFAULT_CUTS: u64 = 6;
/// The environment variable with the number of power cuts.
const CUTS_VARIABLE: &str = "TEST_POWER_CUTS";
/// The number of power cuts within which the test must detect a server with unsafe settings.
const MAX_CUTS_TO_DEFECT: u64 = 10;
/// The maximum time until requests succeed after a power cut.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(20);
/// The pause between two attempts of a request after a power cut.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// The number of clients that add checks.
const WRITER_COUNT: u64 = 4;

fn cut_count() -> u64 {
    let value = std::env::var(CUTS_VARIABLE).ok();
    value
        .map_or(DEFAULT_CUTS, |value| value.parse().unwrap_or_else(|_| panic!("{CUTS_VARIABLE} is a number")))
}

/// A PostgreSQL server on a disk that loses unsynced data at a power cut.
struct PowerCutMachine {
    // The fields are dropped in this order. The server must end before the disk is unmounted, and the disk
    // must be unmounted before its folder is deleted.
    server: PostgresMachine,
    disk: VolatileDisk,
    _folder: TempDir,
}

impl PowerCutMachine {
    /// Mounts the disk and starts the server on it. Returns `None` if this machine has no PostgreSQL or
    /// cannot mount a disk, which is reported on standard error.
    fn start(settings: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join(MACHINE_NAME);
        std::fs::create_dir(&data).expect("a folder");
        let server =
            PostgresMachine::in_folder(folder.path(), MACHINE_NAME, format!("{}.1", next_network()))?;
        let disk = mount_disk(&data)?;
        server.create_server(&format!("{DURABLE_SETTINGS}{settings}"));
        Some(Self { server, disk, _folder: folder })
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@{}/{database}", self.server.host())
    }

    /// Cuts the power of the server and of its disk, and then restores the power of both. Returns whether the
    /// server starts again.
    async fn cut_power(&mut self, seed: u64) -> bool {
        let disk = &self.disk;
        self.server.simulate_power_cut(|| disk.cut_power()).await;
        tokio::task::block_in_place(|| {
            self.disk.restore_power(seed);
            self.server.restart_after_power_cut()
        })
    }
}

fn mount_disk(data: &Path) -> Option<VolatileDisk> {
    match VolatileDisk::mount_on(data) {
        Ok(disk) => Some(disk),
        Err(error) => {
            super::report_missing_program(&format!("fuse ({error})"));
            None
        }
    }
}

/// A batch, and its response if it was acknowledged before the power cut.
struct Batch {
    id: String,
    response: Option<Response>,
}

impl Batch {
    async fn send(process: &Process, token: &str, id: &str) -> Option<Response> {
        let checks = json!([check_with_correlation_id(id)]);
        let request = Request::post_checks(OPEN, &checks).idempotency_key(id);
        process.client.send_unchecked(&request, Some(token)).await.ok().filter(|sent| sent.status == 201)
    }

    /// Resends the batch until the server acknowledges it. Returns `false` if this takes too long. Also
    /// returns `false` if the server does not replay the response from before the power cut.
    async fn resend_until_acknowledged(&self, process: &Process, token: &str) -> bool {
        let sent = async {
            loop {
                if let Some(response) = Self::send(process, token, &self.id).await {
                    return response;
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        };
        let Ok(again) = tokio::time::timeout(MAX_RECOVERY_TIME, sent).await else { return false };
        self.response
            .as_ref()
            .is_none_or(|before| again.header("idempotent-replayed") == "true" && again.body == before.body)
    }
}

/// Adds batches, one after the other, until the power is cut.
async fn write_until_cut(process: &Process, token: &str, name: &str, is_cut: &AtomicBool) -> Vec<Batch> {
    let mut batches = Vec::new();
    while !is_cut.load(Ordering::SeqCst) {
        let id = format!("{name}-{}", batches.len());
        let response = Batch::send(process, token, &id).await;
        batches.push(Batch { id, response });
    }
    batches
}

/// Runs clients through this number of power cuts, and returns the number of acknowledged batches. The inner
/// value is `None` if a batch is lost or duplicated, or if PostgreSQL or a batch fails afterwards.
async fn count_acknowledged(
    settings: &str,
    query: &str,
    arguments: &[&str],
    cuts: u64,
) -> Option<Option<usize>> {
    let mut machine = PowerCutMachine::start(settings)?;
    execute(&machine.url("postgres"), "CREATE DATABASE pay").await;
    let url = machine.url("pay");
    Box::pin(fill_database(&url)).await;
    machine.disk.sync();
    let folder = Database::empty(DatabaseKind::Sqlite).await;
    let process =
        Process::serve_with(&folder, &[&["--database-url", &format!("{url}{query}")], arguments].concat());
    let token = process.client.request_token(token_form()).await;
    let (mut acknowledged, mut sent) = (0, 0);
    for cut in 0..cuts {
        let names: Vec<String> = (0..WRITER_COUNT).map(|writer| format!("{cut}-{writer}")).collect();
        let is_cut = AtomicBool::new(false);
        let writers = join_all(names.iter().map(|name| write_until_cut(&process, &token, name, &is_cut)));
        let cutting = async {
            // The power cuts happen at different moments within half a second.
            tokio::time::sleep(Duration::from_millis(50 + cut * 337 % 500)).await;
            is_cut.store(true, Ordering::SeqCst);
            machine.cut_power(cut).await
        };
        let (batches, is_started) = tokio::join!(writers, cutting);
        if !is_started {
            return Some(None);
        }
        for batch in batches.iter().flatten() {
            if !batch.resend_until_acknowledged(&process, &token).await {
                return Some(None);
            }
            acknowledged += usize::from(batch.response.is_some());
            sent += 1;
        }
        let stored = query_number(&url, "SELECT count(*) FROM checks WHERE application_id <> ''").await;
        let different = "SELECT count(DISTINCT correlation_id) FROM checks WHERE application_id <> ''";
        if stored != sent || query_number(&url, different).await != sent {
            return Some(None);
        }
    }
    Some(Some(acknowledged))
}

#[test]
#[expect(clippy::print_stdout, reason = "what there was is to be read where it is measured")]
fn a_power_cut_of_postgresql_loses_no_acknowledged_check() {
    run_with_postgres(async || {
        let Some(found) = count_acknowledged("", "", &[], cut_count()).await else { return };
        let acknowledged = found.expect("no acknowledged batch is lost or duplicated");
        assert!(acknowledged > 0, "batches were acknowledged");
        println!("{} power cuts: {acknowledged} acknowledged batches", cut_count());
    });
}

#[test]
fn a_power_cut_finds_unsafe_settings_of_postgresql() {
    run_with_postgres(async || {
        let session = "?options=-c%20synchronous_commit%3Doff";
        for (setting, query) in [("", session), ("fsync = off\n", "")] {
            let accepted = ["--accept-unsafe-database", "fsync,full_page_writes,synchronous_commit"];
            let Some(found) = count_acknowledged(setting, query, &accepted, MAX_CUTS_TO_DEFECT).await else {
                return;
            };
            assert_eq!(found, None, "{setting}{query}");
        }
    });
}
