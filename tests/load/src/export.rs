//! The throughput of the export in workers per second, and its memory.

use std::time::Instant;

use crate::Failure;
use crate::database::Database;
use crate::import::{per_second, run_to_completion};
use crate::import_file::{self, ImportSize};
use crate::report::megabytes;
use crate::stage::{payroll_server, run_command};

/// Number of measurements on each database.
const ROUNDS: usize = 3;

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(size: ImportSize, postgres: &str) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (file, exported) = (folder.path().join("in.ndjson"), folder.path().join("out.ndjson"));
    import_file::write_import_file(&file, size)?;
    println!("| database | companies | seconds | workers/s (at least 10,000) | file | peak VmRSS |");
    println!("|---|---|---:|---:|---:|---:|");
    for database in [Database::create_sqlite()?, Database::create_postgres(postgres).await?] {
        run_command(&database, &["migrate", "--create"])?;
        run_command(&database, &["import", &file.display().to_string()])?;
        for _ in 0..ROUNDS {
            // The export overwrites no existing file, so the file of the previous round is deleted.
            std::fs::remove_file(&exported).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })?;
            let started = Instant::now();
            let peak = run_to_completion(payroll_server(&database)?.args(["export", "--all"]).arg(&exported))
                .await?;
            let seconds = started.elapsed().as_secs_f64();
            println!(
                "| {} | {} x {} workers | {seconds:.2} | {:.0} | {:.1} MB | {:.0} MB |",
                database.name(),
                size.companies,
                size.workers,
                per_second(size.total_workers(), seconds),
                megabytes(std::fs::metadata(&exported)?.len() / 1_000),
                megabytes(peak),
            );
        }
    }
    Ok(())
}
