//! Traces for OpenTelemetry: spans of requests, of their database work, and of delivery attempts. Spans are
//! sent to a collector by OTLP over HTTP as JSON.
//!
//! The adapters create spans of `tracing` with the target [`TRACE_TARGET`]. This module samples and converts
//! these spans. The OpenTelemetry SDK is not used, because the SDK would add five crates and a second HTTP
//! client. A span contains no id of a company, an application or a person. The only data from the caller is
//! the header `traceparent`.
//!
//! No request waits for a collector. Spans are added to a queue of limited length. If the queue is full, new
//! spans are dropped.

mod exporter;
mod span;
mod value;

use std::fmt::Debug;

use payroll_ports::{Clock, Randomness};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterFn, LevelFilter, filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

pub(crate) use exporter::Exporter;
use span::{EndedSpan, OpenSpan, SpanParent};
use value::AttributeValue;

use crate::system::{SystemClock, SystemRandomness};

/// The `tracing` target of the spans that this module exports.
pub(crate) const TRACE_TARGET: &str = "payroll_trace";
/// The name of database spans. A database span without a parent is ignored and therefore never starts a
/// trace.
const DATABASE_SPAN: &str = "database";
/// The span field that contains the `traceparent` header of the caller.
const TRACEPARENT_FIELD: &str = "traceparent";

/// Collects spans for the exporter.
pub(crate) struct SpanCollector {
    /// The sampled fraction of traces, from 0 to 1.
    ratio: f64,
    span_sender: mpsc::Sender<EndedSpan>,
}

impl SpanCollector {
    /// Creates a layer that samples this fraction of traces and sends the spans that have ended.
    pub(crate) const fn new(ratio: f64, span_sender: mpsc::Sender<EndedSpan>) -> Self {
        Self { ratio, span_sender }
    }

    /// Returns the filter that selects the spans of traces.
    pub(crate) fn span_filter() -> FilterFn {
        let ours: fn(&Metadata<'_>) -> bool =
            |metadata| metadata.is_span() && metadata.target() == TRACE_TARGET;
        filter_fn(ours).with_max_level_hint(LevelFilter::from_level(Level::INFO))
    }

    /// Starts the trace of a request; `None` if the trace is not sampled. The caller's header determines only
    /// the id of the trace, not the sampling. Otherwise any caller could make the server export the spans of
    /// all its requests.
    fn begin_trace(&self, caller: Option<&str>) -> Option<SpanParent> {
        let parent = caller.and_then(SpanParent::from_header).unwrap_or_else(|| {
            let mut trace_id = [0; 16];
            SystemRandomness.fill_with_random_bytes(&mut trace_id);
            SpanParent { trace_id, span_id: None }
        });
        parent.is_sampled(self.ratio).then_some(parent)
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for SpanCollector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = SpanFields::default();
        attributes.record(&mut fields);
        let above = span.parent().map(|above| above.extensions().get::<OpenSpan>().map(OpenSpan::as_parent));
        let parent = match above {
            Some(parent) => parent,
            None if span.name() == DATABASE_SPAN => None,
            None => self.begin_trace(fields.traceparent.as_deref()),
        };
        let Some(parent) = parent else { return };
        let mut span_id = [0; 8];
        SystemRandomness.fill_with_random_bytes(&mut span_id);
        let (began, since) = (SystemClock.now(), SystemClock.monotonic_time());
        let open = OpenSpan {
            name: span.name(),
            parent,
            span_id,
            started_at: began,
            started_monotonic: since,
            fields: fields.all,
        };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            let mut fields = SpanFields::default();
            values.record(&mut fields);
            open.fields.append(&mut fields.all);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(open) = span.extensions_mut().remove::<OpenSpan>() {
            // If the queue is full, the span is dropped, because a request must never wait for the collector.
            let took = SystemClock.monotonic_time().saturating_sub(open.started_monotonic);
            let _ = self.span_sender.try_send(EndedSpan { span: open, duration: took });
        }
    }
}

/// The fields of a span, collected from `tracing`.
#[derive(Debug, Default)]
struct SpanFields {
    traceparent: Option<String>,
    all: Vec<(&'static str, AttributeValue)>,
}

impl Visit for SpanFields {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.all.push((field.name(), AttributeValue::Number(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.all.push((field.name(), AttributeValue::Truth(value)));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == TRACEPARENT_FIELD {
            self.traceparent = Some(value.to_owned());
        } else {
            self.all.push((field.name(), AttributeValue::Text(value.to_owned())));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
