//! Settings: one row each, read from a file, the environment and flags, in that order.
//!
//! The table below is everything: the type, the default, the documentation, the name in the file
//! (`rate_limit_per_minute`), in the environment (`PAYROLL_RATE_LIMIT_PER_MINUTE`) and as a flag
//! (`--rate-limit-per-minute`). Every source is text, read once by its type; an unknown name is
//! refused, since a misspelt setting would silently be the default.

mod groups;
mod sources;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use sources::explained;
pub use sources::{
    CLIENT_SECRET_VARIABLE, CONFIG_VARIABLE, OPERATOR_KEY_VARIABLE, Origin, SIGNING_SECRET_VARIABLE,
    SettingFlags, Sources,
};
pub use values::{
    AddressList, DatabaseUrl, HostMap, KeyList, LogFormat, NetworkList, OptionalDatabaseUrl, PauseSeconds,
    Ratio, Setting,
};

use std::net::SocketAddr;

use validator::Validate;

use crate::failure::{Failure, Outcome};

/// One setting, as it is documented.
#[derive(Debug)]
pub struct Row {
    /// Its name in a file.
    pub name: &'static str,
    /// Its value where none is given.
    pub default: &'static str,
    /// What it does.
    pub documentation: &'static str,
    /// It must not stand on a command line, where every user of the machine can read it.
    pub secret: bool,
}

/// Declares [`Settings`] and its table in one place: a new setting is one row.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $(#[validate $rule:tt])? $name:ident: $type:ty = $default:literal;)*) => {
        /// What the server gets from outside.
        #[derive(Debug, Clone, Validate)]
        pub struct Settings {
            $($(#[doc = $doc])+ $(#[validate $rule])? pub $name: $type,)*
        }

        /// Every setting, in the order in which it is documented.
        pub const ROWS: &[Row] = &[$(Row {
            name: stringify!($name),
            default: $default,
            documentation: concat!($($doc),+),
            secret: <$type as Setting>::SECRET,
        }),*];

        impl Settings {
            /// Reads each setting from the text that `text_of` gives for its name.
            fn read_all(text_of: &dyn Fn(&str) -> Option<String>) -> Outcome<Self> {
                Ok(Self {
                    $($name: {
                        let text = text_of(stringify!($name)).unwrap_or_else(|| $default.to_owned());
                        Setting::read(&text).map_err(|problem: String| refuse(stringify!($name), &problem))?
                    },)*
                })
            }

            /// Each setting with its effective value, secrets masked.
            #[must_use]
            pub fn shown(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.show()),)*]
            }
        }
    };
}

