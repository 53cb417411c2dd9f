//! Growth: the cost of a request on a database with a long history, compared with the cost on an almost empty
//! database.

use std::time::Duration;

use crate::Failure;
use crate::client::{Request, send_once, send_repeatedly};
use crate::completion::{OPERATOR_ADDRESS, import_deduction, pay_period_request};
use crate::copies::RowCopies;
use crate::database::Database;
use crate::process::{Server, postgres_cpu_seconds};
use crate::report::median;
use crate::stage::{Api, LoadFixture, payroll_server};
use crate::world::{BATCH_CHECKS, COMPANIES, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, company_id};

/// Number of checks in each pay period of the history. Ten million checks fill 400 pay periods of two weeks,
/// which are 15 years.
const PERIOD_CHECKS: usize = 25_000;
/// The highest accepted ratio: the processor time on the grown database, divided by that on the almost empty
/// database.
const MOST: f64 = 1.2;
/// Number of connections that send requests. With a small number, requests do not wait long for each other.
const CONNECTIONS: usize = 4;
/// Number of events in one page.
const PAGE_EVENTS: usize = 100;

/// The amount of data in the grown database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatabaseSize {
    /// Number of processed checks in the history of one company.
    pub(crate) checks: usize,
    /// Number of companies of the application.
    pub(crate) companies: usize,
    /// Number of events in the feed.
    pub(crate) events: usize,
    /// Number of partitions of the table of checks on PostgreSQL. With 1, the table has no partitions.
    pub(crate) partitions: usize,
}

/// The databases to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatabaseOptions<'a> {
    /// The name of the only kind of database to measure. Both kinds are measured if the name is empty.
    pub(crate) only: &'a str,
    /// The URL of the PostgreSQL server.
    pub(crate) postgres: &'a str,
    /// The nodes for the distributed tables, as `host:port`. The list is empty for one machine.
    pub(crate) nodes: &'a [String],
}

/// An operation whose cost the benchmark measures.
struct MeasuredOperation {
    name: &'static str,
    door: Api,
    requests: Vec<Request>,
}

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(
    size: DatabaseSize,
    (length, rounds): (Duration, usize),
    on: DatabaseOptions<'_>,
) -> Result<(), Failure> {
    println!("| database | operation | nearly empty µs | grown µs | grown / empty |");
    println!("|---|---|---:|---:|---:|");
    for name in ["SQLite", "PostgreSQL"].into_iter().filter(|name| on.only.is_empty() || on.only == *name) {
        let database = async || match name {
            "SQLite" => Database::create_sqlite(),
            _ if on.nodes.is_empty() => Database::create_postgres(on.postgres).await,
            _ => create_distributed_database(on).await,
        };
        let (empty, grown) = (database().await?, database().await?);
        let (of_empty, of_grown) = (LoadFixture::set_up(&empty).await?, LoadFixture::set_up(&grown).await?);
        for stage in [&of_empty, &of_grown] {
            create_history(stage).await?;
        }
        add_data(&grown, size).await?;
        for number in 0..operations(&of_empty, "").len() {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                before.push(measure_cost(&of_empty, number, length).await?);
                after.push(measure_cost(&of_grown, number, length).await?);
            }
            let share = median(before.iter().zip(&after).map(|(before, after)| after / before).collect());
            let missed = if share > MOST { ", missed" } else { "" };
            println!(
                "| {} | {} | {:.0} | {:.0} | **{share:.2}** (at most {MOST}{missed}) |",
                grown.name(),
                operations(&of_empty, "").remove(number).name,
                median(before),
                median(after),
            );
        }
    }
    Ok(())
}

/// Creates a database whose tables are distributed over the nodes.
pub(crate) async fn create_distributed_database(on: DatabaseOptions<'_>) -> Result<Database, Failure> {
    let database = Database::create_distributed(on.postgres, on.nodes).await?;
    let done = payroll_server(&database)?.arg("distribute").status()?;
    if !done.success() {
        return Err("the tables were not distributed".into());
    }
    Ok(database)
}

/// Creates a completed pay period for the first company and a page of events in the feed.
async fn create_history(stage: &LoadFixture<'_>) -> Result<(), Failure> {
    import_deduction(stage.database, 1)?;
    let server = stage.start_server().await?;
    let add = LoadFixture::add_request(&stage.authorization(&server.address).await?, 0, OPEN_PERIOD);
    for _ in 0..PERIOD_CHECKS / BATCH_CHECKS {
        send_once(&server.address, &add).await?;
    }
    drop(server);
    let mut command = payroll_server(stage.database)?;
    command.args(["serve", "--listen", "127.0.0.1:18486", "--operator-listen", OPERATOR_ADDRESS]);
    let _server = Server::start(&mut command, OPERATOR_ADDRESS).await?;
    for step in ["POST /process", "POST /complete"] {
        send_once(OPERATOR_ADDRESS, &pay_period_request(stage, 0, step, b"")).await?;
    }
    for _ in 0..PAGE_EVENTS / 2 {
        for change in stage.move_requests(0) {
            send_once(OPERATOR_ADDRESS, &change).await?;
        }
    }
    crate::copies::checkpoint(stage.database).await
}

