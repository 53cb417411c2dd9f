//! Two sides over HTTP: the partner API (tokens, companies and their lists, payroll checks), and the
//! operator's side, where all of that is written.
//!
//! A request goes one way: `transport` carries it to `shared::dispatch`, which gives it an id and finds its
//! line in the table of its side, `partner::routes` or `operator::routes`. `partner` reads the caller's token
//! and applies the rate limit, `operator` looks the key up in the store; a call is handed to one handler. The
//! handler parses, asks the store, opens what the store sealed, and answers; what goes wrong on the way is a
//! `shared::error::Failure`, which becomes a status in one place. Rules about payroll are not here but in
//! `payroll-domain`, queries are behind the traits of `payroll-ports`.

mod openapi;
mod operator;
mod partner;
mod serve;
mod service;
mod shared;
mod transport;

pub use actix_web::dev::{Server, ServerHandle};
pub use openapi::{openapi, operator_openapi};
pub use operator::{
    LocalAnswer, LocalBody, LocalOperator, LocalRequest, OperatorApi, OperatorRoute, csv, operator_routes,
    sandbox_routes,
};
pub use partner::{PartnerApi, Replica, RouteInfo, routes};
pub use serve::{metrics, serve, serve_operator};
pub use shared::health::{Check, Expiry, Health};
pub use shared::metrics::{Metrics, Source};
pub use shared::rate_limit::LimitChanges;
pub use shared::request_log::{RequestLog, RequestLogWriter, request_log};
pub use shared::settings::{AccessSettings, HookSettings, HttpSettings, InvalidSetting};
pub use transport::doorway::Doorway;
pub use transport::forwarded::{Network, NoNetwork};
pub use transport::tls::{Tls, TlsError, TlsFile, TlsFiles};
