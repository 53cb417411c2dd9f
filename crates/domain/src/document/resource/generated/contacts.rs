//! Generators of workers' contacts, for property tests.

use super::RandomSource;
use crate::company::UsageType;
use crate::worker::{
    ContactEmail, ContactEntity, ContactPerson, ContactPostal, ContactRelationship, ContactTelecom,
    EntityCommunication, PersonCommunication, TelecomType, WorkerContact, contacts,
};

impl RandomSource {
    /// Generates contacts of distinct contact types. Each contact is therefore the primary one of its type.
    pub(super) fn random_contacts(&mut self) -> Vec<WorkerContact> {
        let mut all = self.random_list(Self::random_contact);
        contacts::fill_missing_contact_data(&mut all);
        all
    }

    fn random_contact(&mut self) -> WorkerContact {
        let is_person = self.random_bool();
        WorkerContact {
            contact_id: self.random_id(),
            contact_type_id: self.random_id(),
            relationship: ContactRelationship {
                relationship_id: self.random_option(Self::random_id),
                related_id: self.random_option(Self::random_id),
                relationship_type_id: self.random_option(Self::random_id),
                primary: self.random_bool(),
                person: is_person.then(|| self.random_contact_person()),
                entity: (!is_person).then(|| self.random_contact_entity()),
            },
        }
    }

    fn random_contact_person(&mut self) -> ContactPerson {
        let mut communication = PersonCommunication {
            telecom: self.random_list(Self::random_telecom),
            postal: self.random_list(Self::random_postal),
            email: Vec::new(),
        };
        communication.email.push(self.random_email());
        ContactPerson { name: self.random_name(), communication: Some(communication) }
    }

    fn random_contact_entity(&mut self) -> ContactEntity {
        let communication = EntityCommunication {
            telecom: Some(self.random_telecom()),
            postal: self.random_option(Self::random_postal),
            email: self.random_option(Self::random_email),
        };
        ContactEntity {
            entity_id: self.random_option(Self::random_id),
            entity_name: self.random_text(100),
            communication: Some(communication),
        }
    }

    fn random_telecom(&mut self) -> ContactTelecom {
        ContactTelecom {
            communication_id: self.random_option(Self::random_id),
            dial_country: self.random_option(Self::random_code),
            dial_area: self.random_option(Self::random_code),
            dial_number: self.random_code(),
            telecom_type: self.random_option(|dice| dice.random_element(TelecomType::ALL)),
            usage_type: self.random_option(|dice| dice.random_element(UsageType::ALL)),
            extension: self.random_option(Self::random_code),
        }
    }

    fn random_postal(&mut self) -> ContactPostal {
        ContactPostal {
            communication_id: self.random_option(Self::random_id),
            street_line_one: Some(self.random_text(100)),
            street_line_two: self.random_option(|dice| dice.random_text(100)),
            post_office_box: self.random_option(Self::random_code),
            city: self.random_option(|dice| dice.random_text(100)),
            postal_code: self.random_option(Self::random_code),
            country_subdivision_code: self.random_option(Self::random_state),
            country_code: self.random_option(|dice| dice.random_element(&["US", "CA"]).to_owned()),
        }
    }

    fn random_email(&mut self) -> ContactEmail {
        ContactEmail {
            communication_id: self.random_option(Self::random_id),
            uri: format!("{}@example.org", self.random_word()),
            usage_type: self.random_option(|dice| dice.random_element(UsageType::ALL)),
        }
    }
}
