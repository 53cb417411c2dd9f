//! The two APIs of the server.

/// One of the two APIs of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// The API of partner applications.
    Partner,
    /// The API of operators.
    Operator,
}
