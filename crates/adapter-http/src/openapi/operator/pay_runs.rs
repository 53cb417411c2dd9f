//! Pay periods and their states (specification §10.14).

use payroll_domain::code::Reason;
use payroll_ports::filters::PayRunOrder;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{parameter_reference, query_parameter, to_required_parameter};
use super::super::schema::{
    boolean_schema, enumeration_schema, id_schema, request_date_schema, schema_reference, text_schema,
    with_keyword,
};
use super::objects::{DOCUMENT_REASONS, ObjectEndpoints};
use crate::operator::OPEN_OR_PROCESSING;
use crate::shared::media_type::{CSV, JSON};

pub(super) fn operations() -> Vec<OperationDescription> {
    let periods = ObjectEndpoints {
        list: "/operator/v1/companies/{companyId}/payperiods",
        object_path: "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}",
        ids: [
            "listPayPeriods",
            "createPayPeriod",
            "getPayPeriod",
            "replacePayPeriod",
            "changePayPeriod",
            "deletePayPeriod",
        ],
        summaries: [
            "List a company's pay periods",
            "Add a pay period",
            "Read one pay period",
            "Replace a pay period",
            "Change a pay period",
            "Delete a pay period",
        ],
        schemas: ["PayPeriod", "PayPeriodInput", "PayPeriodPatch"],
        example: json!({
            "intervalCode": "WEEKLY", "status": "INITIAL", "startDate": "2027-01-04",
            "endDate": "2027-01-10", "checkDate": "2027-01-15",
        }),
        patch: json!({"description": "The first week"}),
        is_held_by_lock: true,
    };
    let mut operations = periods.operations_with_filters(filters::period_filters());
    operations.push(pay_runs_operation());
    operations.push(pay_run_totals_operation());
    operations.extend(transition_operations());
    operations.extend(super::completion_requests::operations());
    operations.push(checks_operation());
    operations.push(super::bulk::add_checks_operation());
    operations.push(register_operation());
    operations.push(journal_operation());
    operations.extend(reversal_operations());
    operations.extend(removal_operations());
    operations
}

fn pay_runs_operation() -> OperationDescription {
    let orders =
        enumeration_schema("The order of the pay runs.", PayRunOrder::ALL.iter().map(|order| order.as_str()));
    OperationDescription::new(
        "GET",
        "/operator/v1/payruns",
        "listPayRuns",
        "List the pay runs of all companies",
    )
    .with_description(
        "Returns each pay period that is in the state INITIAL, ENTRY or PROCESSING, for all companies. \
        The list is ordered by check date.",
    )
    .with_parameters(pay_run_filters())
    .with_parameters([query_parameter(
        "sort",
        "The member by which the pay runs are sorted. `-` before it reverses the order. Periods without a \
         `submitByDate` come \
         last.",
        orders,
    )])
    .with_paging()
    .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("PayRun")))
}

fn pay_run_totals_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/operator/v1/payruns/totals",
        "getPayRunTotals",
        "Read the totals of pay runs",
    )
    .with_description("Returns the totals of all pay runs that match the filters.")
    .with_parameters(pay_run_filters())
    .with_success(success(
        200,
        "The totals of the selected pay runs.",
        &[JSON],
        BodySchema::Resource("PayRunTotals"),
    ))
}

fn pay_run_filters() -> [Value; 5] {
    let states = enumeration_schema("A state.", OPEN_OR_PROCESSING.iter().map(|status| status.as_str()));
    [
        query_parameter("status", "Return only pay periods in this state.", states),
        query_parameter("companyid", "Return only pay periods of this company.", id_schema("A company.")),
        query_parameter(
            "checkdatefrom",
            "Return only pay periods with this check date or a later one.",
            request_date_schema("The day, as a date."),
        ),
        query_parameter(
            "checkdateto",
            "Return only pay periods with this check date or an earlier one.",
            request_date_schema("The day, as a date."),
        ),
        query_parameter(
            "overdueon",
            "Return only open pay periods whose `submitByDate` is before this day.",
            request_date_schema("The day, as a date."),
        ),
    ]
}

