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
    ObjectMember, amount, boolean, date, enumeration, id, list, object, optional, plain_text, quantity, rate,
    reference, request_date, request_decimal, required, text, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        (
            "CheckInput",
            new_check_schema(required("workerId", id("The worker who is paid, a worker of the company."))),
        ),
        (
            "CheckOfWorkerInput",
            new_check_schema(
                optional("workerId", id("The worker who is paid: the worker in the path.")).or_null(),
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
        ("ClassificationType", enumeration("The kind of pay or deduction.", ClassificationType::ALL)),
        ("EffectOnPay", enumeration("The effect of the pay component on pay.", EffectOnPay::ALL)),
    ]
}

/// Returns the schema of a request that adds checks. A single check is also accepted (§7.2) but not
/// described, because generated clients have no good type for the alternative.
pub(in super::super) fn checks_input_schema(check: &str) -> Value {
    let several = with_keyword(list("Checks of one pay period.", reference(check)), "minItems", 1);
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
        required("payPeriodId", id("The pay period, the same in all checks of a request.")),
        required(
            "checkCorrelationId",
            plain_text(
                "Your id of the check, unique in the request. The response repeats it.",
                length_as_u64(MAX_CORRELATION_ID_LENGTH),
            ),
        ),
        optional(
            "blockAutoDistribution",
            boolean("Whether the earnings are not split by the assignment distributions of the worker. Default: false."),
        )
        .or_null(),
    ];
    let lines = section_members(|description| {
        with_keyword(list(description, reference("CheckLineInput")), "maxItems", MAX_LINES_PER_CHECK)
    });
    object(
        "A check to add, with at least one line in all. Members that only the server sets are ignored.",
        members.into_iter().chain(lines.map(ObjectMember::or_null)),
    )
}

/// Returns the schema of a check line in a request: a line to add, or a merge patch of an existing line.
fn line_input_schema(is_new: bool) -> Value {
    let reference_id = |description| id(description);
    let organization = object(
        "The organizational unit that the line is booked on.",
        [optional("organizationId", id("The id of an organizational unit of the company.")).or_null()],
    );
    let optionals = [
        optional("payHours", request_decimal("Hours", Quantity::MAX_OF_LINE)),
        optional("payUnits", request_decimal("Units", Quantity::MAX_OF_LINE)),
        optional("payAmount", request_decimal("An amount with at most 2 decimals", Amount::MAX_OF_LINE)),
        optional("payRate", request_decimal("A rate with at most 4 decimals", Rate::MAX_IN_REQUEST)),
        optional("payRateId", id("The id of one of the worker's pay rates.")),
        optional(
            "memoed",
            boolean(
                "Whether the line is memoed: its hours are recorded and not paid. A memoed line needs `payAmount`. Default: false.",
            ),
        ),
        optional(
            "lineDate",
            request_date("The day of the line, such as the day of work. A time of day is ignored."),
        ),
        optional("jobId", reference_id("A job.")),
        optional("laborAssignmentId", reference_id("The id of a labor assignment.")),
        optional("organization", organization),
    ];
    object(
        "A line to pay: hours, units or an amount. Hours and units need a rate, the id of a rate, or the worker's default rate. Together with an amount they are valid only with `memoed`.",
        [match is_new {
            true => required("componentId", id("The id of a pay component of the company.")),
            false => optional("componentId", id("The id of a pay component of the company.")),
        }]
        .into_iter()
        .chain(optionals.into_iter().map(ObjectMember::or_null)),
    )
}

fn check_schema() -> Value {
    let processed = ". Only present in processed pay periods.";
    let members = [
        required("workerId", id("The worker who is paid.")),
        optional("paycheckId", id("The id of the check. Absent in a dry run.")),
        required("payPeriodId", id("The pay period.")),
        optional("checkCorrelationId", text("The caller's id of the check.")),
        optional(
            "blockAutoDistribution",
            boolean(
                "Whether the earnings are not split by the assignment \
            distributions of the worker. Only present if true.",
            ),
        ),
        required("checkDate", date("The check date of the pay period: the day on which the worker is paid.")),
        optional("netPay", amount(&format!("The amount that is paid out{processed}"))),
        optional("grossEarnings", amount(&format!("The gross earnings{processed}"))),
        optional("checkType", text(&format!("The type, such as `Regular`{processed}"))),
        optional("checkNumber", text(&format!("The number on the printed check{processed}"))),
        reversed_check_member(),
        optional("taxes", list(&format!("The taxes{processed}"), reference("CheckTax"))),
        required("links", list("`self`. Empty in a dry run.", reference("Link"))),
    ];
    let lines = section_members(|description| list(description, reference("CheckLine")));
    object("A check, whether its pay period is processed or not.", members.into_iter().chain(lines))
}

