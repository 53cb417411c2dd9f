//! The partner API over HTTP: tokens, companies and their lists, payroll checks.
//!
//! A request goes one way: `dispatch` gives it an id, finds its line in the table of
//! `routes`, asks `caller` who sends it and `rate_limit` whether that is not too often, and
//! hands a `call::Call` to one handler. The handler parses, asks the store, opens what the store
//! sealed, and answers; what goes wrong on the way is an `error::Failure`, which becomes a status
//! in one place. Rules about payroll are not here but in `payroll-domain`, queries are behind
//! `payroll-ports`.

mod answer;
mod api;
mod body;
mod call;
mod caller;
mod connection;
mod dispatch;
mod error;
mod etag;
mod idempotency;
mod incoming;
mod jwt;
mod limits;
mod media_type;
mod page;
mod query;
mod rate_limit;
mod request_id;
mod routes;
mod serve;
mod settings;
mod stream;
mod wire;

pub use actix_web::dev::{Server, ServerHandle};
pub use routes::{RouteInfo, routes};
pub use serve::{PartnerApi, serve};
pub use settings::{HttpSettings, InvalidSetting};
