//! Runs the measurements. Each operation is measured alternately on the server and on the floor, a minimal
//! server with the same operation. A change of the machine's speed therefore affects both measurements.

use std::time::Duration;

use crate::Failure;
use crate::client::{Request, read_entity_tag, send_once, send_repeatedly};
use crate::database::Database;
use crate::process::{Server, postgres_cpu_seconds};
use crate::report::{MeasuredRun, PerformanceTarget, ReportRow};
use crate::stage::{Api, LoadFixture};
use crate::world::{
    BATCH_CHECKS, COMPANIES, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, PAGE_PERIODS, PAGE_WORKERS, company_id,
    new_worker, worker_id,
};

/// The requests per second that reads must reach, as a share of those of the minimal server (floor).
const READ_TARGET: Option<f64> = Some(0.6);
/// The required share of the floor's requests per second for adding checks and changing workers.
const WRITE_TARGET: Option<f64> = Some(0.5);

/// The highest accepted processor time of a GET with `If-None-Match`, as a share of the time for the full
/// response.
const UNCHANGED_TARGET: f64 = 0.5;

const UNCHANGED_CHECKS: &str = "unchanged: a page of 50 checks";
/// The operations that are also measured with a client that already has their responses.
const UNCHANGED: [&str; 2] = [UNCHANGED_CHECKS, "unchanged: a page of 20 workers"];

/// An operation of the API that the benchmark measures.
struct MeasuredOperation {
    name: &'static str,
    door: Api,
    /// The requests of each connection. A connection repeats its requests one after the other.
    requests: Vec<Vec<Request>>,
    target: Option<f64>,
}

/// The number and length of an operation's runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunPlan {
    pub(crate) length: Duration,
    pub(crate) rounds: usize,
    /// The number of clients that send requests at the same time, each on its own connection.
    pub(crate) clients: usize,
}

/// Measures every operation whose name begins with the given text.
pub(crate) async fn measure_operations(
    stage: &LoadFixture<'_>,
    runs: RunPlan,
    only: &str,
) -> Result<Vec<ReportRow>, Failure> {
    let RunPlan { length, rounds, clients } = runs;
    let authorization = {
        let server = stage.start_server().await?;
        stage.authorization(&server.address).await?
    };
    let mut rows = Vec::new();
    for operation in
        operations(stage, &authorization, clients).into_iter().filter(|it| it.name.starts_with(only))
    {
        let MeasuredOperation { name, door, requests, target } = operation;
        let (database, mut server, mut floor) = (stage.database, Vec::new(), Vec::new());
        for _ in 0..rounds {
            server.push(measure(database, &stage.start_server_at(door).await?, &requests, length).await?);
            floor.push(measure(database, &stage.start_baseline().await?, &requests, length).await?);
        }
        let target = PerformanceTarget::ShareOfFloor(target);
        let database = database.name();
        rows.push(ReportRow { database, operation: name, clients, server, compared: floor, target });
    }
    for name in UNCHANGED.into_iter().filter(|name| name.starts_with(only)) {
        rows.push(compare_not_modified(stage, runs, name, &authorization).await?);
    }
    Ok(rows)
}

/// Compares a request with `If-None-Match` with the same request without the header.
async fn compare_not_modified(
    stage: &LoadFixture<'_>,
    RunPlan { length, rounds, clients }: RunPlan,
    name: &'static str,
    authorization: &str,
) -> Result<ReportRow, Failure> {
    let path = match name {
        UNCHANGED_CHECKS => {
            format!("checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}")
        }
        _ => format!("workers?offset={BATCH_CHECKS}&limit={PAGE_WORKERS}"),
    };
    let line = |client| format!("GET /companies/{}/{path}", company_of_client(client));
    let (mut server, mut compared) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let process = stage.start_server().await?;
        let (mut conditional, mut full) = (Vec::new(), Vec::new());
        for client in 0..clients {
            let request = Request::new(&line(client), authorization, b"", 200);
            let tag = read_entity_tag(&process.address, &request).await?;
            let headers = format!("{authorization}If-None-Match: {tag}\r\n");
            conditional.push(vec![Request::new(&line(client), &headers, b"", 304)]);
            full.push(vec![request]);
        }
        server.push(measure(stage.database, &process, &conditional, length).await?);
        compared.push(measure(stage.database, &process, &full, length).await?);
    }
    let target = PerformanceTarget::FullResponse(UNCHANGED_TARGET);
    Ok(ReportRow { database: stage.database.name(), operation: name, clients, server, compared, target })
}

/// Returns the id of the company that a client uses. Several clients can use the same company.
fn company_of_client(client: usize) -> String {
    company_id(client % COMPANIES)
}

