//! Errors as sentences for people.

use crate::error::Failure;

/// The cause of a failed query to the database, in addition to requests.
pub(crate) fn failed(error: tokio_postgres::Error) -> Failure {
    Failure::Unavailable(with_causes(&error))
}

/// An error and what is behind it: the driver's own words are only which step failed.
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
