//! The completion of a pay period with 10,000 checks: its duration, its memory, and the latency for partners
//! of other companies during the completion.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::process::Server;
use crate::report::megabytes;
use crate::stage::{LoadFixture, payroll_server, run_command};
use crate::world::{BATCH_CHECKS, OPEN_PERIOD, company_id};

/// The default number of checks in the pay period.
pub(crate) const CHECKS: usize = 10_000;
/// Page size for reading the ids of the checks.
const PAGE: usize = 200;
/// The pause between two writes of the partner. The pause is short enough to overlap with every step of the
/// completion, and long enough to use little of the machine.
const WRITE_PAUSE: Duration = Duration::from_millis(20);
pub(crate) const PARTNER_ADDRESS: &str = "127.0.0.1:18484";
pub(crate) const OPERATOR_ADDRESS: &str = "127.0.0.1:18485";

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(checks: usize, postgres: &str) -> Result<(), Failure> {
    println!(
        "| database | checks, and the document | seconds | added memory | concurrent writes | median ms | longest ms |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for (number, with_taxes) in [(0, true), (1, true), (0, false), (1, false)] {
        let database = match number {
            0 => Database::create_sqlite()?,
            _ => Database::create_postgres(postgres).await?,
        };
        let stage = LoadFixture::set_up(&database).await?;
        import_deduction(&database, 1)?;
        println!("{}", measure_completion(&stage, checks, with_taxes).await?);
    }
    Ok(())
}

/// Imports the pay component of the deductions that the completion submits. The first `companies` companies
/// of the benchmark get the component.
pub(crate) fn import_deduction(database: &Database, companies: usize) -> Result<(), Failure> {
    let deduction = |number: usize| {
        json!({
            "companyId": company_id(number), "displayId": format!("L{number:07}"),
            "legalName": format!("Load Company {number} LLC"),
            "payComponents": [{"componentId": "savings", "name": "Savings", "classificationType": "DEDUCTION",
                "effectOnPay": "REDUCTION"}],
        })
    };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("deduction.ndjson");
    std::fs::write(
        &file,
        (0..companies).map(|number| format!("{}\n", deduction(number))).collect::<String>(),
    )?;
    run_command(database, &["import", &file.display().to_string()])?;
    Ok(())
}

async fn measure_completion(
    stage: &LoadFixture<'_>,
    checks: usize,
    with_taxes: bool,
) -> Result<String, Failure> {
    add_and_process_checks(stage, checks).await?;
    let server = start_server(stage.database).await?;
    let authorization = stage.authorization(PARTNER_ADDRESS).await?;
    let ids = read_check_ids(stage, 0, checks).await?;
    let document = completion_document(if with_taxes { &ids } else { &[] });
    let complete = pay_period_request(stage, 0, "POST /complete", document.as_bytes());
    let concurrent_request = LoadFixture::add_request(&authorization, 1, OPEN_PERIOD);
    let before = server.resident_kilobytes()?;
    let started = Instant::now();
    let mut waits = repeat_write_until(&concurrent_request, send_once(OPERATOR_ADDRESS, &complete)).await?;
    let seconds = started.elapsed().as_secs_f64();
    let peak = server.peak_kilobytes()?;
    waits.sort();
    let at = |index: usize| waits.get(index).map_or(0.0, |wait| wait.as_secs_f64() * 1_000.0);
    let what = if with_taxes { "4 taxes and a deduction for each" } else { "nothing" };
    Ok(format!(
        "| {} | {} checks, {what} ({:.1} MB) | {seconds:.2} | {:.1} MB | {} | {:.0} | {:.0} |",
        stage.database.name(),
        ids.len(),
        megabytes(u64::try_from(document.len() / 1_000)?),
        megabytes(peak.saturating_sub(before)),
        waits.len(),
        at(waits.len() / 2),
        at(waits.len().saturating_sub(1)),
    ))
}

