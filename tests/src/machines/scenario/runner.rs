//! The runner sends the requests of the steps to the servers in turn. After each step, it verifies the
//! properties that every response must have.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::coverage::OperationCoverage;
use super::feed::FeedReader;
use super::requests::{CLOCK_APPLICATION, HOTEL_ID};
use super::tags::ReceivedTags;
use crate::support::{Caller, Client, Receiver, Request, Response, response_checks};

/// The host name that the scenario sends to all servers, as a load balancer does. The links in responses
/// contain this name.
const PUBLIC_HOST: &str = "walk.example.org";
/// The pause before a request with a 503 is retried.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum time that the scenario waits for events and notifications.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Paths whose content changes without a request of the scenario: the deliveries of hooks, the request log,
/// and the event feeds.
const CHANGING_PATHS: [&str; 3] = ["/requests", "/events", "/hooks"];
/// The names of the two callers. The operator uses [`TestedSystem::key`], and the partner is the application
/// of the scenario.
const OPERATOR_CALLER: &str = "operator";
const PARTNER_CALLER: &str = "partner";
/// The maximum number of reads in a row that may return changed content.
const MAX_POLLS: usize = 20;

/// The system under test.
pub(super) struct TestedSystem<'a> {
    /// The partner API of each server, or of the load balancer.
    pub(super) partners: Vec<Client>,
    /// The operator API of each server.
    pub(super) operators: Vec<Client>,
    /// The `Authorization` header of an operator.
    pub(super) key: String,
    /// The receiver of notifications.
    pub(super) receiver: &'a Receiver,
    /// The time for which a request with a 503, or without a response, is retried.
    pub(super) outage: Duration,
}

/// A scenario in progress, with all that the scenario must remember.
pub(super) struct Scenario<'a> {
    pub(super) system: TestedSystem<'a>,
    /// The `Authorization` header of the scenario's application.
    pub(super) token: String,
    /// The `Authorization` header of another operator.
    pub(super) authorization: String,
    steps: usize,
    turn: usize,
    /// The number of 304 responses to reads of unchanged content.
    unchanged: usize,
    /// The number of retries after a 503 or without a response.
    repeated: usize,
    started: Instant,
    coverage: OperationCoverage,
    tags: ReceivedTags,
    caused: Vec<String>,
    partner: FeedReader,
    operator: FeedReader,
}

impl<'a> Scenario<'a> {
    pub(super) async fn begin(system: TestedSystem<'a>) -> Self {
        let mut coverage = OperationCoverage::default();
        for client in [&system.partners[0], &system.operators[0]] {
            let served = client.send_unchecked(&Request::get("/openapi.json"), None).await;
            coverage.add_description(&served.expect("a description").json());
        }
        Self {
            system,
            coverage,
            token: String::new(),
            authorization: String::new(),
            steps: 0,
            turn: 0,
            unchanged: 0,
            repeated: 0,
            started: Instant::now(),
            tags: ReceivedTags::default(),
            caused: Vec::new(),
            partner: FeedReader::from_start("/management/events"),
            operator: FeedReader::from_start("/operator/v1/events"),
        }
    }

    /// Executes a step of the scenario. Sends a request and compares the status with the expected one.
    pub(super) async fn send_expecting(&mut self, expected: u16, request: Request) -> Response {
        self.steps += 1;
        let keyless = !request.headers.iter().any(|(name, _)| *name == "idempotency-key");
        let request = match request.method.as_str() {
            "POST" if keyless => request.idempotency_key(&format!("walk-{}", self.steps)),
            _ => request,
        };
        let response = self.send_to_next_server(&request).await;
        let body = request.body.as_deref().map(String::from_utf8_lossy);
        let sent = format!("step {}: {} {} {body:?}", self.steps, request.method, request.target);
        assert_eq!(response.status, expected, "{sent}: {response:?}");
        response_checks::check_response(&request, &response);
        if response.is_success() {
            self.coverage.record_success(&request);
        }
        if request.method == "GET" && response.status == 200 {
            self.verify_tag(&request, &response).await;
        }
        response
    }