fn operations(stage: &LoadFixture<'_>, authorization: &str, clients: usize) -> Vec<MeasuredOperation> {
    let of_each = |request: &dyn Fn(usize) -> Request| {
        (0..clients).map(|client| vec![request(client)]).collect::<Vec<_>>()
    };
    let page = |client: usize| {
        let line = format!(
            "GET /companies/{}/checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}",
            company_of_client(client)
        );
        Request::new(&line, authorization, b"", 200)
    };
    let list = |list: &str| {
        of_each(&|client: usize| {
            let line = format!("GET /companies/{}/{list}", company_of_client(client));
            Request::new(&line, authorization, b"", 200)
        })
    };
    let workers = format!("workers?offset={BATCH_CHECKS}&limit={PAGE_WORKERS}");
    let periods = format!("payperiods?offset=0&limit={PAGE_PERIODS}");
    let add = |checks| {
        of_each(&|client| {
            LoadFixture::add_checks_request(authorization, client % COMPANIES, OPEN_PERIOD, checks)
        })
    };
    let partner = |name, requests, target| MeasuredOperation { name, door: Api::Partner, requests, target };
    vec![
        partner(
            "GET companies",
            of_each(&|_| Request::new("GET /companies", authorization, b"", 200)),
            READ_TARGET,
        ),
        partner("GET a page of 50 checks", of_each(&page), READ_TARGET),
        partner("GET a page of 20 workers", list(&workers), READ_TARGET),
        partner("GET a page of 20 pay periods", list(&periods), READ_TARGET),
        partner("POST one check of 3 lines", add(1), None),
        partner("POST 100 checks of 3 lines", add(BATCH_CHECKS), WRITE_TARGET),
        // The floor neither verifies a secret nor signs a token, so the server has no required share.
        partner("token", of_each(&|_| stage.token_request()), None),
        MeasuredOperation {
            name: "GET one pay period with its totals",
            door: Api::Operator,
            requests: of_each(&|client| {
                let line = format!(
                    "GET /operator/v1/companies/{}/payperiods/{PAGE_PERIOD}",
                    company_of_client(client)
                );
                Request::new(&line, &stage.operator_authorization(), b"", 200)
            }),
            target: READ_TARGET,
        },
        MeasuredOperation {
            name: "PATCH a worker's address",
            door: Api::Operator,
            requests: (0..clients).map(|client| stage.move_requests(client % COMPANIES)).collect(),
            target: WRITE_TARGET,
        },
    ]
    .into_iter()
    .chain(workforce_operations(authorization, clients))
    .collect()
}

/// Returns the operations that read complete lists of a company or a worker, and the operations that write
/// workers.
fn workforce_operations(authorization: &str, clients: usize) -> Vec<MeasuredOperation> {
    let of_each = |request: &dyn Fn(usize) -> Vec<Request>| (0..clients).map(request).collect::<Vec<_>>();
    let get = |path: String| Request::new(&format!("GET {path}"), authorization, b"", 200);
    // Each client reads and changes a worker of its own.
    let complete_worker =
        |client: usize| worker_id(&company_of_client(client), BATCH_CHECKS + client / COMPANIES);
    let partner = |name, requests, target| MeasuredOperation { name, door: Api::Partner, requests, target };
    let of_company = |name, list: &str| {
        let request = |client| vec![get(format!("/companies/{}/{list}", company_of_client(client)))];
        partner(name, of_each(&request), READ_TARGET)
    };
    let of_worker = |name, list: &str| {
        let request = |client| vec![get(format!("/workers/{}/{list}", complete_worker(client)))];
        partner(name, of_each(&request), READ_TARGET)
    };
    let hire = |client| {
        let headers = format!("{authorization}Content-Type: application/vnd.vendor.workers.v1+json\r\n");
        let line = format!("POST /companies/{}/workers", company_of_client(client));
        vec![Request::new(&line, &headers, &new_worker(), 201).with_key()]
    };
    let patch = |client| LoadFixture::patch_requests(authorization, &complete_worker(client));
    vec![
        of_company("GET jobs", "jobs"),
        of_company("GET job titles", "jobtitles"),
        of_company("GET labor assignments", "laborassignments"),
        of_company("GET locations", "locations"),
        of_worker("GET communications of a worker", "communications"),
        of_worker("GET time off", "timeoff"),
        of_worker("GET assignment distributions", "assignmentdistributions"),
        partner("POST a worker", of_each(&hire), WRITE_TARGET),
        partner("PATCH a communication", of_each(&patch), WRITE_TARGET),
    ]
}

pub(crate) async fn measure(
    database: &Database,
    server: &Server,
    requests: &[Vec<Request>],
    length: Duration,
) -> Result<MeasuredRun, Failure> {
    if let Some(first) = requests.first().and_then(|turns| turns.first()) {
        send_once(&server.address, first).await?; // warms the caches
    }
    let database_cpu =
        || if database.runs_in_separate_processes() { postgres_cpu_seconds() } else { Ok(0.0) };
    let (process_before, database_before) = (server.cpu_seconds()?, database_cpu()?);
    let flushes_before = database.flushes();
    let run = send_repeatedly(&server.address, requests, length).await?;
    Ok(MeasuredRun {
        run,
        flushes: database.flushes().zip(flushes_before).map(|(after, before)| after - before),
        process_cpu_seconds: server.cpu_seconds()? - process_before,
        database_cpu_seconds: database_cpu()? - database_before,
    })
}
