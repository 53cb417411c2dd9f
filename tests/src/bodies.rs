//! Tests of large bodies. The server authorizes the caller before it reads a large body. Processing a large
//! body does not block other requests. All bodies together stay within the memory limit.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::operations::CHECKS;
use crate::support::{
    Caller, FOREIGN, OPEN, Request, Server, Settings, on_every_database, on_every_database_with, raw,
    valid_check,
};

/// A size of a body that the server reads only after it has authorized the caller.
const LARGE_BODY_BYTES: usize = 70_000;
/// The maximum size of a partner's body.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// Returns the request line and the headers of a POST of checks by this caller. `lines` are additional
/// headers.
async fn request_head(server: &Server, caller: Caller, company: &str, lines: &str) -> String {
    let token = server.authorization(caller).await.expect("a token");
    format!(
        "POST /companies/{company}/checks HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: {CHECKS}\r\n{lines}\r\n\r\n"
    )
}

/// Sends bytes on a new connection and returns the response.
async fn send_and_read_response(address: &str, bytes: &str) -> String {
    read_response(&mut raw::open_and_send(address, bytes.as_bytes()).await).await
}

/// Reads the first response on a connection. The server may keep the connection open after the response.
async fn read_response(connection: &mut TcpStream) -> String {
    let mut response = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&response).into_owned();
        if is_complete_response(&text) || connection.read_buf(&mut response).await.unwrap_or_default() == 0 {
            return text;
        }
    }
}

/// Returns whether the text is a response with its complete body.
fn is_complete_response(response: &str) -> bool {
    let Some((head, body)) = response.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.and_then(|length| length.parse().ok()).unwrap_or(0_usize)
}

/// Returns the first chunk of a large chunked body. The final chunk is missing.
fn large_chunk() -> String {
    format!("{LARGE_BODY_BYTES:x}\r\n{}\r\n", " ".repeat(LARGE_BODY_BYTES))
}

#[test]
fn an_unauthorized_caller_is_rejected_before_a_large_body() {
    let announced = format!("Content-Length: {LARGE_BODY_BYTES}");
    let callers = [
        (Caller::Malformed, OPEN, "401", "API-102"),
        (Caller::Expired, OPEN, "401", "API-102"),
        (Caller::WithoutScope, OPEN, "403", "API-2"),
        (Caller::Other, OPEN, "403", "API-2"),
        (Caller::Partner, "UNKNOWN", "404", "API-7"),
        (Caller::Partner, "ENDED", "403", "API-68"),
    ];
    on_every_database(async |server| {
        for (caller, company, status, code) in callers {
            let whole = request_head(server, caller, company, &announced).await;
            let chunked =
                request_head(server, caller, company, "Transfer-Encoding: chunked").await + &large_chunk();
            for request in [whole, chunked] {
                let response = send_and_read_response(&server.address, &request).await;
                let refused = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(code);
                assert!(refused, "{caller:?} {company}: {response}");
            }
        }
    });
}

#[test]
fn a_disabled_application_is_rejected_before_its_large_body() {
    on_every_database(async |server| {
        let request =
            request_head(server, Caller::Partner, OPEN, &format!("Content-Length: {MAX_BODY_BYTES}")).await;
        server.database.execute("UPDATE applications SET enabled = false").await;
        let response = send_and_read_response(&server.address, &request).await;
        assert!(response.starts_with("HTTP/1.1 401") && response.contains("invalid_token"), "{response}");
        server.database.execute("UPDATE applications SET enabled = true").await;
    });
}

#[test]
fn a_client_that_waits_for_100_continue_gets_early_faults_immediately() {
    let expects = "Content-Length: 10\r\nExpect: 100-continue";
    on_every_database(async |server| {
        let other = request_head(server, Caller::Other, OPEN, expects).await;
        let too_large =
            request_head(server, Caller::Partner, OPEN, &expects.replace("10\r", "99999999\r")).await;
        let partner = request_head(server, Caller::Partner, OPEN, expects).await;
        let cases = [
            (other, "403"),
            (too_large, "413"),
            (partner.replace("/checks HTTP", "/cheques HTTP"), "404"),
            (partner.replace(CHECKS, "text/plain"), "415"),
            (partner.replace("POST", "PUT"), "405"),
            (partner.replace("Bearer ", "Bearer x"), "401"),
        ];
        for (request, status) in cases {
            let response = send_and_read_response(&server.address, &request).await;
            assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {response}");
        }
    });
}

