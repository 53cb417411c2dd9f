//! Tests of the delivery of notifications, from a change in the operator API to a receiver on loopback.
//!
//! Unit tests of the sender cover faults of a receiver. The tests here need a server, a queue and a clock.

mod arrival;
pub(crate) mod crash;
mod order;
pub(crate) mod processes;
mod receivers;
mod retry;

use payroll_domain::SecretText;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, OAuthClient, SigningSecret,
};
use payroll_ports::Store;
use payroll_ports::hooks::NewHook;
use payroll_ports::write::AuditContext;
use payroll_server::config::Setting;
use serde_json::json;

use crate::support::receiver::{RECEIVER_HOSTS, wait_until_async};
use crate::support::{
    Database, OPEN, Receiver, Request, START_TIME, Server, Settings, on_every_database_with,
};

/// The signing secret of all hooks in these tests.
const SIGNING_SECRET: SigningSecret = SigningSecret([7; 32]);
/// The maximum number of hooks that an application may have. No test reaches it.
const MAX_HOOKS: u32 = 100;

/// Runs a test on each available database, with a receiver that gets the notifications of the server.
pub(crate) fn run_with_receiver(change: impl Fn(&mut Settings), test: impl AsyncFn(&mut Server, &Receiver)) {
    let receiver = Receiver::start();
    let settings = |settings: &mut Settings| {
        settings.webhook_hosts = Setting::read(&receiver.host_mappings()).expect("they fit");
        settings.webhook_allow_http = true;
        settings.webhook_poll_milliseconds = 10;
        change(settings);
    };
    on_every_database_with(settings, async |server| {
        receiver.reset_state();
        test(server, &receiver).await;
    });
}

/// Runs a test on each available database, with a hook of the partner for the domain WRKR_EMPL. Afterwards
/// waits until all notifications are delivered.
pub(crate) fn run_until_delivered(receiver: &Receiver, test: impl AsyncFn(&Server)) {
    let settings = |settings: &mut Settings| {
        settings.webhook_hosts = Setting::read(&receiver.host_mappings()).expect("they fit");
        settings.webhook_allow_http = true;
        settings.webhook_poll_milliseconds = 10;
    };
    on_every_database_with(settings, async |server| {
        add_hook(&*server.store, "partner", "here", EventDomain::WorkerEmployment).await;
        test(server).await;
    });
}

/// Returns the authentication of a hook that sends an API key in a header.
fn api_key_authentication() -> Authentication {
    Authentication::ApiKey { header: "x-key".to_owned(), key: SecretText::new("the key") }
}

/// Returns the settings of an OAuth client that requests tokens from the receiver.
fn oauth_client() -> OAuthClient {
    OAuthClient {
        token_url: Address::from_stored(&format!("http://{}/token", RECEIVER_HOSTS[0])).expect("an address"),
        client_id: "us".to_owned(),
        client_secret: SecretText::new("the-secret"),
        scope: None,
    }
}

/// Registers a hook of an application for a domain. The path of the hook's URL is the id of the hook.
pub(crate) async fn add_hook(store: &dyn Store, application: &str, id: &str, domain: EventDomain) -> HookKey {
    add_hook_with_authentication(store, application, id, domain, api_key_authentication()).await
}

async fn add_hook_with_authentication(
    store: &dyn Store,
    application: &str,
    id: &str,
    domain: EventDomain,
    authentication: Authentication,
) -> HookKey {
    let host = if application == "partner" { RECEIVER_HOSTS[0] } else { RECEIVER_HOSTS[1] };
    let key =
        HookKey { application_id: application.parse().expect("an id"), hook_id: id.parse().expect("an id") };
    let hook = Hook {
        key: key.clone(),
        company_id: None,
        address: Address::from_stored(&format!("http://{host}/{id}")).expect("an address"),
        domains: vec![domain],
        auth_type: auth_type(&authentication),
        active: true,
        delivery: DeliveryOptions::default(),
        created: START_TIME,
        version: 1,
    };
    let new = NewHook { hook, authentication, signing_secret: SIGNING_SECRET };
    let added = store.add_hook(&new, MAX_HOOKS, &audit_context()).await;
    added.expect("the store answers").expect("a new hook");
    key
}

fn auth_type(authentication: &Authentication) -> AuthType {
    authentication.auth_type()
}

fn audit_context() -> AuditContext {
    AuditContext::for_command("tests", START_TIME)
}

/// Returns a request that changes a worker. The change creates an event of the domain WRKR_EMPL.
pub(crate) fn change_request(company: &str, worker: &str, number: usize) -> Request {
    let path = format!("/companies/{company}/workers/{worker}");
    Request::operator_patch(&path, &json!({"clockId": number.to_string()}))
}

/// Changes a worker of the partner's company with [`change_request`].
pub(crate) async fn change_worker(server: &Server, number: usize) {
    let response = server.send(&change_request(OPEN, "EMPLOYEE", number)).await;
    assert_eq!(response.status, 200, "{response:?}");
}

/// Returns the number of deliveries in a state.
async fn count_in_state(database: &Database, state: &str) -> i64 {
    database.query_number(&format!("SELECT count(*) FROM deliveries WHERE state = '{state}'")).await
}

/// Waits until this number of deliveries are in a state.
pub(crate) async fn wait_until_in_state(database: &Database, state: &str, count: i64) {
    let what = format!("{count} deliveries that are {state}");
    wait_until_async(async || count_in_state(database, state).await == count, &what).await;
}

/// Waits until no delivery is pending.
pub(crate) async fn wait_until_queue_is_empty(database: &Database) {
    let waiting = "SELECT count(*) FROM deliveries WHERE due IS NOT NULL";
    wait_until_async(async || database.query_number(waiting).await == 0, "an empty queue").await;
}