/// Adds the checks through a server that is not measured, and processes the pay period.
async fn add_and_process_checks(stage: &LoadFixture<'_>, checks: usize) -> Result<(), Failure> {
    let _server = start_server(stage.database).await?;
    let add = LoadFixture::add_request(&stage.authorization(PARTNER_ADDRESS).await?, 0, OPEN_PERIOD);
    for _ in 0..checks.div_ceil(BATCH_CHECKS) {
        send_once(PARTNER_ADDRESS, &add).await?;
    }
    send_once(OPERATOR_ADDRESS, &pay_period_request(stage, 0, "POST /process", b"")).await?;
    Ok(())
}

/// Starts the payroll server that the benchmark measures.
pub(crate) async fn start_server(database: &Database) -> Result<Server, Failure> {
    let mut command = payroll_server(database)?;
    command.args(["serve", "--listen", PARTNER_ADDRESS, "--operator-listen", OPERATOR_ADDRESS]);
    command.args(["--rate-limit-per-minute", "0", "--log-level", "error"]);
    Server::start(&mut command, OPERATOR_ADDRESS).await
}

/// Returns an operator's request for a company's pay period.
pub(crate) fn pay_period_request(
    stage: &LoadFixture<'_>,
    company: usize,
    what: &str,
    body: &[u8],
) -> Request {
    let period = format!("/operator/v1/companies/{}/payperiods/{OPEN_PERIOD}/", company_id(company));
    let headers = format!("{}Content-Type: application/json\r\n", stage.operator_authorization());
    Request::new(&what.replacen('/', &period, 1), &headers, body, 200)
}

/// Returns the ids of all checks in a company's pay period.
pub(crate) async fn read_check_ids(
    stage: &LoadFixture<'_>,
    company: usize,
    checks: usize,
) -> Result<Vec<String>, Failure> {
    let mut ids = Vec::with_capacity(checks);
    for offset in (0..checks).step_by(PAGE) {
        let page =
            pay_period_request(stage, company, &format!("GET /checks?offset={offset}&limit={PAGE}"), b"");
        let page: Value = serde_json::from_slice(&send_once(OPERATOR_ADDRESS, &page).await?)?;
        let rows = page.get("content").and_then(Value::as_array).ok_or("no content")?;
        let id = |check: &Value| Some(check.get("paycheckId")?.as_str()?.to_owned());
        ids.extend(rows.iter().filter_map(id));
    }
    Ok(ids)
}

/// Returns the body of a completion for checks with these ids. The body has four taxes and one deduction for
/// each check.
pub(crate) fn completion_document(ids: &[String]) -> String {
    let tax =
        |name: &str, amount: &str, paid_by: &str| json!({"name": name, "amount": amount, "paidBy": paid_by});
    let check = |id: &String| {
        json!({
            "paycheckId": id,
            "taxes": [
                tax("Federal Income Tax", "28.33", "EMPLOYEE_WITHHOLDING"),
                tax("State Income Tax", "11.07", "EMPLOYEE_WITHHOLDING"),
                tax("Social Security", "9.61", "EMPLOYEE_WITHHOLDING"),
                tax("Social Security", "9.61", "EMPLOYER_LIABILITY"),
            ],
            "deductions": [{"componentId": "savings", "amount": "25.00"}],
        })
    };
    json!({"checks": ids.iter().map(check).collect::<Vec<_>>()}).to_string()
}

/// Repeats the write until `work` ends, and returns the duration of each write.
async fn repeat_write_until(
    request: &Request,
    work: impl Future<Output = Result<Vec<u8>, Failure>>,
) -> Result<Vec<Duration>, Failure> {
    let (mut work, mut waits) = (std::pin::pin!(work), Vec::new());
    loop {
        let write = async {
            let sent = Instant::now();
            send_once(PARTNER_ADDRESS, request).await?;
            let waited = sent.elapsed();
            tokio::time::sleep(WRITE_PAUSE).await;
            Ok::<_, Failure>(waited)
        };
        tokio::select! {
            ended = &mut work => return ended.map(|_| waits),
            waited = write => waits.push(waited?),
        }
    }
}
