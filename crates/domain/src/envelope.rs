//! Serializes faults as the JSON of the API's error responses (specification §4.1).

use serde::{Serialize, Serializer};

use crate::violation::{Violation, Violations};

/// The JSON envelope of an error response.
#[derive(Serialize)]
struct ErrorEnvelope<'a> {
    errors: &'a [Violation],
}

/// One error in the envelope.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Error<'a> {
    code: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<&'a str>,
}

/// Writes the error envelope as the API returns it: `{"errors": […]}`.
///
/// ```
/// use payroll_domain::{code::Reason, violation::Violations};
/// let refused = Violations::from(Reason::TooManyChecks);
/// assert_eq!(
///     serde_json::to_string(&refused)?,
///     r#"{"errors":[{"code":"API-44","description":"the request has more than 100 checks"}]}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for Violations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ErrorEnvelope { errors: self.as_slice() }.serialize(serializer)
    }
}

/// Writes a fault as an element of the error envelope.
impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let error = Error {
            code: self.reason.code(),
            description: &self.description,
            resolution: self.reason.resolution(),
            pointer: self.pointer.as_deref(),
            correlation_id: self.correlation_id.as_deref(),
        };
        error.serialize(serializer)
    }
}
