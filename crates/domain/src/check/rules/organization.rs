//! Rules about the organization to which a line is booked (specification §7.4).

use crate::check::case::LineWithFacts;
use crate::code::Reason;
use crate::report::Report;

/// API-40: the company must have the organization.
pub(in crate::check) fn require_organization_of_the_company(case: &LineWithFacts<'_>, report: &mut Report) {
    if case.draft.organization_id.is_present() && case.organization.is_none() {
        let description = "organizationId is unknown: this company has no such organization";
        report.add(Reason::InvalidParameter, case.draft.organization_id_location(), description);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::test_data::{check_with_line, facts, find_faults, validate_json};

    #[test]
    fn rejects_an_unknown_organization() {
        for (organization, expected) in [
            (
                json!({"organizationId": "elsewhere"}),
                Some("API-40 /0/earnings/0/organization/organizationId"),
            ),
            (json!({"organizationId": "no id!"}), Some("API-40 /0/earnings/0/organization/organizationId")),
            (json!({"organizationId": 7}), Some("API-48 /0/earnings/0/organization/organizationId")),
            (json!("unit"), Some("API-48 /0/earnings/0/organization")),
            (json!({"name": "Kitchen"}), None),
            (json!({}), None),
            (json!(null), None),
        ] {
            let line = json!({"componentId": "hourly", "payHours": 8, "organization": organization});
            assert_eq!(find_faults(&check_with_line(line)), Vec::from_iter(expected), "{organization}");
        }
    }

    #[test]
    fn the_line_gets_the_name_of_its_organization() {
        let unit = json!({"organizationId": "unit", "name": "Something else"});
        let line = json!({"componentId": "hourly", "payHours": 8, "organization": unit});
        let checks = validate_json(&check_with_line(line).to_string(), &facts()).unwrap();
        assert_eq!(checks[0].lines[0].organization.as_ref().unwrap().name, "Kitchen");
    }
}