/// Fills the database with copies of its rows.
async fn add_data(database: &Database, size: DatabaseSize) -> Result<(), Failure> {
    let first = company_id(0);
    let last = company_id(COMPANIES - 1);
    let history = format!("company_id = '{first}' AND pay_period_id = '{OPEN_PERIOD}'");
    let named = |prefix: &str| format!("'{prefix}' || CAST(1000000 + n AS TEXT)");
    let period = ("pay_period_id", named("P"));
    let check = ("paycheck_id", format!("{} || CAST(100000 + ordinal AS TEXT)", named("G")));
    let company = ("company_id", named("GROWN"));
    let shown = [("display_id", named("G")), ("display_key", named("G"))];
    let event = ("event_id", "'00000000-0000-4000-8000-' || CAST(100000000000 + n AS TEXT)".to_owned());
    let of_last = format!("company_id = '{last}'");
    let one_event = "position = (SELECT max(position) FROM events)".to_owned();
    let periods = size.checks / PERIOD_CHECKS;
    let [id, key] = shown;
    for copies in [
        RowCopies {
            table: "pay_periods",
            of: history.clone(),
            changed: vec![period.clone()],
            count: periods,
            batch_size: 1_000,
        },
        RowCopies {
            table: "checks",
            of: history,
            changed: vec![period, check],
            count: periods,
            batch_size: 10,
        },
        RowCopies {
            table: "companies",
            of: of_last.clone(),
            changed: vec![company.clone(), id, key],
            count: size.companies,
            batch_size: 50_000,
        },
        RowCopies {
            table: "grants",
            of: of_last,
            changed: vec![company],
            count: size.companies,
            batch_size: 50_000,
        },
        RowCopies {
            table: "events",
            of: one_event,
            changed: vec![event],
            count: size.events,
            batch_size: 100_000,
        },
    ] {
        copies.insert(database).await?;
    }
    if database.runs_in_separate_processes() && size.partitions > 1 {
        let mut command = payroll_server(database)?;
        let done = command.args(["partition", &size.partitions.to_string()]).status()?;
        if !done.success() {
            return Err("the checks were not divided".into());
        }
    }
    crate::copies::checkpoint(database).await
}

/// Returns the processor time of server and database for one request, in microseconds.
async fn measure_cost(stage: &LoadFixture<'_>, number: usize, length: Duration) -> Result<f64, Failure> {
    let authorization = {
        let server = stage.start_server().await?;
        stage.authorization(&server.address).await?
    };
    let MeasuredOperation { door, requests, .. } = operations(stage, &authorization).remove(number);
    let server = stage.start_server_at(door).await?;
    let sent = vec![requests; CONNECTIONS];
    if let Some(first) = sent.first().and_then(|turns| turns.first()) {
        send_once(&server.address, first).await?; // warms the caches
    }
    let used = || {
        let of_database =
            if stage.database.runs_in_separate_processes() { postgres_cpu_seconds()? } else { 0.0 };
        Ok::<_, Failure>(server.cpu_seconds()? + of_database)
    };
    let before = used()?;
    let done = send_repeatedly(&server.address, &sent, length).await?;
    let requests = f64::from(u32::try_from(done.requests.max(1))?);
    Ok((used()? - before) * 1_000_000.0 / requests)
}

fn operations(stage: &LoadFixture<'_>, authorization: &str) -> Vec<MeasuredOperation> {
    let get = |path: String| vec![Request::new(&format!("GET {path}"), authorization, b"", 200)];
    let own = |path: String| get(format!("/companies/{}/{path}", company_id(0)));
    let partner = |name, requests| MeasuredOperation { name, door: Api::Partner, requests };
    vec![
        partner("GET a page of 8 companies", get(format!("/companies?offset=0&limit={COMPANIES}"))),
        partner("GET one company", own(String::new()).into_iter().map(without_trailing_slash).collect()),
        partner("GET a page of 20 workers", own("workers?offset=0&limit=20".to_owned())),
        partner("GET a page of 20 pay periods", own("payperiods?offset=0&limit=20".to_owned())),
        partner(
            "GET a page of 50 open checks",
            own(format!("checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}")),
        ),
        partner(
            "GET a page of 50 processed checks",
            own(format!("checks?payperiodid={OPEN_PERIOD}&offset=20000&limit={PAGE_CHECKS}")),
        ),
        partner("GET 100 events", get(format!("/management/events?limit={PAGE_EVENTS}"))),
        partner("POST 100 checks of 3 lines", vec![LoadFixture::add_request(authorization, 0, PAGE_PERIOD)]),
        MeasuredOperation {
            name: "PATCH a worker's address",
            door: Api::Operator,
            requests: stage.move_requests(0),
        },
    ]
}

/// Removes the slash at the end of the request's path.
fn without_trailing_slash(mut request: Request) -> Request {
    let text = String::from_utf8_lossy(&request.bytes).replacen("/ HTTP/1.1", " HTTP/1.1", 1);
    request.bytes = text.into_bytes();
    request
}