#[test]
fn an_operator_that_waits_for_100_continue_gets_early_faults_immediately() {
    on_every_database(async |server| {
        let key = server.authorization(Caller::Operator).await.expect("a key");
        let request = |key: &str, target: &str| {
            format!(
                "PUT /operator/v1/{target} HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\n\
                 Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"
            )
        };
        let without_version =
            send_and_read_response(&server.operator_address, &request(&key, "applications/A")).await;
        assert!(["428", "404"].iter().any(|it| without_version.contains(it)), "{without_version}");
        let nobody =
            send_and_read_response(&server.operator_address, &request("Bearer x", "applications/A")).await;
        assert!(nobody.starts_with("HTTP/1.1 401"), "{nobody}");
    });
}

/// Returns bodies of the maximum size whose processing takes especially long.
fn slowest_bodies() -> Vec<String> {
    let full = |part: &str, end: &str| format!("[{}{end}]", part.repeat((MAX_BODY_BYTES - 100) / part.len()));
    vec![
        format!("[\"{}\"]", "\\u00e9".repeat((MAX_BODY_BYTES - 100) / 6)),
        format!("[\"{}\\ud800\"]", "\\ud83d\\ude00".repeat((MAX_BODY_BYTES - 100) / 12)),
        full(" \n", "1"),
        format!("[{{\"payHours\":{}}}]", "9".repeat(MAX_BODY_BYTES - 100)),
        format!("[{{{}\"workerId\":1}}]", "\"workerId\":1,".repeat((MAX_BODY_BYTES - 100) / 13)),
        format!("[{{\"earnings\":[{}{{}}]}}]", "{\"payHours\":\"x\"},".repeat((MAX_BODY_BYTES - 100) / 17)),
    ]
}

/// Raises the memory limits so that the server accepts all bodies at once. The default limits are many times
/// lower.
fn set_large_limits(settings: &mut Settings) {
    settings.max_request_memory_bytes = 2_000_000_000;
    settings.application_request_memory_bytes = 2_000_000_000;
}

/// The number of times that each body is sent. All bodies are sent at once, on more connections than the
/// server has processors.
const REPETITIONS_PER_BODY: usize = 4;
/// The number of other requests that the server must serve while it processes the large bodies.
const OTHER_REQUESTS: usize = 10;

#[test]
fn other_requests_are_served_while_the_worst_bodies_are_processed() {
    on_every_database_with(set_large_limits, async |server| {
        let mut bodies = Vec::new();
        for body in slowest_bodies() {
            let lines = format!("Content-Length: {}\r\nConnection: close", body.len());
            bodies.push(request_head(server, Caller::Partner, OPEN, &lines).await + &body);
        }
        let mut connections = Vec::new();
        for body in bodies.iter().cycle().take(REPETITIONS_PER_BODY * bodies.len()) {
            let (address, body) = (server.address.clone(), body.clone());
            connections
                .push(tokio::spawn(async move { raw::exchange_bytes(&address, body.as_bytes()).await }));
        }
        let heavy = join_all(connections);
        let others = async {
            for _ in 0..OTHER_REQUESTS {
                let alive = send_and_read_response(&server.address, "GET /livez HTTP/1.0\r\n\r\n").await;
                assert!(alive.contains(" 200 "), "{alive}");
                assert_eq!(
                    server.send(&Request::get("/companies").with_caller(Caller::Other)).await.status,
                    200
                );
            }
        };
        tokio::pin!(heavy, others);
        tokio::select! {
            biased;
            () = &mut others => {}
            _ = &mut heavy => panic!("everybody else waited for the large bodies"),
        }
        for response in heavy.await {
            let response = response.expect("it is sent");
            assert!(response.starts_with("HTTP/1.1 4"), "{:?}", &response[..response.len().min(300)]);
        }
    });
}

#[test]
fn a_body_with_too_many_values_is_always_rejected() {
    let many = format!("[{}0]", "[0],".repeat((MAX_BODY_BYTES - 100) / 4));
    on_every_database(async |server| {
        let checks = server.send(&Request::post_checks_raw(OPEN, many.clone())).await;
        assert_eq!(checks.status_and_code(), "413 API-44");
        let field = Request::post_custom_field(OPEN, &json!({})).body(many.clone());
        assert_eq!(server.send(&field).await.status_and_code(), "413 API-413");
    });
}

/// The number of bytes that each slow sender sends before it stops. The announced body is larger.
const SENT_BYTES: usize = 400_000;
/// The number of times that a test reads the memory in use before it fails. This many reads take at least a
/// minute.
const MAX_POLLS: usize = 12_000;

/// Starts sending a large body and stops in the middle.
async fn start_slow_request(server: &Server, caller: Caller, company: &str) -> TcpStream {
    let head = request_head(server, caller, company, &format!("Content-Length: {}", 3 * SENT_BYTES)).await;
    raw::open_and_send(&server.address, format!("{head}{}", " ".repeat(SENT_BYTES)).as_bytes()).await
}

