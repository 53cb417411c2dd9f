//! The test data: a small company, an application and operators that use the APIs, and a database file with
//! this data.

use std::path::Path;
use std::sync::Arc;

use payroll_domain::access::Scopes;
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
use payroll_ports::import::ImportRules;
use payroll_ports::write::AuditContext;
use payroll_server::app;
use payroll_server::config::{Setting, Settings};
use payroll_server::system::SystemRandomness;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::clock::START_TIME;

/// The id of the only company.
pub(crate) const COMPANY_ID: &str = "ACME";
/// The company's open pay period.
pub(crate) const OPEN_PERIOD_ID: &str = "OPEN";
/// The company's completed pay period, which has [`OLD_CHECKS`] checks.
pub(crate) const OLD: &str = "OLD";
pub(crate) const OLD_CHECKS: usize = 40;
/// Number of workers in the company. Workers are numbered from 0.
pub(crate) const WORKERS: usize = 3;
/// The name of the database file in its folder.
pub(crate) const DATABASE_FILE_NAME: &str = "payroll.db";
/// The form of a token request with the credentials of the partner's application.
pub(crate) const TOKEN_REQUEST_FORM: &str =
    "grant_type=client_credentials&client_id=partner&client_secret=pks_the-secret-of-these-tests-alone";
const CLIENT_SECRET: &str = "pks_the-secret-of-these-tests-alone";
/// The operator key of all requests except approvals.
pub(crate) const OPERATOR_KEY: &str = "opk_the-key-of-these-tests";
/// The operator key that approves completions.
pub(crate) const APPROVER_KEY: &str = "opk_the-other-key-of-these-tests";
/// The key file: one line with the only encryption key.
pub(crate) const KEYS: &str = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// Returns the settings of a server on the database in a folder.
pub(crate) fn settings(folder: &Path) -> Settings {
    let read = "they fit";
    Settings {
        database_url: Setting::read(&folder.join(DATABASE_FILE_NAME).display().to_string()).expect(read),
        keys: Setting::read(KEYS).expect(read),
        listen: Setting::read("127.0.0.1:0").expect(read),
        operator_listen: Setting::read("127.0.0.1:0").expect(read),
        rate_limit_per_minute: 0,
        failed_tokens_per_minute: 0,
        // No process listens at this address, so every notification is pending.
        webhook_hosts: Setting::read("hooks.test=127.0.0.1:1").expect(read),
        webhook_allow_http: true,
        workers: 1,
        ..Settings::default()
    }
}

/// Returns the bytes of a database with all test data, which is created once.
pub(crate) async fn database_bytes() -> &'static [u8] {
    static BYTES: OnceCell<Vec<u8>> = OnceCell::const_new();
    BYTES.get_or_init(create_database).await
}

async fn create_database() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = app::open_or_create_store(&settings(folder.path()), Arc::new(SystemRandomness)).await;
    fill_store(&*store.unwrap_or_else(|failure| panic!("{failure}"))).await;
    let path = folder.path().join(DATABASE_FILE_NAME);
    let connection = rusqlite::Connection::open(&path).expect("the database");
    // The events of the import are deleted. They are older than the hook, so the server would never deliver
    // them.
    connection.execute("DELETE FROM events", []).expect("none is left");
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    assert_eq!(emptied.expect("a checkpoint"), 0);
    std::fs::read(path).expect("the database")
}

fn audit_context() -> AuditContext {
    AuditContext::for_command("tests", START_TIME)
}

async fn fill_store(store: &dyn Store) {
    let text = company(COMPANY_ID).to_string();
    let whole = document::read_company(&input::parse(text.as_bytes()).expect("JSON"));
    let whole = whole.unwrap_or_else(|faults| panic!("{faults}"));
    store
        .import_company(whole.into(), ImportRules::default(), &audit_context())
        .await
        .expect("it is imported");
    for (id, secret) in [("desk", OPERATOR_KEY), ("boss", APPROVER_KEY)] {
        let key_id = id.parse().expect("an id");
        let key = OperatorKey::new(key_id, id.to_owned(), OperatorRole::Administrator, START_TIME);
        store
            .create_operator_key(&key, &SecretHash::from_secret(secret), &audit_context())
            .await
            .expect("a key");
    }
    let application_id: payroll_domain::id::ApplicationId = "partner".parse().expect("an id");
    let new = NewApplication {
        application_id: application_id.clone(),
        client_id: "partner".to_owned(),
        settings: ApplicationSettings {
            name: "partner".to_owned(),
            enabled: true,
            correlation_ids_last_for_the_pay_period: false,
            rate_limit_per_minute: None,
            webhook_scopes: Scopes::for_applications(),
        },
        secret: NewSecret {
            secret_id: "secret".parse().expect("an id"),
            value: SecretValue::Hash(SecretHash::from_secret(CLIENT_SECRET)),
            created: START_TIME,
        },
    };
    store.create_application(&new, &audit_context()).await.expect("it answers").expect("a new one");
    grant_access(store, COMPANY_ID).await;
    const MOST: u32 = 20;
    store
        .add_hook(&new_hook(application_id), MOST, &audit_context())
        .await
        .expect("it answers")
        .expect("a new one");
}

