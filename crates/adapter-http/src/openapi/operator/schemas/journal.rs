//! The journal of a pay period (specification §11.25).

use payroll_domain::check::PaidBy;
use payroll_domain::pay_component::EffectOnPay;

use super::super::super::schema::{
    amount_schema, date_schema, enumeration_schema, id_schema, list_schema, object_schema, optional,
    required, schema_reference, text_schema,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn journal_schemas() -> NamedSchemas {
    let entry = object_schema(
        "An entry of the journal: a debit or a credit.",
        [
            required("account", text_schema("The name of the account that is debited or credited.")),
            optional("debit", amount_schema("The debited amount. Absent if the entry is a credit.")),
            optional("credit", amount_schema("The credited amount. Absent if the entry is a debit.")),
            required(
                "kind",
                enumeration_schema("The kind of amount that the entry contains.", ["COMPONENT", "TAX"]),
            ),
            optional("componentId", id_schema("The pay component whose lines the entry sums up.")),
            required("name", text_schema("The name of the pay component or the tax.")),
            optional(
                "effectOnPay",
                enumeration_schema("The effect of the lines of the pay component on pay.", EffectOnPay::ALL),
            ),
            optional(
                "paidBy",
                enumeration_schema("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
            optional("organizationId", id_schema("The organizational unit that the lines are booked on.")),
            optional("organizationName", text_schema("The name of the organizational unit.")),
            optional("organizationNumber", text_schema("The number of the organizational unit.")),
        ],
    );
    let journal = object_schema(
        "The journal of a pay period.",
        [
            required("payPeriodId", id_schema("The pay period.")),
            required("checkDate", date_schema("The day on which the workers are paid.")),
            required("totalDebit", amount_schema("The sum of the debits.")),
            required(
                "totalCredit",
                amount_schema("The sum of the credits, which equals the sum of the debits."),
            ),
            required(
                "entries",
                list_schema(
                    "The debits and credits of the journal, by account.",
                    schema_reference("JournalEntry"),
                ),
            ),
        ],
    );
    vec![("Journal", journal), ("JournalEntry", entry)]
}
