//! Tests of streams, with and without a connection.

use std::net::TcpListener;

use actix_web::{App, HttpResponse, HttpServer, web};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

const LONG_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Creates a limiter that allows one stream at a time, with this time limit.
fn stream_limiter(time: Duration) -> StreamLimiter {
    StreamLimiter::new(1, time, MemoryBudget::new(2 * STREAM_BUFFER_BYTES, STREAM_BUFFER_BYTES))
}

fn numbered_chunks(count: u8) -> Chunks {
    stream::iter((0..count).map(|number| Ok(Bytes::from(vec![number])))).boxed()
}

/// Reads a stream to its end. Returns its bytes and whether it ended completely.
async fn collect_bytes(
    mut chunks: BoxStream<'static, Result<Bytes, IncompleteResponseError>>,
) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    loop {
        match chunks.next().await {
            Some(Ok(bytes)) => all.extend_from_slice(&bytes),
            Some(Err(IncompleteResponseError)) => return (all, false),
            None => return (all, true),
        }
    }
}

#[tokio::test]
async fn a_stream_is_passed_on_unchanged() {
    let streams = stream_limiter(LONG_TIMEOUT);
    assert_eq!(
        collect_bytes(streams.stream_response(numbered_chunks(5), "id").unwrap()).await,
        (vec![0, 1, 2, 3, 4], true)
    );
    tokio::task::yield_now().await;
    assert_eq!(
        collect_bytes(streams.stream_response(numbered_chunks(0), "id").unwrap()).await,
        (Vec::new(), true)
    );
}

#[tokio::test]
async fn an_error_ends_a_stream_early() {
    let streams = stream_limiter(LONG_TIMEOUT);
    assert_eq!(
        collect_bytes(streams.stream_response(invalid_chunks(), "id").unwrap()).await,
        (vec![0], false)
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_stream_is_ended_and_releases_its_permit() {
    let streams = stream_limiter(Duration::from_secs(1));
    let endless = numbered_chunks(1).chain(stream::pending()).boxed();
    let unread = streams.stream_response(endless, "id").unwrap();
    assert!(streams.stream_response(numbered_chunks(1), "id").is_err(), "only one may run");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(streams.stream_response(numbered_chunks(1), "id").is_ok());
    assert_eq!(collect_bytes(unread).await, (vec![0], false));
}

#[tokio::test]
async fn a_chunk_counts_as_memory_until_it_is_sent() {
    let memory = MemoryBudget::new(STREAM_BUFFER_BYTES, STREAM_BUFFER_BYTES);
    let streams = StreamLimiter::new(1, LONG_TIMEOUT, Arc::clone(&memory));
    let mut chunks = streams.stream_response(numbered_chunks(1), "id").unwrap();
    let chunk = chunks.next().await.unwrap().unwrap();
    assert!(chunks.next().await.is_none());
    drop(chunks);
    while streams.permits.available_permits() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(memory.in_use(), STREAM_BUFFER_BYTES);
    drop(chunk);
    assert_eq!(memory.in_use(), 0);
}

#[tokio::test]
async fn a_disconnected_caller_releases_its_permit() {
    let streams = stream_limiter(LONG_TIMEOUT);
    drop(streams.stream_response(numbered_chunks(9), "id").unwrap());
    while streams.permits.available_permits() == 0 {
        tokio::task::yield_now().await;
    }
}

fn invalid_chunks() -> Chunks {
    numbered_chunks(1).chain(stream::iter([Err("broken".into()), Ok(Bytes::new())])).boxed()
}

/// Requests a stream from a server. Returns all bytes that are received until the connection closes.
async fn read_response_bytes(chunks: fn() -> Chunks) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = HttpServer::new(move || {
        let stream = move || {
            let chunks = stream_limiter(LONG_TIMEOUT).stream_response(chunks(), "id").unwrap();
            std::future::ready(HttpResponse::Ok().streaming(chunks))
        };
        App::new().default_service(web::to(stream))
    });
    let server = server.workers(1).listen(listener).unwrap().run();
    let handle = server.handle();
    tokio::spawn(server);
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut received = Vec::new();
    // The connection may end with a reset, which is not an error in this test.
    let _ = connection.read_to_end(&mut received).await;
    handle.stop(false).await;
    received
}

#[tokio::test]
async fn an_aborted_stream_has_no_last_chunk() {
    let (whole, cut) =
        (read_response_bytes(|| numbered_chunks(2)).await, read_response_bytes(invalid_chunks).await);
    assert!(whole.ends_with(b"1\r\n\x00\r\n1\r\n\x01\r\n0\r\n\r\n"), "{whole:?}");
    assert!(cut.starts_with(b"HTTP/1.1 200 OK") && !cut.ends_with(b"0\r\n\r\n"), "{cut:?}");
}
