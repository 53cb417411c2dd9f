//! The error type of the benchmark.

/// An error that ends the benchmark and is printed as a sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
