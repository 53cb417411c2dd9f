//! The checks of a worker, and removing checks (specification §7.12, §7.13).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{query_parameter, to_required_parameter};
use super::super::schema::id_schema;
use super::super::schemas::check;
use super::check_lines;
use super::payroll::{checks_response, describe_check_addition, describe_check_removal, paycheck_filters};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let mut all = vec![remove_own_checks_operation()];
    all.extend(check_lines::operations(types));
    all.extend([
        list_checks_operation(types),
        add_checks_operation(types),
        get_check_operation(types),
        remove_check_operation(),
    ]);
    all
}

fn list_checks_operation(types: &VendorTypes) -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/workers/{workerId}/checks",
        "listChecksOfWorker",
        "List the checks of a worker in a pay period",
    )
    .with_description(
        "Works like the operation `listChecks`, but returns and counts only checks of this worker.",
    )
    .with_parameters(paycheck_filters())
    .with_paging()
    .with_success(checks_response(types))
    .with_reasons(&[Reason::ParameterMissing, Reason::ChecksArchived])
}

fn get_check_operation(types: &VendorTypes) -> OperationDescription {
    let found = success(200, "The check.", &[&types.check], BodySchema::Resource("UnprocessedCheck"))
        .with_media_type(&types.processed_check, BodySchema::Resource("ProcessedCheck"))
        .with_media_type(JSON, BodySchema::Resource("Check"));
    OperationDescription::new("GET", "/workers/{workerId}/checks/{paycheckId}", "getCheck", "Read one check")
        .with_description(
            "After its pay period is processed, a check has another media type and other \
            members. The `self` link of a check leads to this operation.",
        )
        .with_success(found)
}

fn add_checks_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.check.as_str(), &types.checks, JSON];
    let operation = OperationDescription::new(
        "POST",
        "/workers/{workerId}/checks",
        "addChecksOfWorker",
        "Add checks for a worker",
    )
    .with_description(
        "Works like the operation `addChecks`. You can omit `workerId`. If you send it, it must be the \
         worker in the path.",
    )
    .with_required_body(
        &media_types,
        &check::checks_input_schema("CheckOfWorkerInput"),
        &check::worker_example(),
    );
    describe_check_addition(operation, &[&types.check, &types.checks])
}

fn remove_check_operation() -> OperationDescription {
    let path = "/workers/{workerId}/checks/{paycheckId}";
    let operation = OperationDescription::new("DELETE", path, "removeCheck", "Remove a check")
        .with_description(
            "The pay period of the check must be open. You can also delete a check that another application \
             added.",
        );
    describe_check_removal(operation)
}

fn remove_own_checks_operation() -> OperationDescription {
    let own = json!({"type": "string", "const": "true", "description": "Must be `true`, as a confirmation."});
    let period = query_parameter("payperiodid", "The pay period.", id_schema("A pay period of a company."));
    let company = query_parameter(
        "companyid",
        "The company of the pay period. Required if several companies have a pay period with this id.",
        id_schema("A company that the application has access to."),
    );
    let operation = OperationDescription::new(
        "DELETE",
        "/checks",
        "removeOwnChecks",
        "Remove the application's own checks of a pay period",
    )
    .with_description(
        "Deletes all checks that this application has added to the pay period, which must be open. The \
            request also succeeds if the application has added no checks.",
    )
    .with_parameters([
        to_required_parameter(period),
        to_required_parameter(query_parameter(
            "deletebyuserid",
            "Confirms that you want to remove the checks that this application has added.",
            own,
        )),
        company,
    ])
    .with_reasons(&[Reason::ParameterMissing, Reason::CompanyEndDated, Reason::UnknownResource]);
    describe_check_removal(operation)
}
