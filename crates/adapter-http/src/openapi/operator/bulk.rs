//! Operations on many objects at once (specification §10.21).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::operations::payroll;
use super::super::parameters::query_parameter;
use super::super::schema::{boolean_schema, enumeration_schema, schema_reference};
use super::super::schemas::check;
use super::objects::DOCUMENT_REASONS;
use crate::operator::csv::RowKind;
use crate::shared::media_type::JSON;

pub(super) fn change_workers_operation() -> OperationDescription {
    let example = json!({
        "workers": [{
            "workerId": "EXAMPLE-W1", "workerType": "EMPLOYEE",
            "name": {"givenName": "Ada", "familyName": "Example"},
        }],
        "payRates": [{
            "workerId": "EXAMPLE-W1", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "21.50",
            "default": true, "startDate": "2026-01-05",
        }],
    });
    OperationDescription::new(
        "POST",
        "/operator/v1/companies/{companyId}/workerchanges",
        "changeWorkers",
        "Add or change many workers",
    )
    .with_description(
        "Stores all changes or none. Each element of `workers` is a merge patch of the worker with its \
            `workerId`, or creates the worker if that id is unknown. An element of `communications` or \
            `payRates` changes the stored element with the same id. An element without an id changes the \
            worker's only stored element with the same `type` and `usageType`, or with the same \
            `rateNumber`. If there is no such stored element, the element is added. Members that you omit \
            do not change, and \
            equal values are not written. You can therefore repeat the request, and an idempotency key has no \
            effect. `If-Match` is rejected. In a CSV file, the pointer of a fault names the line and, if \
            known, the column, such as `/3/employeeId`.",
    )
    .with_required_body(&[JSON], &schema_reference("WorkerChanges"), &example)
    .with_csv_alternative(RowKind::Rates.csv_template())
    .with_parameters([
        query_parameter(
            "dryrun",
            "Validate the request, and store nothing.",
            boolean_schema("`true` for a dry run."),
        ),
        query_parameter(
            "rows",
            "The kind of the rows of a CSV file. Required with CSV, and rejected otherwise.",
            enumeration_schema(
                "Whether the rows are workers or pay rates of workers.",
                [RowKind::Workers, RowKind::Rates].map(RowKind::as_str),
            ),
        ),
    ])
    .with_success(success(
        200,
        "The numbers of objects that the request created, changed and left unchanged.",
        &[JSON],
        BodySchema::Resource("ChangeCounts"),
    ))
    .with_reasons(DOCUMENT_REASONS)
    .with_reasons(&[Reason::CompanyLocked, Reason::ParameterMissing])
    .without_reasons(&[Reason::IdempotencyKeyReused])
}

pub(super) fn add_checks_operation() -> OperationDescription {
    let added = "The number of checks that the request created, or that a dry run would create.";
    OperationDescription::new(
        "POST",
        "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks",
        "addChecksOfOperator",
        "Add checks to a pay period",
    )
    .with_description(
        "Stores all checks or none, by the rules for checks of partners. The checks \
            belong to no application. A correlation id must be unique among the checks that operators \
            have added to the pay period. This prevents duplicates. In CSV, a row is a line of a check. The \
            pointer of a fault names the line of the file and, if known, the column.",
    )
    .with_required_body(&[JSON], &check::operator_checks_input_schema(), &check::check_examples())
    .with_csv_alternative(RowKind::Checks.csv_template())
    .with_parameters([query_parameter(
        "dryrun",
        "Validate the request, and store nothing.",
        boolean_schema("`true` for a dry run."),
    )])
    .with_success(success(200, added, &[JSON], BodySchema::Resource("ChangeCounts")))
    .with_reasons(&payroll::validation_reasons())
    .with_reasons(&[
        Reason::TooManyChecks,
        Reason::CheckNotModifiable,
        Reason::CompanyLocked,
        Reason::CompanyEndDated,
    ])
}
