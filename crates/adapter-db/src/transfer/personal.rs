//! The list of all columns with their treatment in an anonymised copy. No other module defines a treatment.
//!
//! These values do not change: ids, enumeration values of the API, instants, dates except birth dates, and
//! numbers that are not money. Every free text is replaced, since it may contain the name of a person. Tables
//! whose texts cannot be replaced safely are omitted. Tables with credentials are omitted too, because
//! credentials for the original must not give access to the copy.
//!
//! If a table or column is not listed here, the copy is rejected. A test compares this list with the schema
//! of both databases.

mod rows;

use std::sync::LazyLock;

use crate::rows::declared;
use crate::rows::stored_table::StoredTable;

pub(super) use self::rows::TableTreatment;
use crate::rows::anonymisation::Anonymisation::{
    self, Absent, Authentication, Birthday, CheckType, Code, Correlation, DefaultText, DisplayKey, False,
    HookAddress, Kept, LegalId, Name, OfCheck, SameAs, SetByTarget, Sex, SigningSecret, Total, Zero,
};

/// Returns the treatment of that table. `None` if the table is not listed.
pub(super) fn treatment_of_table(table: &str) -> Option<&'static TableTreatment> {
    PERSONAL_TABLES.iter().find(|(name, _)| *name == table).map(|(_, rows)| rows)
}

/// Returns the treatment of that column. `None` if the column is not listed.
pub(super) fn treatment_of_column(table: &str, column: &str) -> Option<Anonymisation> {
    match treatment_of_table(table)? {
        TableTreatment::Copied { copied_columns, .. }
            if copied_columns.split_whitespace().any(|name| name == column) =>
        {
            Some(Kept)
        }
        TableTreatment::Copied { changed_columns: changed, .. } => {
            changed.iter().find(|(name, _)| *name == column).map(|(_, treatment)| *treatment)
        }
        TableTreatment::LeftOut => Some(Absent),
    }
}

/// Every table, except the internal ones of each database.
static PERSONAL_TABLES: LazyLock<Vec<(&str, TableTreatment)>> = LazyLock::new(|| {
    let declared = declared::all_tables().map(|table| {
        let StoredTable { name, copied_columns, replaced_columns: replaced, .. } = table;
        (*name, TableTreatment::Copied { copied_columns, changed_columns: replaced })
    });
    UNDECLARED_TABLES.iter().copied().chain(declared).collect()
});

