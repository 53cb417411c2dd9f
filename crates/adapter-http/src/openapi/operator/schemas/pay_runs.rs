//! Pay periods, the input and the result of their completion, and completion requests (specification §11.18,
//! §11.19, §11.23, §11.27).

use payroll_domain::audit::ActorKind;
use payroll_domain::check::{PaidBy, WarningKind};
use payroll_domain::description::{Described, MemberView};
use payroll_domain::pay_period::PayPeriod;
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    ObjectMember, amount_schema, boolean_schema, date_schema, described_members, enumeration_schema,
    id_schema, instant_schema, integer_schema, list_schema, object_schema, optional, plain_text_schema,
    required, schema_reference, text_schema,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn pay_period_schemas() -> NamedSchemas {
    let completed = object_schema(
        "A completed pay period with its totals, or the preview of a completion.",
        period_members().map(ObjectMember::or_absent).chain([
            optional(
                "checks",
                list_schema(
                    "The amounts of each check that has no faults. Only present in a preview.",
                    schema_reference("CheckPay"),
                ),
            ),
            optional(
                "faults",
                list_schema(
                    "The faults that would prevent the completion. Only present in a preview.",
                    schema_reference("Error"),
                ),
            ),
            optional(
                "warnings",
                list_schema(
                    "The warnings, which do not prevent the completion. Only present in a preview.",
                    schema_reference("Warning"),
                ),
            ),
            optional(
                "warningsLeftOut",
                integer_schema("The number of warnings that the preview does not list."),
            ),
        ]),
    );
    let pay_run = object_schema(
        "A pay period that is open or in processing, with its company.",
        [
            required("companyId", id_schema("The company.")),
            required("displayId", text_schema("The company's account number.")),
            required("legalName", text_schema("The company's name.")),
        ]
        .into_iter()
        .chain(period_members()),
    );
    let totals = object_schema(
        "The totals of the selected pay runs.",
        [
            required("payRuns", integer_schema("The number of pay runs.")),
            required("checks", integer_schema("The number of checks in the pay runs.")),
            required("grossEarnings", amount_schema("The sum of the gross earnings in the pay runs.")),
            required("deductions", amount_schema("The sum of the deductions in the pay runs.")),
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
        SchemaUse::Response => schema_reference("Totals"),
        SchemaUse::Request | SchemaUse::Patch => {
            json!({"description": "The server ignores this member, so you can send back a document that you \
                have read."})
        }
    };
    vec![optional("totals", totals)]
}

fn completion_schema() -> Value {
    let amount = json!({"type": "string", "pattern": r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$", "description": "The amount, as a decimal string."});
    let tax = request_object_schema(
        "A tax on the check.",
        SchemaUse::Request,
        [
            required("name", plain_text_schema("The name of the tax.", OPERATOR_NAME_LENGTH)),
            required("amount", amount.clone()),
            required(
                "paidBy",
                enumeration_schema("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
        ],
    );
    let deduction = request_object_schema(
        "A deduction from the check.",
        SchemaUse::Request,
        [required("componentId", id_schema("A pay component that reduces pay.")), required("amount", amount)],
    );
    let check = request_object_schema(
        "The taxes, deductions and number of a check.",
        SchemaUse::Request,
        [
            required("paycheckId", id_schema("A check of the pay period.")),
            optional("taxes", list_schema("The taxes on the check.", tax)),
            optional("deductions", list_schema("The deductions from the check.", deduction)),
            optional("checkNumber", plain_text_schema("The number on the printed check.", 32_u64)),
            optional("checkType", plain_text_schema("The type of the check. Default: `Regular`.", 32_u64)),
        ],
    );
    request_object_schema(
        "The taxes, deductions and numbers of checks with which a pay period is completed.",
        SchemaUse::Request,
        [
            optional(
                "checks",
                list_schema("The checks that have taxes, deductions, a number or a type.", check),
            ),
            optional(
                "allowEmpty",
                boolean_schema("Whether to complete a pay period that has no checks. Default: false."),
            ),
        ],
    )
}

/// Returns the schemas of a request to complete a pay period (specification §11.27).
pub(super) fn completion_request_schemas() -> NamedSchemas {
    let actor = |words| {
        let name = text_schema("The name of the operator key or of the command.");
        object_schema(
            words,
            [
                required(
                    "kind",
                    enumeration_schema(
                        "How the change was made: by an operator, an application, a command or the server.",
                        ActorKind::ALL,
                    ),
                ),
                required("name", name),
            ],
        )
    };
    let request = object_schema(
        "A request to complete a pay period.",
        [
            required("companyId", id_schema("The company.")),
            required("payPeriodId", id_schema("The pay period.")),
            required(
                "payPeriodETag",
                text_schema("The `ETag` of the pay period when its completion was requested."),
            ),
            required("requestedBy", actor("The operator who requested the completion.")),
            required("requestedDate", instant_schema("The time at which the completion was requested.")),
            optional("approvedBy", actor("The operator whose approval completed the pay period.")),
            optional("approvedDate", instant_schema("The time at which the completion was approved.")),
            required("totals", schema_reference("Totals")),
        ],
    );
    vec![("CompletionRequest", request)]
}

/// Returns the schema of a request to reverse a check (specification §10.20).
pub(super) fn reversal_schemas() -> NamedSchemas {
    let members = [required("paycheckId", id_schema("A check of a processed pay period of the company."))];
    vec![("Reversal", request_object_schema("The check to reverse.", SchemaUse::Request, members))]
}

/// Returns the schema of a check of the payroll register (specification §11.24).
pub(super) fn register_schemas() -> NamedSchemas {
    let lines = |name, words| optional(name, list_schema(words, schema_reference("ProcessedCheckLine")));
    let check = object_schema(
        "A check of the payroll register.",
        [
            required("payPeriodId", id_schema("The pay period.")),
            required("paycheckId", id_schema("The check.")),
            optional("checkCorrelationId", text_schema("The application's own id of the check.")),
            required("checkDate", date_schema("The day on which the worker is paid.")),
            required("workerId", id_schema("The worker who is paid.")),
            optional("employeeId", text_schema("The worker's number in the company.")),
            optional("familyName", text_schema("The worker's family name.")),
            optional("givenName", text_schema("The worker's given name.")),
            optional(
                "checkType",
                text_schema(
                    "The type of the check, such as `Regular`. Only present in processed pay periods.",
                ),
            ),
            optional("checkNumber", text_schema("The number on the printed check.")),
            optional("reversalOf", id_schema("The completed check that this check reverses.")),
            required("final", boolean_schema("Whether the pay period of the check is processed.")),
            required("grossEarnings", amount_schema("The gross earnings of the check.")),
            optional(
                "netPay",
                amount_schema("The net pay of the check. Only present in processed pay periods."),
            ),
            lines("earnings", "Lines of pay components that add to the pay."),
            lines("deductions", "Lines of pay components that reduce the pay."),
            lines("informational", "Informational lines, which do not change the pay."),
            optional("taxes", list_schema("The taxes on the check.", schema_reference("CheckTax"))),
        ],
    );
    vec![("RegisterCheck", check)]
}

pub(super) fn preview_schemas() -> NamedSchemas {
    let totals = object_schema(
        "The totals of the checks of a pay period.",
        [
            required("checks", integer_schema("The number of checks in the pay period.")),
            required("workers", integer_schema("The number of workers whom the checks pay.")),
            required("grossEarnings", amount_schema("The gross earnings of the checks.")),
            optional(
                "netPay",
                amount_schema(
                    "The net pay of the checks. Only present in processed pay periods, previews and \
                completion requests, like the taxes and the employer cost.",
                ),
            ),
            optional("employeeTaxes", amount_schema("The taxes that are withheld from the pay.")),
            optional("employerTaxes", amount_schema("The taxes that the company pays as employer.")),
            required("deductions", amount_schema("The deductions from the checks.")),
            optional(
                "employerCost",
                amount_schema("The sum of the gross earnings and the taxes that the company pays."),
            ),
        ],
    );
    let check = object_schema(
        "The amounts of a check.",
        [
            required("paycheckId", id_schema("The check.")),
            required("workerId", id_schema("The worker who is paid.")),
            required("grossEarnings", amount_schema("The gross earnings of the check.")),
            required("employeeTaxes", amount_schema("The taxes that are withheld from the pay.")),
            required("deductions", amount_schema("The deductions from the check.")),
            required("netPay", amount_schema("The net pay of the check.")),
        ],
    );
    let warning = object_schema(
        "A warning, which does not prevent the completion.",
        [
            required("warning", enumeration_schema("The kind of warning.", WarningKind::ALL)),
            optional("workerId", id_schema("The worker.")),
            optional("paycheckId", id_schema("The check.")),
            required("description", text_schema("A sentence that describes the warning.")),
        ],
    );
    vec![("Totals", totals), ("CheckPay", check), ("Warning", warning)]
}
