//! Tests of both APIs with TLS: HTTP/1.1 as bytes, HTTP/2 as frames, and clients that violate the protocols.

use std::future::poll_fn;
use std::sync::Arc;

use actix_web::web::Bytes;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use http::{Request, Response};
use payroll_adapter_http::{TlsConfiguration, TlsFiles};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::server::Server;

/// The number of simultaneous streams that the server allows a client.
const MAX_CLIENT_STREAMS: usize = 100;

/// A server with TLS, and a connector that trusts its certificate.
struct TlsServer {
    server: Server,
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsServer {
    fn start(start: impl FnOnce(&TlsConfiguration) -> Server, versions: &[&[u8]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = TlsFiles { certificate: folder.path().join("c.pem"), key: folder.path().join("k.pem") };
        let created = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&files.certificate, created.cert.pem()).unwrap();
        std::fs::write(&files.key, created.signing_key.serialize_pem()).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(created.cert.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = versions.iter().map(|version| version.to_vec()).collect();
        Self {
            server: start(&TlsConfiguration::load(files).unwrap()),
            connector: TlsConnector::from(Arc::new(config)),
            name: ServerName::try_from("localhost").unwrap(),
        }
    }

    async fn connect(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.server.address()).await.unwrap();
        self.connector.connect(self.name.clone(), stream).await.unwrap()
    }

    /// Opens an HTTP/2 connection, and returns the client and the task that ends with the connection.
    async fn connect_http2(&self) -> (SendRequest<Bytes>, tokio::task::JoinHandle<Result<(), h2::Error>>) {
        let stream = self.connect().await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        (client, tokio::spawn(connection))
    }
}

fn start_http_2_server() -> TlsServer {
    TlsServer::start(Server::start_with_tls, &[b"h2", b"http/1.1"])
}

/// Starts the server with HTTP/2 and short timeouts.
fn start_http_2_server_with_short_timeouts() -> TlsServer {
    TlsServer::start(Server::start_with_tls_and_short_timeouts, &[b"h2", b"http/1.1"])
}

fn get_request(path: &str) -> Request<()> {
    Request::get(format!("https://localhost{path}")).body(()).unwrap()
}

fn post_request(path: &str) -> Request<()> {
    let request = Request::post(format!("https://localhost{path}"));
    request.header("content-type", "application/x-www-form-urlencoded").body(()).unwrap()
}

async fn read_text_response(response: Response<RecvStream>) -> (u16, String) {
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let mut whole = Vec::new();
    while let Some(part) = body.data().await {
        let part = part.unwrap();
        body.flow_control().release_capacity(part.len()).unwrap();
        whole.extend_from_slice(&part);
    }
    (status, String::from_utf8(whole).unwrap())
}

async fn send_request(client: &mut SendRequest<Bytes>, request: Request<()>) -> (u16, String) {
    poll_fn(|context| client.poll_ready(context)).await.unwrap();
    let (response, _) = client.send_request(request, true).unwrap();
    read_text_response(response.await.unwrap()).await
}

#[tokio::test]
async fn http_2_responses_have_envelope_request_id_and_content_length() {
    let secured = start_http_2_server();
    let (mut client, _connection) = secured.connect_http2().await;
    poll_fn(|context| client.poll_ready(context)).await.unwrap();
    let response = client.send_request(get_request("/nothing"), true).unwrap().0.await.unwrap();
    let headers = response.headers().clone();
    let (status, body) = read_text_response(response).await;
    assert!(status == 404 && body.contains("API-7"), "{status} {body}");
    for (name, value) in [("content-length", body.len().to_string()), ("vary", "Accept".to_owned())] {
        assert_eq!(headers[name], value);
    }
    assert!(headers.contains_key("x-vendor-txid") && headers.contains_key("date"));
    assert!(!headers.contains_key("connection"), "{headers:?}");
}

#[tokio::test]
async fn without_alpn_the_connection_uses_http_1_1() {
    for versions in [&[][..], &[&b"http/1.1"[..]][..]] {
        let secured = TlsServer::start(Server::start_operator_with_tls_and_short_timeouts, versions);
        for (request, says) in [
            ("GET /operator/v1/companies HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "401"),
            ("nonsense\r\n\r\n", "400"),
            ("", "408"),
        ] {
            let mut stream = secured.connect().await;
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut response = Vec::new();
            // The server may reset the connection after its last response, so an error of the read is
            // ignored.
            let _ = stream.read_to_end(&mut response).await;
            let response = String::from_utf8(response).unwrap();
            let reported =
                response.starts_with(&format!("HTTP/1.1 {says} ")) && response.contains("{\"errors\":[");
            assert!(reported, "{request:?}: {response}");
        }
    }
}

#[tokio::test]
async fn a_client_without_a_handshake_is_disconnected() {
    let secured = start_http_2_server_with_short_timeouts();
    for greeting in ["", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = TcpStream::connect(secured.server.address()).await.unwrap();
        stream.write_all(greeting.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        // The server sends at most a TLS alert before it closes the connection, so the read may fail.
        let _ = stream.read_to_end(&mut rest).await;
        assert!(!rest.starts_with(b"HTTP"), "{rest:?}");
    }
}

#[tokio::test]
async fn connections_without_requests_are_closed() {
    let secured = start_http_2_server_with_short_timeouts();
    // The client and the server both close the connection. The side that closes later may get an error, so
    // the test accepts errors.
    let (_silent, connection) = secured.connect_http2().await;
    let _ = connection.await.unwrap();
    let (mut client, connection) = secured.connect_http2().await;
    send_request(&mut client, get_request("/nothing")).await;
    let _ = connection.await.unwrap();
}

#[tokio::test]
async fn the_streams_of_a_connection_are_limited() {
    let secured = start_http_2_server_with_short_timeouts();
    let (mut client, _connection) = secured.connect_http2().await;
    assert_eq!(send_request(&mut client, get_request("/nothing")).await.0, 404);
    assert_eq!(client.current_max_send_streams(), MAX_CLIENT_STREAMS);
    // The bodies of these requests never end, so each request occupies its stream until the server's
    // timeout.
    let mut open = Vec::new();
    for _ in 0..MAX_CLIENT_STREAMS {
        poll_fn(|context| client.poll_ready(context)).await.unwrap();
        open.push(client.send_request(post_request("/auth/oauth/v2/token"), false).unwrap());
    }
    let (last, _) = open.swap_remove(0);
    let (status, body) = read_text_response(last.await.unwrap()).await;
    assert!(status == 408 && body.contains("API-408"), "{status} {body}");
}

#[tokio::test]
async fn a_large_head_or_body_is_rejected_with_the_envelope() {
    let secured = start_http_2_server();
    let (mut client, _connection) = secured.connect_http2().await;
    let large = |bytes: usize| {
        Request::get("https://localhost/companies").header("x-large", "x".repeat(bytes)).body(()).unwrap()
    };
    let (status, body) = send_request(&mut client, large(40_000)).await;
    assert!(status == 431 && body.contains("API-431"), "{status} {body}");
    let (status, body) = send_request(&mut client, get_request(&format!("/{}", "x".repeat(10_000)))).await;
    assert!(status == 414 && body.contains("API-414"), "{status} {body}");
    let announced = Request::post("https://localhost/auth/oauth/v2/token")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("content-length", "99999999")
        .body(())
        .unwrap();
    let (response, _body) = client.send_request(announced, false).unwrap();
    assert_eq!(response.await.unwrap().status().as_u16(), 413);
}

/// Returns a request with the given number of small header fields, all with the same name.
fn request_with_fields(path: &str, fields: usize) -> Request<()> {
    let mut request = get_request(path);
    for _ in 0..fields {
        request.headers_mut().append("a", http::HeaderValue::from_static("b"));
    }
    request
}

#[tokio::test]
async fn http_2_accepts_as_many_header_fields_as_http_1_1() {
    let secured = start_http_2_server();
    for (fields, status, code) in [(96, 401, "API-102"), (97, 431, "API-431"), (1_500, 431, "API-431")] {
        let (mut client, _connection) = secured.connect_http2().await;
        let (answered, body) = send_request(&mut client, request_with_fields("/companies", fields)).await;
        assert!(answered == status && body.contains(code), "{fields}: {answered} {body}");
        let plain = Server::start();
        // In HTTP/1.1, the header `Host` counts as a field. HTTP/2 sends the host in a pseudo-header instead.
        let lines = "a: b\r\n".repeat(fields - 1);
        let response =
            plain.send(format!("GET /companies HTTP/1.1\r\nHost: h\r\n{lines}\r\n").as_bytes()).await;
        assert!(response.status == status && response.body.contains(code), "{fields}: {}", response.body);
    }
    // The library rejects a far larger request head with a response without a body. The connection remains
    // open.
    let (mut client, _connection) = secured.connect_http2().await;
    let (status, _) = send_request(&mut client, request_with_fields("/companies", 3_000)).await;
    assert_eq!((status, send_request(&mut client, get_request("/nothing")).await.0), (431, 404));
}

#[tokio::test]
async fn http_2_requests_count_towards_the_listeners_memory() {
    let start = |tls: &TlsConfiguration| {
        Server::start_with_tls_and_settings(tls, |settings| settings.max_memory_bytes = 64 * 1024)
    };
    let secured = TlsServer::start(start, &[b"h2"]);
    let (mut client, _connection) = secured.connect_http2().await;
    let mut open = Vec::new();
    for _ in 0..3 {
        poll_fn(|context| client.poll_ready(context)).await.unwrap();
        open.push(client.send_request(post_request("/auth/oauth/v2/token"), false).unwrap());
    }
    let (status, body) = send_request(&mut client, get_request("/nothing")).await;
    assert!(status == 503 && body.contains("API-503"), "{status} {body}");
    drop(open);
    while send_request(&mut client, get_request("/nothing")).await.0 != 404 {}
}

#[tokio::test]
async fn an_http_2_connection_without_requests_is_evicted() {
    let start = |tls: &TlsConfiguration| {
        Server::start_with_tls_and_settings(tls, |settings| settings.max_connections = 4)
    };
    let secured = TlsServer::start(start, &[b"h2"]);
    let mut open = Vec::new();
    for _ in 0..12 {
        open.push(secured.connect_http2().await);
    }
    let (mut client, _connection) = secured.connect_http2().await;
    assert_eq!(send_request(&mut client, get_request("/nothing")).await.0, 404);
    let (_, first) = open.swap_remove(0);
    // The oldest connection is evicted. An evicted connection may end with or without an error.
    let _ = first.await.unwrap();
}

#[tokio::test]
async fn a_flood_of_reset_requests_ends_the_connection() {
    let secured = start_http_2_server();
    let (mut client, connection) = secured.connect_http2().await;
    let mut request_count = 0;
    while poll_fn(|context| client.poll_ready(context)).await.is_ok() {
        let Ok((_, mut stream)) = client.send_request(post_request("/auth/oauth/v2/token"), false) else {
            break;
        };
        stream.send_reset(Reason::CANCEL);
        request_count += 1;
        if request_count % 50 == 0 {
            tokio::task::yield_now().await;
        }
        assert!(request_count < 1_000_000, "the flood goes on");
    }
    let ended = connection.await.unwrap().unwrap_err();
    assert!(ended.is_remote() || ended.is_io(), "{ended:?}");
    let (mut client, _connection) = secured.connect_http2().await;
    assert_eq!(send_request(&mut client, get_request("/nothing")).await.0, 404);
}

#[tokio::test]
async fn a_stopping_server_finishes_received_requests_only() {
    let secured = start_http_2_server();
    let (mut client, connection) = secured.connect_http2().await;
    let (response, mut body) = client.send_request(post_request("/auth/oauth/v2/token"), false).unwrap();
    body.send_data(Bytes::from_static(b"grant_type="), false).unwrap();
    // A response to a later request shows that the first request has begun.
    send_request(&mut client, get_request("/nothing")).await;
    let stopping = tokio::spawn(secured.server.stop());
    // New requests are rejected as soon as the server has sent its GOAWAY.
    while poll_fn(|context| client.poll_ready(context)).await.is_ok() {
        let Ok((response, _)) = client.send_request(get_request("/nothing"), true) else { break };
        if response.await.is_err() {
            break;
        }
    }
    body.send_data(Bytes::from_static(b"password"), true).unwrap();
    let (status, body) = read_text_response(response.await.unwrap()).await;
    assert!(status == 400 && body.contains("unsupported_grant_type"), "{status} {body}");
    drop(client);
    // The server may have closed the connection before the client sends its GOAWAY. The GOAWAY then fails,
    // but the client already has the response.
    let _ = connection.await.unwrap();
    stopping.await.unwrap();
}

#[tokio::test]
async fn the_operator_api_supports_http_2() {
    let secured = TlsServer::start(Server::start_operator_with_tls, &[b"h2"]);
    let (mut client, _connection) = secured.connect_http2().await;
    let (status, body) = send_request(&mut client, get_request("/operator/v1/companies")).await;
    assert!(status == 401 && body.contains("API-102"), "{status} {body}");
}
