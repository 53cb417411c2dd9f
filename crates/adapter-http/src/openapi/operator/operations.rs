//! Declares the operations of the operator API, grouped by area. A test fails for a route without a
//! declaration and for a declaration without a route.

use super::super::operations::OperationArea;
use super::{access, companies, hooks, pay_runs, sandbox, workers};

/// Returns all operations, grouped by area.
pub(super) fn operation_areas() -> [OperationArea; 7] {
    let area = |name, description, operations| OperationArea { name, description, operations };
    [
        area("Companies", "Companies and their setup lists.", companies::operations()),
        area("Workers", "Workers, the people whom a company pays.", workers::operations()),
        area("PayRuns", "Pay periods: processing, previewing and completing them.", pay_runs::operations()),
        area(
            "Access",
            "Access to the server: applications, grants, requests and keys.",
            access::operations(),
        ),
        area("Webhooks", "The hooks of all applications, and their deliveries.", hooks::operations()),
        area(
            "Sandbox",
            "The clock of a sandbox, and triggered notifications. Other servers respond with 404.",
            sandbox::operations(),
        ),
        area("History", "Events and the audit log.", access::history_operations()),
    ]
}
