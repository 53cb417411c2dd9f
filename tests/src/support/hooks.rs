//! Hooks for the tests: a valid registration, and hooks that are stored directly.

use payroll_domain::SecretText;
use payroll_domain::delivery::Notification;
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, SIGNING_SECRET_LENGTH, SigningSecret,
};
use payroll_ports::Store;
use payroll_ports::hooks::NewHook;
use payroll_ports::requests::{LoggedRequest, RequestDetails};
use payroll_ports::write::AuditContext;
use serde_json::{Value, json};

use super::clock::START_TIME;
use super::server::Server;

/// A hook of the partner that is disabled.
pub(crate) const HOOK_ID: &str = "HOOK";
/// A second hook, for tests that delete a hook.
pub(crate) const SPARE_HOOK_ID: &str = "SPARE";
/// The id of the only delivery of [`HOOK_ID`], at position 1.
pub(crate) const DELIVERY_ID: &str = "dAAAAAAAAAAFkBFA0";
/// The id of a delivery that does not exist. Its position is higher than that of any delivery in the tests.
pub(crate) const UNKNOWN_DELIVERY_ID: &str = "dQAAAAAAAAADLkL-n";
/// A host that is mapped to a port without a listener.
pub(crate) const UNRESPONSIVE_HOST: &str = "hooks.test";
/// Returns a valid registration of a hook.
pub(crate) fn registration() -> Value {
    json!({
        "uri": format!("https://{UNRESPONSIVE_HOST}/in"),
        "domains": ["WRKR_DEM", "CLT_PYRN"],
        "authentication": {"authType": "BASIC_AUTH", "username": "ann", "password": "open-sesame"},
    })
}

/// The id of a rejected request in the partner's request log, which contains its details.
pub(crate) const FAILED_REQUEST_ID: &str = "FAILED";

/// Stores [`HOOK_ID`] and [`SPARE_HOOK_ID`], a test call in the log of the first hook, and
/// [`FAILED_REQUEST_ID`].
pub(crate) async fn store_hooks(server: &Server) {
    let store = &*server.store;
    for id in [HOOK_ID, SPARE_HOOK_ID] {
        store_hook(store, id).await;
    }
    let notification = Notification {
        notification_id: "31a271e5-b970-49e6-ac8f-d46f73c061af".to_owned(),
        company_id: None,
        worker_id: None,
        pay_period_id: None,
        domain: EventDomain::PayrunCompleted,
        action: EventAction::PayrunCompleted,
        as_of: START_TIME,
        test: true,
    };
    log_failed_request(store).await;
    store
        .queue_test_delivery(&hook_key(HOOK_ID), &notification, &audit_context())
        .await
        .expect("the store answers")
        .expect("the hook");
    // In a reused database, the sequence of positions does not start at 1. `DELIVERY_ID` contains position 1.
    server.database.execute("UPDATE deliveries SET position = 1").await;
}

/// Stores the request [`FAILED_REQUEST_ID`] with its details.
pub(crate) async fn log_failed_request(store: &dyn Store) {
    let request = LoggedRequest {
        application_id: hook_key(HOOK_ID).application_id,
        at: START_TIME.plus_seconds(1),
        duration_micros: 1,
        method: "GET".into(),
        route: "/companies".into(),
        company_id: None,
        status: 400,
        codes: vec!["API-40".into()],
        request_id: FAILED_REQUEST_ID.to_owned(),
        correlation_id: None,
        skipped_before: 0,
        details: Some(RequestDetails(format!(
            r#"{{"requestId":"{FAILED_REQUEST_ID}","errors":[{{"code":"API-40","description":"d"}}],"body":"{{}}","bodyBytes":2}}"#
        ))),
    };
    store.log_requests(&[request]).await.expect("the store answers");
}

async fn store_hook(store: &dyn Store, id: &str) {
    const MAX_HOOKS: u32 = 20;
    let hook = Hook {
        key: hook_key(id),
        company_id: None,
        address: Address::from_stored(&format!("https://{UNRESPONSIVE_HOST}/in")).expect("an address"),
        domains: vec![EventDomain::PayrunCompleted],
        auth_type: AuthType::Basic,
        active: false,
        delivery: DeliveryOptions::default(),
        created: START_TIME,
        version: START_TIME.as_micros(),
    };
    let password = SecretText::new("open-sesame");
    let new = NewHook {
        hook,
        authentication: Authentication::Basic { username: "ann".to_owned(), password },
        signing_secret: SigningSecret([1; SIGNING_SECRET_LENGTH]),
    };
    store.add_hook(&new, MAX_HOOKS, &audit_context()).await.expect("the store answers").expect("a new one");
}

fn hook_key(id: &str) -> HookKey {
    HookKey { application_id: "partner".parse().expect("an id"), hook_id: id.parse().expect("an id") }
}

fn audit_context() -> AuditContext {
    AuditContext::for_command("tests", START_TIME)
}
