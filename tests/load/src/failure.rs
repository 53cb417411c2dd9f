//! The error type of the benchmark.

/// Whatever goes wrong ends the benchmark with a sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