fn line_schema() -> Value {
    let (before, after) = (
        "Only present before the pay period is processed.",
        "Only present after the pay period is processed.",
    );
    let members = [
        optional("checkComponentId", id("The id of the line. Absent in a dry run.")),
        optional("payRate", rate(&format!("The rate that applies. {before}"))),
        optional("payHours", quantity(&format!("The hours. {before}"))),
        optional("payUnits", quantity(&format!("The units. {before}"))),
        optional("payAmount", amount(&format!("The amount. {before}"))),
        optional("amount", amount(&format!("The amount. {after}"))),
        optional("rate", rate(&format!("The rate that was applied. {after}"))),
        optional("hours", quantity(&format!("The hours. {after}"))),
        optional("units", quantity(&format!("The units. {after}"))),
        optional("organization", organization_schema([optional("number", text("The number."))])),
    ];
    let common = component_members().into_iter().chain(assignment_members());
    object("A line of a check, whether its pay period is processed or not.", common.chain(members))
}

fn unprocessed_check_schema() -> Value {
    let members = [
        required("workerId", id("The worker who is paid.")),
        optional("paycheckId", id("The id of the check. Absent in a dry run.")),
        required("payPeriodId", id("The pay period.")),
        required("checkCorrelationId", text("The caller's id of the check.")),
        reversed_check_member(),
        optional(
            "blockAutoDistribution",
            boolean(
                "Whether the earnings are not split by the assignment \
            distributions of the worker. Only present if true.",
            ),
        ),
        required("checkDate", date("The check date of the pay period: the day on which the worker is paid.")),
        required("links", list("`self`. Empty in a dry run.", reference("Link"))),
    ];
    let lines = section_members(|description| list(description, reference("UnprocessedCheckLine")));
    object("A check of a pay period that is not processed.", members.into_iter().chain(lines))
}

fn unprocessed_line_schema() -> Value {
    let members = [
        optional("checkComponentId", id("The id of the line. Absent in a dry run.")),
        optional("payRate", rate("The rate that applies.")),
        optional("payHours", quantity("Hours.")),
        optional("payUnits", quantity("Units.")),
        optional("payAmount", amount("The amount.")),
        optional("organization", organization_schema([])),
    ];
    object(
        "A line of a check of a pay period that is not processed.",
        component_members().into_iter().chain(assignment_members()).chain(members),
    )
}

fn processed_check_schema() -> Value {
    let members = [
        required("payPeriodId", id("The pay period.")),
        required("paycheckId", id("The check's id.")),
        required("workerId", id("The worker who is paid.")),
        optional("checkCorrelationId", text("The caller's id of the check.")),
        required("checkDate", date("The check date of the pay period: the day on which the worker is paid.")),
        required("netPay", amount("The amount that is paid out.")),
        required("grossEarnings", amount("The gross earnings.")),
        required("checkType", text("The type, such as `Regular`.")),
        optional("checkNumber", text("The number on the printed check.")),
        reversed_check_member(),
        optional("taxes", list("Taxes.", reference("CheckTax"))),
        required("links", list("`self`.", reference("Link"))),
    ];
    let lines = section_members(|description| list(description, reference("ProcessedCheckLine")));
    object(
        "A check of a processed pay period. The members of its lines have different names than in other checks.",
        members.into_iter().chain(lines),
    )
}

fn processed_line_schema() -> Value {
    let members = [
        required("checkComponentId", id("The line's id.")),
        required("amount", amount("The amount.")),
        optional("rate", rate("The rate that was applied.")),
        optional("hours", quantity("Hours.")),
        optional("units", quantity("Units.")),
        optional("organization", organization_schema([optional("number", text("The number."))])),
    ];
    object(
        "A line of a processed check.",
        component_members().into_iter().chain(assignment_members()).chain(members),
    )
}

fn tax_schema() -> Value {
    object(
        "A tax.",
        [
            required("name", text("The name.")),
            required(
                "paidBy",
                enumeration("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
            required("amount", amount("The amount.")),
        ],
    )
}

/// Returns the member with the id of the reversed check.
fn reversed_check_member() -> ObjectMember {
    optional("reversalOf", id("The completed check that this check reverses. The amounts are negative."))
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
        required("componentId", id("The pay component.")),
        required("name", text("The component's name.")),
        required("classificationType", reference("ClassificationType")),
        required("effectOnPay", reference("EffectOnPay")),
        required("memoed", boolean("Whether the line is memoed: its hours are recorded and not paid.")),
    ]
}

/// Returns the members of a check line that contain its date, its job and its labor assignment.
fn assignment_members() -> [ObjectMember; 3] {
    [
        optional("lineDate", date("A day.")),
        optional("jobId", id("A job.")),
        optional("laborAssignmentId", id("The id of a labor assignment.")),
    ]
}

fn organization_schema(more: impl IntoIterator<Item = ObjectMember>) -> Value {
    let members = [required("organizationId", id("The id.")), required("name", text("The name."))];
    object("The organizational unit to which a line is booked.", members.into_iter().chain(more))
}

fn length_as_u64(max_length: usize) -> u64 {
    u64::try_from(max_length).unwrap_or(u64::MAX)
}