/// Grants the partner all access to a company.
pub(crate) async fn grant_access(store: &dyn Store, company_id: &str) {
    let grant = GrantUpdate {
        application_id: "partner".parse().expect("an id"),
        company_id: company_id.parse().expect("an id"),
        change: GrantChange::Set(Scopes::all()),
        expected: ExpectedGrant::Anything,
    };
    store.update_grant(&grant, &audit_context()).await.expect("it answers").expect("both are there");
}

fn new_hook(application_id: payroll_domain::id::ApplicationId) -> NewHook {
    let hook = Hook {
        key: HookKey { application_id, hook_id: "hook".parse().expect("an id") },
        company_id: None,
        address: Address::from_stored("http://hooks.test/in").expect("an address"),
        domains: EventDomain::ALL.to_vec(),
        auth_type: AuthType::Basic,
        active: true,
        delivery: DeliveryOptions::default(),
        created: START_TIME,
        version: START_TIME.as_micros(),
    };
    let password = SecretText::new("open-sesame");
    NewHook {
        hook,
        authentication: Authentication::Basic { username: "ann".to_owned(), password },
        signing_secret: SigningSecret([1; SIGNING_SECRET_LENGTH]),
    }
}

/// Returns a company as a line of an import. If `id` is not [`COMPANY_ID`], the ids of all data of the
/// company begin with `id`.
pub(crate) fn company(id: &str) -> Value {
    let prefix = if id == COMPANY_ID { String::new() } else { format!("{id}-") };
    let mut old = period(OLD, "COMPLETED", "2025-05-22");
    old["checks"] = (0..OLD_CHECKS).map(|number| processed_check(&prefix, number)).collect();
    json!({
        "companyId": id,
        "displayId": format!("0001-{id}"),
        "legalName": format!("{id} Example LLC"),
        "legalId": {"legalIdType": "FEIN", "legalIdValue": "000000001"},
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
        "payComponents": [{
            "componentId": "HOURLY", "name": "Hourly", "classificationType": "REGULAR", "effectOnPay": "ADDITION",
        }],
        "payPeriods": [period(OPEN_PERIOD_ID, "ENTRY", "2026-05-22"), old],
        "workers": (0..WORKERS).map(|number| worker(&prefix, number)).collect::<Vec<_>>(),
    })
}

fn period(id: &str, status: &str, check_date: &str) -> Value {
    let year = check_date.get(..4).expect("a year");
    json!({
        "payPeriodId": id, "intervalCode": "BI_WEEKLY", "status": status, "startDate": format!("{year}-05-04"),
        "endDate": format!("{year}-05-17"), "submitByDate": format!("{year}-05-19"), "checkDate": check_date,
    })
}

fn worker(prefix: &str, number: usize) -> Value {
    json!({
        "workerId": format!("{prefix}W-{number}"), "workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT",
        "name": {"familyName": "Sample", "givenName": format!("Number {number}")},
        "payRates": [{
            "rateId": format!("{prefix}R-{number}"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20",
            "default": true, "startDate": "2020-01-01",
        }],
    })
}

fn processed_check(prefix: &str, number: usize) -> Value {
    json!({
        "paycheckId": format!("{prefix}OLD-{number}"), "workerId": format!("{prefix}W-{}", number % WORKERS),
        "checkCorrelationId": format!("old-{number}"), "netPay": "371.67", "grossEarnings": "400.00",
        "checkType": "Regular", "checkNumber": number.to_string(),
        "earnings": [{
            "componentId": "HOURLY", "checkComponentId": format!("LINE-{number}"), "name": "Hourly",
            "classificationType": "REGULAR", "effectOnPay": "ADDITION", "amount": "400.00", "rate": "20",
            "hours": "20",
        }],
        "taxes": [{"name": "Federal Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
    })
}
