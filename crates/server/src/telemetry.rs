//! Logs: tracing to standard error, for people or as JSON, one object a line.
//!
//! What is logged for a request is decided where requests are handled; here is only how it looks.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
use crate::failure::{Failure, Outcome};

/// Libraries whose news are only noise beside ours; their warnings are not.
const QUIET_LIBRARIES: &str = "actix_server=warn";

/// Starts logging for the whole process; a second call in the same process changes nothing.
///
/// # Errors
/// The level is no level.
pub fn start(format: LogFormat, level: &str) -> Outcome {
    // What is said here of a library is overruled by what the setting says of it.
    let filter = EnvFilter::try_new(format!("{QUIET_LIBRARIES},{level}"))
        .map_err(|error| Failure::caused(format!("setting `log_level` is {level:?}"), &error))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // Already started is fine: tests start several applications in one process.
    let _started_before = match format {
        LogFormat::Human => builder.with_ansi(io::stderr().is_terminal()).with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).try_init(),
    };
    Ok(())
}
