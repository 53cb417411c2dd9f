//! Checks that the data of a worker matches the company's definitions. For example, the value of a custom
//! field must have the type of the field.

use std::collections::HashMap;

use crate::code::Reason;
use crate::company::ContactType;
use crate::complete_company::CompleteCompany;
use crate::custom_field::CustomField;
#[cfg(feature = "server")]
use crate::resource::Resource;
use crate::worker::Worker;

/// A member of a worker that does not match its definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionMismatch {
    /// The reason code for the mismatch.
    pub reason: Reason,
    /// JSON Pointer to the member in the worker's document.
    pub pointer: String,
    /// The description of the mismatch, with the name of the member.
    pub sentence: String,
}

/// The definitions of a company to which workers refer.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    custom_fields: HashMap<String, CustomField>,
    contact_types: HashMap<String, ContactType>,
}

#[cfg(feature = "server")]
impl FromIterator<Resource> for Definitions {
    fn from_iter<I: IntoIterator<Item = Resource>>(resources: I) -> Self {
        let mut definitions = Self::default();
        for resource in resources {
            match resource {
                Resource::CustomField(field) => {
                    definitions.custom_fields.insert(field.custom_field_id.to_string(), *field);
                }
                Resource::ContactType(contact_type) => {
                    let id = contact_type.contact_type_id.to_string();
                    definitions.contact_types.insert(id, contact_type);
                }
                _ => {}
            }
        }
        definitions
    }
}

impl Definitions {
    /// Returns the definitions in a company document.
    pub(super) fn from_company(complete: &CompleteCompany) -> Self {
        let fields = complete.custom_fields.iter();
        let types = complete.contact_types.iter();
        Self {
            custom_fields: fields.map(|it| (it.custom_field_id.to_string(), it.clone())).collect(),
            contact_types: types.map(|it| (it.contact_type_id.to_string(), it.clone())).collect(),
        }
    }

    /// Returns the members whose values do not match their definitions. A value whose definition is missing
    /// in `self` is skipped: either the company has no such definition, or the caller did not need to read
    /// it.
    ///
    /// ```
    /// use payroll_domain::document::{Definitions, read_resource_document};
    /// use payroll_domain::{input, resource::{Resource, ResourceKind}};
    /// let field = br#"{"customFieldId": "F", "customFieldName": "Badge", "type": "NUMERIC"}"#;
    /// let field = read_resource_document(ResourceKind::CustomField, &input::parse(field).unwrap()).unwrap();
    /// let worker = br#"{"workerId": "W", "workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Ann"},
    ///     "customFields": [{"workerCustomFieldId": "V", "customFieldId": "F", "textValue": "seven"}]}"#;
    /// let worker = read_resource_document(ResourceKind::Worker, &input::parse(worker).unwrap()).unwrap();
    /// let mismatches = [field].into_iter().collect::<Definitions>().find_mismatches(&worker);
    /// assert_eq!(mismatches[0].pointer, "/customFields/0/textValue");
    /// ```
    #[cfg(feature = "server")]
    #[must_use]
    pub fn find_mismatches(&self, resource: &Resource) -> Vec<DefinitionMismatch> {
        match resource {
            Resource::Worker(worker) => self.find_worker_mismatches(worker, ""),
            _ => Vec::new(),
        }
    }

    /// Returns the mismatches of a worker. `place` is the JSON pointer of the worker's document.
    #[must_use]
    pub fn find_worker_mismatches(&self, worker: &Worker, place: &str) -> Vec<DefinitionMismatch> {
        let mut mismatches = Vec::new();
        for (at, value) in worker.custom_fields.iter().enumerate() {
            let Some(field) = self.custom_fields.get(value.custom_field_id.as_str()) else { continue };
            mismatches.extend(value.find_faults(field).into_iter().map(|(member, reason, sentence)| {
                DefinitionMismatch {
                    reason,
                    pointer: format!("{place}/customFields/{at}/{member}"),
                    sentence,
                }
            }));
        }
        for (at, contact) in worker.contacts.iter().enumerate() {
            let Some(of) = self.contact_types.get(contact.contact_type_id.as_str()) else { continue };
            let named = contact.relationship.relationship_type_id.as_ref();
            let known = || of.relationship_types.iter().map(|it| &it.relationship_type_id);
            if let Some(id) = named.filter(|id| !known().any(|known| known == *id)) {
                let member = "relationship/relationshipType/relationshipTypeId";
                mismatches.push(DefinitionMismatch {
                    reason: Reason::FieldInvalid,
                    pointer: format!("{place}/contacts/{at}/{member}"),
                    sentence: format!("contact type {} has no relationship type {id}", of.contact_type_id),
                });
            }
        }
        mismatches
    }
}
