//! Checks: in requests, and in responses before and after their pay period is processed (specification §11.5
//! to §11.7).
//!
//! As plain JSON, a check has one schema with the members of both states. For each state there is a vendor
//! media type, whose schema requires more members.

use payroll_domain::check::{
    MAX_CHECKS_PER_REQUEST, MAX_CORRELATION_ID_LENGTH, MAX_LINES_PER_CHECK, PaidBy, Section,
};
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, amount_schema, boolean_schema, date_schema, enumeration_schema, id_schema, list_schema,
    object_schema, optional, plain_text_schema, quantity_schema, rate_schema, request_date_schema,
    request_decimal_schema, required, schema_reference, text_schema, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        (
            "CheckInput",
            new_check_schema(required(
                "workerId",
                id_schema("The worker who is paid, a worker of the company."),
            )),
        ),
        (
            "CheckOfWorkerInput",
            new_check_schema(
                optional("workerId", id_schema("The worker who is paid: the worker in the path.")).or_null(),
            ),
        ),
        ("CheckLineInput", line_input_schema(true)),
        ("CheckLineChange", line_input_schema(false)),
        ("Check", check_schema()),
        ("CheckLine", line_schema()),
        ("UnprocessedCheck", unprocessed_check_schema()),
        ("UnprocessedCheckLine", unprocessed_line_schema()),
        ("ProcessedCheck", processed_check_schema()),
        ("ProcessedCheckLine", processed_line_schema()),
        ("CheckTax", tax_schema()),
        (
            "ClassificationType",
            enumeration_schema(
                "The kind of pay or deduction that a pay component is.",
                ClassificationType::ALL,
            ),
        ),
        ("EffectOnPay", enumeration_schema("The effect of the pay component on pay.", EffectOnPay::ALL)),
    ]
}

/// Returns the schema of a request that adds checks. A single check is also accepted (§7.2) but not
/// described, because generated clients have no good type for the alternative.
pub(in super::super) fn checks_input_schema(check: &str) -> Value {
    let several =
        with_keyword(list_schema("Checks of one pay period.", schema_reference(check)), "minItems", 1);
    with_keyword(several, "maxItems", MAX_CHECKS_PER_REQUEST)
}

/// Returns the schema of an operator's request that adds checks. Operators may add more checks per request
/// than partners.
pub(in super::super) fn operator_checks_input_schema() -> Value {
    with_keyword(checks_input_schema("CheckInput"), "maxItems", MAX_CHANGES)
}

/// Returns an example request that adds checks. The request is valid with the demo data.
pub(in super::super) fn check_examples() -> Value {
    json!([{
        "workerId": "00DEMO0001WORKER0001",
        "payPeriodId": "851000000002008",
        "checkCorrelationId": "example-1",
        "earnings": [
            {"componentId": "851000000001001", "payHours": "8"},
            {"componentId": "851000000001004", "payAmount": "75.25"},
        ],
    }])
}

/// Returns an example request that adds checks of the worker in the path. The request is valid with the demo
/// data.
pub(in super::super) fn worker_example() -> Value {
    json!([{
        "payPeriodId": "851000000002008",
        "checkCorrelationId": "example-2",
        "earnings": [{"componentId": "851000000001001", "payHours": "8"}],
    }])
}

fn new_check_schema(worker: ObjectMember) -> Value {
    let members = [
        worker,
        required("payPeriodId", id_schema("The pay period, the same in all checks of a request.")),
        required(
            "checkCorrelationId",
            plain_text_schema(
                "Your own id for the check, unique in the request. The response repeats it.",
                length_as_u64(MAX_CORRELATION_ID_LENGTH),
            ),
        ),
        optional(
            "blockAutoDistribution",
            boolean_schema("Whether the earnings are not split by the assignment distributions of the worker. Default: false."),
        )
        .or_null(),
    ];
    let lines = section_members(|description| {
        with_keyword(
            list_schema(description, schema_reference("CheckLineInput")),
            "maxItems",
            MAX_LINES_PER_CHECK,
        )
    });
    object_schema(
        "A check to add, with at least one line in all. Members that only the server sets are ignored.",
        members.into_iter().chain(lines.map(ObjectMember::or_null)),
    )
}

