//! The request log records each request after its response. Applications can read their entries
//! (specification §9.10). If a notification caused the request, the entry is also stored with this
//! notification (§9.8).
//!
//! No request waits for the log. Ended requests are collected for a second, and one task writes them in
//! batches (`writer`). Only the first request of a second wakes the task, because waking a thread costs more
//! than a small request.
//!
//! If too many entries are pending, new entries are discarded and their number is logged. Entries are also
//! lost if the process crashes. This loss is acceptable, because the server's log contains all requests.

mod details;
mod masking;
mod pending_entries;
mod pending_requests;
mod writer;

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, Id};
use payroll_ports::Store;
use payroll_ports::metrics::Metric;
use payroll_ports::requests::{LoggedRequest, RequestDetails};

pub(crate) use details::{BodyStart, has_details, masked_details};
use pending_entries::PendingEntries;
pub use writer::RequestLogWriter;

/// A completed request of a known application.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedRequest<'a> {
    pub(crate) application_id: &'a ApplicationId,
    /// The id of the notification that caused the request, as the application sent it.
    pub(crate) notification_id: Option<&'a str>,
    /// The time at which the request was received.
    pub(crate) at: Timestamp,
    /// The time until the response began, in microseconds.
    pub(crate) micros: u64,
    pub(crate) method: &'a Method,
    /// The route, with parameter names in braces.
    pub(crate) route: &'static str,
    /// The company of the request, if the caller may know it.
    pub(crate) company_id: Option<&'a CompanyId>,
    pub(crate) status: StatusCode,
    /// The distinct reasons for which the request was rejected or failed.
    pub(crate) reasons: &'a [Reason],
    pub(crate) request_id: &'a str,
    /// The client's correlation id.
    pub(crate) correlation: Option<&'a HeaderValue>,
    /// The details of a rejected or failed request, if they are stored.
    pub(crate) details: Option<&'a RequestDetails>,
}

/// Accepts completed requests for the log.
#[derive(Debug, Clone)]
pub struct RequestLog {
    pending_entries: Arc<PendingEntries>,
    /// Whether all requests are recorded, so that applications can read them.
    is_enabled: bool,
}

/// Creates the log and the task that writes it. Unless `is_enabled` is set, the log records only requests
/// that contain the id of a notification.
#[must_use]
pub fn request_log(store: Arc<dyn Store>, is_enabled: bool) -> (RequestLog, RequestLogWriter) {
    let notes = Arc::<PendingEntries>::default();
    (RequestLog { pending_entries: Arc::clone(&notes), is_enabled }, RequestLogWriter::new(notes, store))
}

/// Returns the notification id in the header `name`, if the header occurs once and its value has the form
/// of an id, else `None`.
pub(crate) fn notification_id(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name);
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()?.parse().ok().map(|id: Id<()>| id.to_string())
}

