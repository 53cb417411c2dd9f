//! Generators of workers' contacts, for property tests.

use super::RandomSource;
use crate::company::UsageType;
use crate::worker::{
    ContactEmail, ContactEntity, ContactPerson, ContactPostal, ContactRelationship, ContactTelecom,
    EntityCommunication, PersonCommunication, TelecomType, WorkerContact, contacts,
};

impl RandomSource {
    /// Generates contacts of distinct contact types. Each contact is therefore the primary one of its type.
    pub(super) fn contacts(&mut self) -> Vec<WorkerContact> {
        let mut all = self.short_list(Self::contact);
        contacts::complete_contacts(&mut all);
        all
    }

    fn contact(&mut self) -> WorkerContact {
        let is_person = self.random_bool();
        WorkerContact {
            contact_id: self.id(),
            contact_type_id: self.id(),
            relationship: ContactRelationship {
                relationship_id: self.optional_value(Self::id),
                related_id: self.optional_value(Self::id),
                relationship_type_id: self.optional_value(Self::id),
                primary: self.random_bool(),
                person: is_person.then(|| self.contact_person()),
                entity: (!is_person).then(|| self.contact_entity()),
            },
        }
    }

    fn contact_person(&mut self) -> ContactPerson {
        let mut communication = PersonCommunication {
            telecom: self.short_list(Self::telecom),
            postal: self.short_list(Self::postal),
            email: Vec::new(),
        };
        communication.email.push(self.email());
        ContactPerson { name: self.name(), communication: Some(communication) }
    }

    fn contact_entity(&mut self) -> ContactEntity {
        let communication = EntityCommunication {
            telecom: Some(self.telecom()),
            postal: self.optional_value(Self::postal),
            email: self.optional_value(Self::email),
        };
        ContactEntity {
            entity_id: self.optional_value(Self::id),
            entity_name: self.random_text(100),
            communication: Some(communication),
        }
    }

    fn telecom(&mut self) -> ContactTelecom {
        ContactTelecom {
            communication_id: self.optional_value(Self::id),
            dial_country: self.optional_value(Self::code),
            dial_area: self.optional_value(Self::code),
            dial_number: self.code(),
            telecom_type: self.optional_value(|dice| dice.random_element(TelecomType::ALL)),
            usage_type: self.optional_value(|dice| dice.random_element(UsageType::ALL)),
            extension: self.optional_value(Self::code),
        }
    }

    fn postal(&mut self) -> ContactPostal {
        ContactPostal {
            communication_id: self.optional_value(Self::id),
            street_line_one: Some(self.random_text(100)),
            street_line_two: self.optional_value(|dice| dice.random_text(100)),
            post_office_box: self.optional_value(Self::code),
            city: self.optional_value(|dice| dice.random_text(100)),
            postal_code: self.optional_value(Self::code),
            country_subdivision_code: self.optional_value(Self::state),
            country_code: self.optional_value(|dice| dice.random_element(&["US", "CA"]).to_owned()),
        }
    }

    fn email(&mut self) -> ContactEmail {
        ContactEmail {
            communication_id: self.optional_value(Self::id),
            uri: format!("{}@example.org", self.random_word()),
            usage_type: self.optional_value(|dice| dice.random_element(UsageType::ALL)),
        }
    }
}
