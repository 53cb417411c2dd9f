//! Formats errors as sentences for people.

use crate::error::Failure;

/// The failure of a background query to the database.
pub(crate) fn query_failure(error: tokio_postgres::Error) -> Failure {
    Failure::Unavailable(with_causes(&error))
}

/// Returns an error with its causes. The driver's own message only contains the step that failed.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
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
