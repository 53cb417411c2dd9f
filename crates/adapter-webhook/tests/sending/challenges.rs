//! Tests of challenges that verify new hook addresses: the request, and responses that do not repeat the
//! challenge.

use payroll_adapter_webhook::Sender;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::Address;
use payroll_ports::hooks::{AddressChecker, ChallengeFailure};

use crate::receiver::Receiver;
use crate::support::*;

const CHALLENGE: &str = "whc_0-_aZ";

async fn send_challenge(sender: &Sender, address: &str) -> Result<(), ChallengeFailure> {
    sender.send_challenge(&Address::from_stored(address).unwrap(), CHALLENGE).await
}

async fn send_challenge_with_response(response: &str) -> Result<(), ChallengeFailure> {
    let receiver = Receiver::responding_once_with(response).await;
    send_challenge(&sender_with_short_limits(&receiver), "http://receiver.example/in").await
}

fn response_with_body(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn a_challenge_is_a_get_with_one_more_parameter_and_no_secret() {
    let mut receiver = Receiver::responding_with(response_with_body("200 OK", CHALLENGE)).await;
    assert_eq!(send_challenge(&sender(&receiver), "http://receiver.example/in?a=1%202").await, Ok(()));
    let received = receiver.next_request().await;
    assert_eq!(received.line, "GET /in?a=1%202&challenge=whc_0-_aZ HTTP/1.1");
    let names: Vec<_> = received.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["accept", "user-agent", "host"]);
}

#[tokio::test]
async fn the_challenge_response_may_differ_only_in_outer_white_space() {
    assert_eq!(send_challenge_with_response(&response_with_body("200 OK", "\n whc_0-_aZ\r\n")).await, Ok(()));
    for body in ["", "whc_0-_az", "\"whc_0-_aZ\"", "whc_0-_aZ whc_0-_aZ", &"x".repeat(2_000)] {
        assert_eq!(
            send_challenge_with_response(&response_with_body("200 OK", body)).await,
            Err(ChallengeFailure::OtherBody),
            "{body}"
        );
    }
    for (status, number) in [("204 No Content", 204), ("302 Found", 302), ("401 Unauthorized", 401)] {
        assert_eq!(
            send_challenge_with_response(&response_with_body(status, "")).await,
            Err(ChallengeFailure::Status(number))
        );
    }
    let broken = "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nwhc_0-_aZ";
    let closed = ChallengeFailure::NoAnswer(ErrorClass::ConnectionClosed);
    assert_eq!(send_challenge_with_response(broken).await, Err(closed));
}

#[tokio::test]
async fn an_endless_challenge_response_times_out() {
    let timeout = Err(ChallengeFailure::NoAnswer(ErrorClass::Timeout));
    let silent = Receiver::new(async |mut connection| connection.wait_until_closed().await).await;
    assert_eq!(
        send_challenge(&sender_with_short_limits(&silent), "http://receiver.example/in").await,
        timeout
    );
    let slow = Receiver::new(async |mut connection| {
        connection.read_request().await;
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nwhc_").await;
        connection.wait_until_closed().await;
    })
    .await;
    assert_eq!(send_challenge(&sender_with_short_limits(&slow), "http://receiver.example/in").await, timeout);
}

#[tokio::test]
async fn a_private_address_is_not_challenged() {
    let receiver = Receiver::responding_with(response_with_body("200 OK", CHALLENGE)).await;
    let address = format!("http://127.0.0.1:{}/", receiver.address.port());
    let forbidden = ChallengeFailure::NoAnswer(ErrorClass::ForbiddenAddress);
    assert_eq!(send_challenge(&sender(&receiver), &address).await, Err(forbidden));
    assert_eq!(receiver.connection_count(), 0);
}
