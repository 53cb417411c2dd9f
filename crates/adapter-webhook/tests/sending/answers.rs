//! Tests of responses without a valid status line or headers, and of responses with an error status. Each
//! response is recorded with its error class.

use payroll_adapter_webhook::SendResult;
use payroll_domain::delivery::ErrorClass;
use tokio::net::TcpSocket;

use crate::receiver::{Receiver, Stream};
use crate::support::*;

#[tokio::test]
async fn a_closed_port_is_a_failed_connection() {
    // The socket stays bound, so that no other test gets the port. Connections fail, because the socket does
    // not listen.
    let bound = TcpSocket::new_v4().unwrap();
    bound.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let sender = payroll_adapter_webhook::Sender::new(settings(bound.local_addr().unwrap())).unwrap();
    let sent = sender.send(&target("http://receiver.example/"), &notification(), NOW).await;
    assert_eq!(sent, failed_result(ErrorClass::Connect));
}

#[tokio::test]
async fn a_silent_receiver_times_out() {
    let receiver = Receiver::new(async |mut connection| connection.wait_until_closed().await).await;
    assert_eq!(send_until_timeout(&receiver).await, failed_result(ErrorClass::Timeout));
}

#[tokio::test]
async fn response_with_an_incomplete_head_fails() {
    for head in [
        "HTTP/1.1 200 OK\r\nx: y",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
    ] {
        let receiver = Receiver::new(move |mut connection| async move {
            connection.read_request().await;
            connection.write(head).await;
            connection.wait_until_closed().await;
        })
        .await;
        assert_eq!(send_until_timeout(&receiver).await, failed_result(ErrorClass::Timeout), "{head}");
        let receiver = Receiver::responding_once_with(head).await;
        assert_eq!(send_to(&receiver).await, failed_result(ErrorClass::ConnectionClosed), "{head}");
    }
}

#[tokio::test]
async fn a_connection_that_ends_before_the_head_is_closed() {
    let closing = Receiver::responding_once_with("").await;
    assert_eq!(send_to(&closing).await, failed_result(ErrorClass::ConnectionClosed));
    assert_eq!(closing.connection_count(), 1);
    let resetting = Receiver::new_with_stream_layer(
        async |stream| {
            stream.set_zero_linger().unwrap();
            Some(Box::new(stream) as Box<dyn Stream>)
        },
        async |mut connection| drop(connection.read_request().await),
    )
    .await;
    assert_eq!(send_to(&resetting).await, failed_result(ErrorClass::ConnectionClosed));
    let refusing = Receiver::new(async |_| {}).await;
    assert_eq!(send_to(&refusing).await, failed_result(ErrorClass::ConnectionClosed));
}

#[tokio::test]
async fn a_response_that_is_not_http_is_a_protocol_error() {
    let garbage = [
        "SMTP ready\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/7.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
        "\0\u{1}\u{2}\u{3}\r\n\r\n",
    ];
    for response in garbage {
        let receiver = Receiver::responding_once_with(response).await;
        assert_eq!(send_to(&receiver).await, failed_result(ErrorClass::InvalidAnswer), "{response}");
    }
}

#[tokio::test]
async fn a_receiver_that_sends_before_the_request_is_a_protocol_error() {
    let receiver = Receiver::new(async |mut connection| {
        connection.write("SSH-2.0-OpenSSH_9.9\r\n").await;
        connection.wait_until_closed().await;
    })
    .await;
    let error = send_to(&receiver).await.error.unwrap();
    // The sender may detect either the invalid bytes or the end of the connection first. Both error classes
    // are therefore correct.
    assert!(matches!(error, ErrorClass::InvalidAnswer | ErrorClass::ConnectionClosed), "{error:?}");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_rejected() {
    let long = "x".repeat(1_000);
    let lines = |count| (0..count).map(|number| format!("h{number}: {long}\r\n")).collect::<String>();
    let response = |count| format!("HTTP/1.1 200 OK\r\n{}content-length: 0\r\n\r\n", lines(count));
    let receiver = Receiver::responding_once_with(response(60)).await;
    assert_eq!(send_to(&receiver).await, accepted_result("", false));
    let receiver = Receiver::responding_once_with(response(70)).await;
    let sent = send_to(&receiver).await;
    assert_eq!(sent, SendResult { status: Some(200), ..failed_result(ErrorClass::InvalidAnswer) });
    for count in [101, 1_000] {
        let receiver = Receiver::responding_once_with(response(count)).await;
        assert_eq!(send_to(&receiver).await, failed_result(ErrorClass::InvalidAnswer), "{count}");
    }
}

#[tokio::test]
async fn only_a_2xx_response_is_a_success() {
    for status in [200, 201, 202, 204, 226, 299] {
        let receiver =
            Receiver::responding_with(format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n")).await;
        assert_eq!(
            send_to(&receiver).await,
            SendResult { status: Some(status), ..accepted_result("", false) }
        );
    }
    for status in [300, 304, 400, 401, 404, 410, 429, 500, 503, 599, 999] {
        let receiver =
            Receiver::responding_with(format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n")).await;
        let refused = SendResult { status: Some(status), ..failed_result(ErrorClass::Status) };
        assert_eq!(send_to(&receiver).await, refused);
    }
    let receiver =
        Receiver::responding_with("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n").await;
    let sent = send_to(&receiver).await;
    assert_eq!((sent.status, sent.error), (Some(101), Some(ErrorClass::Status)));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let private = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    for status in [301, 302, 303, 307, 308] {
        let response = format!(
            "HTTP/1.1 {status} x\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n",
            private.address
        );
        let receiver = Receiver::responding_with(response).await;
        let refused = SendResult { status: Some(status), ..failed_result(ErrorClass::Status) };
        assert_eq!(send_to(&receiver).await, refused);
    }
    assert_eq!(private.connection_count(), 0);
}

#[tokio::test]
async fn a_retry_after_header_is_reported_with_the_response() {
    for (value, seconds) in [
        ("120", Some(120)),
        ("99999999999999999999", Some(u32::MAX)),
        // The first date is one hour after the current time of the tests, and the second date is one hour
        // before this time.
        ("Tue, 12 May 2026 01:00:00 GMT", Some(3_600)),
        ("Mon, 11 May 2026 23:00:00 GMT", Some(0)),
        ("soon", None),
        ("-1", None),
        ("", None),
    ] {
        let response = format!("HTTP/1.1 503 x\r\nretry-after: {value}\r\ncontent-length: 4\r\n\r\nlate");
        let receiver = Receiver::responding_with(response).await;
        let expected = SendResult {
            status: Some(503),
            retry_after: seconds,
            response_body: Some("late".to_owned()),
            ..failed_result(ErrorClass::Status)
        };
        assert_eq!(send_to(&receiver).await, expected, "{value}");
    }
}
