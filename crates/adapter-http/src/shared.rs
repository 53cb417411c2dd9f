//! What both sides need to answer a request: reading it, finding its route, errors, negotiation, pages,
//! tags, idempotency keys, JSON, the log and the metrics. Nothing here knows who calls.

pub(crate) mod answer;
pub(crate) mod api;
pub(crate) mod bearer;
pub(crate) mod body;
pub(crate) mod browser_page;
pub(crate) mod company_filter;
pub(crate) mod cursor;
pub(crate) mod deliveries;
pub(crate) mod dispatch;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod etag;
pub(crate) mod failed_credentials;
pub(crate) mod feed;
pub(crate) mod filters;
pub(crate) mod handled;
pub(crate) mod health;
pub(crate) mod held_answer;
mod host;
pub(crate) mod idempotency;
pub(crate) mod incoming;
pub(crate) mod large_work;
pub(crate) mod limits;
#[cfg(test)]
pub(crate) mod linear;
pub(crate) mod media_type;
mod memory_refusal;
pub(crate) mod metrics;
pub(crate) mod outage_log;
pub(crate) mod page;
pub(crate) mod precondition;
pub(crate) mod query;
pub(crate) mod rate_limit;
pub(crate) mod refusal;
pub(crate) mod request_context;
pub(crate) mod request_id;
pub(crate) mod request_log;
pub(crate) mod requests;
pub(crate) mod route_table;
pub(crate) mod sandbox_fault;
pub(crate) mod scope;
pub(crate) mod service;
pub(crate) mod settings;
pub(crate) mod static_file;
pub(crate) mod stream;
pub(crate) mod wire;
