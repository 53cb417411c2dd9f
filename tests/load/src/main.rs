//! The load benchmark: compares the real server with the floor, a minimal server without business rules
//! (`floor`), on both databases in one run.
//!
//! ```text
//! cargo build --release -p payroll-server && cargo run --release -p load
//! ```
//!
//! prints the tables of docs/benchmarks.md. `LOAD_SERVER=PATH` measures another build of the server. Traffic
//! stays on this machine, and every run is limited in time. `--postgres URL` sets another PostgreSQL server,
//! on which the benchmark creates its own databases and drops them afterwards. `--seconds N` and `--rounds N`
//! make the run longer or shorter.
//!
//! `--only PATCH` measures only the operations whose names begin with `PATCH`, without memory and start.
//! `--only "GET a page of 20"` measures the pages of workers and of pay periods.
//!
//! Other arguments select other measurements:
//!
//! * `-- completion` measures the completion of a pay period. `--checks N` sets its size.
//! * `-- pay-run` measures the preview of a pay period, its completion, and the payroll register.
//! * `-- slow-clients` measures the memory for clients that send or read slowly.
//! * `-- clients` measures 1, 8, 64 and 256 clients, and the disk flushes for each request. `--only TEXT`
//!   selects operations.
//! * `-- contention` measures an operator's latency on a company to which 16 and 64 clients add checks. `--nodes`
//!   distributes the PostgreSQL database.
//! * `-- export` measures the export. `--companies N` and `--workers N` set its size.
//! * `-- growth` measures the cost of requests on a large database. `--checks N`, `--companies N` and
//!   `--events N` set its size, and `--partitions N` sets the number of partitions of the checks on
//!   PostgreSQL. `--only SQLite` or `--only PostgreSQL` selects one database, and `--nodes
//!   HOST:PORT,HOST:PORT` distributes it over nodes.
//! * `-- webhooks` measures notifications. `--only drain`, `changes`, `fan`, `latency`, `slow`, `memory` or
//!   `responses` selects one measurement, and `--waiting N` sets the number of pending notifications.
//! * `-- import` measures the import. `--companies N` and `--workers N` set its size.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the real clock, and its report is what it prints"
)]

mod client;
mod clients;
mod completion;
mod contention;
mod copies;
mod database;
mod export;
mod failure;
mod floor;
mod footprint;
mod growth;
mod import;
mod import_file;
mod measure;
mod pay_run;
mod process;
mod report;
mod slow_clients;
mod stage;
mod webhooks;
mod world;

use std::time::Duration;

pub(crate) use failure::Failure;

/// The arguments from the command line.
struct Arguments {
    seconds: Duration,
    rounds: usize,
    /// The prefix for the names of the operations to measure.
    only: String,
    import: import_file::ImportSize,
    checks: usize,
    events: usize,
    waiting: usize,
    partitions: usize,
    postgres: String,
    /// The nodes in addition to the coordinator, if the database is to be distributed.
    nodes: Vec<String>,
}

impl Arguments {
    const fn growth_size(&self) -> growth::DatabaseSize {
        growth::DatabaseSize {
            checks: self.checks,
            companies: self.import.companies,
            events: self.events,
            partitions: self.partitions,
        }
    }

    const fn run_plan(&self) -> measure::RunPlan {
        measure::RunPlan { length: self.seconds, rounds: self.rounds, clients: world::COMPANIES }
    }

    fn database_options(&self) -> growth::DatabaseOptions<'_> {
        growth::DatabaseOptions { only: &self.only, postgres: &self.postgres, nodes: &self.nodes }
    }

    fn webhook_options(&self) -> webhooks::WebhookLoadOptions {
        webhooks::WebhookLoadOptions {
            only: self.only.clone(),
            length: self.seconds,
            rounds: self.rounds,
            waiting: self.waiting,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [command, database, application_id, address] = words.as_slice()
        && command == "floor"
    {
        return floor::serve(database, application_id, address).await;
    }
    if let [command, address] = words.as_slice()
        && command == "receive"
    {
        return webhooks::receiver::serve_counting(address).await;
    }
    match words.as_slice() {
        [command, rest @ ..] if !command.starts_with("--") => {
            run_measurement(command, &read_arguments(rest)?).await
        }
        words => measure_all_operations(&read_arguments(words)?).await,
    }
}

/// Runs the measurement that the first argument names.
async fn run_measurement(command: &str, arguments: &Arguments) -> Result<(), Failure> {
    let postgres = &arguments.postgres;
    match command {
        "import" => import::measure(arguments.import, postgres).await,
        "completion" => completion::measure(arguments.checks, postgres).await,
        "clients" => clients::measure(arguments.run_plan(), &arguments.only, postgres).await,
        "contention" => contention::measure(arguments.seconds, arguments.database_options()).await,
        "slow-clients" => slow_clients::measure().await,
        "pay-run" => pay_run::measure(arguments.checks, postgres).await,
        "export" => export::measure(arguments.import, postgres).await,
        "webhooks" => webhooks::measure(&arguments.webhook_options(), postgres).await,
        "growth" => {
            let on = arguments.database_options();
            growth::measure(arguments.growth_size(), (arguments.seconds, arguments.rounds), on).await
        }
        other => Err(format!("unknown argument: {other}").into()),
    }
}

/// Measures each operation on the server and on the minimal server (floor).
async fn measure_all_operations(arguments: &Arguments) -> Result<(), Failure> {
    println!("{}", report::TABLE_HEAD);
    for database in [
        database::Database::create_sqlite()?,
        database::Database::create_postgres(&arguments.postgres).await?,
    ] {
        let stage = stage::LoadFixture::set_up(&database).await?;
        for row in measure::measure_operations(&stage, arguments.run_plan(), &arguments.only).await? {
            println!("{}", report::format_rows(&row));
        }
    }
    if arguments.only.is_empty() {
        println!("\n{}", footprint::measure().await?);
    }
    Ok(())
}

fn read_arguments(words: &[String]) -> Result<Arguments, Failure> {
    let mut arguments = Arguments {
        seconds: Duration::from_secs(4),
        rounds: 3,
        only: String::new(),
        import: import_file::ImportSize { companies: 1_000, workers: 50 },
        checks: completion::CHECKS,
        events: 1_000_000,
        waiting: 1_000_000,
        partitions: 1,
        postgres: "postgres://postgres@127.0.0.1:5432".to_owned(),
        nodes: Vec::new(),
    };
    for pair in words.chunks(2) {
        match pair {
            [name, value] if name == "--seconds" => arguments.seconds = Duration::from_secs(value.parse()?),
            [name, value] if name == "--rounds" => arguments.rounds = value.parse()?,
            [name, value] if name == "--only" => arguments.only.clone_from(value),
            [name, value] if name == "--companies" => arguments.import.companies = value.parse()?,
            [name, value] if name == "--workers" => arguments.import.workers = value.parse()?,
            [name, value] if name == "--checks" => arguments.checks = value.parse()?,
            [name, value] if name == "--events" => arguments.events = value.parse()?,
            [name, value] if name == "--waiting" => arguments.waiting = value.parse()?,
            [name, value] if name == "--partitions" => arguments.partitions = value.parse()?,
            [name, value] if name == "--nodes" => {
                arguments.nodes = value.split(',').map(str::to_owned).collect();
            }
            [name, value] if name == "--postgres" => arguments.postgres.clone_from(value),
            other => return Err(format!("unknown argument: {}", other.join(" ")).into()),
        }
    }
    Ok(arguments)
}
