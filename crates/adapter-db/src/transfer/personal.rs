//! The treatment of each column in an anonymised copy. This list is the only place that defines it.
//!
//! Unchanged are ids, words of the API, instants, dates except birth dates, and numbers that are not money.
//! Every free text is replaced, since it may contain the name of a person. Tables whose texts cannot be
//! replaced safely are omitted. So are tables with credentials, because credentials for the original must not
//! give access to the copy.
//!
//! If a table or column is not listed here, the copy is rejected. A test compares this list with the schema
//! of both databases.

mod of_workers;
mod rows;
mod treatment;

use std::sync::LazyLock;

use crate::rows::plain;

use self::of_workers::OF_WORKERS;
pub(super) use self::rows::Rows;
pub(super) use self::treatment::Anonymisation;
use self::treatment::Anonymisation::{
    Absent, Authentication, CheckType, Code, Correlation, DefaultText, DisplayKey, Email, HookAddress, Kept,
    LegalId, Name, Number, OfCheck, Off, SameAs, SetByTarget, SigningSecret, Total, Zero,
};

/// The treatment of that table. `None` if it is not listed.
pub(super) fn rows_of(table: &str) -> Option<&'static Rows> {
    TABLES.iter().find(|(name, _)| *name == table).map(|(_, rows)| *rows)
}

/// The treatment of that column. `None` if it is not listed.
pub(super) fn treatment_of(table: &str, column: &str) -> Option<Anonymisation> {
    match rows_of(table)? {
        Rows::Copied { copied_columns: kept, .. } if kept.split_whitespace().any(|name| name == column) => {
            Some(Kept)
        }
        Rows::Copied { changed, .. } => {
            changed.iter().find(|(name, _)| *name == column).map(|(_, treatment)| *treatment)
        }
        Rows::Plain(plain) if plain.copied_columns.split_whitespace().any(|name| name == column) => {
            Some(Kept)
        }
        Rows::Plain(plain) => {
            let replaced = plain.replaced.iter().find(|(name, _)| *name == column);
            replaced.map(|(_, replacement)| Anonymisation::for_plain(*replacement))
        }
        Rows::LeftOut => Some(Absent),
    }
}

/// Every table except internal ones of each database.
static TABLES: LazyLock<Vec<(&str, &Rows)>> = LazyLock::new(|| {
    static PLAIN: LazyLock<Vec<(&str, Rows)>> =
        LazyLock::new(|| plain::tables().map(|table| (table.name, Rows::Plain(table))).collect());
    OWN.iter().chain(OF_WORKERS).chain(PLAIN.iter()).map(|(name, rows)| (*name, rows)).collect()
});