fn transition_operations() -> [OperationDescription; 3] {
    let step = |path, id, summary| {
        OperationDescription::new("POST", path, id, summary)
            .with_parameters([parameter_reference("If-Match")])
            .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked])
            .with_reasons(DOCUMENT_REASONS)
    };
    let moved = |schema| success(200, "The updated pay period.", &[JSON], BodySchema::Resource(schema));
    let dry_run = query_parameter(
        "dryrun",
        "Return the result of the completion, and store nothing.",
        boolean_schema("`true` for a preview."),
    );
    let completed = success(
        200,
        "The completed pay period with its totals, or a preview of them.",
        &[JSON],
        BodySchema::Resource("CompletedPayPeriod"),
    );
    [
        step(
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/process",
            "processPayPeriod",
            "Process a pay period, which closes it for checks",
        )
        .with_description(
            "Changes the status of the pay period from INITIAL or ENTRY to PROCESSING. The \
            company is locked until the pay period is completed or reopened.",
        )
        .with_ignored_body()
        .with_success(moved("PayPeriod").with_header("NewETag")),
        step(
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete",
            "completePayPeriod",
            "Complete a pay period, or preview the completion",
        )
        .with_description(
            "Changes the status of the pay period from PROCESSING to COMPLETED, and adds \
            the taxes and deductions of the request body to the checks. A check that the body does not \
            contain is completed without taxes. If there is a fault, nothing is written, and all faults \
            are reported together. If the server \
            requires two operators, the response is 409 API-409. Request the completion instead, and ask \
            another operator to approve it. With `dryrun=true` the response is a preview.",
        )
        .with_parameters([dry_run])
        .with_optional_body(&[JSON], &schema_reference("Completion"), &json!({"allowEmpty": true}))
        .with_success(completed)
        .with_reason_at_status(400, Reason::Conflict),
        step(
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reopen",
            "reopenPayPeriod",
            "Reopen a pay period for checks",
        )
        .with_description("Changes the status of the pay period from PROCESSING back to ENTRY.")
        .with_ignored_body()
        .with_success(moved("PayPeriod").with_header("NewETag")),
    ]
}

fn checks_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks",
        "listChecks",
        "List the checks of a pay period",
    )
    .with_description(
        "Returns the checks that applications and operators have added, in the format that partners get \
         for the state of the pay period.",
    )
    .with_paging()
    .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("Check")))
    .with_reasons(&[Reason::ChecksArchived])
}

/// The header of the register as CSV, and an example row.
const REGISTER_CSV_EXAMPLE: &str = "payPeriodId,checkDate,paycheckId,checkNumber,checkType,final,workerId,employeeId,familyName,givenName,kind,componentId,name,effectOnPay,hours,units,rate,amount,organizationId,organizationName,organizationNumber,reversalOf\r\n\
    2027-01,2027-01-15,01KXAMPLE0PAYCHECK00000001,2,Regular,true,EXAMPLE-1-W2,,Worker 2,Sample,GROSS,,,,,,,966.25,,,,\r\n";

fn register_operation() -> OperationDescription {
    let rows = text_schema(
        "A header, a row for each line and each tax, and rows with the gross earnings \
        and the net pay of each check.",
    );
    let rows = with_keyword(rows, "examples", json!([REGISTER_CSV_EXAMPLE]));
    OperationDescription::new(
        "GET",
        "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/register",
        "readRegister",
        "Read the payroll register of a pay period",
    )
    .with_description(
        "Returns each check with the name of its worker, its lines, its taxes, its gross earnings and \
        its net pay. Before the pay period is processed, the unknown amounts are absent. In CSV, a text \
        that a spreadsheet \
        would run as a formula begins with an apostrophe.",
    )
    .with_paging()
    .with_success(
        success(200, "A page of the register.", &[JSON], BodySchema::Collection("RegisterCheck"))
            .with_media_type(CSV, BodySchema::Bare(rows)),
    )
    .with_reasons(&[Reason::ChecksArchived])
}

