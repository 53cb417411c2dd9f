//! Tests of traces. A collector on loopback receives the spans of a request. The spans belong to the caller's
//! trace and contain no personal data.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::receiver::wait_until_async;
use crate::support::{Database, OPEN, Process, Receiver, Request, on_every_database_kind, token_form};

/// The trace id that the test sends in the header `traceparent`.
const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
/// The id of the parent span that the test sends in the header `traceparent`.
const SPAN_ID: &str = "00f067aa0ba902b7";

fn serve(database: &Database, collector: &Receiver, ratio: &str) -> Process {
    let endpoint = format!("http://{}/v1/traces", collector.address());
    Process::serve_with(database, &["--trace-endpoint", &endpoint, "--trace-sample-ratio", ratio])
}

fn received_spans(collector: &Receiver) -> Vec<Value> {
    let documents = collector.requests_to("/v1/traces");
    let of_document = |document: Value| {
        let spans = &document["resourceSpans"][0]["scopeSpans"][0]["spans"];
        spans.as_array().unwrap_or_else(|| panic!("{document}")).clone()
    };
    documents.iter().flat_map(|received| of_document(received.json())).collect()
}

fn span_attribute<'a>(span: &'a Value, name: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap_or_else(|| panic!("{span}"));
    attributes.iter().find(|attribute| attribute["key"] == name).map_or(&Value::Null, |it| &it["value"])
}

async fn send_company_request(process: &Process) {
    let token = process.client.request_token(token_form()).await;
    let request = Request::get(format!("/companies/{OPEN}"));
    let request = request.header("traceparent", format!("00-{TRACE_ID}-{SPAN_ID}-01"));
    assert_eq!(process.client.send(&request, Some(&token)).await.expect("an answer").status, 200);
}

#[test]
fn a_request_is_a_span_of_its_callers_trace_with_database_spans() {
    let collector = Receiver::start();
    on_every_database_kind(async |database| {
        collector.reset_state();
        let process = serve(database, &collector, "1");
        send_company_request(&process).await;
        // The process sends the remaining spans when it stops.
        process.stop_and_read_log();
        let spans = received_spans(&collector);
        let is_it =
            |span: &&Value| span_attribute(span, "http.route")["stringValue"] == "/companies/{companyId}";
        let request = spans.iter().find(is_it).unwrap_or_else(|| panic!("{spans:?}"));
        assert_eq!((&request["traceId"], &request["parentSpanId"]), (&TRACE_ID.into(), &SPAN_ID.into()));
        assert_eq!(span_attribute(request, "http.response.status_code")["intValue"], "200");
        assert!(!span_attribute(request, "payroll.request_id").is_null(), "{request}");
        let below = |span: &&Value| span["parentSpanId"] == request["spanId"] && span["name"] == "database";
        let database = spans.iter().find(below).unwrap_or_else(|| panic!("{spans:?}"));
        assert_eq!(database["traceId"], TRACE_ID);
        let all = spans.iter().map(Value::to_string).collect::<String>();
        assert!(!all.contains(OPEN) && !all.contains("key-of-partner"), "{all}");
    });
}

#[test]
fn spans_are_sent_while_the_server_runs() {
    let collector = Receiver::start();
    on_every_database_kind(async |database| {
        collector.reset_state();
        let process = serve(database, &collector, "1");
        send_company_request(&process).await;
        wait_until_async(async || !received_spans(&collector).is_empty(), "a span").await;
        let names: BTreeSet<String> =
            received_spans(&collector).iter().map(|span| span["name"].to_string()).collect();
        assert!(names.contains("\"request\""), "{names:?}");
    });
}

#[test]
fn without_tracing_no_trace_is_recorded() {
    let collector = Receiver::start();
    on_every_database_kind(async |database| {
        collector.reset_state();
        let process = serve(database, &collector, "0");
        send_company_request(&process).await;
        process.stop_and_read_log();
        assert_eq!(received_spans(&collector), Vec::<Value>::new());
    });
}