/// Returns the schema of a check line in a request: a line to add, or a merge patch of an existing line.
fn line_input_schema(is_new: bool) -> Value {
    let reference_id = |description| id_schema(description);
    let organization = object_schema(
        "The organizational unit that the line is booked on.",
        [optional("organizationId", id_schema("The id of an organizational unit of the company.")).or_null()],
    );
    let optionals = [
        optional("payHours", request_decimal_schema("Hours", Quantity::MAX_OF_LINE)),
        optional("payUnits", request_decimal_schema("Units", Quantity::MAX_OF_LINE)),
        optional(
            "payAmount",
            request_decimal_schema("An amount with at most 2 decimals", Amount::MAX_OF_LINE),
        ),
        optional("payRate", request_decimal_schema("A rate with at most 4 decimals", Rate::MAX_IN_REQUEST)),
        optional("payRateId", id_schema("The id of one of the worker's pay rates.")),
        optional(
            "memoed",
            boolean_schema(
                "Whether the line is memoed, so that its hours are recorded and not paid. A memoed line \
                 needs `payAmount`. Default: false.",
            ),
        ),
        optional(
            "lineDate",
            request_date_schema("The day of the line, such as the day of work. A time of day is ignored."),
        ),
        optional("jobId", reference_id("The id of the job to which the hours of the line are assigned.")),
        optional("laborAssignmentId", reference_id("The id of the labor assignment of the line.")),
        optional("organization", organization),
    ];
    object_schema(
        "A line to pay: hours, units or an amount. Hours and units need a rate, the id of a rate, or the \
         worker's default rate. Only a line with `memoed` can have hours or units together with an amount.",
        [match is_new {
            true => required("componentId", id_schema("The id of the pay component of the line.")),
            false => optional("componentId", id_schema("The id of the pay component of the line.")),
        }]
        .into_iter()
        .chain(optionals.into_iter().map(ObjectMember::or_null)),
    )
}

fn check_schema() -> Value {
    let processed = ". Only present in processed pay periods.";
    let members = [
        required("workerId", id_schema("The worker who is paid.")),
        optional("paycheckId", id_schema("The id of the check. Absent in a dry run.")),
        required("payPeriodId", id_schema("The pay period.")),
        optional("checkCorrelationId", text_schema("The id of the check in the system that added it.")),
        optional(
            "blockAutoDistribution",
            boolean_schema(
                "Whether the earnings are not split by the assignment \
            distributions of the worker. Only present if true.",
            ),
        ),
        required(
            "checkDate",
            date_schema("The check date of the pay period: the day on which the worker is paid."),
        ),
        optional("netPay", amount_schema(&format!("The amount that is paid out{processed}"))),
        optional("grossEarnings", amount_schema(&format!("The gross earnings{processed}"))),
        optional("checkType", text_schema(&format!("The type, such as `Regular`{processed}"))),
        optional("checkNumber", text_schema(&format!("The number on the printed check{processed}"))),
        reversed_check_member(),
        optional("taxes", list_schema(&format!("The taxes{processed}"), schema_reference("CheckTax"))),
        required(
            "links",
            list_schema("The link `self` to the check. Empty in a dry run.", schema_reference("Link")),
        ),
    ];
    let lines = section_members(|description| list_schema(description, schema_reference("CheckLine")));
    object_schema("A check of any pay period, processed or not.", members.into_iter().chain(lines))
}

fn line_schema() -> Value {
    let (before, after) = (
        "Return only present before the pay period is processed.",
        "Return only present after the pay period is processed.",
    );
    let members = [
        optional("checkComponentId", id_schema("The id of the check line. Absent in a dry run.")),
        optional("payRate", rate_schema(&format!("The rate at which the line is paid. {before}"))),
        optional("payHours", quantity_schema(&format!("The number of hours on the line. {before}"))),
        optional("payUnits", quantity_schema(&format!("The number of units on the line. {before}"))),
        optional("payAmount", amount_schema(&format!("The amount of the line. {before}"))),
        optional("amount", amount_schema(&format!("The amount of the line. {after}"))),
        optional("rate", rate_schema(&format!("The rate at which the line was paid. {after}"))),
        optional("hours", quantity_schema(&format!("The number of hours on the line. {after}"))),
        optional("units", quantity_schema(&format!("The number of units on the line. {after}"))),
        optional(
            "organization",
            organization_schema([optional("number", text_schema("The number of the organizational unit."))]),
        ),
    ];
    let common = component_members().into_iter().chain(assignment_members());
    object_schema("A line of a check of any pay period, processed or not.", common.chain(members))
}

fn unprocessed_check_schema() -> Value {
    let members = [
        required("workerId", id_schema("The worker who is paid.")),
        optional("paycheckId", id_schema("The id of the check. Absent in a dry run.")),
        required("payPeriodId", id_schema("The pay period.")),
        required("checkCorrelationId", text_schema("The id of the check in the system that added it.")),
        reversed_check_member(),
        optional(
            "blockAutoDistribution",
            boolean_schema(
                "Whether the earnings are not split by the assignment \
            distributions of the worker. Only present if true.",
            ),
        ),
        required(
            "checkDate",
            date_schema("The check date of the pay period: the day on which the worker is paid."),
        ),
        required(
            "links",
            list_schema("The link `self` to the check. Empty in a dry run.", schema_reference("Link")),
        ),
    ];
    let lines =
        section_members(|description| list_schema(description, schema_reference("UnprocessedCheckLine")));
    object_schema("A check of a pay period that is not processed.", members.into_iter().chain(lines))
}

