//! The settings of servers under test, and the secrets of those who call them.

use payroll_server::config::{Setting, Settings};

/// The secret of every application.
pub(crate) const CLIENT_SECRET: &str = "pks_the-same-for-all-applications-of-these-tests";
/// The value of the operator key that may do everything.
pub(crate) const OPERATOR_KEY: &str = "opk_the-one-that-writes";
/// The value of the operator key that only reads.
pub(crate) const READER_KEY: &str = "opk_the-one-that-reads";
/// Signs and encrypts in every server, so that one reads what another made.
pub(crate) const KEYS: &str = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// Enough for the races; PostgreSQL takes 100 in all.
const CONNECTIONS: u32 = 6;
/// To each node, where the suite runs on a distributed database; no others are made.
const NODE_CONNECTIONS: u32 = 3;
/// What servers under test accept of a database: those that a test makes write quickly, and end with the test.
pub(super) const WITHOUT_SYNCS: &str = "fsync,full_page_writes";
/// The host of hooks without a listener.
const HOSTS: &str = "hooks.test=127.0.0.1:1";

/// Every scope of a company.
pub(crate) const COMPANY_SCOPES: &[&str] = &[
    "read:companies",
    "write:companies",
    "read:payroll",
    "write:payroll",
    "read:workers",
    "write:workers",
    "read:taxes",
    "write:taxes",
    "read:deposits",
    "write:deposits",
    "read:documents",
    "write:documents",
    "read:taxids",
];

/// The settings of a server on the database of that address.
pub(super) fn settings_at(url: &str) -> Settings {
    let read = "they fit";
    Settings {
        database_url: Setting::read(url).expect(read),
        database_connections: CONNECTIONS,
        database_node_connections: NODE_CONNECTIONS,
        keys: Setting::read(KEYS).expect(read),
        accept_unsafe_database: WITHOUT_SYNCS.to_owned(),
        listen: Setting::read("127.0.0.1:0").expect(read),
        operator_listen: Setting::read("127.0.0.1:0").expect(read),
        rate_limit_per_minute: 0,
        failed_tokens_per_minute: 0,
        webhook_hosts: Setting::read(HOSTS).expect(read),
        ..Settings::default()
    }
}
