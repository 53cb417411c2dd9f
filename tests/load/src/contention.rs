//! The latency of an operator's writes to a company while clients continuously add checks to this company,
//! and the total throughput of the clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Failure;
use crate::client::{Request, send_and_read_status};
use crate::completion::{OPERATOR_ADDRESS, PARTNER_ADDRESS, pay_period_request, start_server};
use crate::database::Database;
use crate::growth::{DatabaseOptions, create_distributed_database};
use crate::stage::LoadFixture;
use crate::world::{OPEN_PERIOD, company_id};

/// The numbers of clients that add checks to one company at the same time.
const CLIENTS: [usize; 2] = [16, 64];
/// The time limit of an operator's write, which is longer than every timeout of the server.
const WRITE_TIME_LIMIT: Duration = Duration::from_secs(60);
/// The pause between two writes of the operator.
const PAUSE: Duration = Duration::from_millis(500);

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(length: Duration, on: DatabaseOptions<'_>) -> Result<(), Failure> {
    println!(
        "| database | clients | batches of 100 per second | lock: median s | lock: longest s | process s | \
         other statuses |"
    );
    println!("|---|---:|---:|---:|---:|---:|---|");
    let postgres = match on.nodes.is_empty() {
        true => Database::create_postgres(on.postgres).await?,
        false => create_distributed_database(on).await?,
    };
    for database in [Database::create_sqlite()?, postgres] {
        let stage = LoadFixture::set_up(&database).await?;
        let _server = start_server(&database).await?;
        for (company, clients) in CLIENTS.into_iter().enumerate() {
            println!("{}", measure_contention(&stage, company, clients, length).await?);
        }
    }
    Ok(())
}

/// The running clients and the results of their requests.
struct Clients {
    tasks: JoinSet<Result<(), Failure>>,
    stop: Arc<AtomicBool>,
    added: Arc<AtomicU64>,
}

impl Clients {
    fn start_clients(count: usize, request: &Request) -> Self {
        let mut clients = Self { tasks: JoinSet::new(), stop: Arc::default(), added: Arc::default() };
        for _ in 0..count {
            let (request, stop, added) =
                (request.clone(), Arc::clone(&clients.stop), Arc::clone(&clients.added));
            clients.tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    // The server rejects the checks while the company is locked.
                    match send_and_read_status(PARTNER_ADDRESS, &request).await? {
                        201 => added.fetch_add(1, Ordering::Relaxed),
                        _ => continue,
                    };
                }
                Ok(())
            });
        }
        clients
    }

    async fn stop_and_check(mut self) -> Result<(), Failure> {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.tasks.join_next().await {
            ended??;
        }
        Ok(())
    }
}

/// Measures with this number of clients on one company and returns a row of the table.
async fn measure_contention(
    stage: &LoadFixture<'_>,
    company: usize,
    count: usize,
    length: Duration,
) -> Result<String, Failure> {
    let add = LoadFixture::add_request(&stage.authorization(PARTNER_ADDRESS).await?, company, OPEN_PERIOD);
    let lock = LockRequests::new(stage, company);
    let clients = Clients::start_clients(count, &add);
    let (started, before) = (Instant::now(), clients.added.load(Ordering::Relaxed));
    sleep(length).await;
    let rate = (clients.added.load(Ordering::Relaxed) - before) as f64 / started.elapsed().as_secs_f64();
    let (mut waits, mut others) = (Vec::new(), Vec::new());
    let ends = Instant::now() + length;
    while Instant::now() < ends {
        let (seconds, status) = send_timed(&lock.take).await?;
        waits.push(seconds);
        others.extend((status / 100 != 2).then_some(status));
        send_and_read_status(OPERATOR_ADDRESS, &lock.release).await?;
        sleep(PAUSE).await;
    }
    let (process, status) = send_timed(&pay_period_request(stage, company, "POST /process", b"")).await?;
    others.extend((status / 100 != 2).then_some(status));
    clients.stop_and_check().await?;
    waits.sort_by(f64::total_cmp);
    let at = |index: usize| waits.get(index).copied().unwrap_or_default();
    Ok(format!(
        "| {} | {count} | {rate:.1} | {:.3} | {:.3} | {process:.3} | {others:?} |",
        stage.database.name(),
        at(waits.len() / 2),
        at(waits.len().saturating_sub(1)),
    ))
}

struct LockRequests {
    take: Request,
    release: Request,
}

impl LockRequests {
    fn new(stage: &LoadFixture<'_>, company: usize) -> Self {
        let path = format!("/operator/v1/companies/{}/lock", company_id(company));
        let authorization = stage.operator_authorization();
        let headers = format!("{authorization}Content-Type: application/json\r\n");
        Self {
            take: Request::new(&format!("PUT {path}"), &headers, b"{\"reason\": \"measured\"}", 201),
            release: Request::new(&format!("DELETE {path}"), &authorization, b"", 204),
        }
    }
}

/// Sends an operator's request and returns its duration in seconds and its status.
async fn send_timed(request: &Request) -> Result<(f64, u16), Failure> {
    let started = Instant::now();
    let status =
        tokio::time::timeout(WRITE_TIME_LIMIT, send_and_read_status(OPERATOR_ADDRESS, request)).await??;
    Ok((started.elapsed().as_secs_f64(), status))
}
