//! Pay periods, the input and the result of their completion, and completion requests (specification §11.18,
//! §11.19, §11.23, §11.27).

use payroll_domain::audit::ActorKind;
use payroll_domain::check::{PaidBy, WarningKind};
use payroll_domain::description::{Described, View};
use payroll_domain::pay_period::PayPeriod;
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    ObjectMember, amount, boolean, date, described_members, enumeration, id, instant, list,
    non_negative_integer, object, optional_member, plain_text, reference, required_member, text,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn pay_period_schemas() -> NamedSchemas {
    let completed = object(
        "A completed pay period with its totals, or the preview of a completion.",
        period_members().map(ObjectMember::or_absent).chain([
            optional_member(
                "checks",
                list("In a preview: each check without faults.", reference("CheckPay")),
            ),
            optional_member(
                "faults",
                list("In a preview: faults that would prevent the completion.", reference("Error")),
            ),
            optional_member(
                "warnings",
                list("In a preview: the number of warnings that are not listed.", reference("Warning")),
            ),
            optional_member(
                "warningsLeftOut",
                non_negative_integer("In a preview: the number of warnings that are not listed."),
            ),
        ]),
    );
    let pay_run = object(
        "A pay period that is open or in processing, with its company.",
        [
            required_member("companyId", id("The company.")),
            required_member("displayId", text("The company's account number.")),
            required_member("legalName", text("The company's name.")),
        ]
        .into_iter()
        .chain(period_members()),
    );
    let totals = object(
        "The sums over pay runs.",
        [
            required_member("payRuns", non_negative_integer("Pay runs.")),
            required_member("checks", non_negative_integer("Their checks.")),
            required_member("grossEarnings", amount("The gross earnings of those checks.")),
            required_member("deductions", amount("Their deductions.")),
        ],
    );
    vec![
        ("PayRun", pay_run),
        ("PayRunTotals", totals),
        ("CompletedPayPeriod", completed),
        ("Completion", completion_schema()),
    ]
}

/// Returns the members of a pay period inside another object.
fn period_members() -> impl Iterator<Item = ObjectMember> {
    described_members(View::Operator, PayPeriod::MEMBERS).chain(totals_members(SchemaUse::Response))
}

/// Returns the member with the totals of a pay period's checks. The server computes the totals, and ignores
/// totals in a request.
pub(super) fn totals_members(purpose: SchemaUse) -> Vec<ObjectMember> {
    let totals = match purpose {
        SchemaUse::Response => reference("Totals"),
        SchemaUse::Request | SchemaUse::Patch => {
            json!({"description": "Accepted so that you can send back a document that you have read. The server ignores it."})
        }
    };
    vec![optional_member("totals", totals)]
}

