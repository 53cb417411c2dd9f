//! The load benchmark: the real server beside a floor, on both databases, in one run.
//!
//! ```text
//! cargo build --release -p payroll-server && cargo run --release -p load
//! ```
//!
//! prints the tables of docs/benchmarks.md. Traffic stays on this machine, and every run is
//! bounded in time. `--postgres URL` names another PostgreSQL server; databases of its own are
//! made there and dropped again. `--seconds N` and `--rounds N` make it longer or shorter.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the real clock, and its report is what it prints"
)]

mod client;
mod database;
mod floor;
mod footprint;
mod measure;
mod process;
mod report;
mod stage;
mod world;

use std::time::Duration;

/// Whatever goes wrong ends the benchmark with a sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the command line says.
struct Arguments {
    seconds: Duration,
    rounds: usize,
    postgres: String,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [command, database, application_id, address] = words.as_slice()
        && command == "floor"
    {
        return floor::serve(database, application_id, address).await;
    }
    let arguments = read_arguments(&words)?;
    println!("{}", report::HEAD);
    for database in [database::Database::sqlite()?, database::Database::postgres(&arguments.postgres).await?]
    {
        let stage = stage::Stage::set_up(&database).await?;
        for row in measure::rows(&stage, arguments.seconds, arguments.rounds).await? {
            println!("{}", report::lines(&row));
        }
    }
    println!("\n{}", footprint::measure().await?);
    Ok(())
}

fn read_arguments(words: &[String]) -> Result<Arguments, Failure> {
    let mut arguments = Arguments {
        seconds: Duration::from_secs(4),
        rounds: 3,
        postgres: "postgres://postgres@127.0.0.1:5432".to_owned(),
    };
    for pair in words.chunks(2) {
        match pair {
            [name, value] if name == "--seconds" => arguments.seconds = Duration::from_secs(value.parse()?),
            [name, value] if name == "--rounds" => arguments.rounds = value.parse()?,
            [name, value] if name == "--postgres" => arguments.postgres.clone_from(value),
            other => return Err(format!("unknown argument: {}", other.join(" ")).into()),
        }
    }
    Ok(arguments)
}
