//! What contact types hold (specification §11.8): the one short list whose elements have a list.

use payroll_domain::company::{ContactType, RelationshipType};
use serde::Serialize;

use crate::shared::wire::described::DescribedResource;

/// A contact type.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContactTypeResource<'a> {
    contact_type_id: &'a str,
    contact_type_name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relationship_types: Vec<DescribedResource<'a, RelationshipType>>,
}

impl<'a> ContactTypeResource<'a> {
    pub(crate) fn new(contact_type: &'a ContactType) -> Self {
        Self {
            contact_type_id: contact_type.contact_type_id.as_str(),
            contact_type_name: &contact_type.contact_type_name,
            relationship_types: contact_type.relationship_types.iter().map(DescribedResource::bare).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples::id;
    use payroll_domain::company::{CalculationBase, CustomEmploymentType};

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
            DescribedResource::bare(&base),
            ContactTypeResource::new(&contact),
            DescribedResource::with_links(&hybrid, Vec::new()),
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
