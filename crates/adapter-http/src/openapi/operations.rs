//! Declares the operations of the partner API. There is one file for each of the six areas in the
//! specification (§1.1), in the order of the route table. A test fails for a route without a declaration and
//! for a declaration without a route.

mod authentication;
mod check_lines;
mod company;
mod compensation;
mod contacts;
mod direct_deposits;
mod files;
pub(super) mod management;
mod objects;
pub(super) mod payroll;
mod read_only;
mod recurring_components;
pub(super) mod webhooks;
mod worker;
mod worker_checks;
mod worker_custom_fields;
mod worker_taxes;

use super::operation::OperationDescription;
use crate::shared::media_type::VendorTypes;

/// An area of the API, such as payroll. Each area becomes a tag of the OpenAPI description.
pub(super) struct OperationArea {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) operations: Vec<OperationDescription>,
}

/// Returns all operations, grouped by area.
pub(super) fn operation_areas(types: &VendorTypes) -> [OperationArea; 6] {
    let area = |name, description, operations| OperationArea { name, description, operations };
    let payroll = payroll::operations(types).into_iter().chain(worker_checks::operations(types)).collect();
    let workers = [
        worker::operations(types),
        compensation::operations(types),
        direct_deposits::operations(types),
        recurring_components::operations(types),
        worker_taxes::operations(types),
        worker_custom_fields::operations(types),
        contacts::operations(types),
        read_only::operations(types),
        files::operations(types),
    ];
    let workers = workers.into_iter().flatten().collect();
    [
        area(
            "Authentication",
            "Tokens, which authenticate the requests of an application.",
            authentication::operations(),
        ),
        area("Company", "Companies and their setup lists.", company::operations(types)),
        area("Payroll", "Checks, their lines and pay components.", payroll),
        area("Worker", "Workers, the people whom a company pays.", workers),
        area("Webhooks", "Notifications of changes: hooks and their deliveries.", webhooks::operations()),
        area("Management", "The application's own access, and its events.", management::operations()),
    ]
}
