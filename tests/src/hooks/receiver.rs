//! A receiver in its own thread that accepts notifications and issues tokens.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use payroll_server::config::Setting;
use serde_json::Value;

use crate::support::Settings;

/// The receiver's response to a token request.
const TOKEN_RESPONSE: &str = r#"{"access_token": "open-sesame-token", "expires_in": 3600}"#;

/// A receiver of hooks that records requests.
pub(super) struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Value>>>,
    challenges: Arc<Mutex<Vec<String>>>,
}

/// A request that the receiver has accepted on one connection.
enum HandledRequest {
    Notification(Value),
    /// The path and query of a challenge request.
    Challenge(String),
}

impl Receiver {
    /// Starts a receiver, which runs until the tests end.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (received, challenges) = (Arc::default(), Arc::default());
        let receiver = Self { address, received, challenges };
        let (received, challenges) = (Arc::clone(&receiver.received), Arc::clone(&receiver.challenges));
        std::thread::spawn(move || {
            // These connections stay open without a response, as if the receiver hung.
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                match handle_request(stream, &mut held) {
                    Some(HandledRequest::Notification(body)) => {
                        received.lock().expect("nobody panicked").push(body)
                    }
                    Some(HandledRequest::Challenge(target)) => {
                        challenges.lock().expect("nobody panicked").push(target)
                    }
                    None => {}
                }
            }
        });
        receiver
    }

    /// Changes the settings of a server: `taking.test` leads to this receiver, and http:// URLs are allowed.
    pub(super) fn map_hosts(&self, settings: &mut Settings) {
        let hosts = format!("{},{}", settings.webhook_hosts.show(), self.host_mappings());
        settings.webhook_hosts = Setting::read(&hosts).expect("hosts");
        settings.webhook_allow_http = true;
    }

    /// Returns the entry of the setting `webhook_hosts` that maps `taking.test` to this receiver.
    pub(super) fn host_mappings(&self) -> String {
        format!("taking.test={}", self.address)
    }

    /// Returns the path and query of all challenges so far, oldest first. Clears the list.
    pub(super) fn challenges(&self) -> Vec<String> {
        std::mem::take(&mut *self.challenges.lock().expect("nobody panicked"))
    }

    /// Returns all notifications so far, oldest first. Clears the list.
    pub(super) fn notifications(&self) -> Vec<Value> {
        std::mem::take(&mut *self.received.lock().expect("nobody panicked"))
    }
}

/// Reads one request and responds. A token request gets a token. The path of a challenge determines the
/// response to the challenge.
fn handle_request(mut stream: TcpStream, held: &mut Vec<TcpStream>) -> Option<HandledRequest> {
    let mut reader = BufReader::new(stream.try_clone().expect("the same connection"));
    let mut head = Vec::new();
    while head.last().is_none_or(|line: &String| !line.is_empty()) {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        head.push(line.trim().to_owned());
    }
    if let Some(target) = head[0].strip_prefix("GET ").and_then(|line| line.split(' ').next()) {
        answer_challenge(stream, target, held);
        return Some(HandledRequest::Challenge(target.to_owned()));
    }
    let head: Vec<_> = head.iter().map(|line| line.to_ascii_lowercase()).collect();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.map_or(0, |length| length.trim().parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    write_response(&mut stream, "200 OK", if head[0].contains("/token") { TOKEN_RESPONSE } else { "taken" });
    serde_json::from_slice(&body).ok().map(HandledRequest::Notification)
}

fn answer_challenge(mut stream: TcpStream, target: &str, held: &mut Vec<TcpStream>) {
    let challenge = target.rsplit_once("challenge=").map_or("", |(_, challenge)| challenge);
    match target.split('?').next() {
        Some("/echo") => write_response(&mut stream, "200 OK", challenge),
        Some("/gone") => write_response(&mut stream, "404 Not Found", challenge),
        Some("/long") => write_response(&mut stream, "200 OK", &challenge.repeat(1_000)),
        Some("/hang") => held.push(stream),
        _ => write_response(&mut stream, "200 OK", "taken"),
    }
}

fn write_response(stream: &mut TcpStream, status: &str, response: &str) {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", response.len());
    // The sender may have stopped, so an error of writing is ignored. The thread must still serve other
    // senders.
    let _written = stream.write_all(format!("{head}{response}").as_bytes());
}
