//! The settings of the program. Each setting is one row of a table. Settings are read from a file, the
//! environment and flags. Flags override the environment, and the environment overrides the file.
//!
//! The table below defines the type, the default, the documentation and the names of each setting. The name
//! in a file is `rate_limit_per_minute`, in the environment `PAYROLL_RATE_LIMIT_PER_MINUTE`, and as a flag
//! `--rate-limit-per-minute`. Every source provides text, which the type parses. An unknown name is rejected,
//! because a misspelt setting would otherwise silently have its default.

#[macro_use]
mod table;

mod address;
mod choices;
mod groups;
mod header;
mod sources;
#[cfg(test)]
mod tests;
pub(crate) mod values;

pub use address::AddressWithCredentials;
pub use choices::LogFormat;
pub use payroll_adapter_http::TokenSignature;
pub use payroll_adapter_oidc::RoleMap;
pub(crate) use sources::settings_help;
pub use sources::{
    CLIENT_SECRET_VARIABLE, CONFIG_VARIABLE, OPERATOR_KEY_VARIABLE, SIGNING_SECRET_VARIABLE, SettingFlags,
    SettingOrigin, SettingSources,
};
pub use values::{
    AddressList, DatabaseUrl, HostMap, KeyList, NetworkList, OptionalDatabaseUrl, PauseSeconds, Ratio,
    Setting,
};

use std::net::SocketAddr;

use validator::Validate;

use crate::failure::{Failure, Outcome};

/// A setting with its name, default and documentation.
#[derive(Debug)]
pub struct SettingRow {
    /// The name of the setting in a settings file.
    pub name: &'static str,
    /// The default value of the setting.
    pub default: &'static str,
    /// The documentation of the setting, from its doc comment.
    pub documentation: &'static str,
    /// Whether the setting is secret. Every user of the machine can read command lines, so a secret must not
    /// be a flag.
    pub secret: bool,
}