/// The header of the journal as CSV, and the rows of a payment of 966.25.
const JOURNAL_CSV_EXAMPLE: &str = "payPeriodId,checkDate,account,debit,credit,kind,componentId,name,effectOnPay,paidBy,organizationId,organizationName,organizationNumber\r\n\
    2027-01,2027-01-15,Wages expense,966.25,,COMPONENT,hourly,Hourly,ADDITION,,,,\r\n\
    2027-01,2027-01-15,Wages payable,,966.25,COMPONENT,hourly,Hourly,ADDITION,,,,\r\n";

fn journal_operation() -> OperationDescription {
    let rows = text_schema("A header, and a row for each debit and each credit.");
    let rows = with_keyword(rows, "examples", json!([JOURNAL_CSV_EXAMPLE]));
    OperationDescription::new(
        "GET",
        "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/journal",
        "readJournal",
        "Read the journal of a pay period",
    )
    .with_description(
        "Returns the debits and credits of a processed pay period, by account, by pay component or tax, \
        and by organizational unit. The sum of the debits equals the sum of the credits. The accounts \
        are those that the pay components and the company have now. In CSV, the server puts an apostrophe \
        before a text that a spreadsheet would run as a formula.",
    )
    .with_success(
        success(200, "The journal of the pay period.", &[JSON], BodySchema::Resource("Journal"))
            .with_media_type(CSV, BodySchema::Bare(rows)),
    )
    .with_reasons(&[Reason::Conflict, Reason::ChecksArchived])
}

fn reversal_operations() -> [OperationDescription; 2] {
    let added = success(201, "The reversal.", &[JSON], BodySchema::Resource("Check"));
    [
        OperationDescription::new(
            "POST",
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reversals",
            "reverseCheck",
            "Reverse a completed check in an open pay period",
        )
        .with_description(
            "Adds a check with the negated lines and taxes of the original check, which does \
            not change. A check can be reversed once. A reversal cannot be reversed.",
        )
        .with_parameters([parameter_reference("If-Match")])
        .with_required_body(
            &[JSON],
            &schema_reference("Reversal"),
            &json!({"paycheckId": "01KXAMPLE0PAYCHECK00000001"}),
        )
        .with_success(added.with_header("NewETag"))
        .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked, Reason::Conflict])
        .with_reasons(DOCUMENT_REASONS),
        OperationDescription::new(
            "DELETE",
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reversals/{paycheckId}",
            "removeReversal",
            "Remove a reversal from an open pay period",
        )
        .with_description("After the removal, the original check can be reversed again.")
        .with_parameters([parameter_reference("If-Match")])
        .with_success(success(204, "The object was removed.", &[], BodySchema::Nothing))
        .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked, Reason::Conflict]),
    ]
}

fn removal_operations() -> [OperationDescription; 2] {
    let all = json!({"type": "string", "const": "true", "description": "Must be `true`, as a confirmation."});
    let all = query_parameter(
        "deletebyoperators",
        "Confirms that you want to remove the checks that operators have added. Must be true.",
        all,
    );
    let removal = |path, id, summary| {
        OperationDescription::new("DELETE", path, id, summary)
            .with_parameters([parameter_reference("If-Match")])
            .with_success(success(204, "The checks are removed.", &[], BodySchema::Nothing))
            .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked, Reason::Conflict])
    };
    [
        removal(
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks/{paycheckId}",
            "removeCheck",
            "Remove a check from an open pay period",
        )
        .with_description("You can also remove a check that an application added. To cancel a completed check, add a reversal."),
        removal(
            "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks",
            "removeChecksOfOperators",
            "Remove the checks that operators have added to an open pay period",
        )
        .with_description("Use this operation, for example, after you imported a file by mistake. \
            Reversals and the checks that applications added are not removed. The request also succeeds if \
            operators have added no checks.")
        .with_parameters([to_required_parameter(all)])
        .with_reasons(&[Reason::ParameterMissing]),
    ]
}
