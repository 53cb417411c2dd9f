//! The runs: each operation against the server and its floor in turn, so that a machine that
//! slows down slows both.

use std::time::Duration;

use crate::Failure;
use crate::client::{Request, once, run};
use crate::database::Database;
use crate::process::{Server, postgres_cpu_seconds};
use crate::report::{Measured, Row};
use crate::stage::Stage;
use crate::world::{COMPANIES, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, company_id};

/// The share of the floor's requests a second that reading must reach.
const READ_TARGET: Option<f64> = Some(0.6);
/// The share that adding checks must reach.
const ADD_TARGET: Option<f64> = Some(0.5);

/// Every operation, measured.
pub(crate) async fn rows(stage: &Stage<'_>, length: Duration, rounds: usize) -> Result<Vec<Row>, Failure> {
    let authorization = {
        let server = stage.server().await?;
        stage.authorization(&server.address).await?
    };
    let mut rows = Vec::new();
    for (operation, requests, target) in operations(stage, &authorization) {
        let mut row =
            Row { database: stage.database.name(), operation, server: Vec::new(), floor: Vec::new(), target };
        for _ in 0..rounds {
            row.server.push(measure(stage.database, &stage.server().await?, &requests, length).await?);
            row.floor.push(measure(stage.database, &stage.floor().await?, &requests, length).await?);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The operations, with the request of each connection.
fn operations(stage: &Stage<'_>, authorization: &str) -> Vec<(&'static str, Vec<Request>, Option<f64>)> {
    let of_each = |request: &dyn Fn(usize) -> Request| (0..COMPANIES).map(request).collect::<Vec<_>>();
    let page = |company: usize| {
        let line = format!(
            "GET /companies/{}/checks?payperiodid={PAGE_PERIOD}&offset=0&limit={PAGE_CHECKS}",
            company_id(company)
        );
        Request::new(&line, authorization, b"", 200)
    };
    vec![
        ("GET companies", of_each(&|_| Request::new("GET /companies", authorization, b"", 200)), READ_TARGET),
        ("GET a page of 50 checks", of_each(&page), READ_TARGET),
        (
            "POST 100 checks of 3 lines",
            of_each(&|company| Stage::add_request(authorization, company, OPEN_PERIOD)),
            ADD_TARGET,
        ),
        // Its floor checks and signs nothing, so no share is asked for.
        ("token", of_each(&|_| stage.token_request()), None),
    ]
}

async fn measure(
    database: &Database,
    server: &Server,
    requests: &[Request],
    length: Duration,
) -> Result<Measured, Failure> {
    if let Some(first) = requests.first() {
        once(&server.address, first).await?; // warm
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
