//! Tests that revoked permissions affect the very next request in every process. One process revokes a
//! permission, and another process on the same database receives the next request.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{CLIENT_SECRET, Client, Database, DatabaseKind, OPEN, Process, Request, Response, run};

/// The number of times that each permission is granted and revoked. If a process cached permissions and
/// refreshed them in the background, one of these rounds would fail.
const ROUND_COUNT: usize = 20;

/// Two processes with one database, and a key for both.
struct TwoProcesses {
    first: Process,
    there: Process,
    key: String,
}

impl TwoProcesses {
    fn start_on(database: &Database) -> Self {
        Self {
            first: Process::serve(database),
            there: Process::serve(database),
            key: new_key(database, "chief"),
        }
    }

    /// Sends a change to the first process. Returns the response.
    async fn change_on_first_process(&self, request: Request) -> Response {
        let response = self.first.operator.send(&request, Some(&self.key)).await.expect("an answer");
        assert!(response.is_success(), "{request:?}: {response:?}");
        response
    }

    /// Requests a token for the partner with this secret.
    async fn request_token(&self, secret: &str) -> String {
        let form = format!("grant_type=client_credentials&client_id=key-of-partner&client_secret={secret}");
        self.there.client.request_token(form).await
    }

    /// Returns the status of the partner's request at the second process.
    async fn status_on_second_process(&self, token: &str) -> u16 {
        response_status(&self.there.client, &Request::get(format!("/companies/{OPEN}")), token).await
    }
}

async fn response_status(client: &Client, request: &Request, authorization: &str) -> u16 {
    client.send(request, Some(authorization)).await.expect("an answer").status
}

/// Creates an operator key with the command line.
fn new_key(database: &Database, name: &str) -> String {
    let printed = run(database, &["operator-key", "create", name], "").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let value = printed.split_whitespace().find(|word| word.starts_with("opk_"));
    format!("Bearer {}", value.unwrap_or_else(|| panic!("no key: {printed}")))
}

/// Runs a test with two server processes on one PostgreSQL database. Without a PostgreSQL server, the test is
/// skipped.
fn run_with_two_processes(test: impl AsyncFn(&Database, &TwoProcesses)) {
    crate::support::for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres {
            let database = Database::with_test_data(kind).await;
            test(&database, &TwoProcesses::start_on(&database)).await;
            database.return_to_pool().await;
        }
    });
}

fn enable_request(enabled: bool) -> Request {
    Request::operator_patch("/applications/partner", &json!({"enabled": enabled}))
}

#[test]
fn a_revoked_grant_stops_the_next_request_on_every_process() {
    run_with_two_processes(async |_, pair| {
        let (path, token) = ("/applications/partner/grants/OPEN", pair.request_token(CLIENT_SECRET).await);
        let grant =
            Request::operator_put(path, &json!({"scopes": ["read:companies"]})).without_header("if-match");
        for round in 0..ROUND_COUNT {
            assert_eq!(pair.status_on_second_process(&token).await, 200, "{round}");
            pair.change_on_first_process(Request::operator_delete(path)).await;
            assert_eq!(pair.status_on_second_process(&token).await, 403, "{round}");
            pair.change_on_first_process(grant.clone()).await;
        }
    });
}

#[test]
fn a_disabled_application_is_stopped_on_every_process() {
    run_with_two_processes(async |_, pair| {
        let token = pair.request_token(CLIENT_SECRET).await;
        for round in 0..ROUND_COUNT {
            pair.change_on_first_process(enable_request(false)).await;
            assert_eq!(pair.status_on_second_process(&token).await, 401, "{round}");
            pair.change_on_first_process(enable_request(true)).await;
            assert_eq!(pair.status_on_second_process(&token).await, 200, "{round}");
        }
    });
}

#[test]
fn a_revoked_secret_stops_its_tokens_on_every_process() {
    run_with_two_processes(async |_, pair| {
        for round in 0..ROUND_COUNT {
            let created = pair
                .change_on_first_process(Request::operator(Method::POST, "/applications/partner/secrets"))
                .await;
            let secret: &Value = &created.content()[0];
            let token = pair.request_token(secret["value"].as_str().expect("a value")).await;
            assert_eq!(pair.status_on_second_process(&token).await, 200, "{round}");
            let path =
                format!("/applications/partner/secrets/{}", secret["secretId"].as_str().expect("an id"));
            pair.change_on_first_process(Request::operator(Method::DELETE, &path)).await;
            assert_eq!(pair.status_on_second_process(&token).await, 401, "{round}");
        }
    });
}

#[test]
fn a_revoked_operator_key_is_stopped_on_every_process() {
    run_with_two_processes(async |database, pair| {
        let read = Request::operator_get("/companies?limit=1");
        for round in 0..ROUND_COUNT {
            let created =
                pair.change_on_first_process(Request::operator_post("/keys", &json!({"name": "ann"}))).await;
            let created = &created.content()[0];
            let key = format!("Bearer {}", created["value"].as_str().expect("a value"));
            assert_eq!(response_status(&pair.there.operator, &read, &key).await, 200, "{round}");
            let path = format!("/keys/{}", created["keyId"].as_str().expect("an id"));
            pair.change_on_first_process(Request::operator(Method::DELETE, &path)).await;
            assert_eq!(response_status(&pair.there.operator, &read, &key).await, 401, "{round}");
        }
        let key = new_key(database, "bob");
        assert_eq!(response_status(&pair.there.operator, &read, &key).await, 200);
        assert!(run(database, &["operator-key", "revoke", "bob", "--yes"], "").status.success());
        assert_eq!(response_status(&pair.there.operator, &read, &key).await, 401);
    });
}
