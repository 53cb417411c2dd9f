//! A server that records requests and replies from a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{Builder, Client};

/// A scripted reply: status, additional headers, body. With status 0, the server closes the connection
/// without a reply. With status 1, the connection stays open without a reply.
pub(super) type Reply = (u16, &'static str, &'static str);

/// A received request: its first line and its headers in lower case, and its body.
#[derive(Clone)]
pub(super) struct Received {
    pub(super) head: String,
    pub(super) body: String,
}

impl Received {
    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&prefix))
    }
}

#[derive(Default)]
struct State {
    replies: VecDeque<Reply>,
    received: Vec<Received>,
    token_request_bodies: Vec<String>,
    token_replies: VecDeque<Reply>,
}

/// The test server. Token requests get the tokens `t1`, `t2` and so on, unless the script contains replies
/// for token requests.
pub(super) struct Server {
    pub(super) address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(super) async fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state =
            Arc::new(Mutex::new(State { replies: replies.iter().copied().collect(), ..State::default() }));
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { address, state }
    }

    /// Adds replies to the next token requests.
    pub(super) fn reply_to_token_requests(&self, replies: &[Reply]) {
        self.state.lock().unwrap().token_replies.extend(replies);
    }

    pub(super) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(super) fn builder(&self) -> Builder {
        Client::builder(&self.address, "pkc_id", "pks_hidden")
            .first_delay(Duration::from_millis(4))
            .timeout(Duration::from_secs(30))
    }

    /// Returns all requests except token requests.
    pub(super) fn received_requests(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    pub(super) fn token_request_count(&self) -> usize {
        self.state.lock().unwrap().token_request_bodies.len()
    }

    /// Returns the bodies of the token requests.
    pub(super) fn token_request_bodies(&self) -> Vec<String> {
        self.state.lock().unwrap().token_request_bodies.clone()
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let Some(request) = read_request(&mut stream).await else { return };
    let (status, headers, body) = take_reply(&state, request);
    match status {
        0 => {}
        1 => std::future::pending().await,
        _ => {
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 {status} Status\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
            );
            // The write fails if the client has closed the connection, which is not an error of the test.
            let _written = stream.write_all(reply.as_bytes()).await;
        }
    }
}

fn take_reply(state: &Mutex<State>, request: Received) -> (u16, String, String) {
    let mut state = state.lock().unwrap();
    let own = |(status, headers, body): Reply| (status, headers.to_owned(), body.to_owned());
    if request.head.starts_with("post /auth/oauth/v2/token ") {
        state.token_request_bodies.push(request.body);
        let number = state.token_request_bodies.len();
        return state.token_replies.pop_front().map_or_else(
            || {
                let token =
                    format!(r#"{{"access_token":"t{number}","token_type":"Bearer","expires_in":3600}}"#);
                (200, "content-type: application/json\r\n".to_owned(), token)
            },
            own,
        );
    }
    state.received.push(request);
    own(state.replies.pop_front().unwrap_or((500, "", "the script has ended")))
}

async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |it| it.parse().unwrap()) {
                return Some(Received { head, body: body.to_owned() });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
