//! Formats errors as human-readable sentences.

use crate::error::Failure;

/// Converts the error of a query outside a unit of work to a failure. The failure reports the database as
/// unavailable.
pub(crate) fn query_failure(error: tokio_postgres::Error) -> Failure {
    Failure::Unavailable(format_with_causes(&error))
}

/// Returns an error with its causes in one text. The driver's own message contains only the step that failed.
pub(super) fn format_with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = next.source();
    }
    text
}
