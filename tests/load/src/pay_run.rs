//! The pay run before and after its completion: the preview of 10,000 checks compared with their completion,
//! and the payroll register of 100,000 checks.

use std::time::Instant;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::completion::{
    OPERATOR_ADDRESS, PARTNER_ADDRESS, completion_document, import_deduction, pay_period_request,
    read_check_ids, start_server,
};
use crate::database::Database;
use crate::footprint::read_everything;
use crate::report::megabytes;
use crate::stage::LoadFixture;
use crate::world::{BATCH_CHECKS, OPEN_PERIOD, company_id};

/// Number of companies whose pay period is previewed and completed, one after another. The report shows the
/// median.
const ROUNDS: usize = 3;
/// Number of checks in the register.
const REGISTER_CHECKS: usize = 100_000;

/// Measures on both databases and prints the tables of docs/benchmarks.md.
pub(crate) async fn measure(checks: usize, postgres: &str) -> Result<(), Failure> {
    println!(
        "| database | checks | preview s | completion s | share (at most 1.2) | added by the preview (under 60 MB) | added by the completion |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut registers = Vec::new();
    for database in [Database::create_sqlite()?, Database::create_postgres(postgres).await?] {
        let stage = LoadFixture::set_up(&database).await?;
        import_deduction(&database, ROUNDS)?;
        for company in 0..ROUNDS {
            println!("{}", measure_preview_and_completion(&stage, company, checks).await?);
        }
        {
            let _server = start_server(&database).await?;
            add_checks(&stage, ROUNDS, REGISTER_CHECKS).await?;
        }
        for media_type in ["application/json", "text/csv"] {
            registers.push(measure_register(&stage, ROUNDS, media_type).await?);
        }
    }
    println!(
        "\n| database | register of {REGISTER_CHECKS} checks | seconds | response | added memory (under 30 MB) |"
    );
    println!("|---|---|---:|---:|---:|");
    registers.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Previews and completes the pay period of one company and returns a row of the table. Each step has its own
/// server, whose peak memory is measured.
async fn measure_preview_and_completion(
    stage: &LoadFixture<'_>,
    company: usize,
    checks: usize,
) -> Result<String, Failure> {
    let ids = {
        let _server = start_server(stage.database).await?;
        add_checks(stage, company, checks).await?;
        send_once(OPERATOR_ADDRESS, &pay_period_request(stage, company, "POST /process", b"")).await?;
        read_check_ids(stage, company, checks).await?
    };
    let document = completion_document(&ids);
    let mut figures = Vec::new();
    for what in ["POST /complete?dryrun=true", "POST /complete"] {
        let server = start_server(stage.database).await?;
        let request = pay_period_request(stage, company, what, document.as_bytes());
        let before = server.resident_kilobytes()?;
        let started = Instant::now();
        if what.ends_with("true") {
            read_everything(OPERATOR_ADDRESS, &request).await?; // the preview is streamed
        } else {
            send_once(OPERATOR_ADDRESS, &request).await?;
        }
        let seconds = started.elapsed().as_secs_f64();
        figures.push((seconds, megabytes(server.peak_kilobytes()?.saturating_sub(before))));
    }
    let [(preview, by_preview), (completion, by_completion)] = figures.as_slice() else {
        return Err("two figures were measured".into());
    };
    Ok(format!(
        "| {} | {} | {preview:.2} | {completion:.2} | **{:.2}** | {by_preview:.1} MB | {by_completion:.1} MB |",
        stage.database.name(),
        ids.len(),
        preview / completion,
    ))
}

/// Reads the streamed register of a company and returns a row of the table.
async fn measure_register(
    stage: &LoadFixture<'_>,
    company: usize,
    media_type: &str,
) -> Result<String, Failure> {
    let server = start_server(stage.database).await?;
    // This request is not measured. It fills the caches of the server and of the database.
    send_once(OPERATOR_ADDRESS, &pay_period_request(stage, company, "GET /checks?limit=1", b"")).await?;
    let line =
        format!("GET /operator/v1/companies/{}/payperiods/{OPEN_PERIOD}/register", company_id(company));
    let headers = format!("{}Accept: {media_type}\r\n", stage.operator_authorization());
    let request = Request::new(&line, &headers, b"", 200);
    let before = server.resident_kilobytes()?;
    let started = Instant::now();
    let bytes = read_everything(OPERATOR_ADDRESS, &request).await?;
    let seconds = started.elapsed().as_secs_f64();
    let peak = server.peak_kilobytes()?;
    Ok(format!(
        "| {} | {media_type} | {seconds:.1} | {} MB | {:.1} MB |",
        stage.database.name(),
        bytes / 1_000_000,
        megabytes(peak.saturating_sub(before)),
    ))
}

/// Adds checks to the open period of a company.
async fn add_checks(stage: &LoadFixture<'_>, company: usize, checks: usize) -> Result<(), Failure> {
    let add = LoadFixture::add_request(&stage.authorization(PARTNER_ADDRESS).await?, company, OPEN_PERIOD);
    for _ in 0..checks.div_ceil(BATCH_CHECKS) {
        send_once(PARTNER_ADDRESS, &add).await?;
    }
    Ok(())
}
