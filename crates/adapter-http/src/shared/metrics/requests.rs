//! Metrics of the requests to one API. All counters for routes, methods and statuses are created at the
//! start. A request only increments counters, so it needs no lock, and memory does not grow with the number
//! of requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use actix_web::http::{Method, StatusCode};
use payroll_ports::metrics::to_f64;

use super::number::AtomicNumber;
use super::text::MetricsText;

/// The methods that have their own counter. All other methods are counted as `other`.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];
/// The statuses that have their own counter. The last entry, 0, counts all other statuses.
const STATUSES: [u16; 27] = [
    200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414, 415, 422, 423,
    428, 429, 431, 500, 503, 0,
];
/// The upper bounds of the histogram of durations, in microseconds and as label text. The bounds range from
/// the duration of a lookup in memory to the longest wait for the storage.
const DURATION_BUCKETS: [(u64, &str); 12] = [
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (10_000_000, "10"),
];
/// The route label of a request that matches no route.
const UNKNOWN_PATH: &str = "-";
/// The path of the token operation.
const TOKEN_PATH: &str = "/auth/oauth/v2/token";

/// The metrics of the requests to one API.
pub(crate) struct ApiMetrics {
    side: &'static str,
    routes: HashMap<&'static str, [RequestMetrics; METHODS.len()]>,
    in_progress: AtomicNumber,
    connections: AtomicNumber,
    evictions: AtomicU64,
    pub(crate) replays: AtomicNumber,
    streams: OnceLock<Box<dyn Fn() -> usize + Send + Sync>>,
    memory: OnceLock<Box<dyn Fn() -> usize + Send + Sync>>,
}

/// The metrics of one route and method.
#[derive(Debug, Default)]
struct RequestMetrics {
    statuses: [AtomicU64; STATUSES.len()],
    /// The number of requests in each bucket. A request that exceeds the last bound is in no bucket.
    durations: [AtomicU64; DURATION_BUCKETS.len()],
    micros: AtomicU64,
}

impl ApiMetrics {
    /// Creates counters with the value 0 for the known paths.
    pub(crate) fn new(side: &'static str, paths: impl IntoIterator<Item = &'static str>) -> Self {
        let all = paths.into_iter().chain([UNKNOWN_PATH]);
        Self {
            side,
            routes: all.map(|path| (path, Default::default())).collect(),
            in_progress: AtomicNumber::default(),
            connections: AtomicNumber::default(),
            evictions: AtomicU64::default(),
            replays: AtomicNumber::default(),
            streams: OnceLock::new(),
            memory: OnceLock::new(),
        }
    }

    /// Counts a request as in progress until the returned value is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>) -> InProgressGuard {
        InProgressGuard::begin(self)
    }

    /// Counts a new connection.
    pub(crate) fn count_opened_connection(&self) {
        self.connections.increment();
    }

    /// Counts the end of a connection.
    pub(crate) fn count_closed_connection(&self) {
        self.connections.decrement();
    }

    /// Counts connections that were closed to make room for a new connection.
    pub(crate) fn count_evicted_connections(&self, count: usize) {
        self.evictions.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Registers a function that returns the number of responses that are being streamed.
    pub(crate) fn watch_streams(&self, in_use: impl Fn() -> usize + Send + Sync + 'static) {
        // Each API has one server, so this function is called once. A second call would have no effect.
        let _ = self.streams.set(Box::new(in_use));
    }

    /// Registers a function that returns the number of bytes reserved for requests and responses.
    pub(crate) fn watch_memory(&self, in_use: impl Fn() -> usize + Send + Sync + 'static) {
        // `OnceLock::set` fails only if a value was set before. This function is called once, when the
        // listener is created.
        let _ = self.memory.set(Box::new(in_use));
    }

    /// Counts the response to a request that could not be parsed. The method of such a request is counted
    /// as `other`.
    pub(crate) fn record_unread_response(&self, status: StatusCode) {
        self.record_response(UNKNOWN_PATH, &Method::TRACE, status, 0);
    }

    /// Counts the response to a request.
    pub(crate) fn record_response(&self, route: &str, method: &Method, status: StatusCode, micros: u64) {
        let method = METHODS.iter().position(|known| *known == method.as_str()).unwrap_or(METHODS.len() - 1);
        let of_route = self.routes.get(route).or_else(|| self.routes.get(UNKNOWN_PATH));
        let Some(metrics) = of_route.and_then(|methods| methods.get(method)) else { return };
        let add = |number: Option<&AtomicU64>, more| {
            if let Some(number) = number {
                number.fetch_add(more, Ordering::Relaxed);
            }
        };
        let status = STATUSES.iter().position(|known| *known == status.as_u16());
        add(metrics.statuses.get(status.unwrap_or(STATUSES.len() - 1)), 1);
        let bucket = DURATION_BUCKETS.iter().position(|(end, _)| micros <= *end);
        add(bucket.and_then(|bucket| metrics.durations.get(bucket)), 1);
        add(Some(&metrics.micros), micros);
    }

    /// Returns the routes and methods that were requested at least once, with their metrics.
    fn requested_routes(&self) -> Vec<(&'static str, &'static str, &RequestMetrics)> {
        let mut requested: Vec<_> = self
            .routes
            .iter()
            .flat_map(|(route, methods)| {
                METHODS.iter().zip(methods).map(|(method, metrics)| (*route, *method, metrics))
            })
            .filter(|(_, _, metrics)| metrics.count() > 0)
            .collect();
        requested.sort_unstable_by_key(|(route, method, _)| (*route, *method));
        requested
    }

    /// Returns the number of requests whose status fulfills a condition.
    fn count_with_status(&self, is_counted: impl Fn(u16) -> bool) -> u64 {
        self.requested_routes().iter().map(|(_, _, metrics)| metrics.count_with_status(&is_counted)).sum()
    }
}