/// Returns the `traceparent` header of a request, or an empty text.
pub(crate) fn traceparent(headers: &HeaderMap) -> &str {
    static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
    headers.get(&TRACEPARENT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

impl RequestLog {
    /// Returns the metrics of the request log.
    #[must_use]
    pub fn metrics(&self) -> Vec<Metric> {
        const METRIC_HELP: &str = "Entries of the request log that were not written.";
        let lost = self.pending_entries.lost_count.load(Ordering::Relaxed)
            + self.pending_entries.dropped_count.load(Ordering::Relaxed);
        vec![Metric::counter("payroll_request_log_lost_total", METRIC_HELP, lost)]
    }

    /// Runs `delete`, which deletes the stored log, and discards the pending entries. No older entry is
    /// written afterwards.
    ///
    /// # Errors
    /// Returns the error of `delete`.
    pub async fn delete_and_discard_pending<T, E>(
        &self,
        delete: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _writing = self.pending_entries.write_lock.lock().await;
        let deleted = delete.await?;
        self.pending_entries.take_entries();
        Ok(deleted)
    }

    /// Records a request. A request with status 401 is not recorded, because its application is not
    /// authenticated.
    pub(crate) fn record(&self, request: EndedRequest<'_>) {
        let is_recorded = self.is_enabled || request.notification_id.is_some();
        if !is_recorded || request.status == StatusCode::UNAUTHORIZED {
            return;
        }
        self.pending_entries.add_entry(request.logged_request(), request.notification_id, self.is_enabled);
    }
}

impl EndedRequest<'_> {
    fn logged_request(&self) -> LoggedRequest {
        let mut codes: Vec<Cow<'static, str>> = Vec::new();
        for code in self.reasons.iter().map(|reason| reason.code()) {
            // Several reasons may have the same code. The log entry contains each code once.
            if !codes.iter().any(|known| known == code) {
                codes.push(code.into());
            }
        }
        LoggedRequest {
            application_id: self.application_id.clone(),
            at: self.at,
            duration_micros: self.micros,
            method: method_name(self.method),
            route: self.route.into(),
            company_id: self.company_id.cloned(),
            status: self.status.as_u16(),
            codes,
            request_id: self.request_id.to_owned(),
            correlation_id: self.correlation.and_then(|id| id.to_str().ok()).map(str::to_owned),
            skipped_before: 0,
            details: self.details.cloned(),
        }
    }
}

/// Returns the name of a method. The names of standard methods are not copied.
fn method_name(method: &Method) -> Cow<'static, str> {
    match *method {
        Method::GET => "GET".into(),
        Method::HEAD => "HEAD".into(),
        Method::POST => "POST".into(),
        Method::PATCH => "PATCH".into(),
        Method::DELETE => "DELETE".into(),
        _ => method.as_str().to_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::pending_requests::MAX_PENDING;
    use super::*;

    fn name() -> HeaderName {
        HeaderName::from_static("x-vendor-sid")
    }

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn the_notification_header_is_a_single_id() {
        let id = "31a271e5-b970-49e6-ac8f-d46f73c061af";
        assert_eq!(notification_id(&headers(&[id]), &name()).as_deref(), Some(id));
        for none in [&[][..], &[""], &["a b"], &[id, id], &[&"x".repeat(65)]] {
            assert_eq!(notification_id(&headers(none), &name()), None, "{none:?}");
        }
    }

    fn request<'a>(
        application_id: &'a ApplicationId,
        notification_id: Option<&'a str>,
        status: StatusCode,
    ) -> EndedRequest<'a> {
        EndedRequest {
            application_id,
            notification_id,
            at: Timestamp::from_micros(7),
            micros: 1_000,
            method: &Method::GET,
            route: "/companies",
            company_id: None,
            status,
            reasons: &[],
            request_id: "r",
            correlation: None,
            details: None,
        }
    }

    #[test]
    fn disabled_logging_records_nothing() {
        let log = RequestLog { pending_entries: Arc::default(), is_enabled: false };
        let id = "app".parse().unwrap();
        log.record(request(&id, None, StatusCode::OK));
        log.record(request(&id, Some("n"), StatusCode::UNAUTHORIZED));
        log.record(request(&id, Some("n"), StatusCode::TOO_MANY_REQUESTS));
        assert!(log.pending_entries.take_entries().is_empty());
        log.record(request(&id, Some("n"), StatusCode::NOT_FOUND));
        let waiting = log.pending_entries.take_entries();
        assert_eq!((waiting.notification_requests.len(), waiting.requests.is_empty()), (1, true));
        assert_eq!(log.pending_entries.dropped_count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn entries_over_the_limit_are_discarded_and_counted() {
        let log = RequestLog { pending_entries: Arc::default(), is_enabled: true };
        let named: ApplicationId = "app".parse().unwrap();
        (0..=MAX_PENDING).for_each(|_| log.record(request(&named, Some("n"), StatusCode::OK)));
        assert_eq!(log.pending_entries.dropped_count.load(Ordering::Relaxed), 1, "under their notification");
        assert_eq!(log.pending_entries.take_entries().notification_requests.len(), MAX_PENDING);
        for number in 0..=MAX_PENDING {
            log.record(request(&format!("app-{number}").parse().unwrap(), None, StatusCode::OK));
        }
        assert_eq!(log.pending_entries.dropped_count.load(Ordering::Relaxed), 2, "of all applications");
    }

    #[test]
    fn logged_request_has_distinct_codes_and_its_duration() {
        let id = "app".parse().unwrap();
        let reasons = [Reason::FieldInvalid, Reason::FieldMissing, Reason::FieldInvalid];
        let refused = EndedRequest { reasons: &reasons, ..request(&id, None, StatusCode::BAD_REQUEST) };
        let noted = refused.logged_request();
        assert_eq!((noted.codes.join(" ").as_str(), noted.duration_micros), ("API-48 API-46", 1_000));
    }
}
