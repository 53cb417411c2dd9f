//! The settings of servers under test, and the secrets with which tests call these servers.

use payroll_server::config::{Setting, Settings};

/// The secret of each application.
pub(crate) const CLIENT_SECRET: &str = "pks_the-same-for-all-applications-of-these-tests";
/// The value of the operator key with all permissions.
pub(crate) const OPERATOR_KEY: &str = "opk_the-one-that-writes";
/// The value of the operator key with only read access.
pub(crate) const READER_KEY: &str = "opk_the-one-that-reads";
/// The encryption keys of all servers under test. All servers have the same keys, so that each server can
/// decrypt data of the others.
pub(crate) const TEST_KEYS: &str = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// The number of database connections per server. The number is sufficient for the tests of races, and low
/// because PostgreSQL accepts only 100 connections in total.
const DATABASE_CONNECTIONS: u32 = 6;
/// The number of database connections to each node, if the tests run on a distributed database.
const NODE_CONNECTIONS: u32 = 3;
/// The unsafe database settings that servers under test accept. The PostgreSQL servers of the tests may use
/// these settings to write faster.
pub(super) const ACCEPTED_WEAKNESSES: &str = "fsync,full_page_writes";
/// The value of `webhook_hosts`, which maps the host of hooks to a port without a listener.
const HOST_MAPPINGS: &str = "hooks.test=127.0.0.1:1";

/// All scopes on a company.
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

/// Returns the settings of a server for the database with this URL.
pub(super) fn settings_with_database(url: &str) -> Settings {
    let read = "they fit";
    Settings {
        database_url: Setting::read(url).expect(read),
        database_connections: DATABASE_CONNECTIONS,
        database_node_connections: NODE_CONNECTIONS,
        keys: Setting::read(TEST_KEYS).expect(read),
        accept_unsafe_database: ACCEPTED_WEAKNESSES.to_owned(),
        listen: Setting::read("127.0.0.1:0").expect(read),
        operator_listen: Setting::read("127.0.0.1:0").expect(read),
        rate_limit_per_minute: 0,
        failed_tokens_per_minute: 0,
        webhook_hosts: Setting::read(HOST_MAPPINGS).expect(read),
        ..Settings::default()
    }
}
