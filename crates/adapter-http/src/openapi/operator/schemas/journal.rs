//! The journal of a pay period (specification §11.25).

use payroll_domain::check::PaidBy;
use payroll_domain::pay_component::EffectOnPay;

use super::super::super::schema::{
    amount, date, enumeration, id, list, object, optional_member, reference, required_member, text,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn journal_schemas() -> NamedSchemas {
    let entry = object(
        "A debit or a credit of the journal.",
        [
            required_member("account", text("The account.")),
            optional_member("debit", amount("The debited amount. Absent in a credit.")),
            optional_member("credit", amount("The credited amount. Absent in a debit.")),
            required_member(
                "kind",
                enumeration("The kind of amount that the entry contains.", ["COMPONENT", "TAX"]),
            ),
            optional_member("componentId", id("The pay component.")),
            required_member("name", text("The name of the component or the tax.")),
            optional_member(
                "effectOnPay",
                enumeration("The effect of the component's lines on pay.", EffectOnPay::ALL),
            ),
            optional_member(
                "paidBy",
                enumeration("The payer of the tax: the employee or the employer.", PaidBy::ALL),
            ),
            optional_member("organizationId", id("The unit that the lines are booked on.")),
            optional_member("organizationName", text("The name.")),
            optional_member("organizationNumber", text("The number.")),
        ],
    );
    let journal = object(
        "The journal of a pay period.",
        [
            required_member("payPeriodId", id("The pay period.")),
            required_member("checkDate", date("The day of payment.")),
            required_member("totalDebit", amount("The sum of the debits.")),
            required_member("totalCredit", amount("The sum of the credits, which is the same.")),
            required_member("entries", list("Debits and credits, by account.", reference("JournalEntry"))),
        ],
    );
    vec![("Journal", journal), ("JournalEntry", entry)]
}