fn unprocessed_line_schema() -> Value {
    let members = [
        optional("checkComponentId", id_schema("The id of the check line. Absent in a dry run.")),
        optional("payRate", rate_schema("The rate at which the line is paid.")),
        optional("payHours", quantity_schema("The number of hours on the line.")),
        optional("payUnits", quantity_schema("The number of units on the line.")),
        optional("payAmount", amount_schema("The amount of the line.")),
        optional("organization", organization_schema([])),
    ];
    object_schema(
        "A line of a check of a pay period that is not processed.",
        component_members().into_iter().chain(assignment_members()).chain(members),
    )
}

fn processed_check_schema() -> Value {
    let members = [
        required("payPeriodId", id_schema("The pay period.")),
        required("paycheckId", id_schema("The id of the check.")),
        required("workerId", id_schema("The worker who is paid.")),
        optional("checkCorrelationId", text_schema("The id of the check in the system that added it.")),
        required(
            "checkDate",
            date_schema("The check date of the pay period: the day on which the worker is paid."),
        ),
        required("netPay", amount_schema("The amount that the check pays out to the worker.")),
        required("grossEarnings", amount_schema("The gross earnings of the check.")),
        required("checkType", text_schema("The type of the check, such as `Regular`.")),
        optional("checkNumber", text_schema("The number on the printed check.")),
        reversed_check_member(),
        optional("taxes", list_schema("The taxes on the check.", schema_reference("CheckTax"))),
        required("links", list_schema("The link `self` to the object.", schema_reference("Link"))),
    ];
    let lines =
        section_members(|description| list_schema(description, schema_reference("ProcessedCheckLine")));
    object_schema(
        "A check of a processed pay period. Its lines use other member names, such as `hours` instead of \
         `payHours`.",
        members.into_iter().chain(lines),
    )
}

fn processed_line_schema() -> Value {
    let members = [
        required("checkComponentId", id_schema("The id of the check line.")),
        required("amount", amount_schema("The amount of the line.")),
        optional("rate", rate_schema("The rate at which the line was paid.")),
        optional("hours", quantity_schema("The number of hours on the line.")),
        optional("units", quantity_schema("The number of units on the line.")),
        optional(
            "organization",
            organization_schema([optional("number", text_schema("The number of the organizational unit."))]),
        ),
    ];
    object_schema(
        "A line of a processed check.",
        component_members().into_iter().chain(assignment_members()).chain(members),
    )
}

fn tax_schema() -> Value {
    object_schema(
        "A tax on a check.",
        [
            required("name", text_schema("The name of the tax.")),
            required(
                "paidBy",
                enumeration_schema("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
            required("amount", amount_schema("The amount of the tax.")),
        ],
    )
}

/// Returns the member with the id of the reversed check.
fn reversed_check_member() -> ObjectMember {
    optional("reversalOf", id_schema("The completed check that this check reverses with negated amounts."))
}

/// Returns the three members of a check that contain lines: earnings, deductions and informational lines.
fn section_members(lines: impl Fn(&str) -> Value) -> [ObjectMember; 3] {
    let description = |section: Section| match section {
        Section::Earnings => "Lines of pay components that add to the pay.",
        Section::Deductions => "Lines of pay components that reduce the pay.",
        Section::Informational => "Informational lines, which do not change the pay.",
    };
    [Section::Earnings, Section::Deductions, Section::Informational]
        .map(|section| optional(section.as_str(), lines(description(section))))
}

/// Returns the members of a check line that describe its pay component.
fn component_members() -> [ObjectMember; 5] {
    [
        required("componentId", id_schema("The pay component.")),
        required("name", text_schema("The name of the pay component.")),
        required("classificationType", schema_reference("ClassificationType")),
        required("effectOnPay", schema_reference("EffectOnPay")),
        required(
            "memoed",
            boolean_schema("Whether the line is memoed, so that its hours are recorded and not paid."),
        ),
    ]
}

/// Returns the members of a check line that contain its date, its job and its labor assignment.
fn assignment_members() -> [ObjectMember; 3] {
    [
        optional("lineDate", date_schema("The day of the line, such as the day of work.")),
        optional("jobId", id_schema("The job to which the hours of the line are assigned.")),
        optional("laborAssignmentId", id_schema("The labor assignment of the line.")),
    ]
}

fn organization_schema(more: impl IntoIterator<Item = ObjectMember>) -> Value {
    let members = [
        required("organizationId", id_schema("The unit.")),
        required("name", text_schema("The name of the organizational unit.")),
    ];
    object_schema("The organizational unit on which the line is booked.", members.into_iter().chain(more))
}

fn length_as_u64(max_length: usize) -> u64 {
    u64::try_from(max_length).unwrap_or(u64::MAX)
}
