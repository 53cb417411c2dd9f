//! Checks (specification §7), and the pay periods (§8.5) and pay components (§8.6) that they refer to.

use payroll_domain::code::{Reason, ReasonKind};
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, SuccessResponse, success};
use super::super::parameters::{query_parameter, to_required_parameter, with_example};
use super::super::schema::{boolean_schema, id_schema};
use super::super::schemas::check;
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let mut operations = vec![list_checks_operation(types), add_checks_operation(types)];
    operations.extend(pay_component_operations(types));
    operations.extend(pay_period_operations(types));
    operations
}

/// Returns the parameters that select the checks of a company or a worker.
pub(super) fn paycheck_filters() -> [Value; 2] {
    let period = query_parameter("payperiodid", "The pay period.", id_schema("A pay period of the company."));
    let own = query_parameter(
        "filterbyuserid",
        "Return only checks that this application added.",
        boolean_schema("`true` to return only the checks of this application."),
    );
    [with_example(to_required_parameter(period), "851000000002008"), own]
}

/// Returns the successful response with a list of checks. The state of the pay period determines the vendor
/// media type. Plain JSON has one schema for both states. With two possible schemas, generated clients would
/// use only the first one.
pub(super) fn checks_response(types: &VendorTypes) -> SuccessResponse {
    success(
        200,
        "The checks of the pay period.",
        &[&types.checks],
        BodySchema::Collection("UnprocessedCheck"),
    )
    .with_media_type(&types.processed_checks, BodySchema::Collection("ProcessedCheck"))
    .with_media_type(JSON, BodySchema::Collection("Check"))
}

fn list_checks_operation(types: &VendorTypes) -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/companies/{companyId}/checks",
        "listChecks",
        "List the checks of a pay period",
    )
    .with_description(
        "Before the pay period is processed, lines have `payHours`, `payUnits`, `payRate` and \
            `payAmount`. Afterwards they have `hours`, `units`, `rate` and `amount`, and checks also have \
            `netPay`, `grossEarnings` and `taxes`. Processed and unprocessed checks have different \
            vendor media types. `application/json` works for both. With the wrong vendor media type, the \
            response is 406, and its description contains the right media type.",
    )
    .with_parameters(paycheck_filters())
    .with_paging()
    .with_success(checks_response(types))
    .with_reasons(&[Reason::ParameterMissing, Reason::ChecksArchived])
}

fn add_checks_operation(types: &VendorTypes) -> OperationDescription {
    let operation = OperationDescription::new(
        "POST",
        "/companies/{companyId}/checks",
        "addChecks",
        "Add checks to a pay period",
    )
    .with_description(
        "Adds up to 100 checks to one open pay period. If a check has a fault, no check is stored. The \
            response reports the faults of all checks together, each with a pointer. With `dryrun=true`, \
            the server validates the checks, stores nothing, and responds with 200. The operation \
            accepts no other parameter.",
    )
    .with_required_body(
        &[&types.checks],
        &check::checks_input_schema("CheckInput"),
        &check::check_examples(),
    );
    describe_check_addition(operation, &[&types.checks])
}

/// Adds the body, responses and errors of an operation that adds checks. The response has one of these vendor
/// types or plain JSON.
pub(super) fn describe_check_addition(
    operation: OperationDescription,
    vendor_types: &[&str],
) -> OperationDescription {
    let added = |status, description| {
        success(status, description, vendor_types, BodySchema::Resource("UnprocessedCheck"))
            .with_media_type(JSON, BodySchema::Resource("Check"))
    };
    let dry = query_parameter(
        "dryrun",
        "Validate the checks, and store nothing.",
        boolean_schema("`true` for a dry run."),
    );
    let validated = "A dry run: the checks as they would be stored, without ids.";
    operation
        .with_parameters([dry])
        .with_success(added(201, "The checks that were added, with their ids."))
        .with_success(added(200, validated))
        .without_reasons(&[Reason::BodyTooLarge])
        .with_reasons(&validation_reasons())
        .with_reasons(&[Reason::TooManyChecks, Reason::CheckNotModifiable, Reason::CompanyLocked])
}

fn pay_component_operations(types: &VendorTypes) -> [OperationDescription; 2] {
    let name = query_parameter(
        "name",
        "Return only components with exactly this name.",
        json!({"type": "string", "minLength": 1, "description": "The exact name of the pay component."}),
    );
    let media_types = [types.pay_components.as_str(), JSON];
    let found = success(
        200,
        "The pay components of the company.",
        &media_types,
        BodySchema::Collection("PayComponent"),
    )
    .with_link("getPayComponent", "componentId", "/content/0/componentId")
    .with_parameter_passed_to("getPayComponent", "companyId");
    let media_types = [types.pay_component.as_str(), JSON];
    [
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/paycomponents",
            "listPayComponents",
            "List a company's pay components",
        )
        .with_description(
            "Also returns pay components that are no longer valid. The check date of a pay period \
             determines the pay components that its checks can use.",
        )
        .with_parameters(filters::component_filters())
        .with_parameters([name])
        .with_paging()
        .with_success(found),
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/paycomponents/{componentId}",
            "getPayComponent",
            "Read one pay component",
        )
        .with_success(success(
            200,
            "The pay component.",
            &media_types,
            BodySchema::Resource("PayComponent"),
        )),
    ]
}

fn pay_period_operations(types: &VendorTypes) -> [OperationDescription; 2] {
    let media_types = [types.pay_periods.as_str(), JSON];
    let found =
        success(200, "The pay periods of the company.", &media_types, BodySchema::Collection("PayPeriod"))
            .with_link("getPayPeriod", "payPeriodId", "/content/0/payPeriodId")
            .with_parameter_passed_to("getPayPeriod", "companyId")
            .with_link("listChecks", "payperiodid", "/content/0/payPeriodId")
            .with_parameter_passed_to("listChecks", "companyId");
    let media_types = [types.pay_period.as_str(), JSON];
    [
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/payperiods",
            "listPayPeriods",
            "List a company's pay periods",
        )
        .with_description(
            "With the parameters `from` and `to`, the list contains the pay periods that are completely \
             between these two days.",
        )
        .with_parameters(filters::period_filters())
        .with_paging()
        .with_success(found),
        OperationDescription::new(
            "GET",
            "/companies/{companyId}/payperiods/{payPeriodId}",
            "getPayPeriod",
            "Read one pay period",
        )
        .with_success(success(
            200,
            "The pay period.",
            &media_types,
            BodySchema::Resource("PayPeriod"),
        )),
    ]
}

/// Adds the response and errors of an operation that removes checks.
pub(super) fn describe_check_removal(operation: OperationDescription) -> OperationDescription {
    operation
        .with_success(success(204, "The checks were deleted.", &[], BodySchema::Nothing))
        .with_reasons(&[Reason::PeriodClosed, Reason::CompanyLocked, Reason::Conflict])
}

/// Returns the reasons of all validation rules, because checks are subject to all rules. The reason for a
/// missing query parameter is not included.
pub(in super::super) fn validation_reasons() -> Vec<Reason> {
    let faults = Reason::ALL.iter().filter(|reason| reason.kind() == ReasonKind::Fault);
    faults.filter(|reason| **reason != Reason::ParameterMissing).copied().collect()
}
