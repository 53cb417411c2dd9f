//! The two APIs of the server.

/// The API that the tools use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The API of partner applications.
    Partner,
    /// The API of operators.
    Operator,
}
