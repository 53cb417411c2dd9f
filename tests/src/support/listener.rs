//! Runs `payroll-server listen`, and sends it notifications. The notifications are signed as Standard
//! Webhooks requires, independently of the code under test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use payroll_ports::Clock;
use payroll_server::system::SystemClock;
use serde_json::Value;
use sha2::Sha256;

use super::process::{OutputLines, bare_command};
use super::raw;

/// A signing secret in the form that partners get.
pub(crate) const SIGNING_SECRET: &str = "whsec_VGhpcyBpcyAzMiBieXRlcywgYW5kIG5vIHNlY3JldCE=";
/// The body of a notification.
pub(crate) const NOTIFICATION_BODY: &str = r#"{"companyId":"COMPANY","workerId":"WORKER","asOfDate":"2026-06-07T10:10:24.000+00:00","domains":["WRKR_DEM"],"action":"UPDATE","notificationType":"WORKER_MESSAGE","notificationId":"31a271e5-b970-49e6-ac8f-d46f73c061af"}"#;

/// A running `listen --json`, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct ListenCommand {
    child: Child,
    printed: OutputLines,
    pub(crate) address: String,
}

impl ListenCommand {
    /// Starts the listener on a free port, and returns when the listener accepts requests.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at("0", arguments, &[])
    }

    /// Starts the listener like [`Self::start`], on this port and with these environment variables.
    pub(crate) fn start_at(port: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = bare_command(&[&["listen", "--port", port, "--json"], arguments].concat());
        command.envs(variables.iter().copied());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let mut reported = String::new();
        let mut errors = BufReader::new(child.stderr.take().expect("an output"));
        errors.read_line(&mut reported).expect("text");
        let address = reported.split("http://").nth(1).and_then(|rest| rest.split(". ").next());
        let address = address.unwrap_or_else(|| panic!("no address: {reported}")).to_owned();
        let printed = OutputLines::from_child(&mut child);
        Self { child, printed, address }
    }

    /// Returns the next line of the listener's output.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.printed.next_line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends the stop signal of Ctrl-C to the listener. Returns its exit code.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        std::process::Command::new("kill").args(["-INT", &id]).status().expect("a signal");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for ListenCommand {
    fn drop(&mut self) {
        // The process may have ended already, so an error of the kill is ignored.
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Returns the signature of a notification.
pub(crate) fn signature(secret: &str, id: &str, timestamp: &str, body: &str) -> String {
    let key = STANDARD.decode(secret.trim_start_matches("whsec_")).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// A notification to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentNotification<'a> {
    /// The id of the notification.
    pub(crate) id: &'a str,
    /// The secret that signs the notification.
    pub(crate) secret: &'a str,
    /// The number of seconds since the notification was signed.
    pub(crate) seconds_ago: i64,
    /// The body that is signed.
    pub(crate) signed_body: &'a str,
    /// The body that is sent.
    pub(crate) body: &'a str,
}

impl Default for SentNotification<'_> {
    fn default() -> Self {
        let id = "31a271e5-b970-49e6-ac8f-d46f73c061af";
        Self {
            id,
            secret: SIGNING_SECRET,
            seconds_ago: 0,
            signed_body: NOTIFICATION_BODY,
            body: NOTIFICATION_BODY,
        }
    }
}

impl SentNotification<'_> {
    /// Returns the `webhook-…` headers of the notification, with their values.
    pub(crate) fn headers(&self) -> [(&'static str, String); 3] {
        let timestamp = (SystemClock.now().as_seconds() - self.seconds_ago).to_string();
        let signature = signature(self.secret, self.id, &timestamp, self.signed_body);
        [
            ("webhook-id", self.id.to_owned()),
            ("webhook-timestamp", timestamp),
            ("webhook-signature", signature),
        ]
    }

    /// Sends the notification to a receiver and returns the status of the response.
    pub(crate) async fn send_to(&self, address: &str) -> u16 {
        let headers = self.headers().map(|(name, value)| format!("{name}: {value}\r\n")).concat();
        let (body, length) = (self.body, self.body.len());
        let request = format!(
            "POST /in?key=value HTTP/1.1\r\nhost: receiver\r\nconnection: close\r\ncontent-type: \
             application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        );
        raw::response_status(&raw::exchange_bytes(address, request.as_bytes()).await)
    }
}
