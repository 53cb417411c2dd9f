//! What goes wrong.

/// Whatever goes wrong ends the benchmark with a sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