    /// Repeats a list request until the list is no longer empty.
    pub(super) async fn wait_until_shown(&mut self, request: Request) {
        let started = Instant::now();
        while self.send_to_next_server(&request).await.content().is_empty() {
            assert!(started.elapsed() < MAX_WAIT, "{request:?} shows nothing");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Executes a step like [`Self::send_expecting`], but as the second operator.
    pub(super) async fn send_as_second_operator(&mut self, expected: u16, request: Request) -> Response {
        let request = with_authorization(&self.authorization, request);
        self.send_expecting(expected, request).await
    }

    /// Verifies that the server does not resend a body whose `ETag` the client sends, and that no other body
    /// has this `ETag`.
    async fn verify_tag(&mut self, request: &Request, shown: &Response) {
        let who = caller_name(request);
        if let Some(earlier) = self.tags.verify_tag(&who, &request.target, shown) {
            // The content has changed since the last read. A server must therefore send the content if a
            // client sends the previous tag.
            let again = self.send_to_next_server(&request.clone().header("if-none-match", earlier)).await;
            assert_eq!(again.status, 200, "{request:?}: {again:?}, which was {shown:?}");
        }
        let mut tag = shown.header("etag").to_owned();
        for _ in 0..MAX_POLLS {
            if tag.is_empty() {
                return;
            }
            let again = request.clone().header("if-none-match", tag.as_str());
            let response = self.send_to_next_server(&again).await;
            if response.status == 304 {
                self.unchanged += 1;
                return;
            }
            let changing = is_changing(request);
            assert!(
                changing && response.status == 200,
                "{request:?} with {tag}: {response:?}, before {shown:?}"
            );
            let _earlier = self.tags.verify_tag(&who, &request.target, &response);
            tag = response.header("etag").to_owned();
        }
        panic!("{request:?} goes on changing");
    }

    /// Repeats all reads with the last entity tag of each. The server must send the content only if the tag
    /// has changed. Returns the number of changed tags.
    pub(super) async fn repeat_all_reads(&mut self) -> usize {
        let mut changed = 0;
        for [who, target, media_type, tag, content] in self.tags.last_tags() {
            let caller = match who.as_str() {
                PARTNER_CALLER => Caller::Partner,
                OPERATOR_CALLER => Caller::Operator,
                // Other operator keys and sessions may no longer be valid, so their requests are not
                // repeated.
                _ => continue,
            };
            let request = Request::get(target).with_caller(caller).accept(&media_type);
            if is_changing(&request) {
                continue;
            }
            let again =
                self.send_to_next_server(&request.clone().header("if-none-match", tag.as_str())).await;
            let now = self.send_to_next_server(&request).await;
            // An entity tag may change although the content is the same. For example, a changed grant changes
            // the tag of its application.
            let expected = if now.header("etag") == tag { 304 } else { now.status };
            assert_eq!(again.status, expected, "{request:?}: {again:?}, and without a tag {now:?}");
            let same = expected == 304;
            assert!(!same || now.text() == content, "one tag for two contents: {now:?}");
            match now.status {
                200 if same => self.unchanged += 1,
                200 => changed += 1,
                // The response is an error, because the object was deleted or the caller may no longer see
                // it.
                _ => {}
            }
            let _earlier = self.tags.verify_tag(&who, &request.target, &now);
        }
        changed
    }

    /// Sends a request to the next server in turn.
    async fn send_to_next_server(&mut self, request: &Request) -> Response {
        let request = &request.clone().header("host", PUBLIC_HOST);
        let started = Instant::now();
        let mut repeated = false;
        loop {
            self.turn += 1;
            let clients =
                if request.is_for_operator_api() { &self.system.operators } else { &self.system.partners };
            let client = &clients[self.turn % clients.len()];
            let authorization = match request.caller {
                Caller::Partner => Some(self.token.as_str()),
                Caller::Operator => Some(self.system.key.as_str()),
                _ => None,
            };
            let sent = match request.path().ends_with("/export") {
                // The API description does not describe the members of an exported line, so this response is
                // not validated.
                true => client.send_unchecked(request, authorization).await,
                false => client.send(request, authorization).await,
            };
            let unavailable = sent.as_ref().map_or(true, |response| {
                // The first attempt may still hold the idempotency key or the lock of the company, so these
                // statuses are retried.
                response.status == 503 || (repeated && matches!(response.status, 409 | 423))
            });
            if !unavailable || started.elapsed() >= self.system.outage {
                return sent.unwrap_or_else(|error| panic!("{request:?}: {error:?}"));
            }
            repeated = true;
            self.repeated += 1;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Records an event that the previous step must have caused. The text contains the domain, action,
    /// company and object.
    pub(super) fn expect_event(&mut self, event: &str) {
        self.caused.push(event.to_owned());
    }

    /// Returns the number of caused events that the scenario's application may see.
    pub(super) fn event_count(&self) -> usize {
        self.caused.iter().filter(|event| is_visible_to_application(event)).count()
    }

    /// Reads both feeds to their current end.
    pub(super) async fn read_feed(&mut self) {
        loop {
            let response = self.send_to_next_server(&self.partner.next_request()).await;
            if !self.partner.read_response(&response) {
                break;
            }
        }
        self.read_operator_feed().await;
    }

    async fn read_operator_feed(&mut self) {
        loop {
            let response = self.send_to_next_server(&self.operator.next_request()).await;
            if !self.operator.read_response(&response) {
                break;
            }
        }
    }

    /// Verifies that the application and the operator have read all events that they may see. Each event must
    /// occur once, and both readers must see the same order.
    pub(super) async fn assert_partner_feed_complete(&mut self) {
        let started = Instant::now();
        let reported: Vec<String> =
            self.caused.iter().filter(|event| is_visible_to_application(event)).cloned().collect();
        while self.partner.ids().len() < reported.len() && started.elapsed() < MAX_WAIT {
            self.read_feed().await;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        assert_eq!(self.partner.event_texts(), reported, "what the application has seen");
        self.assert_operator_feed_complete().await;
        let (all, own) = (self.operator.ids(), self.partner.ids());
        let own_of_all: Vec<String> = all.into_iter().filter(|id| own.contains(id)).collect();
        assert_eq!(own_of_all, own, "one order for all readers");
    }

    /// Verifies that the operator's reader has read each caused event once.
    pub(super) async fn assert_operator_feed_complete(&mut self) {
        let started = Instant::now();
        while self.operator.ids().len() < self.caused.len() && started.elapsed() < MAX_WAIT {
            self.read_operator_feed().await;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        assert_eq!(self.operator.event_texts(), self.caused, "what the operator has seen");
    }

    /// Verifies the notifications of the scenario's hook. The hook must have received every event except the
    /// first ones, which occurred before its registration.
    pub(super) async fn assert_hook_received_all_after(&self, first: usize) {
        use crate::support::receiver::wait_until;
        let reported: std::collections::BTreeSet<String> =
            self.partner.ids().into_iter().skip(first).collect();
        let arrived = || {
            let of_changes =
                self.system.receiver.received().into_iter().filter(|it| it.json()["test"] != true);
            of_changes.map(|received| received.notification_id()).collect::<std::collections::BTreeSet<_>>()
        };
        wait_until(|| arrived().len() >= reported.len(), "the notifications of all events").await;
        assert_eq!(arrived(), reported);
    }

    /// Ends the scenario and prints a summary.
    ///
    /// # Panics
    /// The number of steps differs from the expected number, or an operation was not used.
    #[expect(clippy::print_stdout, reason = "what was walked is to be read where it was")]
    pub(super) fn assert_all_steps_done(&self, steps: usize) {
        println!(
            "{} of {steps} steps in {:.1} s: {} operations, {} contents with a tag, {} times 304, {} repeated",
            self.steps,
            self.started.elapsed().as_secs_f64(),
            self.coverage.assert_complete(),
            self.tags.tag_count(),
            self.unchanged,
            self.repeated
        );
        assert_eq!(self.steps, steps);
    }
}

/// Returns the request with this key or token.
pub(super) fn with_authorization(authorization: &str, request: Request) -> Request {
    request.with_caller(Caller::Anonymous).header("authorization", authorization)
}

pub(super) fn only_element(response: &Response) -> Value {
    let mut content = response.content();
    assert_eq!(content.len(), 1, "{response:?}");
    content.remove(0)
}

/// Returns whether the scenario's application may see an event. The application sees events about its own
/// access, and events of its companies.
fn is_visible_to_application(event: &str) -> bool {
    match event.starts_with("CLT_ACCESS") {
        true => event.ends_with(CLOCK_APPLICATION),
        false => !event.contains(HOTEL_ID),
    }
}

/// Returns whether the requested content changes between reads. For example, an operator key shows the time
/// of its last use.
fn is_changing(request: &Request) -> bool {
    let path = request.path();
    path.contains("/hooks/")
        || path.contains("/operator/v1/keys/")
        || CHANGING_PATHS.iter().any(|end| path.ends_with(end))
}

/// Returns the name of a request's caller.
fn caller_name(request: &Request) -> String {
    let own = request.headers.iter().find(|(name, _)| matches!(*name, "authorization" | "cookie"));
    let caller = if request.caller == Caller::Operator { OPERATOR_CALLER } else { PARTNER_CALLER };
    own.map_or_else(|| caller.to_owned(), |(_, value)| value.clone())
}