/// The tables that are not declared in the module `rows`.
const UNDECLARED_TABLES: &[(&str, TableTreatment)] = &[
    // The table is omitted, because its rows contain access links of the original. These links must not give
    // access to the copy.
    ("access_requests", TableTreatment::LeftOut),
    (
        "applications",
        TableTreatment::Copied {
            copied_columns: "application_id created enabled client_id correlation_ids_last rate_limit_per_minute \
                webhook_scopes access_version record_version readable_companies",
            changed_columns: &[("name", Name("Application"))],
        },
    ),
    // The tables of archives are omitted, because archived rows are compressed and their values cannot be
    // replaced.
    ("archived_checks", TableTreatment::LeftOut),
    ("archived_workers", TableTreatment::LeftOut),
    ("check_archives", TableTreatment::LeftOut),
    // The table is omitted, because its rows contain the responses of receivers.
    ("attempts", TableTreatment::LeftOut),
    // The table is omitted, because its rows contain documents from before and after each change, and the
    // actor of the change.
    ("audit", TableTreatment::LeftOut),
    (
        "checks",
        TableTreatment::Copied {
            copied_columns: "company_id pay_period_id ordinal paycheck_id worker_id application_id \
                block_auto_distribution reversal_of",
            changed_columns: &[
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
        "companies",
        TableTreatment::Copied {
            copied_columns: "company_id created legal_id_type parent_company_id end_date converting \
                processing_pay_period_id version record_version tax_states",
            changed_columns: &[
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
    // The tables are omitted, because their rows belong to files about persons. Such files cannot be
    // anonymised.
    ("documents", TableTreatment::LeftOut),
    ("blobs", TableTreatment::LeftOut),
    ("unused_blobs", TableTreatment::LeftOut),
    // The table is omitted, because its rows contain documents of operators. The rows also name the persons
    // who requested and approved a completion.
    ("completion_requests", TableTreatment::LeftOut),
    ("worker_ids", TableTreatment::Copied { copied_columns: "worker_id company_id", changed_columns: &[] }),
    (
        "paycheck_ids",
        TableTreatment::Copied { copied_columns: "paycheck_id company_id", changed_columns: &[] },
    ),
    (
        "contact_types",
        TableTreatment::Copied {
            copied_columns: "company_id contact_type_id created version",
            changed_columns: &[("contact_type_name", Name("Contact"))],
        },
    ),
    (
        "custom_field_categories",
        TableTreatment::Copied {
            copied_columns: "company_id category_id created is_default version",
            changed_columns: &[("category_name", Name("Category"))],
        },
    ),
    (
        "custom_fields",
        TableTreatment::Copied {
            copied_columns: "company_id custom_field_id created category_id required check_stub employee_editable \
                field_type max_length version",
            changed_columns: &[("name", Name("Field")), ("default_text", DefaultText)],
        },
    ),
    ("database_marks", TableTreatment::Copied { copied_columns: "mark", changed_columns: &[] }),
    // The table is omitted, because a server on the target would send the pending deliveries a second time.
    ("deliveries", TableTreatment::LeftOut),
    (
        "events",
        TableTreatment::Copied {
            copied_columns: "position event_id company_id application_id worker_id pay_period_id domain action \
                as_of",
            changed_columns: &[("transaction_id", SetByTarget)],
        },
    ),
    (
        "grants",
        TableTreatment::Copied {
            copied_columns: "application_id company_id scopes version company_created",
            changed_columns: &[],
        },
    ),
    // All hooks are inactive in the copy. An operator must activate a hook before a server on the copy sends
    // notifications to it.
    (
        "hooks",
        TableTreatment::Copied {
            copied_columns: "hook application_id hook_id company_id domains auth_type ordered max_attempts max_per_second \
                created expired version",
            changed_columns: &[
                ("uri", HookAddress),
                ("authentication", Authentication),
                ("signing_secret", SigningSecret),
                ("old_signing_secret", Absent),
                ("old_signing_secret_until", Absent),
                ("active", False),
                ("disabled", SameAs("created")),
                ("failing_since", Absent),
                ("failures", Zero),
                ("warned", False),
            ],
        },
    ),
    // The table is omitted, because its rows contain complete responses.
    ("idempotency_keys", TableTreatment::LeftOut),
    ("noted_requests", TableTreatment::LeftOut),
    // The table is omitted, because operator keys grant access to the operator API. Its rows also contain
    // names of persons.
    ("operator_keys", TableTreatment::LeftOut),
    // The table is omitted, because sessions are useless without the operator keys, which are omitted too.
    ("operator_sessions", TableTreatment::LeftOut),
    (
        "organizations",
        TableTreatment::Copied {
            copied_columns: "company_id organization_id created level parent_organization_id version",
            changed_columns: &[("name", Name("Unit")), ("number", Code)],
        },
    ),
    (
        "pay_components",
        TableTreatment::Copied {
            copied_columns: "company_id component_id created code classification_type effect_on_pay start_date \
                end_date applies_to_worker_types overtime required_product version modified",
            changed_columns: &[
                ("name", Name("Component")),
                ("description", Name("Note")),
                ("debit_account", Name("Account")),
                ("credit_account", Name("Account")),
            ],
        },
    ),
    (
        "pay_periods",
        TableTreatment::Copied {
            copied_columns: "company_id pay_period_id created interval_code status start_date end_date \
                submit_by_date check_date check_count version completion_attempt staged_through \
                removed_checks total_workers modified",
            changed_columns: &[
                ("description", Name("Note")),
                ("total_gross_earnings", Total),
                ("total_net_pay", Total),
                ("total_employee_taxes", Total),
                ("total_employer_taxes", Total),
                ("total_deductions", Total),
                // The copy contains no archived checks, so the instant of archiving becomes 0.
                ("checks_archived", Zero),
            ],
        },
    ),
    (
        "products",
        TableTreatment::Copied {
            copied_columns: "company_id product_code start_date end_date",
            changed_columns: &[],
        },
    ),
    // The tables of requests are omitted, because their rows contain texts from applications and from API
    // requests.
    ("requests", TableTreatment::LeftOut),
    ("request_details", TableTreatment::LeftOut),
    ("secrets", TableTreatment::LeftOut),
    (
        "due_statuses",
        TableTreatment::Copied { copied_columns: "company_id worker_id due_date", changed_columns: &[] },
    ),
    (
        "workers",
        TableTreatment::Copied {
            copied_columns: "company_id worker_id created worker_type employment_type custom_employment_type_id \
                exemption_type work_state hire_date legal_id_type location_id job_id \
                labor_assignment_id job_title_id organization_id supervisor_id worker_status_id \
                status_type status_reason status_effective_date version modified standard_pay_frequency \
                standard_hours overtime_factor i9_status i9_completed_date i9_expiration_date",
            changed_columns: &[
                ("employee_id", Code),
                ("clock_id", Code),
                ("birth_date", Birthday),
                ("sex", Sex),
                ("ethnicity_code", Absent),
                ("family_name", Name("Name")),
                ("given_name", Name("Name")),
                ("middle_name", Name("Name")),
                ("preferred_name", Name("Name")),
                ("qualification_affix_code", Absent),
                ("title_affix_code", Absent),
                ("legal_id", LegalId),
                ("job_title", Name("Job")),
                ("last_four_hash", SetByTarget),
                ("last_four_of", SetByTarget),
            ],
        },
    ),
];

#[cfg(test)]
mod tests;
