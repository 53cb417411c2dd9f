//! Parts of the workers in the test data.

use serde_json::{Value, json};

use super::value::with_member;

/// Returns federal tax settings, and the tax settings of two states.
pub(super) fn taxes() -> Value {
    json!({
        "federal": {"filingStatus": "MARRIED_FILING_JOINTLY", "multipleJobs": false, "extraWithholdingAmount": "5",
            "extraWithholdingPercentage": "2"},
        "states": [
            {"countrySubdivisionCode": "NY", "isResidentState": true, "stateAllocationPercent": "60",
                "workerTaxDeductions": [{"workerTaxDeductionId": "ALLOWANCES",
                    "workerTaxDeductionName": "Total Number of Allowances", "quantity": "0"}]},
            {"countrySubdivisionCode": "NJ", "stateAllocationPercent": "40", "additionalAmount": "1.5"},
        ],
    })
}

/// Returns recurring components: union dues, savings with a computed amount, and a bonus that has not
/// started.
pub(super) fn recurring_components() -> Value {
    json!([
        with_member(recurring_component("DUES", "GARNISHMENT", "12.5"), "endDate", "2026-12-31"),
        with_member(recurring_component("DUES-AGAIN", "GARNISHMENT", "13"), "startDate", "2027-01-01"),
        {"workerComponentId": "SAVING", "componentId": "CAR", "calculationType": "PERCENTAGE",
         "calculationBaseId": "BASE-1", "value": "5", "endDate": "2026-12-31"},
        with_member(recurring_component("AHEAD", "BONUS", "100"), "startDate", "2026-07-01"),
    ])
}

/// Returns a recurring component with a flat amount since 2026-01-01.
pub(super) fn recurring_component(id: &str, component: &str, value: &str) -> Value {
    json!({"workerComponentId": id, "componentId": component, "calculationType": "FLAT_DOLLAR_AMOUNT",
        "value": value, "startDate": "2026-01-01"})
}

/// Returns a contact of a worker. The contact is a person.
pub(super) fn contact() -> Value {
    json!({"contactId": "SISTER", "contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {
        "primary": true,
        "person": {"name": {"familyName": "Sample", "givenName": "Cy"}, "communication": {
            "telecom": [{"communicationId": "T1", "dialNumber": "5550190", "type": "PHONE"}],
            "email": [{"communicationId": "E1", "uri": "cy@demo.example"}],
        }},
    }})
}

/// Returns a contact of a worker. The contact is an entity, such as a medical practice.
pub(super) fn doctor_contact() -> Value {
    json!({"contactId": "PRACTICE", "contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {
        "entity": {"entityName": "Practice", "communication": {"telecom": {"dialNumber": "5550191"}}},
    }})
}

/// Returns two values of the custom field for the shirt size: for this year, and for the next year.
pub(super) fn custom_values() -> Value {
    json!([
        {"workerCustomFieldId": "SIZE", "customFieldId": "SHIRT", "dropdownId": "M", "endDate": "2026-12-31"},
        {"workerCustomFieldId": "NEXT-SIZE", "customFieldId": "SHIRT", "dropdownId": "S",
         "startDate": "2027-01-01", "endDate": "2027-12-31"},
    ])
}

/// Returns a telephone of a worker.
pub(super) fn work_phone() -> Value {
    json!({"communicationId": "DESK", "type": "PHONE", "usageType": "BUSINESS", "dialNumber": "5550100"})
}

/// Returns the address of a worker.
pub(super) fn home_address() -> Value {
    json!({
        "communicationId": "HOME", "type": "STREET_ADDRESS", "usageType": "PERSONAL",
        "streetLineOne": "2 Sample Road", "city": "SAMPLETON", "countryCode": "US",
    })
}

/// Returns the remaining time off of the employee.
pub(super) fn time_off() -> Value {
    json!([{"policyId": "VACATION", "type": "Vacation", "name": "Vacation", "balance": "40", "measure": "HOURS"},
           {"policyId": "SICK", "type": "Sick", "name": "Sick leave", "balance": "-7.5", "measure": "HOURS"}])
}

/// Returns the assignment distribution of the worker STARTS-LATER.
pub(super) fn assignment_distributions() -> Value {
    json!([{"jobId": "CAKES", "value": "60"}, {"laborAssignmentId": "NIGHT", "value": "40"}])
}

/// Returns the previous statuses of the colleague.
pub(super) fn statuses() -> Value {
    json!([{"statusType": "TERMINATED", "statusReason": "CUSTOM_UNKNOWN", "effectiveDate": "2024-02-08"}])
}
