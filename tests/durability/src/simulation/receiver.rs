//! Receivers of notifications. The receivers sometimes fail, close connections, respond late or forget
//! tokens.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::disk::DiskEvent;
use crate::random::SeededRandom;
use crate::recorder;

/// The path of the hook that uses a password.
pub(super) const BASIC_AUTH_PATH: &str = "/in";
/// The path of the hook that uses tokens.
pub(super) const BEARER_PATH: &str = "/with-tokens";
/// The path at which the sender gets tokens.
pub(super) const TOKENS: &str = "/token";
/// The delay of a late response. The delay is longer than most attempts and shorter than the timeout.
const LATE_RESPONSE_TIME: Duration = Duration::from_millis(20);

struct State {
    chance: SeededRandom,
    /// The accepted notifications in the order of acceptance, each with the path of its hook and its id.
    accepted: Vec<(String, String)>,
    /// The number of the access token that is currently valid.
    token: usize,
    /// Whether the receivers accept all further notifications, so that a run can end.
    is_reliable: bool,
}

/// All receivers of a simulation, at one address.
#[derive(Clone)]
pub(super) struct Receivers {
    pub(super) address: std::net::SocketAddr,
    state: Arc<Mutex<State>>,
}

struct Incoming {
    path: String,
    authorization: String,
    body: Vec<u8>,
}

enum Reply {
    Close,
    Respond(String),
    Late(String),
}

impl Receivers {
    pub(super) async fn start(chance: SeededRandom) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = State { chance, accepted: Vec::new(), token: 0, is_reliable: false };
        let receivers = Self { address, state: Arc::new(Mutex::new(state)) };
        let own = receivers.clone();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let own = own.clone();
                tokio::spawn(async move { own.serve(connection).await });
            }
        });
        receivers
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts all further notifications.
    pub(super) fn accept_all_further(&self) {
        self.lock_state().is_reliable = true;
    }

    /// Returns the number of accepted notifications.
    pub(super) fn count(&self) -> usize {
        self.lock_state().accepted.len()
    }

    /// Forgets all notifications except the first `count`. The other notifications were sent after the
    /// simulated power cut of the server.
    pub(super) fn truncate_accepted(&self, count: usize) {
        self.lock_state().accepted.truncate(count);
    }

    /// Returns the ids of all notifications that a path has accepted.
    pub(super) fn accepted_at(&self, path: &str) -> BTreeSet<String> {
        let state = self.lock_state();
        state.accepted.iter().filter(|(at, _)| at == path).map(|(_, id)| id.clone()).collect()
    }

    async fn serve(&self, connection: TcpStream) -> Option<()> {
        connection.set_nodelay(true).ok()?;
        let mut connection = BufReader::new(connection);
        loop {
            let incoming = read_request(&mut connection).await?;
            let text = match self.choose_reply(&incoming) {
                Reply::Close => return None,
                Reply::Respond(text) => text,
                Reply::Late(text) => {
                    tokio::time::sleep(LATE_RESPONSE_TIME).await;
                    text
                }
            };
            connection.write_all(text.as_bytes()).await.ok()?;
        }
    }

    fn choose_reply(&self, incoming: &Incoming) -> Reply {
        let mut state = self.lock_state();
        if incoming.path == TOKENS {
            return Reply::Respond(state.new_token());
        }
        if incoming.path == BEARER_PATH && !state.has_current_token(&incoming.authorization) {
            return Reply::Respond(to_status_line("401 Unauthorized"));
        }
        let choice = if state.is_reliable { 99 } else { state.chance.random_below(100) };
        match choice {
            0..10 => return Reply::Respond(to_status_line("500 Internal Server Error")),
            10..15 => return Reply::Respond(to_status_line("302 Found\r\nlocation: /elsewhere")),
            15..20 => return Reply::Respond(to_status_line("429 Too Many Requests\r\nretry-after: 1")),
            20..25 => return Reply::Close,
            25..30 if incoming.path == BEARER_PATH => {
                state.token += 1;
                return Reply::Respond(to_status_line("401 Unauthorized"));
            }
            _ => {}
        }
        let body: Value = serde_json::from_slice(&incoming.body).expect("a notification is JSON");
        let id = body["notificationId"].as_str().expect("a notification has an id").to_owned();
        let count = state.accepted.len();
        // If the simulated power cut of the server is before this event, the notification is treated as not
        // received.
        recorder::add_event(DiskEvent::Received(count));
        state.accepted.push((incoming.path.clone(), id));
        match choice {
            // The receiver accepts the notification and closes the connection, so the server does not learn
            // that the notification arrived.
            30..40 => Reply::Close,
            40..45 => Reply::Late(to_status_line("204 No Content")),
            _ => Reply::Respond(to_status_line("204 No Content")),
        }
    }
}

impl State {
    fn new_token(&mut self) -> String {
        self.token += 1;
        let body = format!(r#"{{"access_token":"{}","token_type":"Bearer","expires_in":3600}}"#, self.token);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
        format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    fn has_current_token(&self, authorization: &str) -> bool {
        authorization == format!("Bearer {}", self.token)
    }
}

fn to_status_line(line: &str) -> String {
    let length = if line.starts_with("204") { "" } else { "content-length: 0\r\n" };
    format!("HTTP/1.1 {line}\r\n{length}\r\n")
}

async fn read_request(connection: &mut BufReader<TcpStream>) -> Option<Incoming> {
    let mut line = String::new();
    connection.read_line(&mut line).await.ok().filter(|count| *count > 0)?;
    let path = line.split(' ').nth(1)?.split('?').next()?.to_owned();
    let (mut length, mut authorization) = (0, String::new());
    loop {
        line.clear();
        connection.read_line(&mut line).await.ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.ok()?;
    Some(Incoming { path, authorization, body })
}
