//! Pay periods, the input and the result of their completion, and completion requests (specification §11.18,
//! §11.19, §11.23, §11.27).

use payroll_domain::audit::ActorKind;
use payroll_domain::check::{PaidBy, WarningKind};
use payroll_domain::description::{Described, MemberView};
use payroll_domain::pay_period::PayPeriod;
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    ObjectMember, amount, boolean, date, described_members, enumeration, id, instant, integer, list, object,
    optional, plain_text, reference, required, text,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn pay_period_schemas() -> NamedSchemas {
    let completed = object(
        "A completed pay period with its totals, or the preview of a completion.",
        period_members().map(ObjectMember::or_absent).chain([
            optional(
                "checks",
                list("In a preview: the amounts of each check that has no faults.", reference("CheckPay")),
            ),
            optional(
                "faults",
                list("In a preview: faults that would prevent the completion.", reference("Error")),
            ),
            optional(
                "warnings",
                list("In a preview: the warnings, which do not prevent the completion.", reference("Warning")),
            ),
            optional("warningsLeftOut", integer("In a preview: the number of warnings that are not listed.")),
        ]),
    );
    let pay_run = object(
        "A pay period that is open or in processing, with its company.",
        [
            required("companyId", id("The company.")),
            required("displayId", text("The company's account number.")),
            required("legalName", text("The company's name.")),
        ]
        .into_iter()
        .chain(period_members()),
    );
    let totals = object(
        "The sums over pay runs.",
        [
            required("payRuns", integer("Pay runs.")),
            required("checks", integer("Their checks.")),
            required("grossEarnings", amount("The gross earnings of those checks.")),
            required("deductions", amount("Their deductions.")),
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
    described_members(MemberView::Operator, PayPeriod::MEMBERS).chain(totals_members(SchemaUse::Response))
}

/// Returns the member with the totals of a pay period's checks. The server computes the totals, and ignores
/// totals in a request.
pub(super) fn totals_members(purpose: SchemaUse) -> Vec<ObjectMember> {
    let totals = match purpose {
        SchemaUse::Response => reference("Totals"),
        SchemaUse::Request | SchemaUse::Patch => {
            json!({"description": "The server ignores this member, so you can send back a document that you \
                have read."})
        }
    };
    vec![optional("totals", totals)]
}

fn completion_schema() -> Value {
    let amount = json!({"type": "string", "pattern": r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$", "description": "A decimal."});
    let tax = request_object_schema(
        "A tax.",
        SchemaUse::Request,
        [
            required("name", plain_text("The name.", OPERATOR_NAME_LENGTH)),
            required("amount", amount.clone()),
            required(
                "paidBy",
                enumeration("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
        ],
    );
    let deduction = request_object_schema(
        "A deduction.",
        SchemaUse::Request,
        [required("componentId", id("A pay component that reduces pay.")), required("amount", amount)],
    );
    let check = request_object_schema(
        "The taxes, deductions and number of a check.",
        SchemaUse::Request,
        [
            required("paycheckId", id("A check of the period.")),
            optional("taxes", list("Taxes.", tax)),
            optional("deductions", list("Deductions.", deduction)),
            optional("checkNumber", plain_text("The number on the printed check.", 32_u64)),
            optional("checkType", plain_text("Default: `Regular`.", 32_u64)),
        ],
    );
    request_object_schema(
        "The document of a completion.",
        SchemaUse::Request,
        [
            optional("checks", list("The checks with taxes, deductions or a number.", check)),
            optional("allowEmpty", boolean("Complete a period that has no checks.")),
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
                required(
                    "kind",
                    enumeration(
                        "How the change was made: by an operator, an application, a command or the server.",
                        ActorKind::ALL,
                    ),
                ),
                required("name", name),
            ],
        )
    };
    let request = object(
        "A request to complete a pay period.",
        [
            required("companyId", id("The company.")),
            required("payPeriodId", id("The pay period.")),
            required("payPeriodETag", text("The `ETag` of the pay period when it was requested.")),
            required("requestedBy", actor("The operator who requested it.")),
            required("requestedDate", instant("The time of the request.")),
            optional("approvedBy", actor("The operator whose approval completed the pay period.")),
            optional("approvedDate", instant("The time of the approval.")),
            required("totals", reference("Totals")),
        ],
    );
    vec![("CompletionRequest", request)]
}

/// Returns the schema of a request to reverse a check (specification §10.20).
pub(super) fn reversal_schemas() -> NamedSchemas {
    let members = [required("paycheckId", id("A check of a processed pay period of the company."))];
    vec![("Reversal", request_object_schema("The check to reverse.", SchemaUse::Request, members))]
}

/// Returns the schema of a check of the payroll register (specification §11.24).
pub(super) fn register_schemas() -> NamedSchemas {
    let lines = |name, words| optional(name, list(words, reference("ProcessedCheckLine")));
    let check = object(
        "A check of the payroll register.",
        [
            required("payPeriodId", id("The pay period.")),
            required("paycheckId", id("The check.")),
            optional("checkCorrelationId", text("The application's own id of the check.")),
            required("checkDate", date("The day of payment.")),
            required("workerId", id("The worker who is paid.")),
            optional("employeeId", text("The worker's number in the company.")),
            optional("familyName", text("The worker's family name.")),
            optional("givenName", text("The worker's given name.")),
            optional(
                "checkType",
                text("The type, such as `Regular`. Only present in processed pay periods."),
            ),
            optional("checkNumber", text("The number on the printed check.")),
            optional("reversalOf", id("The completed check that this check reverses.")),
            required("final", boolean("Whether the pay period of the check is processed.")),
            required("grossEarnings", amount("The gross earnings of the worker.")),
            optional("netPay", amount("The net pay of the worker. Only present in processed pay periods.")),
            lines("earnings", "Lines of pay components that add to the pay."),
            lines("deductions", "Lines of pay components that reduce the pay."),
            lines("informational", "Informational lines."),
            optional("taxes", list("Taxes.", reference("CheckTax"))),
        ],
    );
    vec![("RegisterCheck", check)]
}

pub(super) fn preview_schemas() -> NamedSchemas {
    let totals = object(
        "The totals of the checks of a pay period.",
        [
            required("checks", integer("The number of checks.")),
            required("workers", integer("The number of workers who are paid.")),
            required("grossEarnings", amount("The gross earnings.")),
            optional(
                "netPay",
                amount(
                    "The net pay. This member and the ones after it are only present in \
                processed pay periods.",
                ),
            ),
            optional("employeeTaxes", amount("The taxes that are withheld from the workers.")),
            optional("employerTaxes", amount("The taxes that the company pays.")),
            required("deductions", amount("The deductions.")),
            optional("employerCost", amount("The gross earnings and the taxes that the company pays.")),
        ],
    );
    let check = object(
        "The amounts of a check.",
        [
            required("paycheckId", id("The check.")),
            required("workerId", id("The worker who is paid.")),
            required("grossEarnings", amount("The gross earnings of the worker.")),
            required("employeeTaxes", amount("The taxes that are withheld from the workers.")),
            required("deductions", amount("The deductions.")),
            required("netPay", amount("The net pay of the worker.")),
        ],
    );
    let warning = object(
        "A warning, which does not prevent the completion.",
        [
            required("warning", enumeration("The kind.", WarningKind::ALL)),
            optional("workerId", id("The worker.")),
            optional("paycheckId", id("The check.")),
            required("description", text("A sentence.")),
        ],
    );
    vec![("Totals", totals), ("CheckPay", check), ("Warning", warning)]
}
