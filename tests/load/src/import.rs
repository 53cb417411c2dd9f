//! The throughput of the import in workers per second, its memory, and the latency for partners during the
//! import.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::import_file::{self, ImportSize};
use crate::process::peak_kilobytes;
use crate::report::megabytes;
use crate::stage::{LoadFixture, payroll_server, run_command};
use crate::world::OPEN_PERIOD;

/// The size of the file for measuring memory: one large company.
const LARGE_IMPORT_SIZE: ImportSize = ImportSize { companies: 1, workers: 50_000 };
/// The pause between two writes of the partner. The pause is short enough to overlap with every company of
/// the import, and long enough to use little of the machine.
const WRITE_PAUSE: Duration = Duration::from_millis(20);
/// The interval at which the memory of a process is read.
const READ_INTERVAL: Duration = Duration::from_millis(5);

/// Measures and prints the tables of docs/benchmarks.md.
pub(crate) async fn measure(size: ImportSize, postgres: &str) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (many, large) = (folder.path().join("many.ndjson"), folder.path().join("large.ndjson"));
    import_file::write_import_file(&many, size)?;
    import_file::write_import_file(&large, LARGE_IMPORT_SIZE)?;
    println!("| database | file | seconds | workers/s | peak VmRSS |\n|---|---|---:|---:|---:|");
    for (file, size) in [(&many, size), (&large, LARGE_IMPORT_SIZE)] {
        for database in [Database::create_sqlite()?, Database::create_postgres(postgres).await?] {
            run_command(&database, &["migrate", "--create"])?;
            for what in ["new", "again, unchanged"] {
                println!("{}", import_into_empty(&database, file, size, what).await?);
            }
        }
    }
    let database = Database::create_sqlite()?;
    let stage = LoadFixture::set_up(&database).await?;
    println!(
        "\n| SQLite, a partner writes meanwhile | seconds | writes | failures | median ms | longest ms |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    println!("{}", import_during_requests(&stage, &many).await?);
    Ok(())
}

/// Imports a file without other load and returns a row of the table.
async fn import_into_empty(
    database: &Database,
    file: &Path,
    size: ImportSize,
    what: &str,
) -> Result<String, Failure> {
    let started = Instant::now();
    let peak = run_import(database, file).await?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(format!(
        "| {} | {} x {} workers, {what} | {seconds:.1} | {:.0} | {:.0} MB |",
        database.name(),
        size.companies,
        size.workers,
        per_second(size.total_workers(), seconds),
        megabytes(peak),
    ))
}

/// Imports a file in a separate process and returns its peak of resident memory in kilobytes.
async fn run_import(database: &Database, file: &Path) -> Result<u64, Failure> {
    run_to_completion(payroll_server(database)?.arg("import").arg(file)).await
}

/// Runs a command to its end and returns its peak of resident memory in kilobytes.
pub(crate) async fn run_to_completion(command: &mut Command) -> Result<u64, Failure> {
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let (status, peak) = wait_with_peak_memory(&mut child).await?;
    if status.success() { Ok(peak) } else { Err(format!("the command ended with {status}").into()) }
}

/// Waits for the end of a process and returns its exit status and its peak of resident memory in kilobytes.
async fn wait_with_peak_memory(child: &mut Child) -> Result<(ExitStatus, u64), Failure> {
    let mut peak = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, peak));
        }
        // A process that is ending no longer has a memory size.
        peak = peak_kilobytes(child.id()).unwrap_or(peak);
        tokio::time::sleep(READ_INTERVAL).await;
    }
}

/// Imports in another process while a partner of another company writes through the server. Returns a row of
/// the table.
async fn import_during_requests(stage: &LoadFixture<'_>, file: &Path) -> Result<String, Failure> {
    let server = stage.start_server().await?;
    let request = LoadFixture::add_request(&stage.authorization(&server.address).await?, 0, OPEN_PERIOD);
    let started = Instant::now();
    let writing = write_until(&server.address, &request, run_import(stage.database, file));
    let (mut waits, failures) = writing.await?;
    let seconds = started.elapsed().as_secs_f64();
    waits.sort();
    let at = |index: usize| waits.get(index).map_or(0.0, |wait| wait.as_secs_f64() * 1_000.0);
    Ok(format!(
        "| import in another process | {seconds:.1} | {} | {failures} | {:.0} | {:.0} |",
        waits.len(),
        at(waits.len() / 2),
        at(waits.len().saturating_sub(1)),
    ))
}

/// Repeats the write until the import ends, and returns the duration of each write and the number of
/// failures.
async fn write_until(
    address: &str,
    request: &Request,
    import: impl Future<Output = Result<u64, Failure>>,
) -> Result<(Vec<Duration>, usize), Failure> {
    let (mut import, mut waits, mut failures) = (std::pin::pin!(import), Vec::new(), 0);
    loop {
        let write = async {
            let sent = Instant::now();
            let response = send_once(address, request).await;
            let waited = sent.elapsed();
            tokio::time::sleep(WRITE_PAUSE).await;
            (response.is_ok(), waited)
        };
        tokio::select! {
            ended = &mut import => return ended.map(|_| (waits, failures)),
            (answered, wait) = write => {
                waits.push(wait);
                failures += usize::from(!answered);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn per_second(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}
