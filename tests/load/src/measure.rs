//! The runs. Each operation is measured on the server and on its floor alternately, so that a slower machine
//! affects both.

use std::time::Duration;

use crate::Failure;
use crate::client::{Request, read_entity_tag, run, send_once};
use crate::database::Database;
use crate::process::{Server, postgres_cpu_seconds};
use crate::report::{Measured, Row, Target};
use crate::stage::{Api, LoadFixture};
use crate::world::{
    BATCH_CHECKS, COMPANIES, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, PAGE_PERIODS, PAGE_WORKERS, company_id,
    new_worker, worker_id,
};

/// The required share of the floor's requests per second for reads.
const READ_TARGET: Option<f64> = Some(0.6);
/// The required share of the floor's requests per second for adding checks and changing workers.
const WRITE_TARGET: Option<f64> = Some(0.5);

/// The highest accepted processor time of a GET with `If-None-Match`, as a share of the time for the full
/// response.
const UNCHANGED_TARGET: f64 = 0.5;

const UNCHANGED_CHECKS: &str = "unchanged: a page of 50 checks";
/// The operations that are also measured with a client that already has their responses.
const UNCHANGED: [&str; 2] = [UNCHANGED_CHECKS, "unchanged: a page of 20 workers"];

/// An operation under measurement.
struct Operation {
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
}

/// Measures every operation whose name begins with the given text.
pub(crate) async fn rows(stage: &LoadFixture<'_>, runs: RunPlan, only: &str) -> Result<Vec<Row>, Failure> {
    let RunPlan { length, rounds } = runs;
    let authorization = {
        let server = stage.server().await?;
        stage.authorization(&server.address).await?
    };
    let mut rows = Vec::new();
    for operation in operations(stage, &authorization).into_iter().filter(|it| it.name.starts_with(only)) {
        let Operation { name, door, requests, target } = operation;
        let (database, mut server, mut floor) = (stage.database, Vec::new(), Vec::new());
        for _ in 0..rounds {
            server.push(measure(database, &stage.server_at(door).await?, &requests, length).await?);
            floor.push(measure(database, &stage.start_baseline().await?, &requests, length).await?);
        }
        let aim = Target::ShareOfFloor(target);
        rows.push(Row { database: database.name(), operation: name, server, beside: floor, aim });
    }
    for name in UNCHANGED.into_iter().filter(|name| name.starts_with(only)) {
        rows.push(compare_not_modified(stage, runs, name, &authorization).await?);
    }
    Ok(rows)
}

/// Compares a request with `If-None-Match` with the same request without the header.
async fn compare_not_modified(
    stage: &LoadFixture<'_>,
    RunPlan { length, rounds }: RunPlan,
    name: &'static str,
    authorization: &str,
) -> Result<Row, Failure> {
    let path = match name {
        UNCHANGED_CHECKS => {
            format!("checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}")
        }
        _ => format!("workers?offset={BATCH_CHECKS}&limit={PAGE_WORKERS}"),
    };
    let line = |company| format!("GET /companies/{}/{path}", company_id(company));
    let (mut server, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let process = stage.server().await?;
        let (mut held, mut whole) = (Vec::new(), Vec::new());
        for company in 0..COMPANIES {
            let request = Request::new(&line(company), authorization, b"", 200);
            let tag = read_entity_tag(&process.address, &request).await?;
            let headers = format!("{authorization}If-None-Match: {tag}\r\n");
            held.push(vec![Request::new(&line(company), &headers, b"", 304)]);
            whole.push(vec![request]);
        }
        server.push(measure(stage.database, &process, &held, length).await?);
        beside.push(measure(stage.database, &process, &whole, length).await?);
    }
    let aim = Target::Whole(UNCHANGED_TARGET);
    Ok(Row { database: stage.database.name(), operation: name, server, beside, aim })
}

