//! The floor: the cost of minimal handlers that do the same work as the server, on the same tables. A handler
//! reads the access and the data in one round trip and writes with one statement. The floor has no business
//! rules, no content negotiation, no error format and no generic JSON values.
//!
//! The floor does not change, so that ratios from different days are comparable.

mod postgres;
mod reads;
mod rows;
mod shown;
mod sqlite;
mod workforce;

use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpResponse, HttpServer};
use shown::{Check, ConnectionTarget, WorkerMove};

use crate::Failure;
use crate::world::{BATCH_CHECKS, BATCH_LINES, PAGE_CHECKS, PAGE_PERIODS, PAGE_WORKERS};

/// The number of threads of the minimal server. The server under measurement has the same number of threads.
const WORKERS: usize = 2;

/// The maximum number of bytes of a body with one check. A body with 100 checks is longer.
const MAX_BYTES_OF_ONE_CHECK: usize = 1_000;

/// The minimal server (floor) on SQLite or PostgreSQL.
enum BaselineStore {
    Postgres(postgres::PostgresBaseline),
    Sqlite(sqlite::SqliteBaseline),
}

/// Runs the minimal server (floor) on the given address until the process ends.
pub(crate) async fn serve(database: &str, application_id: &str, address: &str) -> Result<(), Failure> {
    let floor = match database.strip_prefix("sqlite:") {
        Some(path) => BaselineStore::Sqlite(sqlite::SqliteBaseline::open(path)?),
        None => BaselineStore::Postgres(postgres::PostgresBaseline::open(database).await?),
    };
    let floor = Data::new((floor, application_id.to_owned()));
    HttpServer::new(move || {
        App::new()
            .app_data(Data::clone(&floor))
            .app_data(web::PayloadConfig::new(4 * 1024 * 1024))
            .route("/companies", web::get().to(list_companies))
            .route("/companies/{company}/checks", web::get().to(list_checks))
            .route("/companies/{company}/checks", web::post().to(add_checks))
            .route("/companies/{company}/payperiods", web::get().to(list_periods))
            .route("/companies/{company}/workers", web::get().to(list_workers))
            .route("/companies/{company}/workers", web::post().to(add_worker))
            .route("/companies/{company}/{list}", web::get().to(show_company_list))
            .route("/workers/{worker}/{list}", web::get().to(show_worker_list))
            .route("/workers/{worker}/communications/{communication}", web::patch().to(patch_communication))
            .route("/operator/v1/companies/{company}/payperiods/{period}", web::get().to(get_period))
            .route("/auth/oauth/v2/token", web::post().to(issue_token))
            .route("/operator/v1/companies/{company}/workers/{worker}", web::patch().to(move_worker))
    })
    .workers(WORKERS)
    .bind(address)?
    .run()
    .await?;
    Ok(())
}

type SharedBaseline = Data<(BaselineStore, String)>;
type HandlerResponse = Result<HttpResponse, BaselineError>;

/// A failure of the minimal server. The response has status 500 and the error text.
#[derive(Debug)]
struct BaselineError(Failure);

impl<E: Into<Failure>> From<E> for BaselineError {
    fn from(failure: E) -> Self {
        Self(failure.into())
    }
}

impl std::fmt::Display for BaselineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl actix_web::ResponseError for BaselineError {}

async fn list_companies(shared: SharedBaseline) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let companies = match floor {
        BaselineStore::Postgres(floor) => floor.companies(application_id).await?,
        BaselineStore::Sqlite(floor) => floor.companies(application_id.clone()).await?,
    };
    Ok(HttpResponse::Ok().json(companies))
}

async fn list_checks(shared: SharedBaseline, company: web::Path<String>) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let target =
        ConnectionTarget { application_id: application_id.clone(), company_id: company.into_inner() };
    let checks = match floor {
        BaselineStore::Postgres(floor) => floor.page_of_checks(&target).await?,
        BaselineStore::Sqlite(floor) => floor.page_of_checks(target).await?,
    };
    require_complete_page(&checks)?;
    Ok(HttpResponse::Ok().json(checks))
}

async fn list_workers(shared: SharedBaseline, company: web::Path<String>) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let target =
        ConnectionTarget { application_id: application_id.clone(), company_id: company.into_inner() };
    let (workers, communications) = match floor {
        BaselineStore::Postgres(floor) => floor.workers(&target).await?,
        BaselineStore::Sqlite(floor) => floor.workers(target).await?,
    };
    // In the benchmark's data, each worker has two communications.
    if workers.len() != PAGE_WORKERS || communications.len() != PAGE_WORKERS * 2 {
        return Err(format!("{} workers, {} communications", workers.len(), communications.len()).into());
    }
    Ok(HttpResponse::Ok().json(reads::assign_communications(workers, communications)))
}

async fn list_periods(shared: SharedBaseline, company: web::Path<String>) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let target =
        ConnectionTarget { application_id: application_id.clone(), company_id: company.into_inner() };
    let periods = match floor {
        BaselineStore::Postgres(floor) => floor.periods(&target).await?,
        BaselineStore::Sqlite(floor) => floor.periods(target).await?,
    };
    if periods.len() != PAGE_PERIODS {
        return Err(format!("a page of {} periods", periods.len()).into());
    }
    Ok(HttpResponse::Ok().json(periods))
}

