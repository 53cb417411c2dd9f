//! Fills a database with the test data: companies by import, and the applications that have access to them.

use std::sync::Arc;

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, SIGNING_SECRET_LENGTH, SigningSecret,
};
use payroll_domain::operator_key::{OperatorKey, OperatorRole};
use payroll_domain::{SecretText, document, input};
use payroll_ports::Store;
use payroll_ports::applications::{
    ApplicationSettings, ExpectedGrant, GrantChange, GrantUpdate, NewApplication, NewSecret, SecretHash,
    SecretValue,
};
use payroll_ports::hooks::NewHook;
use payroll_ports::import::{ImportOutcome, ImportRules};
use payroll_ports::operator_keys::KeyCreationOutcome;
use payroll_ports::write::AuditContext;
use payroll_server::app;

use super::clock::{RepeatableRandomness, START_TIME};
use super::settings::{CLIENT_SECRET, OPERATOR_KEY, READER_KEY, settings_with_database};
use super::world;

/// Imports the companies and creates the applications.
pub(crate) async fn fill_database(url: &str) {
    let store = open_store_at(url).await;
    for line in world::test_data_lines() {
        import_line(&*store, &line).await;
    }
    create_operator_key(&*store, "desk", OPERATOR_KEY).await;
    create_operator_key(&*store, "reader", READER_KEY).await;
    let all = Scopes::all();
    create_application(&*store, "partner", world::GRANTED_COMPANIES, all).await;
    create_application(&*store, "period scoped", &[world::OPEN], all).await;
    create_application(&*store, "other", &[world::FOREIGN], all).await;
    create_application(&*store, "limited", &[world::FOREIGN], all).await;
    grant_to_application(&*store, "limited", world::OPEN, [Scope::ReadTaxIds].into_iter().collect()).await;
}

/// Returns the store of the database with this URL, as a command on the server opens it.
pub(crate) async fn open_store_at(url: &str) -> Arc<dyn Store> {
    let opened =
        app::open_or_create_store(&settings_with_database(url), Arc::new(RepeatableRandomness::new())).await;
    opened.unwrap_or_else(|failure| panic!("{failure}"))
}

/// Imports a line, which must be valid.
pub(crate) async fn import_line(store: &dyn Store, line: &serde_json::Value) {
    let text = line.to_string();
    let node = input::parse(text.as_bytes()).expect("JSON");
    let whole = document::read_company(&node).unwrap_or_else(|faults| panic!("{faults}"));
    let imported = store
        .import_company(
            whole.into(),
            ImportRules::default(),
            &AuditContext::for_command("import", START_TIME),
        )
        .await
        .expect("the store answers");
    assert!(matches!(imported, ImportOutcome::Stored(_)), "{imported:?}");
}

/// Creates an operator key with this value. The key named `reader` has only read access, and all others have
/// full access.
async fn create_operator_key(store: &dyn Store, name: &str, value: &str) {
    let role = if name == "reader" { OperatorRole::Auditor } else { OperatorRole::Administrator };
    let key = OperatorKey::new(name.parse().expect("an id"), name.to_owned(), role, START_TIME);
    let audit = AuditContext::for_command("tests", START_TIME);
    let created = store.create_operator_key(&key, &SecretHash::from_secret(value), &audit).await;
    assert_eq!(created.expect("the store answers"), KeyCreationOutcome::Stored);
}

pub(crate) async fn create_application(store: &dyn Store, name: &str, companies: &[&str], scopes: Scopes) {
    let new = NewApplication {
        application_id: name.replace(' ', "-").parse().expect("an id"),
        client_id: format!("key-of-{name}"),
        settings: ApplicationSettings {
            name: name.to_owned(),
            enabled: true,
            correlation_ids_last_for_the_pay_period: name == "period scoped",
            rate_limit_per_minute: None,
            webhook_scopes: if matches!(name, "partner" | "other") {
                Scopes::for_applications()
            } else {
                Scopes::NONE
            },
        },
        secret: NewSecret {
            secret_id: format!("secret-of-{}", name.replace(' ', "-")).parse().expect("an id"),
            value: SecretValue::Hash(SecretHash::from_secret(CLIENT_SECRET)),
            created: START_TIME,
        },
    };
    store.create_application(&new, &audit_context()).await.expect("the store answers").expect("a new one");
    for company in companies {
        grant_to_application(store, name, company, scopes).await;
    }
}

/// Replaces the scopes of an application's grant on a company.
pub(crate) async fn grant_to_application(store: &dyn Store, name: &str, company: &str, scopes: Scopes) {
    let call = GrantUpdate {
        application_id: name.replace(' ', "-").parse().expect("an id"),
        company_id: company.parse().expect("an id"),
        change: GrantChange::Set(scopes),
        expected: ExpectedGrant::Anything,
    };
    store.update_grant(&call, &audit_context()).await.expect("the store answers").expect("both are there");
}

/// Registers a hook for all domains. No test sends requests to its URL. The URL contains a query that
/// operators must not see.
pub(crate) async fn register_hook(store: &dyn Store, application: &str, hook_id: &str) {
    let key = HookKey {
        application_id: application.parse().expect("an id"),
        hook_id: hook_id.parse().expect("an id"),
    };
    let hook = Hook {
        key,
        company_id: None,
        address: Address::from_stored("https://127.0.0.1/in?token=hidden").expect("an address"),
        domains: EventDomain::ALL.to_vec(),
        auth_type: AuthType::Basic,
        active: true,
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
    const MAX_HOOKS: u32 = 20;
    store.add_hook(&new, MAX_HOOKS, &audit_context()).await.expect("the store answers").expect("a new one");
}

/// Returns the actor and the time of the changes that create the test data.
fn audit_context() -> AuditContext {
    AuditContext::for_command("tests", START_TIME)
}