settings! {
    /// The database: the path of an SQLite file, which is created if it is missing, or the URL of a
    /// PostgreSQL database, postgres://user:password@host/name. Write /, ? and @ in a password as %2F, %3F
    /// and %40.
    database_url: DatabaseUrl = "payroll-data/payroll.db";
    /// The URL of the same PostgreSQL database without a pooler. Migrations and notifications between servers
    /// need a database session and therefore use this URL. Required if the pooler assigns connections per
    /// transaction, otherwise empty.
    direct_database_url: OptionalDatabaseUrl = "";
    /// The URL of a standby of the PostgreSQL database. Reads of partners with `Prefer: stale` use it. Empty:
    /// all reads use the primary.
    replica_database_url: OptionalDatabaseUrl = "";
    /// Maximum number of connections from this server to PostgreSQL. SQLite ignores this setting.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    database_connections: u32 = "8";
    /// Connections to each node of a distributed database (docs/scaling.md), for requests about companies
    /// that are stored on that node. 0: all requests go through the coordinator.
    #[validate(range(min = 0, max = 1000, message = "must be from 0 to 1000"))]
    database_node_connections: u32 = "0";
    /// Unsafe configurations of PostgreSQL to accept, separated by commas: fsync, full_page_writes,
    /// synchronous_commit, unlogged_tables. With any of them, stored changes can be lost if the power or
    /// PostgreSQL fails, so `serve` does not start unless they are listed here. Set this only for test
    /// databases. Exception: full_page_writes is safe to accept on a file system that never writes a page
    /// partially. Empty: accept none.
    #[validate(custom(function = values::validate_weaknesses))]
    accept_unsafe_database: String = "";
    /// The keys that sign tokens and encrypt data, as id:base64 of 32 bytes, separated by commas. The first
    /// key signs and encrypts, and all keys verify and decrypt. `payroll-server key` prints a new key. Empty:
    /// the keys are in `key_file`.
    keys: KeyList = "";
    /// The file with the keys, one per line. Empty: a file next to the SQLite database, created at the first
    /// start. With PostgreSQL, set `keys` or this setting, because no file is created.
    key_file: String = "";
    /// The address and port that the partner API listens on.
    listen: SocketAddr = "127.0.0.1:8080";
    /// The address and port of the operator listener. The listener uses TLS if it has a certificate
    /// (`operator_tls_certificate_file`). Without a certificate, use a loopback address, or a proxy that
    /// encrypts.
    operator_listen: SocketAddr = "127.0.0.1:8081";
    /// The PEM file with the certificate of the partner API, followed by its intermediate certificates.
    /// Together with the key file it enables https with HTTP/1.1 and HTTP/2. If the files change, the server
    /// loads them without a restart.
    tls_certificate_file: String = "";
    /// The PEM file with the private key of the certificate in `tls_certificate_file`.
    tls_key_file: String = "";
    /// The PEM file with the certificate of the operator listener, followed by its intermediate certificates.
    operator_tls_certificate_file: String = "";
    /// The PEM file with the private key of the certificate in `operator_tls_certificate_file`.
    operator_tls_key_file: String = "";
    /// The proxies in front of the server, as addresses and ranges (10.0.0.0/8), separated by commas. The
    /// server uses Forwarded or X-Forwarded-For, -Proto and -Host only from these addresses.
    trusted_proxies: NetworkList = "";
    /// Whether a listener without a certificate and without a proxy may use an address that other machines
    /// can reach, true or false. Use it only in networks that you trust.
    allow_plain_http: bool = "false";
    /// The URL at which clients reach the partner API, such as `https://api.example.org`. Links in responses
    /// begin with this URL. Empty: links begin with the URL that the client used.
    #[validate(custom(function = values::validate_base_url))]
    public_base_url: String = "";
    /// The vendor's name in media types: `example` leads to application/vnd.example.companies.v1+json.
    #[validate(custom(function = values::validate_media_type_vendor))]
    vendor_token: String = "vendor";
    /// The request header in which a partner sends the id of the notification that caused the request. The
    /// server then shows the request with the delivery of this notification.
    #[validate(custom(function = header::validate_header_name))]
    notification_header: String = "x-vendor-sid";
    /// The response header with the server's id of the request.
    #[validate(custom(function = header::validate_header_name))]
    request_id_header: String = "x-vendor-txid";
    /// The header in which a client can send an id of its own for a request. The response repeats the id.
    #[validate(custom(function = header::validate_header_name))]
    correlation_header: String = "x-vendor-client-correlationid";
    /// Seconds until an access token expires.
    #[validate(range(min = 1, max = 86_400, message = "must be from 1 to 86400"))]
    token_lifetime_seconds: u32 = "3600";
    /// The algorithm that signs new access tokens, `hs256` or `eddsa`. With `eddsa`, other services can
    /// verify tokens with the public keys in `/.well-known/jwks.json`, but they do not learn of revoked
    /// access.
    token_signature: TokenSignature = "hs256";
    /// Maximum number of requests per minute of each application, unless `app set` has set another limit for
    /// the application. 0: no limit.
    rate_limit_per_minute: u32 = "10000";
    /// Maximum number of token requests with wrong credentials per minute, of one client id from one address.
    /// All client ids from one address together have ten times this limit. 0: no limit. Wrong operator keys
    /// and sessions are limited in the same way, but a correct operator key always works. Set
    /// `trusted_proxies` if the server is behind a proxy. Otherwise all clients have the proxy's address and
    /// share the limit.
    failed_tokens_per_minute: u32 = "20";
    /// The maximum size of a request body of the partner API, in bytes.
    #[validate(range(min = 1024, max = 67_108_864, message = "must be from 1024 to 67108864"))]
    max_body_bytes: u32 = "2097152";
    /// The maximum size of a request body of the operator API, in bytes. The default is larger than that of
    /// partners, because operators send long lists and workers with years of history. Imports have no such
    /// limit.
    #[validate(range(min = 1024, max = 1_073_741_824, message = "must be from 1024 to 1073741824"))]
    operator_max_body_bytes: u32 = "67108864";
    /// Memory for all partner requests in progress, their responses and intermediate data, in bytes. A
    /// request that exceeds it gets 503 and can be retried.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    max_request_memory_bytes: u32 = "67108864";
    /// The part of `max_request_memory_bytes` that the requests of one application can use, in bytes. A
    /// request that exceeds it gets 429 and can be retried.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    application_request_memory_bytes: u32 = "33554432";
    /// Memory for all operator requests in progress, in bytes. Each import needs memory for its longest line,
    /// up to 512 MiB. A body with many small values can need ten times its size. A request that exceeds the
    /// limit gets 503 and can be retried.
    #[validate(range(min = 1_048_576, message = "must be at least 1048576"))]
    operator_max_request_memory_bytes: u32 = "1073741824";
    /// Seconds in which a client must send the head (request line and headers) of a request. For the first
    /// request of a connection, the time starts when the connection opens. For each later request, it starts
    /// with the request's first byte. The setting applies to both listeners.
    #[validate(range(min = 1, max = 600, message = "must be from 1 to 600"))]
    head_timeout_seconds: u32 = "5";
    /// Seconds in which a client must send the complete body of a request. A slower request gets 408.
    #[validate(range(min = 1, max = 600, message = "must be from 1 to 600"))]
    body_timeout_seconds: u32 = "30";
    /// Seconds after which an idle connection is closed.
    #[validate(range(min = 1, max = 3600, message = "must be from 1 to 3600"))]
    keep_alive_seconds: u32 = "75";
    /// Maximum number of open connections to the partner API. For a new connection beyond the limit, the
    /// server closes the connection that has waited longest for a request. Connections with a request in
    /// progress stay.
    #[validate(range(min = 1, max = 1_000_000, message = "must be from 1 to 1000000"))]
    max_connections: u32 = "10000";
    /// Connections to the partner API from one address, or from one /64 network of IPv6. If the limit is
    /// exceeded, the server closes the connection of this address that has waited longest for a request.
    /// Addresses in `trusted_proxies` have no such limit. Raise the limit if many clients share an address.
    #[validate(range(min = 1, max = 1_000_000, message = "must be from 1 to 1000000"))]
    max_connections_per_address: u32 = "2000";
    /// Maximum number of responses that are streamed at the same time. Lists without `limit` are streamed,
    /// and each uses a snapshot of the database. Further requests get 503 and can be retried.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    max_streams: u32 = "32";
    /// Seconds after which a streamed response is cut off.
    #[validate(range(min = 1, max = 3600, message = "must be from 1 to 3600"))]
    stream_timeout_seconds: u32 = "300";
    /// Number of threads that handle requests. Use about one per processor core.
    #[validate(range(min = 1, max = 256, message = "must be from 1 to 256"))]
    workers: u32 = "2";
    /// Seconds that a stopping server waits for requests in progress, after `shutdown_pause_seconds`. After
    /// this time, the server cuts off the remaining requests.
    #[validate(range(min = 0, max = 600, message = "must be from 0 to 600"))]
    shutdown_timeout_seconds: u32 = "30";
    /// Seconds that a stopping server still accepts requests, while `/readyz` returns 503. In this time, load
    /// balancers notice that the server stops. Empty: 5 if `trusted_proxies` is set, otherwise 0.
    shutdown_pause_seconds: PauseSeconds = "";
    /// Days until events are deleted from the event feed. A client that polls less often misses events. 0:
    /// never.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    event_retention_days: u32 = "90";
    /// Days until rows of the audit log are deleted. The default is seven years. 0: never.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    audit_retention_days: u32 = "2557";
    /// Days until the checks of a processed pay period are moved from the database to a file in
    /// `check_archive_folder`. The days count from the check date or from the last change of the pay period,
    /// whichever is later. The payroll register stays in the database. 0: never.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    check_retention_days: u32 = "0";
    /// The folder of the files with archived checks. All servers of one database share this folder.
    check_archive_folder: String = "";
    /// Days for which the request log keeps an application's requests, at most its newest 10,000. 0: no
    /// request log.
    #[validate(range(min = 0, max = 3650, message = "must be from 0 to 3650"))]
    request_log_days: u32 = "7";
    /// Days for which the request log has details of rejected and failed requests: the query, the errors and
    /// the first 8 KiB of the body. The log has the details of at most 1,000 requests of each application,
    /// the newest ones. Details are encrypted, and tax IDs, account numbers and birth dates in them are
    /// masked. 0: no details.
    #[validate(range(min = 0, max = 3650, message = "must be from 0 to 3650"))]
    request_detail_days: u32 = "3";
    /// The folder for scheduled backups of the embedded (SQLite) database. The folder must exist, and no
    /// other server may use it. Empty: no scheduled backups.
    backup_folder: String = "";
    /// Hours between two scheduled backups.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    backup_interval_hours: u32 = "24";
    /// Number of scheduled backups to keep. The server deletes older ones after each backup.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    backup_keep: u32 = "14";
    /// Hours after which `doctor` warns that the last backup of the embedded database is too old.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    backup_max_age_hours: u32 = "168";
    /// Hours until a pending request for access to a company expires.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    access_request_hours: u32 = "168";
    /// Whether completing a pay period requires two operators, true or false. If true, one operator requests
    /// the completion, and another operator with another key approves it.
    two_person_completion: bool = "false";
    /// Whether an operator must approve a worker's bank account that an application adds or changes, true or
    /// false. If false, the change takes effect immediately.
    approve_bank_accounts: bool = "true";
    /// Whether the server is a sandbox, true or false. In a sandbox you can set the clock and simulate errors
    /// (docs/sandbox.md). The database must be new, an anonymised copy, or the database of an earlier
    /// sandbox.
    sandbox: bool = "false";
    /// Whether the console is disabled, true or false. Its address then leads to the API reference at
    /// `/docs/`.
    no_console: bool = "false";
    /// Whether the partner listener serves a portal for developers at `/portal/`, true or false. A sandbox
    /// always serves it.
    portal: bool = "false";
    /// Whether both listeners serve the Model Context Protocol at `/mcp`, true or false. AI agents can then
    /// use the operations of the API as tools, with access tokens or operator keys (docs/guides/agents.md).
    mcp: bool = "false";
    /// The public URL of the operator listener, such as `https://payroll-ops.example.org`. Links to requests
    /// for access begin with this URL. Empty: the address of the listener. With https, the session cookie is
    /// sent by TLS only, and responses require browsers to use https only (HSTS).
    #[validate(custom(function = values::validate_base_url))]
    operator_public_url: String = "";
    /// The OpenID Connect provider that operators sign in with, as the URL of its issuer, such as
    /// `https://login.example.org`. Only a provider on this machine may have a URL with `http://`. Empty:
    /// operators sign in with keys only.
    #[validate(custom(function = values::validate_issuer))]
    oidc_issuer: String = "";
    /// The provider's name on the sign-in button of the console, 1 to 40 letters, digits, spaces, dots and
    /// hyphens.
    #[validate(custom(function = values::validate_label))]
    oidc_label: String = "single sign-on";
    /// The client id under which this server is registered at the provider. Register the redirect URI
    /// `/sign-in/callback` below `operator_public_url` there.
    oidc_client_id: String = "";
    /// A file with the client secret that the provider has issued for this server. Empty: a public client
    /// without a secret.
    oidc_client_secret_file: String = "";
    /// The scopes to request from the provider in addition to `openid`, separated by commas.
    oidc_scopes: String = "profile,email";
    /// The claim of the identity token with the name of an operator. The audit log shows the name, and two
    /// operators with the same name count as one for approvals. Choose a claim that is unique and that
    /// operators cannot change.
    oidc_name_claim: String = "email";
    /// The claim of the identity token with the groups of an operator: a string or an array of strings.
    oidc_role_claim: String = "groups";
    /// The role of each group, as group=role, separated by commas. The roles are administrator, payroll,
    /// support and auditor. Operators in none of these groups cannot sign in.
    oidc_roles: RoleMap = "";
    /// The claim of the identity token with the companies of an operator: one company id, a list of them, or
    /// `*` for all companies. Operators without this claim cannot sign in. Empty: operators have access to
    /// all companies.
    oidc_company_claim: String = "";
    /// Where to report a vulnerability, as addresses that begin with `mailto:`, `https://` or `tel:`,
    /// separated by commas. The partner listener serves them in `/.well-known/security.txt`. Empty: there is
    /// no such file.
    #[validate(custom(function = values::validate_contacts))]
    security_contact: String = "";
    /// Maximum number of hooks (webhook registrations) of one application.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    max_hooks: u32 = "20";
    /// Whether hooks can have http:// addresses, true or false. For private networks and development.
    webhook_allow_http: bool = "false";
    /// Whether new addresses of hooks are verified, true or false. A hook is registered, or its address
    /// changed, only if its receiver returns the challenge that the server sends (docs/webhooks.md). Existing
    /// hooks are not affected.
    webhook_verify_addresses: bool = "false";
    /// Addresses to use instead of DNS for host names of hooks, as name=address:port, separated by commas.
    /// The addresses can be private. Use it for private networks and development.
    webhook_hosts: HostMap = "";
    /// A PEM file with certificate authorities for the certificates of receivers, in addition to those of the
    /// system.
    webhook_ca_file: String = "";
    /// The local addresses that notifications are sent from, separated by commas. One address for IPv4 and
    /// one for IPv6 are enough. Empty: the system chooses.
    webhook_source_addresses: AddressList = "";
    /// The public source addresses of production notifications, separated by commas. Partners read them for
    /// the allowlists of their firewalls.
    webhook_published_production: AddressList = "";
    /// The public source addresses of non-production notifications, separated by commas. Partners read them
    /// for the allowlists of their firewalls.
    webhook_published_non_production: AddressList = "";
    /// Seconds between two attempts to deliver a notification.
    #[validate(range(min = 1, max = 86_400, message = "must be from 1 to 86400"))]
    webhook_retry_seconds: u32 = "300";
    /// Whether the next attempt waits longer if a receiver requests it with Retry-After, true or false. If
    /// false, the next attempt comes after `webhook_retry_seconds`.
    webhook_obey_retry_after: bool = "false";
    /// Hours without a successful attempt after which a failing hook is disabled.
    #[validate(range(min = 1, max = 8760, message = "must be from 1 to 8760"))]
    webhook_disable_after_hours: u32 = "72";
    /// Days after which the queued notifications of a disabled hook expire.
    #[validate(range(min = 1, max = 36_500, message = "must be from 1 to 36500"))]
    webhook_expire_days: u32 = "30";
    /// Days until delivered notifications and their attempts are deleted. 0: never.
    #[validate(range(min = 0, max = 36_500, message = "must be from 0 to 36500"))]
    delivery_retention_days: u32 = "30";
    /// Maximum number of delivery attempts that a server makes at the same time, to all hooks together.
    #[validate(range(min = 1, max = 10_000, message = "must be from 1 to 10000"))]
    webhook_in_flight: u32 = "512";
    /// Maximum number of delivery attempts that a server makes at the same time to one hook. A hook that
    /// responds slowly gets fewer.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    webhook_in_flight_per_hook: u32 = "64";
    /// Maximum number of connections to one receiving host, for the hooks of all applications.
    #[validate(range(min = 1, max = 1000, message = "must be from 1 to 1000"))]
    webhook_connections_per_host: u32 = "128";
    /// Seconds for which a server claims (reserves) a notification that it sends. If the server fails, another
    /// server sends the notification after this time.
    #[validate(range(min = 20, max = 600, message = "must be from 20 to 600"))]
    webhook_claim_seconds: u32 = "30";
    /// Milliseconds between two searches of the database for due notifications. New notifications are usually
    /// announced and sent earlier.
    #[validate(range(min = 10, max = 60_000, message = "must be from 10 to 60000"))]
    webhook_poll_milliseconds: u32 = "1000";
    /// The format of logs: human or json.
    log_format: LogFormat = "human";
    /// The log level: off, error, warn, info, debug or trace. Levels per module are possible, such as
    /// `info,payroll_adapter_db=debug`.
    log_level: String = "info";
    /// The URL of the collector that receives traces by OTLP over HTTP, such as
    /// `http://127.0.0.1:4318/v1/traces`. Empty: no traces.
    trace_endpoint: AddressWithCredentials = "";
    /// The ratio of requests that are traced, from 0 (none) to 1 (all).
    trace_sample_ratio: Ratio = "1";
}

impl Default for Settings {
    /// Returns the settings with the defaults of the table.
    #[expect(clippy::expect_used, reason = "a test reads every default")]
    fn default() -> Self {
        Self::read_all(&|_| None).expect("the defaults fit their settings")
    }
}

fn invalid_setting_failure(name: &str, problem: &str) -> Failure {
    Failure::new(format!("setting `{name}` {problem}"))
}
