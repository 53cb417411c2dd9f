//! Tests with clients that try to exhaust the server with many connections, endless request heads and bodies,
//! and pipelined requests. Each listener has the same limits, and the server must still serve other clients.

use std::time::Duration;

use payroll_adapter_http::HttpSettings;

use crate::envelope_code;
use crate::server::{Connection, Server, ServerResponse};

const INCOMPLETE_HEAD: &str = "GET /companies HTTP/1.1\r\nHost:";
const GET: &str = "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n";
/// The maximum time that a test waits. This time exceeds every expected delay on a slow machine, and is
/// shorter than the server's timeouts, which would end the wait too.
const TEST_TIMEOUT: Duration = Duration::from_secs(25);

/// Fails if the future takes longer than [`TEST_TIMEOUT`].
async fn complete_within_timeout<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_TIMEOUT, what).await.unwrap()
}

/// Sends a request on a new connection and returns the response.
async fn send_on_new_connection(server: &Server) -> ServerResponse {
    let mut connection = server.connect().await;
    connection.send(GET).await;
    complete_within_timeout(connection.read_response()).await
}

/// Opens connections one after another. Each connection sends an incomplete request head, which the server
/// reads.
async fn open_incomplete_heads(server: &Server, count: usize) -> Vec<Connection> {
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut connection = server.connect().await;
        connection.send(INCOMPLETE_HEAD).await;
        connections.push(connection);
        // The listener has only one thread. A response therefore means that the earlier bytes were already
        // read.
        send_on_new_connection(server).await;
    }
    connections
}

fn set_max_connections(max: usize) -> impl Fn(&mut HttpSettings) {
    move |settings| settings.max_connections = max
}

#[tokio::test]
async fn the_oldest_incomplete_head_is_evicted_for_a_new_connection() {
    for server in Server::start_both_servers(set_max_connections(4)) {
        // The server allows four connections. Three incomplete heads and the connection of
        // `send_on_new_connection` reach this limit. With a fourth incomplete head, that connection exceeds
        // the limit, so the oldest connection is evicted.
        let mut open = open_incomplete_heads(&server, 3).await;
        open.extend(open_incomplete_heads(&server, 1).await);
        let refused = complete_within_timeout(open.remove(0).read_to_end()).await;
        assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("API-503"), "{refused}");
        assert!(refused.contains("\r\nretry-after: "), "{refused}");
        // The newest connection was not evicted, so the server responds to its request.
        let newest = open.last_mut().unwrap();
        newest.send(" h\r\n\r\n").await;
        assert!((401..=404).contains(&complete_within_timeout(newest.read_response()).await.status));
    }
}

#[tokio::test]
async fn incomplete_heads_do_not_lock_out_other_clients() {
    for server in Server::start_both_servers(set_max_connections(8)) {
        let mut open = Vec::new();
        for _ in 0..200 {
            let mut connection = server.connect().await;
            connection.send(INCOMPLETE_HEAD).await;
            open.push(connection);
        }
        assert_eq!(send_on_new_connection(&server).await.status, 404);
        drop(open);
    }
}

#[tokio::test]
async fn silent_connections_and_endless_bodies_are_evicted() {
    let sign_in = "POST /operator/v1/sessions HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
    let token = "POST /auth/oauth/v2/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    for (server, post) in Server::start_both_servers(set_max_connections(8)).into_iter().zip([token, sign_in])
    {
        let mut open = Vec::new();
        for number in 0..200 {
            let mut connection = server.connect().await;
            if number % 2 == 0 {
                connection.send(&format!("{post}Content-Length: 100\r\n\r\n{{")).await;
            }
            open.push(connection);
        }
        assert_eq!(send_on_new_connection(&server).await.status, 404);
        drop(open);
    }
}

#[tokio::test]
async fn connections_without_a_request_are_evicted_first() {
    for server in Server::start_both_servers(set_max_connections(4)) {
        let mut known = server.connect().await;
        known.send(GET).await;
        assert_eq!(complete_within_timeout(known.read_response()).await.status, 404);
        let open = open_incomplete_heads(&server, 20).await;
        known.send(GET).await;
        assert_eq!(complete_within_timeout(known.read_response()).await.status, 404);
        drop(open);
    }
}

