//! The metrics of the server: `/metrics` on the operators' listener, in the text format of Prometheus
//! (specification §10.18).
//!
//! This module counts requests and collects the metrics of the other adapters. Everyone who can reach the
//! operators' listener can read the metrics, so labels never contain names or ids. Route labels contain the
//! parameter names in braces instead of the values.

mod number;
mod process;
mod queue;
mod requests;
mod text;

use std::sync::Arc;

use payroll_ports::metrics::{Metric, to_f64};
use payroll_ports::minutes::LastHourCounts;
use payroll_ports::{Clock, Store};

use crate::shared::health::Health;
use queue::QueueMetrics;
pub(crate) use requests::ApiMetrics;
pub(crate) use text::MEDIA_TYPE;
use text::MetricsText;

/// Returns the current metrics of another component.
pub type MetricSource = Box<dyn Fn() -> Vec<Metric> + Send + Sync>;

/// All metrics of the process.
pub struct ProcessMetrics {
    partners: Arc<ApiMetrics>,
    operators: Arc<ApiMetrics>,
    queue: QueueMetrics,
    health: Arc<Health>,
    sources: Vec<MetricSource>,
    /// The requests to both APIs in the last hour. The three counts are all requests, requests with a 4xx
    /// status, and requests with a 5xx status.
    pub(crate) minutes: LastHourCounts<3>,
}

impl ProcessMetrics {
    /// Combines the metrics of both APIs and of the delivery queue with those of `sources`, such as the
    /// store.
    pub(crate) fn new(
        (partners, operators): (ApiMetrics, ApiMetrics),
        (store, clock): (Arc<dyn Store>, Arc<dyn Clock>),
        health: Arc<Health>,
        sources: Vec<MetricSource>,
    ) -> Self {
        Self {
            partners: Arc::new(partners),
            operators: Arc::new(operators),
            queue: QueueMetrics::new(store, clock),
            health,
            sources,
            minutes: LastHourCounts::default(),
        }
    }

    pub(crate) fn partner_metrics(&self) -> Arc<ApiMetrics> {
        Arc::clone(&self.partners)
    }

    pub(crate) fn operator_metrics(&self) -> Arc<ApiMetrics> {
        Arc::clone(&self.operators)
    }

    /// Returns all metrics in the text format of Prometheus.
    pub(crate) async fn to_prometheus_text(&self) -> String {
        let mut text = MetricsText::default();
        let apis = [&*self.partners, &*self.operators];
        requests::write_metrics(&apis, &mut text);
        let ready = self.health.report().await.ready;
        let ready = Metric::gauge(
            "payroll_ready",
            "1 while /readyz returns 200, otherwise 0.",
            to_f64(u64::from(ready)),
        );
        text.add_metrics([ready]);
        text.add_metrics(self.queue.metrics().await);
        for source in &self.sources {
            text.add_metrics(source());
        }
        text.add_metrics(process::metrics());
        text.finish()
    }
}
