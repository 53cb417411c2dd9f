//! A receiver of notifications that takes each, and gives out tokens, on a thread of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use payroll_server::config::Setting;
use serde_json::Value;

use crate::support::Settings;

/// What is answered to who asks for a token.
const TOKEN: &str = r#"{"access_token": "open-sesame-token", "expires_in": 3600}"#;

/// A receiver.
pub(super) struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    /// Starts it; it ends with the tests.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                let body = take(stream);
                taken.lock().expect("nobody panicked").extend(body);
            }
        });
        Self { address, received }
    }

    /// Maps `taking.test` to it, where http:// is taken as well.
    pub(super) fn map(&self, settings: &mut Settings) {
        let hosts = format!("{},{}", settings.webhook_hosts.show(), self.hosts());
        settings.webhook_hosts = Setting::read(&hosts).expect("hosts");
        settings.webhook_allow_http = true;
    }

    /// The setting that does so.
    pub(super) fn hosts(&self) -> String {
        format!("taking.test={}", self.address)
    }

    /// What it has taken so far, oldest first; it begins anew.
    pub(super) fn taken(&self) -> Vec<Value> {
        std::mem::take(&mut *self.received.lock().expect("nobody panicked"))
    }
}

/// Reads one request and answers it: with a token where it is asked for one. Its body, if that is
/// JSON.
fn take(mut stream: TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream.try_clone().expect("the same connection"));
    let mut head = Vec::new();
    while head.last().is_none_or(|line: &String| !line.is_empty()) {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        head.push(line.trim().to_ascii_lowercase());
    }
    let length = head.iter().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.map_or(0, |length| length.trim().parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let answer = if head[0].contains("/token") { TOKEN } else { "taken" };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    // A sender that is stopped does not wait for its answer, and this thread has others to answer.
    let _written = stream.write_all(format!("{head}{answer}").as_bytes());
    serde_json::from_slice(&body).ok()
}
