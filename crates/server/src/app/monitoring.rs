//! The monitoring of an application: its readiness and its metrics.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use payroll_adapter_http::{Health, MetricSource, ProcessMetrics};
use payroll_adapter_webhook::Dispatcher;
use payroll_ports::metrics::Metric;
use payroll_ports::{Clock, Store};

/// The time after which the delivery loop counts as stuck if it has not polled the queue. The loop polls at
/// least once a minute (`webhook_poll_milliseconds`), and waits some seconds if the storage is unavailable.
const STUCK_AFTER: Duration = Duration::from_secs(90);

/// Creates the object that determines the readiness of the server. The server is only ready while the
/// delivery loop runs.
pub(super) fn create_health(store: Arc<dyn Store>, schema: String, dispatcher: &Dispatcher) -> Arc<Health> {
    let metrics = dispatcher.metrics();
    let dispatcher = move || match metrics.time_since_last_poll() {
        None => Some("notifications are not sent: the delivery task has stopped"),
        Some(since) if since > STUCK_AFTER => {
            Some("notifications are not sent: the delivery task does not respond")
        }
        Some(_) => None,
    };
    Arc::new(Health::new(store, schema, Box::new(dispatcher)))
}

/// Collects the metrics of the server: of HTTP, of the store, of the build, and of `sources`.
pub(super) fn create_metrics(
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    health: &Arc<Health>,
    mut sources: Vec<MetricSource>,
) -> Arc<ProcessMetrics> {
    let of_store = Arc::clone(store);
    sources.push(Box::new(move || of_store.metrics()));
    sources.push(Box::new(build_info_metrics));
    Arc::new(payroll_adapter_http::create_metrics(
        Arc::clone(store),
        Arc::clone(clock),
        Arc::clone(health),
        sources,
    ))
}

fn build_info_metrics() -> Vec<Metric> {
    static SCHEMA: LazyLock<String> = LazyLock::new(payroll_adapter_db::newest_schema_version);
    let info = Metric::gauge("payroll_build_info", "Always 1. Labels: program and schema version.", 1.0);
    vec![info.with_label("version", env!("CARGO_PKG_VERSION")).with_label("schema", &SCHEMA)]
}
