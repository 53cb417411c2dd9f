//! Lists of workers that partners only read (specification §6.24, §6.25, §6.29, §6.30).

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let balances = success(200, "Balances.", &[&types.time_off, JSON], BodySchema::Collection("TimeOff"));
    let parts = success(
        200,
        "Parts of the work.",
        &[&types.assignment_distributions, JSON],
        BodySchema::Collection("AssignmentDistribution"),
    );
    let statuses = success(
        200,
        "Statuses, the newest first.",
        &[&types.statuses_of_worker, JSON],
        BodySchema::Collection("StatusEntry"),
    );
    let form =
        success(200, "The status of the form.", &[&types.i9_status, JSON], BodySchema::Resource("I9Status"));
    vec![
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/i9status",
            "getI9Status",
            "Read the status of a worker's employment eligibility form",
        )
        .with_description(
            "Operators set the status of Form I-9. `content` is empty if they have not set any.",
        )
        .with_success(form),
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/timeoff",
            "listTimeOff",
            "List a worker's balances of time off",
        )
        .with_description(
            "The remaining time off of the worker under each time-off policy. Operators set the balances.",
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
            "The complete history: past, current and future statuses, the newest first. If several \
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
        .with_description("The percentages of the work for jobs and labor assignments, which add up to 100.")
        .with_paging()
        .with_success(parts),
    ]
}
