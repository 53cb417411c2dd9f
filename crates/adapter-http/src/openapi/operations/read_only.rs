//! Lists of workers that partners only read (specification §6.24, §6.25, §6.29, §6.30).

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let balances = success(
        200,
        "The time-off balances of the worker.",
        &[&types.time_off, JSON],
        BodySchema::Collection("TimeOff"),
    );
    let parts = success(
        200,
        "The assignment distributions of the worker.",
        &[&types.assignment_distributions, JSON],
        BodySchema::Collection("AssignmentDistribution"),
    );
    let statuses = success(
        200,
        "The statuses of the worker, the newest first.",
        &[&types.statuses_of_worker, JSON],
        BodySchema::Collection("StatusEntry"),
    );
    let form =
        success(200, "The status of Form I-9.", &[&types.i9_status, JSON], BodySchema::Resource("I9Status"));
    vec![
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/i9status",
            "getI9Status",
            "Read the status of a worker's employment eligibility form",
        )
        .with_description(
            "Operators set the status of Form I-9. If they have not set a status, `content` is empty.",
        )
        .with_success(form),
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/timeoff",
            "listTimeOff",
            "List a worker's balances of time off",
        )
        .with_description(
            "Returns the remaining time off under each time-off policy. Operators set these balances.",
        )
        .with_paging()
        .with_success(balances),
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/status",
            "listStatuses",
            "List the statuses of a worker",
        )
        .with_description(
            "Returns the complete history: past, current and future statuses, the newest first. If several \
             statuses start on the same day, the one with the highest `order` is in force.",
        )
        .with_paging()
        .with_success(statuses),
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/assignmentdistributions",
            "listAssignmentDistributions",
            "List a worker's assignment distributions",
        )
        .with_description(
            "Returns the percentages of the worker's work for each job and labor assignment. \
            They add up to 100.",
        )
        .with_paging()
        .with_success(parts),
    ]
}
