//! Serves the partner API and the operator API over HTTP. Partners read companies and their lists and add
//! payroll checks. Operators manage all data.
//!
//! Each request goes through the same modules. `transport` reads it and passes it to `shared::dispatch`,
//! which assigns an id and finds the route in `partner::routes` or `operator::routes`. `partner` verifies the
//! access token and applies the rate limit; `operator` looks up the key in the store.
//!
//! Then the handler parses the request, queries the store, decrypts sealed values and sends the response. A
//! failure on the way is a `shared::error::Failure`, which one module maps to a status. The rules of payroll
//! are in `payroll-domain`, and queries are behind the traits of `payroll-ports`.

mod openapi;
mod operator;
mod partner;
mod serve;
mod service;
mod shared;
mod transport;

pub use actix_web::dev::{Server, ServerHandle};
pub use openapi::{operator_openapi, partner_openapi};
pub use operator::{
    LocalBody, LocalOperator, LocalRequest, LocalResponse, OperatorApi, OperatorRoute, csv, operator_routes,
    sandbox_routes,
};
pub use partner::{PartnerApi, ReadReplica, RouteInfo, routes};
pub use serve::{create_metrics, serve_operator, serve_partner};
pub use shared::health::{CertificateExpiry, ComponentCheck, Health};
pub use shared::metrics::{MetricSource, ProcessMetrics};
pub use shared::rate_limit::LimitChangeCounter;
pub use shared::request_log::{RequestLog, RequestLogWriter, request_log};
pub use shared::settings::{AccessSettings, HookSettings, HttpSettings, InvalidSetting, TokenSignature};
pub use transport::forwarded::{InvalidNetwork, Network};
pub use transport::listener_handle::ListenerHandle;
pub use transport::tls::{TlsConfiguration, TlsError, TlsFile, TlsFiles};
