//! Starts logs and traces. Logs are written to standard error by `tracing`, as text or as one JSON object per
//! line. Traces are sent to a collector, if the settings name one (`traces`).
//!
//! The code that handles requests decides what is logged. This module only formats the log.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::config::{LogFormat, Settings};
use crate::failure::{Failure, Outcome};
use crate::traces::{Exporter, SpanCollector};

/// The log levels of libraries whose messages are not useful. If a client sends invalid input, the HTTP/1.1
/// parser logs a server error, although the request is already logged with its response. Spans are exported
/// as traces and are not logged.
const QUIET_LIBRARIES_FILTER: &str = "actix_server=warn,actix_http::h1=off,payroll_trace=off";

/// The library that logs complete messages at the levels debug and trace. Messages can contain tax IDs and
/// account numbers, so these levels of the library are never logged, whatever `log_level` is.
const LIBRARY_THAT_LOGS_CONTENT: &str = "rmcp";

/// The exporter of spans. Each process has one log and at most one exporter.
static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// Starts the log of the process, and traces if they are configured. A second call in the same process has no
/// effect.
///
/// # Errors
/// The level is invalid, or spans cannot be sent to the configured address.
pub fn start_telemetry(settings: &Settings, level: &str) -> Outcome {
    check_level(level)?;
    // The user's log level comes last in the filter, so it can override the default levels of libraries.
    let filter = EnvFilter::try_new(format!("{QUIET_LIBRARIES_FILTER},{level}"))
        .map_err(|error| Failure::with_cause(format!("setting `log_level` is {level:?}"), &error))?;
    let layer = fmt::layer().with_writer(io::stderr);
    let lines = match settings.log_format {
        LogFormat::Human => layer.with_ansi(io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let spans = create_span_collector(settings)?.map(|spans| spans.with_filter(SpanCollector::span_filter()));
    // An error means that the log has already started. Tests start several applications in one process.
    let _started_before =
        registry().with(lines.with_filter(filter.and(filter_fn(is_without_content)))).with(spans).try_init();
    Ok(())
}

/// Returns whether a log line is certain to contain no message content.
fn is_without_content(line: &Metadata<'_>) -> bool {
    !line.target().starts_with(LIBRARY_THAT_LOGS_CONTENT) || *line.level() <= Level::INFO
}

/// Rejects words that are not levels. `tracing` would interpret such a word as the name of a module and
/// silence the entire log.
fn check_level(level: &str) -> Outcome {
    // `tracing` also accepts numbers and the empty text as levels. Such levels are rejected, because their
    // meaning is not obvious.
    let word = |text: &str| text.chars().all(char::is_alphabetic) && !text.is_empty();
    let known = |text: &str| word(text) && text.parse::<LevelFilter>().is_ok();
    let words = level.split(',').filter(|part| !part.contains('='));
    match words.map(str::trim).find(|word| !known(word)) {
        None => Ok(()),
        Some(word) => Err(Failure::new(format!(
            "setting `log_level` contains {word:?}. It must be off, error, warn, info, debug or trace, and \
             can also name modules, such as info,payroll_adapter_db=debug"
        ))),
    }
}

/// Creates the layer that collects spans. `None` if the settings name no collector.
fn create_span_collector(settings: &Settings) -> Outcome<Option<SpanCollector>> {
    if settings.trace_endpoint.expose().is_empty() {
        return Ok(None);
    }
    let (exporter, ended) = Exporter::start(settings.trace_endpoint.expose())?;
    let _another_before = EXPORTER.set(exporter);
    Ok(Some(SpanCollector::new(settings.trace_sample_ratio.0, ended)))
}

/// Sends the remaining spans, and stops after a short time limit.
pub async fn finish_span_export() {
    if let Some(exporter) = EXPORTER.get() {
        exporter.finish().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_global_and_per_module_log_levels() {
        for good in ["info", "OFF", "info,payroll_adapter_db=debug", "warn, actix_server=off", "a=info"] {
            assert!(check_level(good).is_ok(), "{good}");
        }
        for bad in ["warning", "loud", "3", "info,loud", "", "info,"] {
            assert!(check_level(bad).unwrap_err().to_string().contains("must be off, error"), "{bad}");
        }
    }
}
