//! Two sides over HTTP: the partner API (tokens, companies and their lists, payroll checks), and the
//! operator's side, where all of that is written.
//!
//! A request goes one way: `dispatch` gives it an id and finds its line in the table of its side,
//! `routes` or `operator::routes`. `partner` asks `caller` who sends it and `rate_limit` whether that
//! is not too often, `operator` asks the store whose key it is; a call is handed to one handler. The handler parses, asks the store, opens what the store
//! sealed, and answers; what goes wrong on the way is an `error::Failure`, which becomes a status
//! in one place. Rules about payroll are not here but in `payroll-domain`, queries are behind
//! `payroll-ports`.

mod answer;
mod api;
mod approval;
mod bearer;
mod body;
mod call;
mod caller;
mod connection;
mod cursor;
mod deliveries;
mod dispatch;
mod error;
mod etag;
mod failed_tokens;
mod feed;
mod figures;
mod forwarded;
mod health;
mod held_answer;
mod http2;
mod idempotency;
mod incoming;
mod jwt;
mod large_work;
mod limits;
mod line_limit;
#[cfg(test)]
mod linear;
mod media_type;
mod memory;
mod openapi;
mod operator;
mod outage_log;
mod page;
mod partner;
mod precondition;
mod query;
mod rate_limit;
mod request_id;
mod request_log;
mod requests;
mod route_table;
mod routes;
mod serve;
mod service;
mod settings;
mod stream;
mod tls;
mod transport;
mod wire;

pub use actix_web::dev::{Server, ServerHandle};
pub use figures::{Figures, Source};
pub use forwarded::{Network, NoNetwork};
pub use health::{Check, Health};
pub use openapi::openapi;
pub use operator::{LocalAnswer, LocalBody, LocalOperator, LocalRequest, OperatorRoute, operator_routes};
pub use rate_limit::LimitChanges;
pub use request_log::{RequestLog, RequestLogWriter, request_log};
pub use routes::{RouteInfo, routes};
pub use serve::{OperatorApi, PartnerApi, serve, serve_operator};
pub use settings::{AccessSettings, HookSettings, HttpSettings, InvalidSetting};
pub use tls::{Tls, TlsError, TlsFile, TlsFiles};