fn operations(stage: &LoadFixture<'_>, authorization: &str) -> Vec<Operation> {
    let of_each = |request: &dyn Fn(usize) -> Request| {
        (0..COMPANIES).map(|company| vec![request(company)]).collect::<Vec<_>>()
    };
    let page = |company: usize| {
        let line = format!(
            "GET /companies/{}/checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}",
            company_id(company)
        );
        Request::new(&line, authorization, b"", 200)
    };
    let list = |list: &str| {
        of_each(&|company: usize| {
            let line = format!("GET /companies/{}/{list}", company_id(company));
            Request::new(&line, authorization, b"", 200)
        })
    };
    let workers = format!("workers?offset={BATCH_CHECKS}&limit={PAGE_WORKERS}");
    let periods = format!("payperiods?offset=0&limit={PAGE_PERIODS}");
    let add = |company| LoadFixture::add_request(authorization, company, OPEN_PERIOD);
    let partner = |name, requests, target| Operation { name, door: Api::Partner, requests, target };
    vec![
        partner(
            "GET companies",
            of_each(&|_| Request::new("GET /companies", authorization, b"", 200)),
            READ_TARGET,
        ),
        partner("GET a page of 50 checks", of_each(&page), READ_TARGET),
        partner("GET a page of 20 workers", list(&workers), READ_TARGET),
        partner("GET a page of 20 pay periods", list(&periods), READ_TARGET),
        partner("POST 100 checks of 3 lines", of_each(&add), WRITE_TARGET),
        // The floor checks and signs nothing, so the server has no required share.
        partner("token", of_each(&|_| stage.token_request()), None),
        Operation {
            name: "GET one pay period with its totals",
            door: Api::Operator,
            requests: of_each(&|company| {
                let line =
                    format!("GET /operator/v1/companies/{}/payperiods/{PAGE_PERIOD}", company_id(company));
                Request::new(&line, &stage.operator_authorization(), b"", 200)
            }),
            target: READ_TARGET,
        },
        Operation {
            name: "PATCH a worker's address",
            door: Api::Operator,
            requests: (0..COMPANIES).map(|company| stage.move_requests(company)).collect(),
            target: WRITE_TARGET,
        },
    ]
    .into_iter()
    .chain(workforce_operations(authorization))
    .collect()
}

/// The complete lists of a company and of a worker, and partners' writes of workers.
fn workforce_operations(authorization: &str) -> Vec<Operation> {
    let of_each = |request: &dyn Fn(usize) -> Vec<Request>| (0..COMPANIES).map(request).collect::<Vec<_>>();
    let get = |path: String| Request::new(&format!("GET {path}"), authorization, b"", 200);
    let whole_worker = |company| worker_id(&company_id(company), BATCH_CHECKS);
    let partner = |name, requests, target| Operation { name, door: Api::Partner, requests, target };
    let of_company = |name, list: &str| {
        let request = |company| vec![get(format!("/companies/{}/{list}", company_id(company)))];
        partner(name, of_each(&request), READ_TARGET)
    };
    let of_worker = |name, list: &str| {
        let request = |company| vec![get(format!("/workers/{}/{list}", whole_worker(company)))];
        partner(name, of_each(&request), READ_TARGET)
    };
    let json = format!("{authorization}Content-Type: application/json\r\n");
    let hire = |company| {
        let headers = format!("{authorization}Content-Type: application/vnd.vendor.workers.v1+json\r\n");
        let line = format!("POST /companies/{}/workers", company_id(company));
        vec![Request::new(&line, &headers, &new_worker(), 201).with_key()]
    };
    let patch = |company| {
        let id = whole_worker(company);
        let line = format!("PATCH /workers/{id}/communications/{id}-A");
        let street = |street: &str| format!("{{\"streetLineOne\":\"{street}\"}}").into_bytes();
        let to = |body: Vec<u8>| Request::new(&line, &json, &body, 200);
        vec![to(street("1 Sample Street")), to(street("2 Sample Street"))]
    };
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
) -> Result<Measured, Failure> {
    if let Some(first) = requests.first().and_then(|turns| turns.first()) {
        send_once(&server.address, first).await?; // warms the caches
    }
    let database_cpu = || if database.has_processes() { postgres_cpu_seconds() } else { Ok(0.0) };
    let (process_before, database_before) = (server.cpu_seconds()?, database_cpu()?);
    let run = run(&server.address, requests, length).await?;
    Ok(Measured {
        run,
        process_cpu_seconds: server.cpu_seconds()? - process_before,
        database_cpu_seconds: database_cpu()? - database_before,
    })
}
