//! Converts the communications of contacts to rows of one table, and back. Communications are telephones,
//! addresses and e-mail addresses.

use super::{
    ContactEmail, ContactPostal, ContactTelecom, EntityCommunication, PersonCommunication, TelecomType,
    WorkerContact,
};
use crate::company::UsageType;
use crate::description::described;
use crate::description::kinds::{Country, Email, Enumeration, Identifier, Subdivision, Text};
use crate::id::{CommunicationId, ContactId};
use crate::named::named_enum;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};

named_enum! {
    /// The kind of communication in a row.
    ContactCommunicationKind {
        /// The row is a telephone.
        Telecom = "TELECOM",
        /// The row is a postal address.
        Postal = "POSTAL",
        /// The row is an e-mail address.
        Email = "EMAIL",
    }
}

described! {
    /// A telephone, an address or an e-mail address of a contact.
    pub struct ContactCommunication {
        /// Id of the contact.
        "contactId" contact_id: required ContactId as Identifier;
        /// The id of the telephone or address, unique within the contact.
        "communicationId" communication_id: required CommunicationId as Identifier;
        /// Kind of communication in the row.
        "kind" kind: required ContactCommunicationKind as Enumeration;
        /// The kind of device of a telephone.
        "type" telecom_type: optional TelecomType as Enumeration;
        /// The purpose of a telephone or an e-mail address.
        "usageType" usage_type: optional UsageType as Enumeration;
        /// The country calling code of a telephone.
        "dialCountry" dial_country: optional String as Text<MAX_CODE_LENGTH>;
        /// The area code of a telephone.
        "dialArea" dial_area: optional String as Text<MAX_CODE_LENGTH>;
        /// The telephone number without the country and area codes.
        "dialNumber" dial_number: optional String as Text<MAX_CODE_LENGTH>;
        /// The extension of a telephone.
        "extension" dial_extension: optional String as Text<MAX_CODE_LENGTH>;
        /// The e-mail address, such as `ana@example.com`.
        "uri" uri: optional String as Email;
        /// The street of a postal address.
        "streetLineOne" street_line_one: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The second street line of a postal address.
        "streetLineTwo" street_line_two: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The post office box of a postal address.
        "postOfficeBox" post_office_box: optional String as Text<MAX_CODE_LENGTH>;
        /// The city of a postal address.
        "city" city: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The postal code of a postal address.
        "postalCode" postal_code: optional String as Text<MAX_CODE_LENGTH>;
        /// The second part of the ISO 3166-2 code of a postal address.
        "countrySubdivisionCode" country_subdivision_code: optional String as Subdivision;
        /// The ISO 3166 alpha-2 code of the country of a postal address.
        "countryCode" country_code: optional String as Country;
    }
}

impl ContactCommunication {
    fn new_without_details(
        contact_id: &ContactId,
        id: Option<&CommunicationId>,
        kind: ContactCommunicationKind,
    ) -> Option<Self> {
        Some(Self {
            contact_id: contact_id.clone(),
            communication_id: id?.clone(),
            kind,
            telecom_type: None,
            usage_type: None,
            dial_country: None,
            dial_area: None,
            dial_number: None,
            dial_extension: None,
            uri: None,
            street_line_one: None,
            street_line_two: None,
            post_office_box: None,
            city: None,
            postal_code: None,
            country_subdivision_code: None,
            country_code: None,
        })
    }

    fn from_telecom(contact_id: &ContactId, from: &ContactTelecom) -> Option<Self> {
        let id = from.communication_id.as_ref();
        Some(Self {
            telecom_type: from.telecom_type,
            usage_type: from.usage_type,
            dial_country: from.dial_country.clone(),
            dial_area: from.dial_area.clone(),
            dial_number: Some(from.dial_number.clone()),
            dial_extension: from.extension.clone(),
            ..Self::new_without_details(contact_id, id, ContactCommunicationKind::Telecom)?
        })
    }