/// Returns the number of bytes that the server reserves for partners' requests.
async fn memory_in_use(server: &Server) -> usize {
    let metrics = server.operator_get("/metrics").await;
    let text = String::from_utf8_lossy(&metrics.body).into_owned();
    let line = text.lines().find(|it| it.starts_with("payroll_request_memory_bytes{listener=\"partner\"}"));
    let value = line.and_then(|line| line.split(' ').nth(1)).expect("a gauge");
    value.parse().expect("a whole number")
}

/// Waits until the memory in use fulfills a condition. Returns the memory in use in bytes.
async fn wait_for_memory(server: &Server, is_enough: impl Fn(usize) -> bool) -> usize {
    for _ in 0..MAX_POLLS {
        let held = memory_in_use(server).await;
        if is_enough(held) {
            return held;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("what is held is not as wanted after {MAX_POLLS} looks: {}", memory_in_use(server).await);
}

/// Limits the memory to two slow senders per application and to three in total. The timeout for bodies is
/// long, so that it does not end a test on a busy machine.
fn set_small_limits(settings: &mut Settings) {
    settings.body_timeout_seconds = 300;
    settings.application_request_memory_bytes = 1_300_000;
    settings.max_request_memory_bytes = 1_900_000;
}

#[test]
fn the_memory_of_slow_senders_is_limited_per_application_and_in_total() {
    on_every_database_with(set_small_limits, async |server| {
        let mut senders = vec![start_slow_request(server, Caller::Partner, OPEN).await];
        let one = wait_for_memory(server, |held| held >= SENT_BYTES).await;
        assert!(one <= 2 * SENT_BYTES, "what was not sent is hardly held: {one}");
        senders.push(start_slow_request(server, Caller::Partner, OPEN).await);
        wait_for_memory(server, |held| held >= 2 * SENT_BYTES).await;

        let share = read_rejection(start_slow_request(server, Caller::Partner, OPEN).await).await;
        assert!(share.starts_with("HTTP/1.1 429") && share.contains("API-429"), "{share}");
        assert!(share.to_ascii_lowercase().contains("retry-after: "), "{share}");

        senders.push(start_slow_request(server, Caller::Other, FOREIGN).await);
        wait_for_memory(server, |held| held >= 3 * SENT_BYTES).await;
        let all = read_rejection(start_slow_request(server, Caller::Other, FOREIGN).await).await;
        assert!(all.starts_with("HTTP/1.1 503") && all.contains("API-503"), "{all}");
        assert!(all.to_ascii_lowercase().contains("retry-after: "), "{all}");
        assert_eq!(server.send(&Request::get("/companies")).await.status, 200, "others go on");

        drop(senders);
        wait_for_memory(server, |held| held == 0).await;
        assert_eq!(server.send(&Request::post_checks(OPEN, &valid_check())).await.status, 201);
        wait_for_memory(server, |held| held == 0).await;
    });
}

/// Reads the response to a sender that the server rejects.
async fn read_rejection(mut sender: TcpStream) -> String {
    read_response(&mut sender).await
}

#[test]
fn operators_have_a_separate_memory_budget_that_includes_imports() {
    let small = |settings: &mut Settings| settings.operator_max_request_memory_bytes = 1_000_000;
    on_every_database_with(small, async |server| {
        let line = format!("{{\"companyId\": \"{}\"}}", "x".repeat(900_000));
        let import = Request::operator_post("/import", &json!(null))
            .header("content-type", "application/x-ndjson")
            .accept("application/x-ndjson")
            .body(line);
        let reported = server.send(&import).await;
        let text = String::from_utf8_lossy(&reported.body).into_owned();
        assert!(text.contains("API-503") && text.contains("memory"), "{text}");
        assert_eq!(server.send(&Request::operator_get("/applications")).await.status, 200);
    });
}

#[test]
fn a_token_form_over_16_kibibytes_gets_413() {
    on_every_database(async |server| {
        let form = |bytes: usize| format!("grant_type={}", "x".repeat(bytes - "grant_type=".len()));
        assert_eq!(server.send(&Request::token(&form(16 * 1024))).await.status, 400);
        assert_eq!(server.send(&Request::token(&form(16 * 1024 + 1))).await.status_and_code(), "413 API-413");
        let announced = "POST /auth/oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\
                         Content-Type: application/x-www-form-urlencoded\r\n\r\n";
        let response = send_and_read_response(&server.address, announced).await;
        assert!(response.starts_with("HTTP/1.1 413"), "{response}");
    });
}