/// This test runs only on Linux, where all addresses of 127.0.0.0/8 belong to the machine without
/// configuration.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_address_evicts_only_its_own_connections() {
    let few = |settings: &mut HttpSettings| settings.max_connections_per_address = 2;
    for server in Server::start_both_servers(few) {
        let mut other = server.connect_from("127.0.0.2").await;
        other.send(INCOMPLETE_HEAD).await;
        send_on_new_connection(&server).await;
        let mut first = server.connect_from("127.0.0.3").await;
        first.send(INCOMPLETE_HEAD).await;
        let mut open = Vec::new();
        for _ in 0..20 {
            let mut connection = server.connect_from("127.0.0.3").await;
            connection.send(INCOMPLETE_HEAD).await;
            open.push(connection);
        }
        complete_within_timeout(first.wait_until_closed()).await;
        assert_eq!(send_on_new_connection(&server).await.status, 404);
        assert!(other.is_open_and_silent());
        other.send(" h\r\n\r\n").await;
        assert!((401..=404).contains(&complete_within_timeout(other.read_response()).await.status));
        drop(open);
    }
}

#[tokio::test]
async fn a_trusted_proxy_has_no_limit_per_address() {
    let use_proxy = |settings: &mut HttpSettings| {
        settings.max_connections_per_address = 1;
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    };
    for server in Server::start_both_servers(use_proxy) {
        for mut connection in open_incomplete_heads(&server, 10).await {
            connection.send(" h\r\n\r\n").await;
            assert!((401..=404).contains(&complete_within_timeout(connection.read_response()).await.status));
        }
    }
}

#[tokio::test]
async fn every_head_of_a_connection_has_the_same_time_limit() {
    let impatient = |settings: &mut HttpSettings| settings.head_timeout = Duration::from_secs(1);
    for server in Server::start_both_servers(impatient) {
        let mut connection = server.connect().await;
        connection.send(GET).await;
        assert_eq!(complete_within_timeout(connection.read_response()).await.status, 404);
        connection.send(INCOMPLETE_HEAD).await;
        let response = complete_within_timeout(connection.read_response()).await;
        assert_eq!((response.status, envelope_code(&response)), (408, "API-408".to_owned()));
        complete_within_timeout(connection.wait_until_closed()).await;
    }
}

#[tokio::test]
async fn a_head_sent_byte_by_byte_times_out() {
    let impatient = |settings: &mut HttpSettings| settings.head_timeout = Duration::from_secs(1);
    for server in Server::start_both_servers(impatient) {
        let mut connection = server.connect().await;
        connection.send(INCOMPLETE_HEAD).await;
        let trickled = async {
            while connection.is_open_and_silent() {
                connection.send("x").await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        complete_within_timeout(trickled).await;
    }
}

#[tokio::test]
async fn a_request_rejected_before_its_body_closes_its_connection() {
    for server in Server::start_both_servers(|_| ()) {
        for length in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
            let mut connection = server.connect().await;
            connection.send(&format!("PUT /nothing HTTP/1.1\r\nHost: h\r\n{length}\r\n\r\n5\r\n[")).await;
            assert_eq!(complete_within_timeout(connection.read_response()).await.status, 404, "{length}");
            complete_within_timeout(connection.wait_until_closed()).await;
        }
    }
}

#[tokio::test]
async fn large_heads_count_towards_the_listeners_memory() {
    // The memory budget suffices for two request heads.
    let small = |settings: &mut HttpSettings| settings.max_memory_bytes = 70 * 1024;
    for server in Server::start_both_servers(small) {
        let head = format!("{INCOMPLETE_HEAD} h\r\nX-Large: {}", "x".repeat(30 * 1024));
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut connection = server.connect().await;
            connection.send(&head).await;
            // The listener has only one thread. A response therefore means that some of the bytes were
            // already read.
            send_on_new_connection(&server).await;
            open.push(connection);
        }
        let mut third = server.connect().await;
        third.send(&head).await;
        let response = complete_within_timeout(third.read_response()).await;
        assert_eq!((response.status, envelope_code(&response)), (503, "API-503".to_owned()));
        assert!(response.header("retry-after").is_some());
        drop(open);
        // The server notices a closed connection only at the next read, so the memory may become free a
        // little later.
        let freed = async {
            loop {
                let mut connection = server.connect().await;
                connection.send(&format!("{head}\r\n\r\n")).await;
                if connection.read_response().await.status != 503 {
                    break;
                }
            }
        };
        complete_within_timeout(freed).await;
    }
}