/// The tables except those of plain objects and of workers.
const OWN: &[(&str, Rows)] = &[
    // The original's access links must not give access to the copy.
    ("access_requests", Rows::LeftOut),
    (
        "applications",
        Rows::Copied {
            copied_columns: "application_id created enabled client_id correlation_ids_last rate_limit_per_minute \
                webhook_scopes access_version record_version readable_companies",
            changed: &[("name", Name("Application"))],
        },
    ),
    // The rows are compressed, so nothing in them can be replaced.
    ("archived_checks", Rows::LeftOut),
    ("archived_workers", Rows::LeftOut),
    ("check_archives", Rows::LeftOut),
    // These rows contain the responses of receivers.
    ("attempts", Rows::LeftOut),
    // These rows contain documents from before and after each change, and the actor of the change.
    ("audit", Rows::LeftOut),
    (
        "checks",
        Rows::Copied {
            copied_columns: "company_id pay_period_id ordinal paycheck_id worker_id application_id \
                block_auto_distribution reversal_of",
            changed: &[
                ("correlation_id", Correlation),
                ("net_pay", OfCheck),
                ("gross_earnings", OfCheck),
                ("check_type", CheckType),
                ("check_number", Code),
                ("lines", OfCheck),
                ("completion", OfCheck),
            ],
        },
    ),
    (
        "communications",
        Rows::Copied {
            copied_columns: "company_id owner_id communication_id position communication_type usage_type \
                dial_country country_subdivision_code country_code",
            changed: &[
                ("dial_area", Number),
                ("dial_number", Number),
                ("dial_extension", Code),
                ("uri", Email),
                ("street_line_one", Name("Street")),
                ("street_line_two", Name("Street")),
                ("post_office_box", Code),
                ("city", Name("City")),
                ("postal_code", Number),
                ("postal_code_extension", Code),
            ],
        },
    ),
    (
        "companies",
        Rows::Copied {
            copied_columns: "company_id created legal_id_type parent_company_id end_date converting \
                processing_pay_period_id version record_version tax_states",
            changed: &[
                ("display_id", Code),
                ("display_key", DisplayKey),
                ("legal_name", Name("Company")),
                ("legal_id", LegalId),
                ("lock_holder", Absent),
                ("lock_reason", Absent),
                ("lock_expires", Absent),
                ("wages_expense_account", Name("Account")),
                ("wages_payable_account", Name("Account")),
                ("employer_tax_expense_account", Name("Account")),
                ("taxes_payable_account", Name("Account")),
                ("deductions_payable_account", Name("Account")),
            ],
        },
    ),
    // These are files about persons, which cannot be anonymised.
    ("documents", Rows::LeftOut),
    ("blobs", Rows::LeftOut),
    ("unused_blobs", Rows::LeftOut),
    // These rows contain documents of operators, and who requested and approved them.
    ("completion_requests", Rows::LeftOut),
    ("worker_ids", Rows::Copied { copied_columns: "worker_id company_id", changed: &[] }),
    ("paycheck_ids", Rows::Copied { copied_columns: "paycheck_id company_id", changed: &[] }),
    (
        "contact_types",
        Rows::Copied {
            copied_columns: "company_id contact_type_id created version",
            changed: &[("contact_type_name", Name("Contact"))],
        },
    ),
    (
        "custom_field_categories",
        Rows::Copied {
            copied_columns: "company_id category_id created is_default version",
            changed: &[("category_name", Name("Category"))],
        },
    ),
    (
        "custom_fields",
        Rows::Copied {
            copied_columns: "company_id custom_field_id created category_id required check_stub employee_editable \
                field_type max_length version",
            changed: &[("name", Name("Field")), ("default_text", DefaultText)],
        },
    ),
    ("database_marks", Rows::Copied { copied_columns: "mark", changed: &[] }),
    // The copy would send pending deliveries as well.
    ("deliveries", Rows::LeftOut),
    (
        "dropdown_choices",
        Rows::Copied {
            copied_columns: "company_id custom_field_id dropdown_id position is_default",
            changed: &[("choice", Name("Choice"))],
        },
    ),
    (
        "events",
        Rows::Copied {
            copied_columns: "position event_id company_id application_id worker_id pay_period_id domain action \
                as_of",
            changed: &[("transaction_id", SetByTarget)],
        },
    ),
    (
        "grants",
        Rows::Copied {
            copied_columns: "application_id company_id scopes version company_created",
            changed: &[],
        },
    ),
    // A copy sends nothing before an operator activates a hook.
    (
        "hooks",
        Rows::Copied {
            copied_columns: "hook application_id hook_id company_id domains auth_type ordered max_attempts max_per_second \
                created expired version",
            changed: &[
                ("uri", HookAddress),
                ("authentication", Authentication),
                ("signing_secret", SigningSecret),
                ("old_signing_secret", Absent),
                ("old_signing_secret_until", Absent),
                ("active", Off),
                ("disabled", SameAs("created")),
                ("failing_since", Absent),
                ("failures", Zero),
                ("warned", Off),
            ],
        },
    ),
    // These rows contain complete responses.
    ("idempotency_keys", Rows::LeftOut),
    ("noted_requests", Rows::LeftOut),
    // These keys grant access to the operator API and have names of persons.
    ("operator_keys", Rows::LeftOut),
    // Sessions are useless without their keys.
    ("operator_sessions", Rows::LeftOut),
    (
        "organizations",
        Rows::Copied {
            copied_columns: "company_id organization_id created level parent_organization_id version",
            changed: &[("name", Name("Unit")), ("number", Code)],
        },
    ),
    (
        "pay_components",
        Rows::Copied {
            copied_columns: "company_id component_id created code classification_type effect_on_pay start_date \
                end_date applies_to_worker_types overtime required_product version modified",
            changed: &[
                ("name", Name("Component")),
                ("description", Name("Note")),
                ("debit_account", Name("Account")),
                ("credit_account", Name("Account")),
            ],
        },
    ),
    (
        "pay_periods",
        Rows::Copied {
            copied_columns: "company_id pay_period_id created interval_code status start_date end_date \
                submit_by_date check_date check_count version completion_attempt staged_through \
                removed_checks total_workers modified",
            changed: &[
                ("description", Name("Note")),
                ("total_gross_earnings", Total),
                ("total_net_pay", Total),
                ("total_employee_taxes", Total),
                ("total_employer_taxes", Total),
                ("total_deductions", Total),
                // The copy contains no archived blocks, so the instant becomes 0.
                ("checks_archived", Zero),
            ],
        },
    ),
    (
        "products",
        Rows::Copied { copied_columns: "company_id product_code start_date end_date", changed: &[] },
    ),
    (
        "relationship_types",
        Rows::Copied {
            copied_columns: "company_id contact_type_id relationship_type_id position",
            changed: &[("relationship_type_name", Name("Relationship"))],
        },
    ),
    // These rows contain texts from applications, and their requests.
    ("requests", Rows::LeftOut),
    ("request_details", Rows::LeftOut),
    ("secrets", Rows::LeftOut),
];

#[cfg(test)]
mod tests;