    fn from_postal(contact_id: &ContactId, from: &ContactPostal) -> Option<Self> {
        let id = from.communication_id.as_ref();
        Some(Self {
            street_line_one: from.street_line_one.clone(),
            street_line_two: from.street_line_two.clone(),
            post_office_box: from.post_office_box.clone(),
            city: from.city.clone(),
            postal_code: from.postal_code.clone(),
            country_subdivision_code: from.country_subdivision_code.clone(),
            country_code: from.country_code.clone(),
            ..Self::new_without_details(contact_id, id, ContactCommunicationKind::Postal)?
        })
    }

    fn from_email(contact_id: &ContactId, from: &ContactEmail) -> Option<Self> {
        let id = from.communication_id.as_ref();
        Some(Self {
            uri: Some(from.uri.clone()),
            usage_type: from.usage_type,
            ..Self::new_without_details(contact_id, id, ContactCommunicationKind::Email)?
        })
    }

    fn into_telecom(self) -> Option<ContactTelecom> {
        Some(ContactTelecom {
            communication_id: Some(self.communication_id),
            dial_country: self.dial_country,
            dial_area: self.dial_area,
            dial_number: self.dial_number?,
            telecom_type: self.telecom_type,
            usage_type: self.usage_type,
            extension: self.dial_extension,
        })
    }

    fn into_postal(self) -> ContactPostal {
        ContactPostal {
            communication_id: Some(self.communication_id),
            street_line_one: self.street_line_one,
            street_line_two: self.street_line_two,
            post_office_box: self.post_office_box,
            city: self.city,
            postal_code: self.postal_code,
            country_subdivision_code: self.country_subdivision_code,
            country_code: self.country_code,
        }
    }

    fn into_email(self) -> Option<ContactEmail> {
        let (communication_id, usage_type) = (Some(self.communication_id), self.usage_type);
        Some(ContactEmail { communication_id, uri: self.uri?, usage_type })
    }
}

impl WorkerContact {
    /// Returns the communications of the contact as rows. A contact that was read from a document has all the
    /// ids that the rows require.
    #[must_use]
    pub fn communications(&self) -> Vec<ContactCommunication> {
        let id = &self.contact_id;
        let (mut telecom, mut postal, mut email) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(of) = self.relationship.person.as_ref().and_then(|it| it.communication.as_ref()) {
            telecom.extend(&of.telecom);
            postal.extend(&of.postal);
            email.extend(&of.email);
        }
        if let Some(of) = self.relationship.entity.as_ref().and_then(|it| it.communication.as_ref()) {
            telecom.extend(&of.telecom);
            postal.extend(&of.postal);
            email.extend(&of.email);
        }
        let telecom = telecom.into_iter().filter_map(|it| ContactCommunication::from_telecom(id, it));
        let postal = postal.into_iter().filter_map(|it| ContactCommunication::from_postal(id, it));
        let email = email.into_iter().filter_map(|it| ContactCommunication::from_email(id, it));
        telecom.chain(postal).chain(email).collect()
    }

    /// Returns the contact with the communications of the rows. `None` if a row is invalid, or if an entity
    /// has two rows of a kind, such as two telephones.
    #[must_use]
    pub fn with_communications(mut self, rows: Vec<ContactCommunication>) -> Option<Self> {
        let mut all = PersonCommunication::default();
        for row in rows {
            match row.kind {
                ContactCommunicationKind::Telecom => all.telecom.push(row.into_telecom()?),
                ContactCommunicationKind::Postal => all.postal.push(row.into_postal()),
                ContactCommunicationKind::Email => all.email.push(row.into_email()?),
            }
        }
        match (&mut self.relationship.person, &mut self.relationship.entity) {
            (Some(person), None) => person.communication = Some(all),
            (None, Some(entity)) => {
                let PersonCommunication { telecom, postal, email } = all;
                entity.communication = Some(EntityCommunication {
                    telecom: take_only_element(telecom)?,
                    postal: take_only_element(postal)?,
                    email: take_only_element(email)?,
                });
            }
            (None, None) | (Some(_), Some(_)) => return None,
        }
        Some(self)
    }
}

/// Returns the only element of a list, or `Some(None)` if the list is empty. Returns `None` if the list has
/// several elements.
fn take_only_element<T>(mut elements: Vec<T>) -> Option<Option<T>> {
    let first = elements.pop();
    elements.is_empty().then_some(first)
}