settings! {
    /// Where the data is: the path of an SQLite file, which is made when it is missing, or the
    /// address of a PostgreSQL database, postgres://user:password@host/name.
    database_url: DatabaseUrl = "payroll-data/payroll.db";
    /// The address of the same PostgreSQL database without a pooler, for what needs a session of its
    /// own: migrations, and notifications between servers. Needed where a pooler lends its
    /// connections for one transaction; empty elsewhere.
    direct_database_url: OptionalDatabaseUrl = "";
    /// The address of a standby of the PostgreSQL database, from which partners read who send
    /// `Prefer: stale`. Empty: everything is read from the primary.
    replica_database_url: OptionalDatabaseUrl = "";
    /// Connections to PostgreSQL; the embedded database needs no number.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    database_connections: u32 = "8";
    /// Connections to each node of a distributed database (docs/scaling.md), for work about its companies; 0: none.
    #[validate(range(min = 0, max = 1000, message = "must be from 0 to 1000"))]
    database_node_connections: u32 = "0";
    /// Weaknesses of the PostgreSQL server to accept, separated by commas: fsync, full_page_writes,
    /// synchronous_commit, unlogged_tables. With any of them, acknowledged changes can be lost when the power or
    /// PostgreSQL fails, so `serve` rejects the server. Set this for test databases. On a file system that never
    /// writes a page partially, full_page_writes is safe to accept. Empty: none.
    #[validate(custom(function = values::weaknesses))]
    accept_unsafe_database: String = "";
    /// The keys that sign tokens and encrypt, as id:base64 of 32 bytes, separated by commas; the
    /// first makes, all read. `payroll-server key` makes one. Empty: the key file.
    keys: KeyList = "";
    /// The file that holds the keys, one a line. Empty: beside the embedded database, where it is
    /// made at the first start; for PostgreSQL nothing is ever made.
    key_file: String = "";
    /// The address and port that the partner API listens on.
    listen: SocketAddr = "127.0.0.1:8080";
    /// The address and port that the operator's side listens on. It speaks TLS where it has a
    /// certificate (`operator_tls_certificate_file`); without one, keep it on this machine or behind
    /// something that encrypts.
    operator_listen: SocketAddr = "127.0.0.1:8081";
    /// The PEM file of the partner API's certificate, with the authorities that lead to a known one
    /// behind it. With the key it turns TLS on: https, HTTP/1.1 and HTTP/2. When the files change,
    /// the new certificate is served without a restart.
    tls_certificate_file: String = "";
    /// The PEM file of that certificate's private key.
    tls_key_file: String = "";
    /// The PEM file of the certificate of the operator's side, in the same way.
    operator_tls_certificate_file: String = "";
    /// The PEM file of that certificate's private key.
    operator_tls_key_file: String = "";
    /// The proxies in front of the server, as addresses and ranges (10.0.0.0/8) separated by commas:
    /// of them, and of nobody else, Forwarded or X-Forwarded-For, -Proto and -Host are believed.
    trusted_proxies: NetworkList = "";
    /// A listener without a certificate may have an address that is not of this machine, true or
    /// false, though no proxy is named: for networks that nobody else hears.
    allow_plain_http: bool = "false";
    /// The address that links begin with, such as `https://api.example.org`. Empty: the address
    /// that the caller used.
    #[validate(custom(function = values::base_url))]
    public_base_url: String = "";
    /// The word for the vendor in media types: application/vnd.WORD.companies.v1+json.
    #[validate(custom(function = values::vendor_token))]
    vendor_token: String = "vendor";
    /// The header in which a subscriber names the notification that made it ask.
    #[validate(custom(function = values::header_name))]
    notification_header: String = "x-vendor-sid";
    /// The header in which every answer carries the server's id of the request.
    #[validate(custom(function = values::header_name))]
    request_id_header: String = "x-vendor-txid";
    /// The header in which a caller sends an id of its own, which the answer repeats.
    #[validate(custom(function = values::header_name))]
    correlation_header: String = "x-vendor-client-correlationid";
    /// How long an access token is good for.
    #[validate(range(min = 1, max = 86_400, message = "must be from 1 to 86400"))]
    token_lifetime_seconds: u32 = "3600";
    /// Requests a minute that each application may make, unless it has a limit of its own; 0
    /// lifts the limit.
    rate_limit_per_minute: u32 = "10000";
    /// Token requests with wrong credentials that a client may make a minute from one address, and
    /// ten times as many by all clients of that address; 0 lifts the limit. Wrong operator keys and sessions
    /// are counted in the same way, but a right operator key is never refused for wrong ones. Behind a proxy
    /// that is not in trusted_proxies all clients have one address.
    failed_tokens_per_minute: u32 = "20";
    /// The largest body that is read, in bytes.
    #[validate(range(min = 1024, max = 67_108_864, message = "must be from 1024 to 67108864"))]
    max_body_bytes: u32 = "2097152";
    /// The largest body that the operator's side reads, in bytes: a worker with years of history, or
    /// a long list, is larger than anything that a partner sends. Imports have no such limit.
    #[validate(range(min = 1024, max = 1_073_741_824, message = "must be from 1024 to 1073741824"))]
    operator_max_body_bytes: u32 = "67108864";
    /// Memory that the requests of partners under way, their answers and what is made of them may take
    /// together, in bytes. A request that would take more gets 503 and may be sent again.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    max_request_memory_bytes: u32 = "67108864";
    /// The part of it that the requests of one application may take. One that would take more gets
    /// 429 and may be sent again.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    application_request_memory_bytes: u32 = "33554432";
    /// The same memory of the operator's side: for each import under way a line, which may have half a
    /// gigabyte, and ten times the size of a large body that is made of small values.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    operator_max_request_memory_bytes: u32 = "1073741824";
    /// How long a client may take to send the head of a request: for the first request from the beginning of the
    /// connection, for others from their first byte. It applies to both listeners.
    #[validate(range(min = 1, max = 600, message = "must be from 1 to 600"))]
    head_timeout_seconds: u32 = "5";
    /// How long a caller may take to send a whole body.
    #[validate(range(min = 1, max = 600, message = "must be from 1 to 600"))]
    body_timeout_seconds: u32 = "30";
    /// How long an idle connection is kept.
    #[validate(range(min = 1, max = 3600, message = "must be from 1 to 3600"))]
    keep_alive_seconds: u32 = "75";
    /// Connections to the partner API that are open at the same time. A new connection beyond the limit takes the
    /// place of the one that has waited longest for a request. Connections with a request in progress stay.
    #[validate(range(min = 1, max = 1_000_000, message = "must be from 1 to 1000000"))]
    max_connections: u32 = "10000";
    /// Connections to the partner API from one address, or from one /64 network of IPv6. A new connection beyond
    /// the limit takes the place of that address's connection that has waited longest for a request. Addresses in
    /// `trusted_proxies` have no such limit. Raise it if many clients share an address.
    #[validate(range(min = 1, max = 1_000_000, message = "must be from 1 to 1000000"))]
    max_connections_per_address: u32 = "2000";
    /// Answers without a page size that are streamed at the same time; each holds a snapshot.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    max_streams: u32 = "32";
    /// How long such an answer may take before it is cut.
    #[validate(range(min = 1, max = 3600, message = "must be from 1 to 3600"))]
    stream_timeout_seconds: u32 = "300";
    /// Threads that answer requests.
    #[validate(range(min = 1, max = 256, message = "must be from 1 to 256"))]
    workers: u32 = "2";
    /// How long requests under way may take to end after the server was asked to stop.
    #[validate(range(min = 0, max = 600, message = "must be from 0 to 600"))]
    shutdown_timeout_seconds: u32 = "30";
    /// How long, before that, requests are answered as ever while `/readyz` is red already: the time in
    /// which balancers find out. Empty: 5 where `trusted_proxies` names any, else 0.
    shutdown_pause_seconds: PauseSeconds = "";
    /// Days for which events are kept for those who follow the feed; 0 keeps them for ever.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    event_retention_days: u32 = "90";
    /// Days for which rows of the audit trail are kept, seven years of them; 0 keeps them for ever.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    audit_retention_days: u32 = "2557";
    /// Days for which the checks of a processed pay period are kept, from the end of its check date or its last
    /// change; then they are moved to a file in `check_archive_folder`, and the register stays. 0: for ever.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    check_retention_days: u32 = "0";
    /// The folder that these files are written to. All servers of one database share it.
    check_archive_folder: String = "";
    /// Days for which an application sees what it has asked, of the newest 10,000 requests; 0 keeps no
    /// such log.
    #[validate(range(min = 0, max = 3650, message = "must be from 0 to 3650"))]
    request_log_days: u32 = "7";
    /// Hours for which an application's request for access to a company waits for a decision.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    access_request_hours: u32 = "168";
    /// Two operators complete a pay period, true or false: one requests the completion, and another one,
    /// with another key, approves it. Without it, one operator completes it.
    two_person_completion: bool = "false";
    /// The server is a sandbox, true or false: its clock can be set, and requests can ask for faults, as
    /// docs/sandbox.md says. Only for a new database and for one that was created as a sandbox.
    sandbox: bool = "false";
    /// The operator's listener shows no console (404), true or false; the operator API is as it was.
    no_console: bool = "false";
    /// The partners' listener shows a portal at `/portal/` for those who program against the API, true or
    /// false. A sandbox shows it either way.
    portal: bool = "false";
    /// The address by which operators reach their side, such as `https://payroll-ops.example.org`: what
    /// links to requests for access begin with. Empty: the address that it listens on. With https, the session
    /// cookie is for TLS alone, and browsers are told to use nothing else (HSTS).
    #[validate(custom(function = values::base_url))]
    operator_public_url: String = "";
    /// Hooks that one application may have.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    max_hooks: u32 = "20";
    /// Hooks may have addresses that begin with http://, true or false: for private networks and
    /// development.
    webhook_allow_http: bool = "false";
    /// New addresses of hooks are verified, true or false: a hook is registered, and its address changed, only
    /// when the receiver repeats a challenge (docs/webhooks.md). Hooks that are there stay as they are.
    webhook_verify_addresses: bool = "false";
    /// Host names of hooks that are dialled at another address and port, as name=address:port,
    /// separated by commas. They need not be public: for private networks and development.
    webhook_hosts: HostMap = "";
    /// A PEM file of certificate authorities that receivers' certificates may come from, beside those
    /// that the system trusts.
    webhook_ca_file: String = "";
    /// Addresses of this machine that notifications are sent from, separated by commas; one for IPv4
    /// and one for IPv6 is enough. Empty: the system chooses.
    webhook_source_addresses: AddressList = "";
    /// The addresses that receivers of production notifications have to let in, as partners see
    /// them, separated by commas.
    webhook_published_production: AddressList = "";
    /// The same, of everything that is not production.
    webhook_published_non_production: AddressList = "";
    /// How long a notification that was not taken waits until it is sent again.
    #[validate(range(min = 1, max = 86_400, message = "must be from 1 to 86400"))]
    webhook_retry_seconds: u32 = "300";
    /// A longer wait that a receiver asks for by Retry-After is kept to, true or false.
    webhook_obey_retry_after: bool = "false";
    /// Hours without one success after which a hook that fails is disabled.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    webhook_disable_after_hours: u32 = "72";
    /// Days for which a hook that is not active goes on collecting notifications before the oldest
    /// expire.
    #[validate(range(min = 1, max = 36_500, message = "must be from 1 to 36500"))]
    webhook_expire_days: u32 = "30";
    /// Days for which delivered notifications are kept with their attempts; 0 keeps them for ever.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    delivery_retention_days: u32 = "30";
    /// Notifications that are under way at the same time.
    #[validate(range(min = 1, max = 10_000, message = "must be from 1 to 10000"))]
    webhook_in_flight: u32 = "512";
    /// Notifications that are under way to one hook at the same time, when it takes them quickly.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    webhook_in_flight_per_hook: u32 = "64";
    /// Connections to one receiving host at the same time, whichever applications its hooks belong to.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    webhook_connections_per_host: u32 = "128";
    /// How long a notification that a process has taken on is left to it: what it has not sent by
    /// then, another process sends.
    #[validate(range(min = 20, max = 600, message = "must be from 20 to 600"))]
    webhook_claim_seconds: u32 = "30";
    /// How often this process looks for notifications that no other process has announced.
    #[validate(range(min = 10, max = 60_000, message = "must be from 10 to 60000"))]
    webhook_poll_milliseconds: u32 = "1000";
    /// How logs look: human, or json.
    log_format: LogFormat = "human";
    /// What is logged: off, error, warn, info, debug or trace, also per module, such as
    /// `info,payroll_adapter_db=debug`.
    log_level: String = "info";
    /// Where spans are sent by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`; empty makes
    /// none.
    trace_endpoint: String = "";
    /// The part of requests of which spans are sent, from 0 to 1.
    trace_sample_ratio: Ratio = "1";
}

impl Default for Settings {
    /// What the table says.
    #[expect(clippy::expect_used, reason = "a test reads every default")]
    fn default() -> Self {
        Self::read_all(&|_| None).expect("the defaults fit their settings")
    }
}

fn refuse(name: &str, problem: &str) -> Failure {
    Failure::new(format!("setting `{name}` {problem}"))
}
