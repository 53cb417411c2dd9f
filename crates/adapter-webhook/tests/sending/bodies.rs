//! Tests of response bodies. A 2XX status is a success for any body, and the number of bytes that are read is
//! limited.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use payroll_adapter_webhook::SendResult;
use payroll_domain::delivery::{ErrorClass, MAX_STORED_RESPONSE_BYTES};
use tokio::sync::Notify;

use crate::receiver::{Connection, Receiver, Stream};
use crate::support::*;

const CHUNKED_RESPONSE_HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/// Sends chunks until the client closes the connection.
async fn send_chunks_until_closed(connection: &mut Connection) {
    let chunk = format!("1000\r\n{}\r\n", "a".repeat(0x1000));
    while connection.write(&chunk).await {}
}

#[tokio::test]
async fn an_endless_body_is_truncated_and_its_connection_closed() {
    let gone = Arc::new(Notify::new());
    let reported = Arc::clone(&gone);
    let receiver = Receiver::new(move |mut connection| {
        let reported = Arc::clone(&reported);
        async move {
            connection.read_request().await;
            connection.write(CHUNKED_RESPONSE_HEAD).await;
            send_chunks_until_closed(&mut connection).await;
            reported.notify_one();
        }
    })
    .await;
    assert_eq!(send_to(&receiver).await, accepted_result(&"a".repeat(MAX_STORED_RESPONSE_BYTES), true));
    gone.notified().await;
}

#[tokio::test]
async fn a_slow_body_is_truncated_at_the_time_limit() {
    let receiver = Receiver::new(async |mut connection| {
        connection.read_request().await;
        connection.write(CHUNKED_RESPONSE_HEAD).await;
        while connection.write("1\r\nb\r\n").await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let sent = send_until_timeout(&receiver).await;
    assert!(
        sent.response_body.as_ref().is_some_and(|body| body.bytes().all(|byte| byte == b'b')),
        "{sent:?}"
    );
    assert_eq!(SendResult { response_body: None, ..sent }, accepted_result("", true));
}

#[tokio::test]
async fn a_rejection_whose_body_is_missing_is_still_a_rejection() {
    let receiver = Receiver::new(async |mut connection| {
        connection.read_request().await;
        connection.write("HTTP/1.1 500 x\r\ncontent-length: 10\r\n\r\nbro").await;
        connection.wait_until_closed().await;
    })
    .await;
    let expected = SendResult {
        status: Some(500),
        response_body: Some("bro".to_owned()),
        response_truncated: true,
        ..failed_result(ErrorClass::Status)
    };
    assert_eq!(send_until_timeout(&receiver).await, expected);
}

#[tokio::test]
async fn an_incomplete_response_body_is_truncated_and_one_ended_by_close_is_complete() {
    for (response, expected) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbroken", accepted_result("broken", true)),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzzzz\r\n",
            accepted_result("abc", true),
        ),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", accepted_result("", true)),
        ("HTTP/1.0 200 OK\r\n\r\nold", accepted_result("old", false)),
        ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nnew", accepted_result("new", false)),
    ] {
        let receiver = Receiver::responding_once_with(response).await;
        assert_eq!(send_to(&receiver).await, expected, "{response}");
    }
}

#[tokio::test]
async fn a_reset_body_is_truncated() {
    let receiver = Receiver::new_with_stream_layer(
        async |stream| {
            stream.set_zero_linger().unwrap();
            Some(Box::new(stream) as Box<dyn Stream>)
        },
        async |mut connection| {
            connection.read_request().await;
            connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n").await;
        },
    )
    .await;
    let sent = send_to(&receiver).await;
    // If the connection is reset before the status line arrives, the attempt fails. Otherwise the status
    // determines the result.
    assert!(
        sent == accepted_result("", true) || sent == failed_result(ErrorClass::ConnectionClosed),
        "{sent:?}"
    );
}

#[tokio::test]
async fn no_body_is_decompressed() {
    // The body contains the first bytes of a gzip stream that would expand to gigabytes.
    let mut response = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\n".to_vec();
    response.extend_from_slice(b"\x1f\x8b\x08\0\0\0\0\0\0\0ab");
    let mut receiver = Receiver::responding_with(response).await;
    let sent = send_to(&receiver).await;
    let replaced = format!("\u{1f}\u{fffd}\u{8}{}ab", "\u{fffd}".repeat(7));
    assert_eq!(sent, accepted_result(&replaced, false));
    assert_eq!(receiver.next_request().await.header("accept-encoding"), None);
}

#[tokio::test]
async fn a_connection_is_reused_after_a_body_up_to_64_kib() {
    for (length, connections) in [(64 * 1_024, 1), (64 * 1_024 + 1, 2)] {
        let body = "c".repeat(length);
        let receiver =
            Receiver::responding_with(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"))
                .await;
        let sender = sender(&receiver);
        for _ in 0..2 {
            let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
            assert_eq!(sent, accepted_result(&body[..MAX_STORED_RESPONSE_BYTES], connections == 2));
        }
        assert_eq!(receiver.connection_count(), connections);
    }
}

#[tokio::test]
async fn only_a_small_part_of_a_large_response_is_read() {
    const LENGTH: usize = 20 << 20;
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let receiver = Receiver::new(move |mut connection| {
        let count = Arc::clone(&count);
        async move {
            connection.read_request().await;
            connection.write(format!("HTTP/1.1 200 OK\r\ncontent-length: {LENGTH}\r\n\r\n")).await;
            let part = vec![b'd'; 64 * 1_024];
            let mut left = LENGTH / part.len();
            while left > 0 && connection.write(&part).await {
                count.fetch_add(part.len(), Ordering::SeqCst);
                left -= 1;
            }
        }
    })
    .await;
    let sender = sender(&receiver);
    let (target, notification) = (target("http://receiver.example/"), notification());
    let sent = join_all((0..60).map(|_| sender.send(&target, &notification, NOW))).await;
    let expected = accepted_result(&"d".repeat(MAX_STORED_RESPONSE_BYTES), true);
    assert!(sent.iter().all(|sent| *sent == expected), "{sent:?}");
    // For each connection, the operating system buffers a few megabytes that the sender never reads. The
    // limit in the assertion allows for these megabytes.
    assert!(written.load(Ordering::SeqCst) < 60 * LENGTH / 2);
}
