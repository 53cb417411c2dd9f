//! What the short lists of a company hold: calculation bases, contact types, custom employment
//! types (specification §11.4, §11.8, §11.9).

use payroll_domain::company::{CalculationBase, ContactType, CustomEmploymentType, RelationshipType};
use serde::Serialize;

use crate::shared::wire::link::Link;

/// A calculation base.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalculationBaseResource<'a> {
    calculation_base_id: &'a str,
    calculation_base_name: &'a str,
}

/// A contact type.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContactTypeResource<'a> {
    contact_type_id: &'a str,
    contact_type_name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relationship_types: Vec<RelationshipTypeResource<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RelationshipTypeResource<'a> {
    relationship_type_id: &'a str,
    relationship_type_name: &'a str,
}

/// A custom employment type. It has no address of its own, so its links are none.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CustomEmploymentTypeResource<'a> {
    custom_employment_type_id: &'a str,
    custom_employment_type_name: &'a str,
    links: [Link<'a>; 0],
}

impl<'a> CalculationBaseResource<'a> {
    pub(crate) fn new(base: &'a CalculationBase) -> Self {
        Self {
            calculation_base_id: base.calculation_base_id.as_str(),
            calculation_base_name: &base.calculation_base_name,
        }
    }
}

impl<'a> ContactTypeResource<'a> {
    pub(crate) fn new(contact_type: &'a ContactType) -> Self {
        let relationship = |one: &'a RelationshipType| RelationshipTypeResource {
            relationship_type_id: one.relationship_type_id.as_str(),
            relationship_type_name: &one.relationship_type_name,
        };
        Self {
            contact_type_id: contact_type.contact_type_id.as_str(),
            contact_type_name: &contact_type.contact_type_name,
            relationship_types: contact_type.relationship_types.iter().map(relationship).collect(),
        }
    }
}

impl<'a> CustomEmploymentTypeResource<'a> {
    pub(crate) fn new(employment_type: &'a CustomEmploymentType) -> Self {
        Self {
            custom_employment_type_id: employment_type.custom_employment_type_id.as_str(),
            custom_employment_type_name: &employment_type.custom_employment_type_name,
            links: [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples::id;

    #[test]
    fn the_members_of_the_short_lists_carry_the_names_of_the_specification() {
        let base = CalculationBase {
            calculation_base_id: id("B"),
            calculation_base_name: "All earnings".to_owned(),
        };
        let spouse =
            RelationshipType { relationship_type_id: id("R"), relationship_type_name: "Spouse".to_owned() };
        let contact = ContactType {
            contact_type_id: id("C"),
            contact_type_name: "Emergency Contact".to_owned(),
            relationship_types: vec![spouse],
        };
        let hybrid = CustomEmploymentType {
            custom_employment_type_id: id("E"),
            custom_employment_type_name: "Hybrid".to_owned(),
        };
        let json = serde_json::to_string(&(
            CalculationBaseResource::new(&base),
            ContactTypeResource::new(&contact),
            CustomEmploymentTypeResource::new(&hybrid),
        ));
        let expected = concat!(
            r#"[{"calculationBaseId":"B","calculationBaseName":"All earnings"},"#,
            r#"{"contactTypeId":"C","contactTypeName":"Emergency Contact","relationshipTypes":"#,
            r#"[{"relationshipTypeId":"R","relationshipTypeName":"Spouse"}]},"#,
            r#"{"customEmploymentTypeId":"E","customEmploymentTypeName":"Hybrid","links":[]}]"#,
        );
        assert_eq!(json.unwrap(), expected);
    }
}
