//! Lists of workers that partners only read (specification §6.24, §6.25).

use super::super::envelope::Content;
use super::super::operation::{Operation, success};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<Operation> {
    let balances = success(200, "Balances.", &[&types.time_off, JSON], Content::Collection("TimeOff"));
    let parts = success(
        200,
        "Parts of the work.",
        &[&types.assignment_distributions, JSON],
        Content::Collection("AssignmentDistribution"),
    );
    vec![
        Operation::new(
            "GET",
            "/workers/{workerId}/timeoff",
            "listTimeOff",
            "List a worker's balances of time off",
        )
        .says("What the worker has left under each policy, as operators have set it.")
        .pages()
        .answers(balances),
        Operation::new(
            "GET",
            "/workers/{workerId}/assignmentdistributions",
            "listAssignmentDistributions",
            "List how a worker's work is distributed",
        )
        .says("The percentages of the work for jobs and labor assignments, which add up to 100.")
        .pages()
        .answers(parts),
    ]
}