fn completion_schema() -> Value {
    let amount = json!({"type": "string", "pattern": r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$", "description": "A decimal."});
    let tax = request_object_schema(
        "A tax.",
        SchemaUse::Request,
        [
            required_member("name", plain_text("The name.", OPERATOR_NAME_LENGTH)),
            required_member("amount", amount.clone()),
            required_member(
                "paidBy",
                enumeration("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
        ],
    );
    let deduction = request_object_schema(
        "A deduction.",
        SchemaUse::Request,
        [
            required_member("componentId", id("A pay component that reduces pay.")),
            required_member("amount", amount),
        ],
    );
    let check = request_object_schema(
        "The taxes, deductions and number of a check.",
        SchemaUse::Request,
        [
            required_member("paycheckId", id("A check of the period.")),
            optional_member("taxes", list("Taxes.", tax)),
            optional_member("deductions", list("Deductions.", deduction)),
            optional_member("checkNumber", plain_text("The number on the printed check.", 32_u64)),
            optional_member("checkType", plain_text("`Regular` where nothing is said.", 32_u64)),
        ],
    );
    request_object_schema(
        "The document of a completion.",
        SchemaUse::Request,
        [
            optional_member("checks", list("The checks with taxes, deductions or a number.", check)),
            optional_member("allowEmpty", boolean("Complete a period that has no checks.")),
        ],
    )
}

/// Returns the schemas of a request to complete a pay period (specification §11.27).
pub(super) fn completion_request_schemas() -> NamedSchemas {
    let actor = |words| {
        let name = text("The name of the key or the command.");
        object(
            words,
            [
                required_member(
                    "kind",
                    enumeration(
                        "How the change was made: by an operator, an application, a command or the server.",
                        ActorKind::ALL,
                    ),
                ),
                required_member("name", name),
            ],
        )
    };
    let request = object(
        "A request to complete a pay period.",
        [
            required_member("companyId", id("The company.")),
            required_member("payPeriodId", id("The pay period.")),
            required_member("payPeriodETag", text("The `ETag` of the pay period when it was requested.")),
            required_member("requestedBy", actor("The operator who requested it.")),
            required_member("requestedDate", instant("The time of the request.")),
            optional_member(
                "approvedBy",
                actor("The operator who approved it, which completed the pay period."),
            ),
            optional_member("approvedDate", instant("The time of the approval.")),
            required_member("totals", reference("Totals")),
        ],
    );
    vec![("CompletionRequest", request)]
}

/// Returns the schema of a request to reverse a check (specification §10.20).
pub(super) fn reversal_schemas() -> NamedSchemas {
    let members = [required_member("paycheckId", id("A check of a processed pay period of the company."))];
    vec![("Reversal", request_object_schema("The check to reverse.", SchemaUse::Request, members))]
}

/// Returns the schema of a check of the payroll register (specification §11.24).
pub(super) fn register_schemas() -> NamedSchemas {
    let lines = |name, words| optional_member(name, list(words, reference("ProcessedCheckLine")));
    let check = object(
        "A check of the payroll register.",
        [
            required_member("payPeriodId", id("The pay period.")),
            required_member("paycheckId", id("The check.")),
            optional_member("checkCorrelationId", text("The application's id of it.")),
            required_member("checkDate", date("The day of payment.")),
            required_member("workerId", id("The worker who is paid.")),
            optional_member("employeeId", text("The number that the company knows the worker by.")),
            optional_member("familyName", text("The worker's family name.")),
            optional_member("givenName", text("The worker's given name.")),
            optional_member("checkType", text("`Regular`, …, once it is processed.")),
            optional_member("checkNumber", text("The number on the printed check.")),
            optional_member("reversalOf", id("The completed check that this check reverses.")),
            required_member("final", boolean("Whether it is processed.")),
            required_member("grossEarnings", amount("The gross earnings of the worker.")),
            optional_member("netPay", amount("The net pay of the worker, once the period is processed.")),
            lines("earnings", "Lines that are paid."),
            lines("deductions", "Lines that reduce the pay."),
            lines("informational", "Informational lines."),
            optional_member("taxes", list("Taxes.", reference("CheckTax"))),
        ],
    );
    vec![("RegisterCheck", check)]
}

pub(super) fn preview_schemas() -> NamedSchemas {
    let totals = object(
        "The totals of the checks of a pay period.",
        [
            required_member("checks", non_negative_integer("The number of checks.")),
            required_member("workers", non_negative_integer("The number of workers who are paid.")),
            required_member("grossEarnings", amount("The gross earnings.")),
            optional_member(
                "netPay",
                amount("The net pay. Only in a processed period, like the members after it."),
            ),
            optional_member("employeeTaxes", amount("The taxes that are withheld from the workers.")),
            optional_member("employerTaxes", amount("The taxes that the company pays.")),
            required_member("deductions", amount("The deductions.")),
            optional_member(
                "employerCost",
                amount("The gross earnings and the taxes that the company pays."),
            ),
        ],
    );
    let check = object(
        "The amounts of a check.",
        [
            required_member("paycheckId", id("The check.")),
            required_member("workerId", id("The worker who is paid.")),
            required_member("grossEarnings", amount("The gross earnings of the worker.")),
            required_member("employeeTaxes", amount("The taxes that are withheld from the workers.")),
            required_member("deductions", amount("The deductions.")),
            required_member("netPay", amount("The net pay of the worker.")),
        ],
    );
    let warning = object(
        "A warning, which does not prevent the completion.",
        [
            required_member("warning", enumeration("The kind.", WarningKind::ALL)),
            optional_member("workerId", id("The worker.")),
            optional_member("paycheckId", id("The check.")),
            required_member("description", text("A sentence.")),
        ],
    );
    vec![("Totals", totals), ("CheckPay", check), ("Warning", warning)]
}
