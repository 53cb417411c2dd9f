//! Tests of `listen`: the errors that it finds in received requests, and its responses.

use serde_json::json;

use crate::support::listener::{ListenCommand, NOTIFICATION_BODY, SIGNING_SECRET, SentNotification};
use crate::support::process::run_with_variables;
use crate::support::{Receiver, Reply, raw};

const OTHER_SECRET: &str = "whsec_QW5vdGhlciBzZWNyZXQsIGFsc28gb2YgMzIgYnl0ZXM=";

#[tokio::test]
async fn a_valid_signature_is_verified_and_a_repeated_one_is_marked() {
    let mut listener = ListenCommand::start(&["--secret", SIGNING_SECRET]);
    for repeat in [false, true] {
        assert_eq!(SentNotification::default().send_to(&listener.address).await, 204);
        let reported = listener.next();
        assert_eq!(reported["signature"], "VERIFIED", "{reported}");
        assert_eq!(reported["repeat"], repeat, "{reported}");
        assert_eq!(reported["path"], "/in", "{reported}");
        assert_eq!(reported["notificationId"], "31a271e5-b970-49e6-ac8f-d46f73c061af", "{reported}");
        assert_eq!(reported["notification"].to_string(), sorted_json(NOTIFICATION_BODY), "{reported}");
    }
    assert_eq!(listener.stop(), Some(0));
}

/// Sorts the members of a JSON document by name.
fn sorted_json(document: &str) -> String {
    serde_json::from_str::<serde_json::Value>(document).expect("JSON").to_string()
}

#[tokio::test]
async fn the_fault_of_a_signature_is_reported() {
    let mut listener = ListenCommand::start(&["--secret", SIGNING_SECRET]);
    let good = SentNotification::default();
    for (sent, says) in [
        (SentNotification { secret: OTHER_SECRET, ..good }, "no signature matches"),
        (SentNotification { signed_body: "{}", ..good }, "no signature matches"),
        (SentNotification { seconds_ago: 400, ..good }, "the signature is valid, but its timestamp differs"),
        (SentNotification { seconds_ago: -400, ..good }, "the signature is valid, but its timestamp differs"),
    ] {
        assert_eq!(sent.send_to(&listener.address).await, 204);
        let reported = listener.next();
        let fault = reported["fault"].as_str().unwrap_or_default();
        assert!(reported["signature"] == "WRONG" && fault.contains(says), "{reported}");
    }
}

#[tokio::test]
async fn without_a_secret_no_signature_is_checked() {
    let mut listener = ListenCommand::start(&[]);
    assert_eq!(SentNotification::default().send_to(&listener.address).await, 204);
    assert_eq!(listener.next()["signature"], "NOT_CHECKED");
}

#[tokio::test]
async fn the_listener_returns_the_configured_status_after_the_delay() {
    let mut listener = ListenCommand::start(&["--status", "503", "--delay", "50"]);
    assert_eq!(SentNotification::default().send_to(&listener.address).await, 503);
    assert_eq!(listener.next()["status"], 503);
}

#[tokio::test]
async fn notifications_are_forwarded_and_the_response_is_returned() {
    let program = Receiver::start();
    program.reply_with(|_| Reply::Status(418));
    let to = format!("http://{}/mine", program.address());
    let mut listener = ListenCommand::start(&["--secret", SIGNING_SECRET, "--forward-to", &to]);
    assert_eq!(SentNotification::default().send_to(&listener.address).await, 418);
    let reported = listener.next();
    assert_eq!(
        (&reported["status"], &reported["signature"]),
        (&json!(418), &json!("VERIFIED")),
        "{reported}"
    );
    let received = program.wait_for_requests("/mine", 1).await;
    assert_eq!(received[0].body, NOTIFICATION_BODY.as_bytes());
    assert!(!received[0].header("webhook-signature").is_empty());
    drop(program);
    assert_eq!(SentNotification::default().send_to(&listener.address).await, 502);
}

#[tokio::test]
async fn requests_that_are_not_notifications_are_rejected_and_the_listener_continues() {
    let mut listener = ListenCommand::start(&["--secret", SIGNING_SECRET]);
    for (request, status, says) in [
        ("GET /in HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_owned(), 405, "POST"),
        (
            "GET /in?challenge=%3Cb%3E HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_owned(),
            405,
            "POST",
        ),
        (request_head("content-length: 65537") + &"x".repeat(65_537), 413, "larger"),
        (request_head("transfer-encoding: chunked") + "never a length\r\n", 400, "completely"),
        ("\u{16}\u{3}\u{1} as TLS begins\r\n\r\n".to_owned(), 400, "TLS"),
        (request_head(&format!("x: {}", "x".repeat(100_000))), 431, "TLS"),
    ] {
        let response = raw::exchange_bytes(&listener.address, request.as_bytes()).await;
        let reported = listener.next();
        assert!(reported["refused"].as_str().is_some_and(|refused| refused.contains(says)), "{reported}");
        assert_eq!(raw::response_status(&response), status, "{response}");
    }
    assert_eq!(SentNotification::default().send_to(&listener.address).await, 204);
    assert_eq!(listener.next()["signature"], "VERIFIED");
}

#[tokio::test]
async fn the_listener_repeats_a_challenge() {
    let listener = ListenCommand::start(&["--status", "503"]);
    let get = "GET /in?tenant=7&challenge=whc_0-_aZ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let response = raw::exchange_bytes(&listener.address, get.as_bytes()).await;
    assert_eq!(raw::response_status(&response), 200, "{response}");
    assert!(response.ends_with("\r\n\r\nwhc_0-_aZ"), "{response}");
}

/// Returns the request line and the headers of a request with a notification. `header` is an additional
/// header.
fn request_head(header: &str) -> String {
    format!("POST /in HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}\r\n\r\n")
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_reported_without_its_content() {
    let mut listener = ListenCommand::start(&[]);
    for body in ["", "[]", "{", "\u{1b}[2J"] {
        assert_eq!(
            SentNotification { body, ..SentNotification::default() }.send_to(&listener.address).await,
            204
        );
        let reported = listener.next();
        assert_eq!(
            (&reported["notification"], &reported["path"]),
            (&json!(null), &json!("/in")),
            "{reported}"
        );
    }
}

#[test]
fn invalid_options_are_exit_code_2_without_printing_a_secret() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    for (arguments, says) in [
        (&[][..], "--port"),
        (&["--port", "70000"], "70000"),
        (&["--port", "0", "--status", "100"], "200..=599"),
        (&["--port", "0", "--delay", "-1"], "-1"),
        (&["--port", "0", "--delay", "600001"], "600001"),
        (&["--port", "0", "--address", "localhost"], "localhost"),
        (&["--port", "0", "--secret", "whsec_hidden"], "24 to 64 bytes"),
        (&["--port", &port], "another program uses it"),
    ] {
        let output = run_with_variables(&[], &[&["listen"], arguments].concat(), "");
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && reported.contains(says), "{arguments:?}: {reported}");
        assert!(!reported.contains("hidden"), "{reported}");
    }
    let output = run_with_variables(&[("PAYROLL_SIGNING_SECRET", "hidden")], &["listen", "--port", "0"], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
