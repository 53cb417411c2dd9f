//! What became of an attempt.

use payroll_domain::delivery::ErrorClass;

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The response's status, if there was a response.
    pub status: Option<u16>,
    /// What was wrong; `None`: the receiver has taken it.
    pub error: Option<ErrorClass>,
    /// Seconds that the receiver asks to wait.
    pub retry_after: Option<u32>,
    /// The beginning of the response's body, at most
    /// [`MAX_ANSWER_KEPT`](payroll_domain::delivery::MAX_ANSWER_KEPT) bytes; `None` when it is empty.
    /// What is no UTF-8 is replaced, and so is the character 0, which databases reject.
    pub answer: Option<String>,
    /// The body of the response was not read completely.
    pub answer_cut: bool,
}
