//! The memory of the server while many clients send incomplete requests or do not read their responses.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::report::{median, megabytes};
use crate::stage::{LoadFixture, OPERATOR_ADDRESS};
use crate::world::{OPEN_PERIOD, PAGE_PERIOD, company_id};

/// The numbers of connections in one attack.
const CONNECTIONS: [usize; 2] = [1_000, 8_500];
/// Number of checks in the page that no client reads. The page has about 120 kB.
const UNREAD_CHECKS: usize = 100;
/// The receive buffer of a client that reads nothing. The buffer is small, so that the response stays in the
/// server.
const RECEIVE_BUFFER_BYTES: u32 = 4_096;
/// The time for which the connections stay open. The server needs less time to handle all connections.
const OPEN_TIME: Duration = Duration::from_secs(8);
/// Number of clients that connect at the same time.
const CONCURRENT_CONNECTS: usize = 64;
/// Number of connections with an incomplete request head.
const INCOMPLETE_HEADS: usize = 10_000;
/// Settings that allow all connections from one address.
const CONNECTION_LIMIT_ARGUMENTS: [&str; 4] =
    ["--max-connections", "10001", "--max-connections-per-address", "10001"];

/// Measures on SQLite and prints one row for each attack.
pub(crate) async fn measure() -> Result<(), Failure> {
    let database = Database::create_sqlite()?;
    let stage = LoadFixture::set_up(&database).await?;
    println!("| attack | connections | before | peak | 10 s later | GET /companies meanwhile |");
    println!("|---|---:|---:|---:|---:|---|");
    for count in CONNECTIONS {
        for attack in ["idle", "slow bodies", "unread page", "unread stream"] {
            println!("{}", measure_attack(&stage, attack, count).await?);
        }
    }
    println!("{}", measure_incomplete_heads(&stage).await?);
    Ok(())
}

/// Opens connections to the operators' listener, and sends an incomplete request head on each. Measures the
/// latency of an operator's GET during the attack.
async fn measure_incomplete_heads(stage: &LoadFixture<'_>) -> Result<String, Failure> {
    let server = stage.start_server_with(&CONNECTION_LIMIT_ARGUMENTS).await?;
    let request =
        Request::new("GET /operator/v1/companies?limit=1", &stage.operator_authorization(), b"", 200);
    send_once(OPERATOR_ADDRESS, &request).await?;
    let before = server.resident_kilobytes()?;
    let mut connections = Vec::new();
    let (mut connecting, mut waits) = (JoinSet::new(), Vec::new());
    let (started, half) = (Instant::now(), b"GET /operator/v1/companies HTTP/1.1\r\nHost: lo");
    while started.elapsed() < OPEN_TIME {
        let missing = INCOMPLETE_HEADS.saturating_sub(connections.len() + connecting.len());
        for _ in 0..missing.min(CONCURRENT_CONNECTS) {
            connecting.spawn(connect(OPERATOR_ADDRESS.to_owned(), half.to_vec()));
        }
        while let Some(connected) = connecting.try_join_next() {
            connections.push(connected??);
        }
        let request_started = Instant::now();
        send_once(OPERATOR_ADDRESS, &request).await?;
        waits.push(request_started.elapsed().as_secs_f64() * 1_000.0);
        sleep(Duration::from_millis(5)).await;
    }
    let (open, peak) = (connections.len(), server.peak_kilobytes()?);
    drop(connections);
    sleep(Duration::from_secs(10)).await;
    let [before, peak, later] = [before, peak, server.resident_kilobytes()?].map(megabytes);
    let longest = waits.iter().copied().fold(0.0, f64::max);
    let median = median(waits);
    Ok(format!(
        "| half heads to operators | {open} | {before:.0} MB | {peak:.0} MB | {later:.0} MB | \
         operator's GET: median {median:.1} ms, longest {longest:.1} ms |"
    ))
}

/// Returns the bytes that each client of an attack sends.
fn attack_bytes(attack: &str, authorization: &str) -> Vec<u8> {
    let company = company_id(0);
    let get = |line: String| Request::new(&line, authorization, b"", 200).bytes;
    match attack {
        "idle" => get("GET /companies?limit=1".to_owned()),
        "slow bodies" => {
            let mut request = LoadFixture::add_request(authorization, 0, OPEN_PERIOD).bytes;
            request.truncate(request.len() / 2);
            request
        }
        "unread page" => get(format!(
            "GET /companies/{company}/checks?payperiodid={PAGE_PERIOD}&limit={UNREAD_CHECKS}&offset=0"
        )),
        _ => get(format!("GET /companies/{company}/checks?payperiodid={PAGE_PERIOD}")),
    }
}

async fn measure_attack(stage: &LoadFixture<'_>, attack: &str, count: usize) -> Result<String, Failure> {
    let server = stage.start_server_with(&CONNECTION_LIMIT_ARGUMENTS).await?;
    let authorization = stage.authorization(&server.address).await?;
    let other = Request::new("GET /companies", &authorization, b"", 200);
    send_once(&server.address, &other).await?;
    let before = server.resident_kilobytes()?;
    let bytes = attack_bytes(attack, &authorization);
    let mut connections = Vec::new();
    while connections.len() < count {
        let mut connecting = JoinSet::new();
        for _ in 0..CONCURRENT_CONNECTS.min(count - connections.len()) {
            connecting.spawn(connect(server.address.clone(), bytes.clone()));
        }
        while let Some(connected) = connecting.join_next().await {
            connections.push(connected??);
        }
    }
    sleep(OPEN_TIME).await;
    let meanwhile = match send_once(&server.address, &other).await {
        Ok(_) => "200".to_owned(),
        Err(error) => error.to_string(),
    };
    let peak = server.peak_kilobytes()?;
    drop(connections);
    sleep(Duration::from_secs(10)).await;
    let later = server.resident_kilobytes()?;
    let [before, peak, later] = [before, peak, later].map(megabytes);
    Ok(format!("| {attack} | {count} | {before:.0} MB | {peak:.0} MB | {later:.0} MB | {meanwhile} |"))
}

async fn connect(address: String, bytes: Vec<u8>) -> Result<TcpStream, Failure> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    let mut stream = socket.connect(address.parse()?).await?;
    // The server may reject the request before it has received all bytes.
    let _ = stream.write_all(&bytes).await;
    Ok(stream)
}
