//! Sends spans to a collector in batches. If the collector is unavailable, spans are lost. The loss is logged
//! once, and a second message follows when the collector is available again.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::AttributeValue;
use super::span::{EndedSpan, attribute};
use crate::failure::{Failure, Outcome};

/// The maximum number of queued spans. A span uses about 500 bytes, and a busy server creates this number of
/// spans in a second.
const MAX_QUEUED_SPANS: usize = 8_192;
/// The maximum number of spans in one request to the collector.
const MAX_SPANS_PER_EXPORT: usize = 512;
/// The maximum time that a span waits until its batch is sent.
const EXPORT_INTERVAL: Duration = Duration::from_secs(2);
/// The time limit for a request to the collector.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for sending the remaining spans when the process ends.
const LAST_EXPORT_TIMEOUT: Duration = Duration::from_secs(3);

/// The exporter of spans, which exists as long as the process.
pub(crate) struct Exporter(Mutex<Option<RunningExport>>);

struct RunningExport {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Exporter {
    /// Starts sending spans to the address `endpoint`. Returns the exporter, and the queue to which ended
    /// spans are added.
    ///
    /// # Errors
    /// The address cannot be used.
    pub(crate) fn start(endpoint: &str) -> Outcome<(Self, mpsc::Sender<EndedSpan>)> {
        let no_use = |error: &dyn std::error::Error| Failure::with_cause("setting `trace_endpoint`", error);
        let address = reqwest::Url::parse(endpoint).map_err(|error| no_use(&error))?;
        let client =
            reqwest::Client::builder().timeout(EXPORT_TIMEOUT).redirect(reqwest::redirect::Policy::none());
        let client = client.build().map_err(|error| no_use(&error))?;
        let (sender, ended) = mpsc::channel(MAX_QUEUED_SPANS);
        let (stop, stopped) = oneshot::channel();
        let sending = ExportLoop { client, address, span_receiver: ended, is_away: false };
        let task = tokio::spawn(sending.run(stopped));
        Ok((Self(Mutex::new(Some(RunningExport { stop, task }))), sender))
    }

    /// Sends the remaining spans, and stops after [`LAST_EXPORT_TIMEOUT`].
    pub(crate) async fn finish(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(RunningExport { stop, task }) = running {
            drop(stop);
            if timeout(LAST_EXPORT_TIMEOUT, task).await.is_err() {
                tracing::warn!("some spans were not sent before the server stopped");
            }
        }
    }
}

struct ExportLoop {
    client: reqwest::Client,
    address: reqwest::Url,
    span_receiver: mpsc::Receiver<EndedSpan>,
    is_away: bool,
}

impl ExportLoop {
    async fn run(mut self, mut stop_signal: oneshot::Receiver<()>) {
        let mut batch = Vec::with_capacity(MAX_SPANS_PER_EXPORT);
        loop {
            let stopping = tokio::select! {
                _ = &mut stop_signal => true,
                _ = timeout(EXPORT_INTERVAL, receive_batch(&mut self.span_receiver, &mut batch)) => false,
            };
            if stopping {
                break;
            }
            self.send(&mut batch).await;
        }
        self.span_receiver.close();
        self.send(&mut batch).await;
        while self.span_receiver.recv_many(&mut batch, MAX_SPANS_PER_EXPORT).await > 0 {
            self.send(&mut batch).await;
        }
    }

    /// Sends the spans of the batch and empties the batch. After an error, the spans are lost.
    async fn send(&mut self, batch: &mut Vec<EndedSpan>) {
        if batch.is_empty() {
            return;
        }
        let sent = self.client.post(self.address.clone()).json(&otlp_document(batch)).send().await;
        batch.clear();
        match sent.and_then(reqwest::Response::error_for_status) {
            Ok(_) if self.is_away => tracing::info!("spans can be sent"),
            Ok(_) => {}
            // The error is logged without its URL, which may contain a secret.
            Err(error) if !self.is_away => {
                tracing::warn!(error = %error.without_url(), "spans cannot be sent, and are lost");
                self.is_away = true;
                return;
            }
            Err(_) => return,
        }
        self.is_away = false;
    }
}

/// Receives spans until the batch is full. The caller sets the time limit.
async fn receive_batch(span_receiver: &mut mpsc::Receiver<EndedSpan>, batch: &mut Vec<EndedSpan>) {
    while batch.len() < MAX_SPANS_PER_EXPORT {
        if span_receiver.recv_many(batch, MAX_SPANS_PER_EXPORT - batch.len()).await == 0 {
            // The channel is closed, so no more spans can arrive. The function then waits until the caller's
            // time limit ends it.
            std::future::pending::<()>().await;
        }
    }
}

/// Returns the OTLP document that contains these spans.
fn otlp_document(batch: &[EndedSpan]) -> Json {
    let name = AttributeValue::Text("payroll-server".to_owned());
    let version = AttributeValue::Text(env!("CARGO_PKG_VERSION").to_owned());
    let spans: Vec<Json> = batch.iter().map(EndedSpan::json).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": [attribute("service.name", &name), attribute("service.version", &version)]},
        "scopeSpans": [{"scope": {"name": "payroll-server"}, "spans": spans}],
    }]})
}
