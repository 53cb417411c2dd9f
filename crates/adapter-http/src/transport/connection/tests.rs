//! Tests of the bytes that a connection passes to the HTTP library.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::task::Waker;

use actix_web::http::header::HeaderName;
use actix_web::rt::net::TcpStream;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violation;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::TcpListener;

use super::*;
use crate::transport::connections::ConnectionRegistry;
use crate::transport::host::{ConnectionHost, ConnectionSettings, Rejection};
use crate::transport::limits::MAX_READ_BYTES;
use crate::transport::memory::MemoryBudget;

const LONG_TIMEOUT: Duration = Duration::from_secs(3_600);

struct StubHost(Arc<MemoryBudget>, HeaderName);

impl ConnectionHost for StubHost {
    fn settings(&self) -> ConnectionSettings {
        ConnectionSettings {
            head_timeout: LONG_TIMEOUT,
            body_timeout: LONG_TIMEOUT,
            shutdown_timeout: LONG_TIMEOUT,
            keep_alive: LONG_TIMEOUT,
            max_connections: 1,
            max_connections_per_address: 1,
            workers: None,
        }
    }

    fn is_stopping(&self) -> bool {
        false
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn request_id_header(&self) -> &HeaderName {
        &self.1
    }

    fn create_rejection(&self, _: Violation) -> Rejection {
        Rejection { request_id: "1".to_owned(), response: actix_web::HttpResponse::BadRequest().finish() }
    }

    fn count_opened_connection(&self) {}

    fn count_closed_connection(&self) {}

    fn count_evicted_connections(&self, _: usize) {}

    fn is_trusted_proxy(&self, _: IpAddr) -> bool {
        false
    }

    fn memory_budget(&self) -> &Arc<MemoryBudget> {
        &self.0
    }
}

/// Returns a connection and the client's socket at its other end.
async fn connect_pair() -> (Connection, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let host = Arc::new(StubHost(MemoryBudget::new(1 << 20, 1 << 20), HeaderName::from_static("x-id")));
    let open = OpenConnection::new(host, &ConnectionRegistry::new(1, 1), None);
    (Connection::new(Transport::Plain(stream), open), client)
}

/// Returns the parts that the connection passes to the library until no more bytes are available.
fn read_available_parts(connection: &mut Connection) -> Vec<String> {
    let mut parts = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    // A pending read may become ready after other tasks ran, so the read is repeated.
    for _ in 0..1_000 {
        let mut bytes = vec![0; 64 * 1024];
        let mut buffer = ReadBuf::new(&mut bytes);
        if Pin::new(&mut *connection).poll_read(&mut context, &mut buffer).is_ready() {
            parts.push(String::from_utf8(buffer.filled().to_vec()).unwrap());
        }
    }
    parts
}

/// Waits until this number of bytes has arrived.
async fn wait_for_bytes(connection: &mut Connection, bytes: usize) {
    let Some(Transport::Plain(stream)) = &connection.stream else { panic!("it is plain") };
    let mut seen = vec![0; bytes];
    while stream.peek(&mut seen).await.unwrap() < bytes {}
}

const GET_REQUEST: &str = "GET / HTTP/1.1\r\n\r\n";

#[actix_web::test]
async fn a_request_is_passed_on_after_the_previous_response() {
    let (mut connection, mut client) = connect_pair().await;
    client.write_all(GET_REQUEST.repeat(3).as_bytes()).await.unwrap();
    wait_for_bytes(&mut connection, 3 * GET_REQUEST.len()).await;
    for _ in 0..3 {
        assert_eq!(read_available_parts(&mut connection), [GET_REQUEST]);
        let state = connection.state();
        state.begin_request(false, AnnouncedBody::None).record_response_created();
        assert!(read_available_parts(&mut connection).is_empty(), "it has no response");
        state.record_response_end();
    }
    assert!(read_available_parts(&mut connection).is_empty());
}

#[actix_web::test]
async fn body_is_forwarded_as_its_handler_reads_it() {
    let (mut connection, mut client) = connect_pair().await;
    let body = "x".repeat(3 * MAX_READ_BYTES);
    client.write_all(format!("{GET_REQUEST}{body}{GET_REQUEST}").as_bytes()).await.unwrap();
    wait_for_bytes(&mut connection, 2 * GET_REQUEST.len() + body.len()).await;
    assert_eq!(read_available_parts(&mut connection), [GET_REQUEST]);
    let state = connection.state();
    let unanswered = state.begin_request(false, AnnouncedBody::Sized(body.len() as u64));
    for _ in 0..3 {
        assert!(read_available_parts(&mut connection).is_empty(), "no more is wanted");
        state.record_body_wait();
        assert_eq!(read_available_parts(&mut connection).concat(), body[..MAX_READ_BYTES]);
    }
    assert!(read_available_parts(&mut connection).is_empty());
    unanswered.record_response_created();
    state.record_response_end();
    assert_eq!(read_available_parts(&mut connection), [GET_REQUEST]);
}

#[actix_web::test]
async fn a_body_received_with_its_head_is_passed_on_without_later_bytes() {
    let (mut connection, mut client) = connect_pair().await;
    let request = "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345";
    client.write_all(format!("{request}{GET_REQUEST}").as_bytes()).await.unwrap();
    wait_for_bytes(&mut connection, request.len() + GET_REQUEST.len()).await;
    assert_eq!(read_available_parts(&mut connection), [request]);
    let state = connection.state();
    state.begin_request(false, AnnouncedBody::Sized(5)).record_response_created();
    state.record_body_wait();
    assert!(read_available_parts(&mut connection).is_empty());
    state.record_response_end();
    assert_eq!(read_available_parts(&mut connection), [GET_REQUEST]);
}

#[actix_web::test]
async fn no_further_request_is_read_from_a_client_that_does_not_read() {
    let (mut connection, mut client) = connect_pair().await;
    client.write_all(GET_REQUEST.repeat(2).as_bytes()).await.unwrap();
    wait_for_bytes(&mut connection, 2 * GET_REQUEST.len()).await;
    assert_eq!(read_available_parts(&mut connection), [GET_REQUEST]);
    let state = connection.state();
    state.begin_request(false, AnnouncedBody::None).record_response_created();
    let mut context = Context::from_waker(Waker::noop());
    let response = [b'x'; 64 * 1024];
    while Pin::new(&mut connection).poll_write(&mut context, &response).is_ready() {
        tokio::task::yield_now().await;
    }
    state.record_response_end();
    assert!(read_available_parts(&mut connection).is_empty());
}