/// Counts a request as in progress until the guard is dropped.
pub(crate) struct InProgressGuard(Arc<ApiMetrics>);

impl InProgressGuard {
    fn begin(metrics: &Arc<ApiMetrics>) -> Self {
        metrics.in_progress.increment();
        Self(Arc::clone(metrics))
    }
}

impl Drop for InProgressGuard {
    fn drop(&mut self) {
        self.0.in_progress.decrement();
    }
}

impl RequestMetrics {
    fn count(&self) -> u64 {
        self.statuses.iter().map(|status| status.load(Ordering::Relaxed)).sum()
    }

    fn count_with_status(&self, is_counted: impl Fn(u16) -> bool) -> u64 {
        let matching = STATUSES.iter().zip(&self.statuses).filter(|(status, _)| is_counted(**status));
        matching.map(|(_, count)| count.load(Ordering::Relaxed)).sum()
    }
}

/// Writes the metrics of both APIs.
pub(super) fn write_metrics(apis: &[&ApiMetrics], text: &mut MetricsText) {
    for api in apis {
        for (route, method, metrics) in api.requested_routes() {
            let labels = [("listener", api.side), ("route", route), ("method", method)];
            write_statuses(metrics, labels, text);
            write_durations(metrics, labels, text);
        }
        write_gauges(api, text);
        write_counters(api, text);
    }
    write_token_requests(apis, text);
}

type RouteLabels = [(&'static str, &'static str); 3];

fn write_statuses(metrics: &RequestMetrics, labels: RouteLabels, text: &mut MetricsText) {
    const HELP: &str = "Requests that have received a response.";
    let mut samples = text.samples_of_family("payroll_http_requests_total", HELP, "counter");
    for (status, count) in STATUSES.iter().zip(&metrics.statuses) {
        let count = count.load(Ordering::Relaxed);
        if count > 0 {
            let status = if *status == 0 { "other".to_owned() } else { status.to_string() };
            let [listener, route, method] = labels;
            samples.add_sample("", &[listener, route, method, ("status", &status)], to_f64(count));
        }
    }
}

fn write_durations(metrics: &RequestMetrics, labels: RouteLabels, text: &mut MetricsText) {
    const HELP: &str = "Time from the head of a request to the start of its response, in seconds.";
    /// The number of microseconds per second.
    const MICROS_PER_SECOND: f64 = 1_000_000.0;
    let [listener, route, method] = labels;
    let mut samples = text.samples_of_family("payroll_http_request_duration_seconds", HELP, "histogram");
    let mut up_to = 0;
    for ((_, end), count) in DURATION_BUCKETS.iter().zip(&metrics.durations) {
        up_to += count.load(Ordering::Relaxed);
        samples.add_sample("_bucket", &[listener, route, method, ("le", end)], to_f64(up_to));
    }
    // The counters can grow during the read. `max` ensures that the total is at least the sum of the buckets.
    let count = metrics.count().max(up_to);
    samples.add_sample("_bucket", &[listener, route, method, ("le", "+Inf")], to_f64(count));
    samples.add_sample("_sum", &labels, to_f64(metrics.micros.load(Ordering::Relaxed)) / MICROS_PER_SECOND);
    samples.add_sample("_count", &labels, to_f64(count));
}

fn write_gauges(api: &ApiMetrics, text: &mut MetricsText) {
    let in_use = |watched: &OnceLock<Box<dyn Fn() -> usize + Send + Sync>>| {
        u64::try_from(watched.get().map_or(0, |in_use| in_use())).unwrap_or(u64::MAX)
    };
    let (streams, memory) = (in_use(&api.streams), in_use(&api.memory));
    let levels = [
        ("payroll_http_requests_in_progress", "Requests in progress.", api.in_progress.get()),
        ("payroll_http_connections", "Open HTTP connections.", api.connections.get()),
        ("payroll_streams_in_use", "Streamed responses in progress.", streams),
        (
            "payroll_request_memory_bytes",
            "Memory reserved for requests and responses in progress, in bytes.",
            memory,
        ),
    ];
    for (name, meaning, level) in levels {
        text.samples_of_family(name, meaning, "gauge").add_sample(
            "",
            &[("listener", api.side)],
            to_f64(level),
        );
    }
}

