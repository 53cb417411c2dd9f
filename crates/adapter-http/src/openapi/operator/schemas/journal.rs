//! The journal of a pay period (specification §11.25).

use payroll_domain::check::PaidBy;
use payroll_domain::pay_component::EffectOnPay;

use super::super::super::schema::{
    amount, date, enumeration, id, list, object, optional, reference, required, text,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn journal_schemas() -> NamedSchemas {
    let entry = object(
        "An entry of the journal: a debit or a credit.",
        [
            required("account", text("The account.")),
            optional("debit", amount("The debited amount. Absent in a credit.")),
            optional("credit", amount("The credited amount. Absent in a debit.")),
            required(
                "kind",
                enumeration("The kind of amount that the entry contains.", ["COMPONENT", "TAX"]),
            ),
            optional("componentId", id("The pay component.")),
            required("name", text("The name of the component or the tax.")),
            optional(
                "effectOnPay",
                enumeration("The effect of the component's lines on pay.", EffectOnPay::ALL),
            ),
            optional(
                "paidBy",
                enumeration("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
            optional("organizationId", id("The organizational unit that the lines are booked on.")),
            optional("organizationName", text("The name.")),
            optional("organizationNumber", text("The number.")),
        ],
    );
    let journal = object(
        "The journal of a pay period.",
        [
            required("payPeriodId", id("The pay period.")),
            required("checkDate", date("The day of payment.")),
            required("totalDebit", amount("The sum of the debits.")),
            required("totalCredit", amount("The sum of the credits, which equals the sum of the debits.")),
            required("entries", list("Debits and credits, by account.", reference("JournalEntry"))),
        ],
    );
    vec![("Journal", journal), ("JournalEntry", entry)]
}
