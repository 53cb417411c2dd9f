//! The total throughput of several clients that each add one check after another with an idempotency key.

use std::time::Duration;

use crate::Failure;
use crate::client::Request;
use crate::database::Database;
use crate::measure::measure as measured;
use crate::report::{Measured, median};
use crate::stage::LoadFixture;
use crate::world::{COMPANIES, OPEN_PERIOD, batch_of, company_id};

/// The numbers of simultaneous clients.
const CLIENTS: [usize; 4] = [1, 8, 64, 256];

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(length: Duration, rounds: usize, postgres: &str) -> Result<(), Failure> {
    println!("| database | clients | requests/s | p50 ms | p99 ms | process CPU µs | database CPU µs |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for database in [Database::sqlite()?, Database::postgres(postgres).await?] {
        let stage = LoadFixture::set_up(&database).await?;
        for clients in CLIENTS {
            println!("{}", run(&stage, clients, (length, rounds)).await?);
        }
    }
    Ok(())
}

/// Measures one number of clients and returns a row of the table.
async fn run(
    stage: &LoadFixture<'_>,
    clients: usize,
    (length, rounds): (Duration, usize),
) -> Result<String, Failure> {
    let mut runs = Vec::new();
    for _ in 0..rounds {
        let server = stage.server().await?;
        let authorization = stage.authorization(&server.address).await?;
        let requests: Vec<_> =
            (0..clients).map(|client| vec![request(&authorization, client % COMPANIES)]).collect();
        runs.push(measured(stage.database, &server, &requests, length).await?);
    }
    let of = |figure: &dyn Fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
    Ok(format!(
        "| {} | {clients} | {:.0} | {:.2} | {:.2} | {:.0} | {:.0} |",
        stage.database.name(),
        of(&Measured::per_second),
        of(&|run| run.milliseconds_at(0.5)),
        of(&|run| run.milliseconds_at(0.99)),
        of(&|run| run.cpu_micros(run.process_cpu_seconds)),
        of(&|run| run.cpu_micros(run.database_cpu_seconds)),
    ))
}

/// A POST of one check with three lines.
fn request(authorization: &str, company: usize) -> Request {
    let company_id = company_id(company);
    let headers = format!("{authorization}Content-Type: application/vnd.vendor.payroll.checks.v1+json\r\n");
    let line = format!("POST /companies/{company_id}/checks");
    Request::new(&line, &headers, &batch_of(&company_id, OPEN_PERIOD, 1), 201).with_key()
}
