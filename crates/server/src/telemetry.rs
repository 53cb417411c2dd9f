//! Logs: tracing to standard error, for people or as JSON, one object a line; and traces, where a
//! collector is set (`traces`).
//!
//! What is logged for a request is decided where requests are handled; here is only how it looks.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::config::{LogFormat, Settings};
use crate::failure::{Failure, Outcome};
use crate::traces::{Exporter, Spans};

/// Libraries whose news are only noise next to ours; their warnings are not. What reads HTTP/1.1 calls it an
/// error of the server that a peer has sent something else: such a request is logged where its response is
/// made. Spans are for traces.
const QUIET_LIBRARIES: &str = "actix_server=warn,actix_http::h1=off,payroll_trace=off";

/// What sends spans; there is one log of a process, and one of these.
static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// Starts logging for the complete process, and traces where they are set; a second call in the same
/// process changes nothing.
///
/// # Errors
/// The level is no level, or spans cannot be sent to what is set.
pub fn start(settings: &Settings, level: &str) -> Outcome {
    check(level)?;
    // What is said here of a library is overruled by what the setting says of it.
    let filter = EnvFilter::try_new(format!("{QUIET_LIBRARIES},{level}"))
        .map_err(|error| Failure::caused(format!("setting `log_level` is {level:?}"), &error))?;
    let layer = fmt::layer().with_writer(io::stderr);
    let lines = match settings.log_format {
        LogFormat::Human => layer.with_ansi(io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let spans = spans(settings)?.map(|spans| spans.with_filter(Spans::filter()));
    // Already started is fine: tests start several applications in one process.
    let _started_before = registry().with(lines.with_filter(filter)).with(spans).try_init();
    Ok(())
}

/// Rejects words that are no level: taken for the name of a module, each would silence the complete log.
fn check(level: &str) -> Outcome {
    // Numbers are levels too, and the empty text is, but no reader of the setting would know which.
    let word = |text: &str| text.chars().all(char::is_alphabetic) && !text.is_empty();
    let known = |text: &str| word(text) && text.parse::<LevelFilter>().is_ok();
    let words = level.split(',').filter(|part| !part.contains('='));
    match words.map(str::trim).find(|word| !known(word)) {
        None => Ok(()),
        Some(word) => Err(Failure::new(format!(
            "setting `log_level` holds {word:?}; it must be off, error, warn, info, debug or trace, and may \
             name modules beside it, such as info,payroll_adapter_db=debug"
        ))),
    }
}

/// What takes spans, where they are to be sent somewhere.
fn spans(settings: &Settings) -> Outcome<Option<Spans>> {
    if settings.trace_endpoint.is_empty() {
        return Ok(None);
    }
    let (exporter, ended) = Exporter::start(&settings.trace_endpoint)?;
    let _another_before = EXPORTER.set(exporter);
    Ok(Some(Spans::new(settings.trace_sample_ratio.0, ended)))
}

/// Sends the spans that are left, as far as that can be done in a moment.
pub async fn finish() {
    if let Some(exporter) = EXPORTER.get() {
        exporter.finish().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_one_of_six_words_and_modules_may_stand_beside_it() {
        for good in ["info", "OFF", "info,payroll_adapter_db=debug", "warn, actix_server=off", "a=info"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["warning", "loud", "3", "info,loud", "", "info,"] {
            assert!(check(bad).unwrap_err().to_string().contains("must be off, error"), "{bad}");
        }
    }
}
