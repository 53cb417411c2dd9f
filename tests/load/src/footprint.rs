//! The memory of the server: right after its start, and after some work.

use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::report::megabytes;
use crate::stage::LoadFixture;
use crate::world::{BATCH_CHECKS, OPEN_PERIOD, company_id};

/// Number of requests before the memory is read.
const REQUESTS: usize = 1_000;
/// Number of checks in the list that the benchmark requests without a page size.
const CHECKS: usize = 100_000;
/// The bytes that end a chunked response.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

/// Measures on SQLite and returns the rows of the report.
pub(crate) async fn measure() -> Result<String, Failure> {
    let database = Database::create_sqlite()?;
    let stage = LoadFixture::set_up(&database).await?;
    {
        let server = stage.start_server().await?;
        let add = LoadFixture::add_request(&stage.authorization(&server.address).await?, 0, OPEN_PERIOD);
        for _ in 0..CHECKS / BATCH_CHECKS {
            send_once(&server.address, &add).await?;
        }
    }
    let started = Instant::now();
    let server = stage.start_server().await?;
    let authorization = stage.authorization(&server.address).await?;
    let first_answer = started.elapsed();
    let companies = Request::new("GET /companies", &authorization, b"", 200);
    for _ in 0..REQUESTS {
        send_once(&server.address, &companies).await?;
    }
    let before = server.resident_kilobytes()?;
    let line = format!("GET /companies/{}/checks?payperiodid={OPEN_PERIOD}", company_id(0));
    let everything = Request::new(&line, &authorization, b"", 200);
    let bytes = read_everything(&server.address, &everything).await?;
    let peak = server.peak_kilobytes()?;
    Ok(format!(
        "| figure | value | must be |\n|---|---:|---:|\n\
         | time from the start to the first response 200 | {} ms | under 1000 ms |\n\
         | resident memory (VmRSS) after {REQUESTS} requests | {:.1} MB | under 40 MB |\n\
         | added at most while answering {CHECKS} checks ({} MB) | {:.1} MB | under 30 MB |",
        first_answer.as_millis(),
        megabytes(before),
        bytes / 1_000_000,
        megabytes(peak.saturating_sub(before)),
    ))
}

/// Reads a streamed response without storing it, and returns its length in bytes.
pub(crate) async fn read_everything(address: &str, request: &Request) -> Result<usize, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&request.to_bytes()).await?;
    let (mut buffer, mut tail, mut length) = (vec![0; 256 * 1024], Vec::new(), 0);
    while !tail.ends_with(LAST_CHUNK) {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Err("the response was cut off".into());
        }
        if length == 0 && !buffer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(buffer.get(..count).unwrap_or_default()).into());
        }
        length += count;
        tail.extend_from_slice(buffer.get(..count).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(LAST_CHUNK.len()));
    }
    Ok(length)
}
