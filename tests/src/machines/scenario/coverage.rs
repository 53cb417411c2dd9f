//! The operations in the API descriptions that the server serves, and the operations that the scenario has
//! used.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Request;
use crate::support::description::Description;

/// Operations that no step of the scenario uses, each with the reason.
const EXCLUDED_OPERATIONS: [(&str, &str); 5] = [
    ("DELETE /operator/v1/sandbox/clock", SANDBOX_REASON),
    ("GET /operator/v1/sandbox/clock", SANDBOX_REASON),
    ("POST /operator/v1/sandbox/reset", SANDBOX_REASON),
    ("POST /operator/v1/sandbox/triggers", SANDBOX_REASON),
    ("PUT /operator/v1/sandbox/clock", SANDBOX_REASON),
];
const SANDBOX_REASON: &str = "a sandbox is one process, and these paths exist in no other one";

/// The operations of both APIs by method and path.
#[derive(Default)]
pub(super) struct OperationCoverage {
    described: BTreeSet<String>,
    done: BTreeSet<String>,
}

impl OperationCoverage {
    /// Adds the operations of an OpenAPI description to the known operations.
    pub(super) fn add_description(&mut self, description: &Value) {
        for (path, members) in description["paths"].as_object().expect("paths") {
            // A path may also have members that apply to all of its operations, such as parameters. These
            // members have no `operationId`.
            let methods = members.as_object().expect("operations").iter();
            let methods = methods.filter(|(_, operation)| operation["operationId"].is_string());
            self.described.extend(methods.map(|(method, _)| format!("{} {path}", method.to_uppercase())));
        }
    }

    /// Records that a request with a 2xx response has used its operation.
    pub(super) fn record_success(&mut self, request: &Request) {
        self.done.extend(Description::for_request(request).operation(request));
    }

    /// Returns the number of operations that were used.
    ///
    /// # Panics
    /// An operation was not used although it is not in `EXCLUDED_OPERATIONS`, or an excluded operation was
    /// used or does not exist.
    pub(super) fn assert_complete(&self) -> usize {
        let missing: Vec<&str> = self.described.difference(&self.done).map(String::as_str).collect();
        let left_out = EXCLUDED_OPERATIONS.map(|(operation, _)| operation);
        assert_eq!(missing, left_out, "operations without a step that succeeds, and those that need none");
        self.described.len() - missing.len()
    }
}
