//! Provides the transport with the timeouts of a listener and the response to invalid HTTP requests.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violation;

use crate::shared::api::ListenerState;
use crate::shared::error::Failure;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::transport::host::{ConnectionHost, ConnectionSettings, Rejection};
use crate::transport::memory::MemoryBudget;

impl ConnectionHost for ListenerState {
    fn settings(&self) -> ConnectionSettings {
        let settings = &self.settings;
        ConnectionSettings {
            head_timeout: settings.head_timeout,
            body_timeout: settings.body_timeout,
            shutdown_timeout: settings.shutdown_timeout,
            keep_alive: settings.keep_alive,
            max_connections: settings.max_connections,
            max_connections_per_address: settings.max_connections_per_address,
            workers: settings.workers,
        }
    }

    fn is_stopping(&self) -> bool {
        self.health.is_stopping()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn request_id_header(&self) -> &HeaderName {
        &self.headers.request_id
    }

    fn create_rejection(&self, fault: Violation) -> Rejection {
        let request_id = self.request_ids.next();
        let is_unavailable = fault.reason == Reason::Unavailable;
        let failure = Failure::from(fault);
        let failure =
            if is_unavailable { failure.with_retry_after(RETRY_AFTER_SECONDS.into()) } else { failure };
        let response = failure.into_response(&request_id);
        log_unparsed_request(self, &request_id, response.status());
        Rejection { request_id, response }
    }

    fn count_opened_connection(&self) {
        self.metrics.count_opened_connection();
    }

    fn count_closed_connection(&self) {
        self.metrics.count_closed_connection();
    }

    fn count_evicted_connections(&self, count: usize) {
        self.metrics.count_evicted_connections(count);
    }

    fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        self.settings.trusted_proxies.iter().any(|network| network.contains(address))
    }

    fn memory_budget(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }
}

/// Logs a request that could not be parsed. Anyone can send such requests, so all of them are counted but
/// only some are logged.
fn log_unparsed_request(api: &ListenerState, request_id: &str, status: StatusCode) {
    api.metrics.record_unread_response(status);
    if let Some(left_out) = api.unparsed_log_limit.count_line_to_log(api.monotonic_time()) {
        tracing::info!(request_id, route = "-", status = status.as_u16(), left_out, "request");
    }
}
