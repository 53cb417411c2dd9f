//! The result of an attempt to deliver a notification.

use payroll_domain::delivery::ErrorClass;

/// The result of an attempt to deliver a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    /// The response's status, if there was a response.
    pub status: Option<u16>,
    /// The error; `None` if the receiver accepted the notification.
    pub error: Option<ErrorClass>,
    /// The number of seconds to wait before a retry, if the receiver requests a wait.
    pub retry_after: Option<u32>,
    /// The beginning of the response's body, at most
    /// [`MAX_STORED_RESPONSE_BYTES`](payroll_domain::delivery::MAX_STORED_RESPONSE_BYTES) bytes; `None` if it
    /// is empty. Invalid UTF-8 and NUL, which databases reject, are replaced.
    pub response_body: Option<String>,
    /// Whether the body of the response was not read completely.
    pub response_truncated: bool,
}
