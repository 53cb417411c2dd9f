//! The tables of workers and of their data.

use super::rows::Rows;
use super::treatment::Anonymisation::{
    Absent, Amount, Birthday, Code, DepositValue, Email, LegalId, Name, Number, Rate, RecurringValue,
    SetByTarget, Sex,
};

pub(super) const OF_WORKERS: &[(&str, Rows)] = &[
    (
        "assignment_distributions",
        Rows::Copied {
            copied_columns: "company_id worker_id position job_id labor_assignment_id value",
            changed: &[],
        },
    ),
    (
        "contact_communications",
        Rows::Copied {
            copied_columns: "company_id worker_id position contact_id communication_id kind telecom_type usage_type \
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
            ],
        },
    ),
    (
        "direct_deposits",
        Rows::Copied {
            copied_columns: "company_id worker_id direct_deposit_id position start_date payment_type account_type \
                routing_number priority status pending_payment_type requested_by requested_date",
            changed: &[
                ("value", DepositValue("payment_type")),
                ("account_number", Code),
                ("pending_value", DepositValue("pending_payment_type")),
            ],
        },
    ),
    ("due_statuses", Rows::Copied { copied_columns: "company_id worker_id due_date", changed: &[] }),
    (
        "federal_taxes",
        Rows::Copied {
            copied_columns: "company_id worker_id filing_status multiple_jobs extra_withholding_percentage taxes_withheld \
                override_withholding_percentage",
            changed: &[
                ("override_withholding_amount", Amount),
                ("dependents_amount", Amount),
                ("other_income", Amount),
                ("deductions_amount", Amount),
                ("extra_withholding_amount", Amount),
            ],
        },
    ),
    (
        "pay_rates",
        Rows::Copied {
            copied_columns: "company_id worker_id rate_id position rate_number rate_type standard_hours \
                standard_overtime is_default start_date effective_date",
            changed: &[("description", Name("Note")), ("amount", Rate)],
        },
    ),
    (
        "recurring_components",
        Rows::Copied {
            copied_columns: "company_id worker_id worker_component_id position component_id calculation_type \
                calculation_base_id start_date end_date effective_date check_limit_type frequency_applied \
                frequency_occurrence effected_checks",
            changed: &[
                ("first_interval", Code),
                ("second_interval", Code),
                ("value", RecurringValue),
                ("check_limit_starts_at", Amount),
                ("check_limit_stops_at", Amount),
                ("check_limit_amount", Amount),
            ],
        },
    ),
    (
        "state_taxes",
        Rows::Copied {
            copied_columns: "company_id worker_id country_subdivision_code position is_resident_state \
                state_allocation_percent additional_percent tax_status_type override_percent",
            changed: &[
                ("filing_status_type", Name("Status")),
                ("additional_amount", Amount),
                ("flat_dollar_override", Amount),
                ("exemption_reason_description", Name("Reason")),
            ],
        },
    ),
    (
        "state_tax_deductions",
        Rows::Copied {
            copied_columns: "company_id worker_id country_subdivision_code deduction_id position quantity",
            changed: &[("name", Name("Deduction")), ("amount", Amount)],
        },
    ),
    (
        "status_history",
        Rows::Copied {
            copied_columns: "company_id worker_id position worker_status_id status_type status_reason effective_date \
                status_order",
            changed: &[],
        },
    ),
    (
        "time_off",
        Rows::Copied {
            copied_columns: "company_id worker_id policy_id position balance measure",
            changed: &[("time_off_type", Name("Time off")), ("name", Name("Policy"))],
        },
    ),
    (
        "worker_contacts",
        Rows::Copied {
            copied_columns: "company_id worker_id contact_id position contact_type_id relationship_id relation_weid \
                relationship_type_id is_primary entity_id",
            changed: &[
                ("family_name", Name("Name")),
                ("given_name", Name("Name")),
                ("middle_name", Name("Name")),
                ("preferred_name", Name("Name")),
                ("qualification_affix_code", Absent),
                ("title_affix_code", Absent),
                ("entity_name", Name("Company")),
            ],
        },
    ),
    // The day may be a birth date.
    (
        "worker_custom_fields",
        Rows::Copied {
            copied_columns: "company_id worker_id worker_custom_field_id position custom_field_id dropdown_id numeric_value \
                boolean_value start_date end_date",
            changed: &[("text_value", Name("Value")), ("date_value", Birthday)],
        },
    ),
    (
        "workers",
        Rows::Copied {
            copied_columns: "company_id worker_id created worker_type employment_type custom_employment_type_id \
                exemption_type work_state hire_date legal_id_type location_id job_id \
                labor_assignment_id job_title_id organization_id supervisor_id worker_status_id \
                status_type status_reason status_effective_date version modified standard_pay_frequency \
                standard_hours overtime_factor i9_status i9_completed_date i9_expiration_date",
            changed: &[
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
