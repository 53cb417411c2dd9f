//! A span: its position in a trace, and its form in OTLP.

use std::time::Duration;

use data_encoding::HEXLOWER;
use payroll_domain::date::Timestamp;
use payroll_domain::steps;
use serde_json::{Value as Json, json};

use super::value::AttributeValue;

/// The span kinds of OTLP: `SERVER` for a received request, and `CLIENT` for a call by this server.
const SERVER_KIND: u8 = 2;
const CLIENT_KIND: u8 = 3;
/// The name of the span of a received request. All other spans are calls by this server.
const REQUEST_SPAN: &str = "request";
/// The OTLP status code of a span that failed.
const ERROR_STATUS: u8 = 2;
/// The span field with the HTTP status of a response.
const HTTP_STATUS_ATTRIBUTE: &str = "http.response.status_code";

/// The trace to which a span belongs, and its parent in that trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpanParent {
    pub(super) trace_id: [u8; 16],
    /// The id of the parent span. `None` for the first span of a trace.
    pub(super) span_id: Option<[u8; 8]>,
}

/// A span that has not ended yet.
#[derive(Debug)]
pub(crate) struct OpenSpan {
    pub(super) name: &'static str,
    pub(super) parent: SpanParent,
    pub(super) span_id: [u8; 8],
    pub(super) started_at: Timestamp,
    /// The monotonic time at which the span started.
    pub(super) started_monotonic: Duration,
    pub(super) fields: Vec<(&'static str, AttributeValue)>,
}

/// A span that has ended.
#[derive(Debug)]
pub(crate) struct EndedSpan {
    pub(super) span: OpenSpan,
    pub(super) duration: Duration,
}

impl SpanParent {
    /// Parses the header `traceparent` of W3C Trace Context. `None` if the header is invalid.
    pub(super) fn from_header(header: &str) -> Option<Self> {
        steps::record_steps(header.len());
        let mut parts = header.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let fits = |text: &str, length| {
            text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        if !fits(version, 2) || version == "ff" || !fits(flags, 2) || !fits(trace, 32) || !fits(span, 16) {
            return None;
        }
        let trace_id = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let span_id = u64::from_str_radix(span, 16).ok().filter(|id| *id != 0)?;
        Some(Self { trace_id: trace_id.to_be_bytes(), span_id: Some(span_id.to_be_bytes()) })
    }

    /// Returns whether the trace is sampled. Only the trace id decides, so that every process with the same
    /// ratio samples the same traces.
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the last bits decide nothing")]
    pub(super) fn is_sampled(&self, ratio: f64) -> bool {
        let [_, _, _, _, _, _, _, _, low @ ..] = self.trace_id;
        ratio >= 1.0 || (u64::from_be_bytes(low) as f64) < ratio * u64::MAX as f64
    }
}

impl OpenSpan {
    pub(super) const fn as_parent(&self) -> SpanParent {
        SpanParent { trace_id: self.parent.trace_id, span_id: Some(self.span_id) }
    }
}

impl EndedSpan {
    /// Returns the span in the JSON format of OTLP.
    pub(super) fn json(&self) -> Json {
        let OpenSpan { name, parent, span_id, started_at: began, fields, .. } = &self.span;
        let took = i64::try_from(self.duration.as_micros()).unwrap_or(i64::MAX);
        let ended = Timestamp::from_micros(began.as_micros().saturating_add(took));
        let attributes: Vec<Json> = fields.iter().map(|(name, value)| attribute(name, value)).collect();
        let mut span = json!({
            "traceId": HEXLOWER.encode(&parent.trace_id),
            "spanId": HEXLOWER.encode(span_id),
            "name": name,
            "kind": if *name == REQUEST_SPAN { SERVER_KIND } else { CLIENT_KIND },
            "startTimeUnixNano": nanoseconds(*began),
            "endTimeUnixNano": nanoseconds(ended),
            "attributes": attributes,
        });
        let members = span.as_object_mut();
        if let Some(members) = members {
            if let Some(above) = &parent.span_id {
                members.insert("parentSpanId".to_owned(), HEXLOWER.encode(above).into());
            }
            let failed = fields.iter().any(|(name, value)| {
                *name == HTTP_STATUS_ATTRIBUTE && matches!(value, AttributeValue::Number(500..))
            });
            if failed {
                members.insert("status".to_owned(), json!({"code": ERROR_STATUS}));
            }
        }
        span
    }
}

/// Returns an attribute in the JSON format of OTLP.
pub(super) fn attribute(name: &str, value: &AttributeValue) -> Json {
    let value = match value {
        AttributeValue::Text(text) => json!({"stringValue": text}),
        // OTLP writes 64-bit integers as JSON strings.
        AttributeValue::Number(number) => json!({"intValue": number.to_string()}),
        AttributeValue::Truth(truth) => json!({"boolValue": truth}),
    };
    json!({"key": name, "value": value})
}

fn nanoseconds(at: Timestamp) -> String {
    (i128::from(at.as_micros()) * 1_000).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACEPARENT_HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn continues_the_trace_of_a_caller() {
        let parent = SpanParent::from_header(TRACEPARENT_HEADER).unwrap();
        assert_eq!(HEXLOWER.encode(&parent.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(parent.span_id.map(|id| HEXLOWER.encode(&id)).as_deref(), Some("00f067aa0ba902b7"));
    }

    #[test]
    fn ignores_an_invalid_trace_header() {
        for header in [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(SpanParent::from_header(header), None, "{header}");
        }
    }

    #[test]
    fn parses_a_header_in_linear_time() {
        for part in ["-", "0", "f", "g", "00-", TRACEPARENT_HEADER, "é"] {
            steps::assert_linear(
                &format!("traceparent of {part:?}"),
                |n| part.repeat(n),
                |text| {
                    let _ = SpanParent::from_header(text);
                },
            );
        }
    }

    #[test]
    fn samples_traces_by_their_ids() {
        let parent = |low: u64| SpanParent { trace_id: u128::from(low).to_be_bytes(), span_id: None };
        let (low, high) = (parent(u64::MAX / 10), parent(u64::MAX - 1));
        assert!(low.is_sampled(0.5) && !high.is_sampled(0.5));
        assert!(high.is_sampled(1.0) && !low.is_sampled(0.0));
    }

    #[test]
    fn writes_a_span_with_its_parent() {
        let open = OpenSpan {
            name: REQUEST_SPAN,
            parent: SpanParent::from_header(TRACEPARENT_HEADER).unwrap(),
            span_id: [1; 8],
            started_at: Timestamp::from_micros(2),
            started_monotonic: Duration::ZERO,
            fields: vec![
                ("http.route", AttributeValue::Text("/companies".to_owned())),
                (HTTP_STATUS_ATTRIBUTE, AttributeValue::Number(503)),
            ],
        };
        let reported = EndedSpan { span: open, duration: Duration::from_micros(3) }.json();
        let expected = json!({
            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
            "parentSpanId": "00f067aa0ba902b7",
            "spanId": "0101010101010101",
            "name": "request",
            "kind": 2,
            "startTimeUnixNano": "2000",
            "endTimeUnixNano": "5000",
            "attributes": [
                {"key": "http.route", "value": {"stringValue": "/companies"}},
                {"key": "http.response.status_code", "value": {"intValue": "503"}},
            ],
            "status": {"code": 2},
        });
        assert_eq!(reported, expected);
    }
}