async fn get_period(shared: SharedBaseline, path: web::Path<(String, String)>) -> HandlerResponse {
    let (company_id, _) = path.into_inner();
    let period = match &shared.get_ref().0 {
        BaselineStore::Postgres(floor) => floor.period(&company_id).await?,
        BaselineStore::Sqlite(floor) => floor.period(company_id).await?,
    };
    Ok(HttpResponse::Ok().json(period))
}

fn require_complete_page(checks: &[Check]) -> Result<(), String> {
    let lines: usize = checks.iter().map(|check| check.earnings.len()).sum();
    let whole = checks.len() == PAGE_CHECKS && lines == PAGE_CHECKS * BATCH_LINES / BATCH_CHECKS;
    if whole { Ok(()) } else { Err(format!("a page of {} checks and {lines} lines", checks.len())) }
}

async fn add_checks(shared: SharedBaseline, company: web::Path<String>, body: Bytes) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let target =
        ConnectionTarget { application_id: application_id.clone(), company_id: company.into_inner() };
    // The minimal server reads the body completely, but does not parse it.
    let checks = if body.len() < MAX_BYTES_OF_ONE_CHECK { 1 } else { BATCH_CHECKS };
    match floor {
        BaselineStore::Postgres(floor) => floor.add(&target, checks).await?,
        BaselineStore::Sqlite(floor) => floor.add(target, checks).await?,
    }
    Ok(HttpResponse::Created().finish())
}

/// Changes the address of a worker with three inserts and one update in a transaction.
async fn move_worker(
    shared: SharedBaseline,
    path: web::Path<(String, String)>,
    body: Bytes,
) -> HandlerResponse {
    let (company_id, worker_id) = path.into_inner();
    let moved = WorkerMove { company_id, worker_id, document: String::from_utf8(body.to_vec())? };
    match &shared.get_ref().0 {
        BaselineStore::Postgres(floor) => floor.move_worker(&moved).await?,
        BaselineStore::Sqlite(floor) => floor.move_worker(moved).await?,
    }
    Ok(HttpResponse::Ok().finish())
}

/// Inserts the rows of a new worker in a transaction.
async fn add_worker(shared: SharedBaseline, company: web::Path<String>, body: Bytes) -> HandlerResponse {
    let moved = WorkerMove {
        company_id: company.into_inner(),
        worker_id: workforce::new_worker_id(),
        document: String::from_utf8(body.to_vec())?,
    };
    change_worker(shared, moved, true).await?;
    Ok(HttpResponse::Created().finish())
}

/// Writes the same rows as a change of a worker's address.
async fn patch_communication(
    shared: SharedBaseline,
    path: web::Path<(String, String)>,
    body: Bytes,
) -> HandlerResponse {
    let (worker_id, _) = path.into_inner();
    let company_id = company_id_of_worker(&worker_id)?;
    change_worker(
        shared,
        WorkerMove { company_id, worker_id, document: String::from_utf8(body.to_vec())? },
        false,
    )
    .await?;
    Ok(HttpResponse::Ok().finish())
}

async fn change_worker(shared: SharedBaseline, moved: WorkerMove, is_new: bool) -> Result<(), BaselineError> {
    let (floor, application_id) = shared.get_ref();
    match floor {
        BaselineStore::Postgres(floor) => floor.change_worker(application_id, &moved, is_new).await?,
        BaselineStore::Sqlite(floor) => floor.change_worker(application_id.clone(), moved, is_new).await?,
    }
    Ok(())
}

async fn show_company_list(shared: SharedBaseline, path: web::Path<(String, String)>) -> HandlerResponse {
    let (company_id, list) = path.into_inner();
    show_list(shared, (company_id, String::new()), &list).await
}

async fn show_worker_list(shared: SharedBaseline, path: web::Path<(String, String)>) -> HandlerResponse {
    let (worker_id, list) = path.into_inner();
    show_list(shared, (company_id_of_worker(&worker_id)?, worker_id), &list).await
}

async fn show_list(
    shared: SharedBaseline,
    (company_id, worker_id): (String, String),
    list: &str,
) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let (at, target) = (
        workforce::list_index(list)?,
        ConnectionTarget { application_id: application_id.clone(), company_id },
    );
    let rows = match floor {
        BaselineStore::Postgres(floor) => floor.list(at, &target, &worker_id).await?,
        BaselineStore::Sqlite(floor) => floor.list(at, target, worker_id).await?,
    };
    if rows.is_empty() {
        return Err(format!("the list {list} of the floor is empty").into());
    }
    Ok(HttpResponse::Ok().json(rows))
}

/// Returns the company id, which is the first part of the worker's id.
fn company_id_of_worker(worker_id: &str) -> Result<String, Failure> {
    let (company_id, _) = worker_id.split_once("-W").ok_or("no id of a worker")?;
    Ok(company_id.to_owned())
}

async fn issue_token(shared: SharedBaseline, body: Bytes) -> HandlerResponse {
    let (floor, application_id) = shared.get_ref();
    let secrets = match floor {
        BaselineStore::Postgres(floor) => floor.count_secrets(application_id).await?,
        BaselineStore::Sqlite(floor) => floor.count_secrets(application_id.clone()).await?,
    };
    if secrets == 0 || body.is_empty() {
        return Ok(HttpResponse::Unauthorized().finish());
    }
    Ok(HttpResponse::Ok().json(("token", application_id)))
}