fn write_counters(api: &ApiMetrics, text: &mut MetricsText) {
    let counts = [
        (
            "payroll_lock_refusals_total",
            "Requests rejected with 423 because the company is locked.",
            api.count_with_status(|status| status == 423),
        ),
        (
            "payroll_rate_limit_refusals_total",
            "Requests rejected with 429.",
            api.count_with_status(|status| status == 429),
        ),
        (
            "payroll_idempotent_replays_total",
            "Requests that received the stored response of their Idempotency-Key.",
            api.replays.get(),
        ),
        (
            "payroll_http_evicted_connections_total",
            "Idle connections that were closed to make room for a new one.",
            api.evictions.load(Ordering::Relaxed),
        ),
    ];
    for (name, meaning, count) in counts {
        text.samples_of_family(name, meaning, "counter").add_sample(
            "",
            &[("listener", api.side)],
            to_f64(count),
        );
    }
}

fn write_token_requests(apis: &[&ApiMetrics], text: &mut MetricsText) {
    const HELP: &str = "Requests for an access token, by outcome.";
    let requested: Vec<_> = apis.iter().flat_map(|api| api.requested_routes()).collect();
    let with_status = |is_counted: fn(u16) -> bool| -> u64 {
        let tokens = requested.iter().filter(|(route, method, _)| *route == TOKEN_PATH && *method == "POST");
        tokens.map(|(_, _, metrics)| metrics.count_with_status(is_counted)).sum()
    };
    let results = [
        ("granted", with_status(|status| status == 200)),
        ("refused", with_status(|status| (400..500).contains(&status))),
        ("failed", with_status(|status| status >= 500)),
    ];
    for (result, count) in results {
        text.samples_of_family("payroll_token_grants_total", HELP, "counter").add_sample(
            "",
            &[("result", result)],
            to_f64(count),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics_text_after(requests: &[(&str, &str, u16, u64)]) -> String {
        let metrics = ApiMetrics::new("partner", ["/companies", TOKEN_PATH]);
        for (route, method, status, micros) in requests {
            let status = StatusCode::from_u16(*status).unwrap();
            metrics.record_response(route, &Method::from_bytes(method.as_bytes()).unwrap(), status, *micros);
        }
        let mut text = MetricsText::default();
        write_metrics(&[&metrics], &mut text);
        text.finish()
    }

    fn assert_has_line(text: &str, line: &str) {
        assert!(text.lines().any(|is| is == line), "no {line:?} in {text}");
    }

    #[test]
    fn request_is_counted_by_route_method_and_status() {
        let text = metrics_text_after(&[("/companies", "GET", 200, 10), ("/companies", "GET", 200, 10)]);
        let labels = "listener=\"partner\",route=\"/companies\",method=\"GET\"";
        assert_has_line(&text, &format!("payroll_http_requests_total{{{labels},status=\"200\"}} 2"));
    }

    #[test]
    fn unknown_routes_methods_and_statuses_are_counted() {
        let text = metrics_text_after(&[("/nowhere", "BREW", 418, 10)]);
        let labels = "listener=\"partner\",route=\"-\",method=\"other\",status=\"other\"";
        assert_has_line(&text, &format!("payroll_http_requests_total{{{labels}}} 1"));
    }

    #[test]
    fn duration_histogram_counts_all_requests() {
        let text = metrics_text_after(&[
            ("/companies", "GET", 200, 900),
            ("/companies", "GET", 200, 4_000),
            ("/companies", "GET", 503, 60_000_000),
        ]);
        let name = "payroll_http_request_duration_seconds";
        let labels = "listener=\"partner\",route=\"/companies\",method=\"GET\"";
        for (end, count) in [("0.001", 1), ("0.0025", 1), ("0.005", 2), ("10", 2), ("+Inf", 3)] {
            assert_has_line(&text, &format!("{name}_bucket{{{labels},le=\"{end}\"}} {count}"));
        }
        assert_has_line(&text, &format!("{name}_sum{{{labels}}} 60.0049"));
        assert_has_line(&text, &format!("{name}_count{{{labels}}} 3"));
    }

    #[test]
    fn rejections_and_tokens_are_counted_by_their_statuses() {
        let text = metrics_text_after(&[
            (TOKEN_PATH, "POST", 200, 1),
            (TOKEN_PATH, "POST", 401, 1),
            ("/companies", "POST", 423, 1),
            ("/companies", "GET", 429, 1),
        ]);
        assert_has_line(&text, "payroll_token_grants_total{result=\"granted\"} 1");
        assert_has_line(&text, "payroll_token_grants_total{result=\"refused\"} 1");
        assert_has_line(&text, "payroll_lock_refusals_total{listener=\"partner\"} 1");
        assert_has_line(&text, "payroll_rate_limit_refusals_total{listener=\"partner\"} 1");
    }
}