#[tokio::test]
async fn slow_bodies_take_no_memory_from_new_requests() {
    // The memory budget suffices for two requests.
    let small = |settings: &mut HttpSettings| settings.max_memory_bytes = 80 * 1024;
    let [partner, _] = Server::start_both_servers(small);
    let mut slow = Vec::new();
    for _ in 0..2 {
        let mut connection = partner.connect().await;
        let head = "POST /auth/oauth/v2/token HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n";
        connection.send(&format!("{head}Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant")).await;
        // The listener has only one thread. A response therefore means that the earlier bytes were already
        // read.
        assert_eq!(send_on_new_connection(&partner).await.status, 404);
        slow.push(connection);
    }
    let evicted = async {
        while slow.first().is_some_and(Connection::is_open_and_silent) {
            assert_eq!(send_on_new_connection(&partner).await.status, 404);
        }
    };
    complete_within_timeout(evicted).await;
    let ended = complete_within_timeout(slow.remove(0).read_to_end()).await;
    // The response lacks its first byte, because `is_open_and_silent` has already read this byte.
    assert!(ended.starts_with("TTP/1.1 503") && ended.contains("\r\nretry-after: "), "{ended}");
    assert!(slow.remove(0).is_open_and_silent(), "there is room for this one");
}

#[tokio::test]
async fn pipelined_requests_get_responses_in_order() {
    for server in Server::start_both_servers(|_| ()) {
        let mut connection = server.connect().await;
        let body = "PUT /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nGET /";
        let ahead = format!("{GET}{body}BREW /livez HTTP/1.1\r\nHost: h\r\n\r\n{GET}");
        let last = "GET /nothing HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        connection.send(&format!("{}{last}", GET.repeat(300))).await;
        let responses = complete_within_timeout(connection.read_to_end()).await;
        assert_eq!(responses.matches("HTTP/1.1 404").count(), 301);
        let mut connection = server.connect().await;
        connection.send(&ahead).await;
        // The server rejects the request without reading its body, and closes the connection.
        let responses = complete_within_timeout(connection.read_to_end()).await;
        assert_eq!(responses.matches("HTTP/1.1 ").count(), 2, "{responses}");
    }
}

#[tokio::test]
async fn a_sandbox_ignores_unauthenticated_requests_for_faults() {
    let sandbox = |settings: &mut HttpSettings| settings.sandbox = true;
    let [partner, operator] = Server::start_both_servers(sandbox);
    // Only the store could validate an operator key, and the store is unavailable. The requests to the
    // operator API therefore contain no key.
    let requests = [
        (&partner, "/companies", ""),
        (&partner, "/companies", "Authorization: Bearer x.y.z"),
        (&operator, "/operator/v1/companies", ""),
    ];
    for fault in ["503", "slow=100", "lost", "reset", "nonsense"] {
        let fault = format!("Sandbox-Fault: {fault}");
        for (server, path, token) in requests {
            let headers: Vec<&str> =
                [fault.as_str(), token].into_iter().filter(|it| !it.is_empty()).collect();
            let response = complete_within_timeout(server.request("GET", path, &headers, "")).await;
            assert_eq!((response.status, envelope_code(&response)), (401, "API-102".to_owned()), "{fault}");
        }
        let headers = ["Content-Type: application/x-www-form-urlencoded", fault.as_str()];
        let response = complete_within_timeout(partner.request(
            "POST",
            "/auth/oauth/v2/token",
            &headers,
            "grant_type=x",
        ))
        .await;
        assert_eq!((response.status, envelope_code(&response)), (400, "API-48".to_owned()), "{fault}");
    }
}
