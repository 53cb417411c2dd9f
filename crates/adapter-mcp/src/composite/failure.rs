//! The reasons why a composite tool has no result.

use payroll_ports::BoxError;
use payroll_ports::api_calls::ApiResponse;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::result::ArgumentFault;

/// The reason why a composite tool has no result.
pub(super) enum ToolFailure {
    /// The arguments are invalid.
    Faults(Vec<ArgumentFault>),
    /// The API rejected a request.
    Rejected(ApiResponse),
    /// The API did not respond.
    Failed(BoxError),
}

impl From<BoxError> for ToolFailure {
    fn from(error: BoxError) -> Self {
        Self::Failed(error)
    }
}

impl From<ArgumentFault> for ToolFailure {
    fn from(fault: ArgumentFault) -> Self {
        Self::Faults(vec![fault])
    }
}

/// Returns a required text argument without surrounding white space. A missing argument, or an argument that
/// is not a text, is a fault.
pub(super) fn required_text<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ArgumentFault> {
    let text = arguments.get(name).and_then(Value::as_str).map(str::trim);
    text.filter(|text| !text.is_empty())
        .ok_or_else(|| ArgumentFault::new(name, "the argument is required, as a text"))
}
