//! A client for the part of the WebDriver protocol (W3C, with chromedriver's extensions) that the tests need.
//! The tests use no library for this protocol, because a library would enable a feature of serde_json that
//! changes the order of members.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

/// The process of chromedriver. Its process group also contains the browsers that chromedriver starts.
/// Dropping this value kills the group, even if the test fails.
pub(super) struct DriverProcess(Child);

impl DriverProcess {
    /// Starts chromedriver and returns its port. Returns `None` if chromedriver exits, which happens
    /// occasionally when several processes start at once.
    pub(super) fn start(program: &std::ffi::OsStr) -> Option<(Self, String)> {
        let mut child = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("TEST_BROWSER names chromedriver");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let process = Self(child);
        let port = lines.find_map(|line| {
            let line = line.expect("a line");
            line.split("successfully on port ").nth(1).map(|rest| rest.trim_end_matches('.').to_owned())
        })?;
        // Further output is read and discarded, so that chromedriver never blocks.
        std::thread::spawn(move || lines.for_each(drop));
        Some((process, port))
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        // All processes of the group may have ended already, so an error of the kill is ignored.
        let _ended = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _gone = self.0.wait();
    }
}

/// A session of a browser.
pub(super) struct DriverSession {
    http: reqwest::Client,
    /// The URL of the session. The URLs of all commands start with this URL.
    session: String,
}

impl DriverSession {
    /// Starts a browser with these flags through the driver at this URL. `shell` is the path of Chromium's
    /// headless shell. Without a path, the driver starts Chromium.
    pub(super) async fn new(driver: &str, shell: Option<&str>, flags: &[&str]) -> Self {
        // The TLS library needs a default cryptography provider. The server program installs it at its start,
        // but these tests run no such program. A second installation has no effect.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let (name, options) = match shell {
            Some(path) => ("chrome-headless-shell", json!({"args": flags, "binary": path})),
            None => ("chrome", json!({"args": flags})),
        };
        let body = json!({"capabilities": {"alwaysMatch": {
            "browserName": name,
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": 120_000, "pageLoad": 120_000},
        }}});
        let sessions = format!("{driver}/session");
        let created = send_command(&http, Method::POST, &sessions, Some(&body)).await;
        let id = created["sessionId"].as_str().expect("a session");
        Self { session: format!("{sessions}/{id}"), http }
    }

    /// Runs a command without parameters and returns its result.
    pub(super) async fn get(&self, command: &str) -> Value {
        send_command(&self.http, Method::GET, &format!("{}/{command}", self.session), None).await
    }

    /// Runs a command with parameters and returns its result.
    pub(super) async fn post_command(&self, command: &str, parameters: &Value) -> Value {
        send_command(&self.http, Method::POST, &format!("{}/{command}", self.session), Some(parameters)).await
    }

    /// Ends the session of the browser.
    pub(super) async fn end_session(self) {
        send_command(&self.http, Method::DELETE, &self.session, None).await;
    }
}

async fn send_command(http: &reqwest::Client, method: Method, address: &str, body: Option<&Value>) -> Value {
    let mut request = http.request(method, address);
    if let Some(body) = body {
        request = request.json(body);
    }
    let response = request.send().await.unwrap_or_else(|error| panic!("{address}: {error}"));
    let is_success = response.status().is_success();
    let content: Value = response.json().await.expect("JSON");
    assert!(is_success, "{address}: {}", content["value"]["message"]);
    content["value"].clone()
}
