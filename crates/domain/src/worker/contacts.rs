//! Contacts of a worker: persons and entities to contact, for example in an emergency (specification §6.23).

#[cfg(feature = "server")]
mod stored;

use std::collections::HashSet;

use crate::code::Reason;
use crate::company::UsageType;
use crate::description::described;
use crate::description::kinds::{Country, Email, Enumeration, Flag, Identifier, Subdivision, Text};
#[cfg(feature = "server")]
use crate::description::objects::StoredInSeparateTable;
#[cfg(feature = "server")]
use crate::description::objects::stored::StoredObjectKind;
use crate::description::objects::{InParentRow, ListKind, ObjectKind, Readable, SeparateTable, references};
#[cfg(feature = "server")]
use crate::description::{Cell, Column, Described, MemberShape, MemberValue, RemainingCells, Seal};
use crate::id::{
    CommunicationId, ContactEntryId, ContactId, ContactTypeId, EntityId, Id, RelationshipId,
    RelationshipTypeId,
};
use crate::named::named_enum;
use crate::object::reader::ObjectReader;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};
use crate::person_name::Name;
#[cfg(feature = "server")]
pub use stored::ContactCommunication;

references! {
    /// A reference to a contact type of the company.
    ToContactType by ContactTypeId "contactTypeId" in "contact_type_id", with ["contactTypeName"];
    /// A reference to a relationship type of the contact type.
    ToRelationshipType by RelationshipTypeId "relationshipTypeId"
        in "relationship_type_id", with ["relationshipTypeName"];
}

named_enum! {
    /// The kind of device that a telephone number of a contact reaches.
    TelecomType {
        /// A telephone at a fixed place.
        Phone = "PHONE",
        /// A mobile or cell phone.
        MobilePhone = "MOBILE_PHONE",
        /// A fax machine's number.
        Fax = "FAX",
        /// A pager or beeper number.
        Pager = "PAGER",
    }
}

described! {
    /// A contact of a worker: a person or an entity.
    pub struct WorkerContact {
        /// The id of the contact, unique among the worker's contacts.
        "contactId" contact_id: required ContactId as Identifier;
        /// The type of the contact.
        "contactType" contact_type_id: required_object ContactTypeId as ToContactType;
        /// The person or entity, and the relationship to the worker.
        "relationship" relationship: required_object ContactRelationship as ContactRelationshipKind;
    }
}

described! {
    /// The person or entity of a contact, and the relationship to the worker.
    pub struct ContactRelationship {
        /// The id of the relationship to the worker. Default: the id of the contact.
        "relationshipId" relationship_id: optional RelationshipId as Identifier;
        /// The id of the person or entity that is the contact. Default: the id of the contact.
        "relationWeid" related_id: optional ContactEntryId as Identifier, in "relation_weid";
        /// The type of the relationship, which must be allowed for the contact type.
        "relationshipType" relationship_type_id:
            optional_object RelationshipTypeId as ToRelationshipType;
        /// Whether this is the primary contact of the worker for the contact type. Each type has one.
        "primary" primary: flag bool as Flag, in "is_primary";
        /// The person. Absent if the contact is an entity.
        "person" person: optional_object ContactPerson as ContactPersonKind;
        /// The entity, such as a company. Absent if the contact is a person.
        "entity" entity: optional_object ContactEntity as ContactEntityKind;
    }
}

described! {
    /// A person who is a contact.
    pub struct ContactPerson {
        /// The name of the person.
        "name" name: required_object Name as InParentRow;
        /// The telephones and addresses of the person, of which there is at least one.
        "communication" communication: optional_object PersonCommunication as ContactCommunicationsKind;
    }
}

described! {
    /// An entity that is a contact.
    pub struct ContactEntity {
        /// The id of the entity that is the contact. Default: the id of the contact.
        "entityId" entity_id: optional EntityId as Identifier;
        /// The name of the entity.
        "entityName" entity_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The telephone and addresses of the entity, of which there is at least one.
        "communication" communication: optional_object EntityCommunication as ContactCommunicationsKind;
    }
}

described! {
    /// The telephones and addresses of a person.
    #[derive(Default)]
    pub struct PersonCommunication {
        /// The telephones of the person.
        "telecom" telecom: list ContactTelecom as SeparateTable;
        /// The postal addresses of the person.
        "postal" postal: list ContactPostal as PostalKind;
        /// The e-mail addresses of the person.
        "email" email: list ContactEmail as SeparateTable;
    }
}

described! {
    /// The telephone and addresses of an entity.
    #[derive(Default)]
    pub struct EntityCommunication {
        /// The telephone of the entity.
        "telecom" telecom: optional_object ContactTelecom as SeparateTable;
        /// The postal address of the entity.
        "postal" postal: optional_object ContactPostal as PostalKind;
        /// The e-mail address of the entity.
        "email" email: optional_object ContactEmail as SeparateTable;
    }
}

described! {
    /// A telephone of a contact.
    pub struct ContactTelecom {
        /// The id of the telephone or address, unique within the contact.
        "communicationId" communication_id: optional CommunicationId as Identifier;
        /// The country calling code of the telephone number, such as 1.
        "dialCountry" dial_country: optional String as Text<MAX_CODE_LENGTH>;
        /// The area code of the telephone number, such as 602.
        "dialArea" dial_area: optional String as Text<MAX_CODE_LENGTH>;
        /// The telephone number without country and area code.
        "dialNumber" dial_number: required String as Text<MAX_CODE_LENGTH>;
        /// The kind of device: phone, mobile phone, fax or pager.
        "type" telecom_type: optional TelecomType as Enumeration;
        /// The purpose of the telephone.
        "usageType" usage_type: optional UsageType as Enumeration;
        /// The extension of the telephone number.
        "extension" extension: optional String as Text<MAX_CODE_LENGTH>;
    }
}

described! {
    /// A postal address of a contact.
    pub struct ContactPostal {
        /// The id of the telephone or address, unique within the contact.
        "communicationId" communication_id: optional CommunicationId as Identifier;
        /// The street of the postal address. Required if there is no post office box.
        "streetLineOne" street_line_one: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The second street line of the postal address.
        "streetLineTwo" street_line_two: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The post office box of the postal address.
        "postOfficeBox" post_office_box: optional String as Text<MAX_CODE_LENGTH>;
        /// The city of the postal address.
        "city" city: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The postal code or ZIP code of the address.
        "postalCode" postal_code: optional String as Text<MAX_CODE_LENGTH>;
        /// The second part of the ISO 3166-2 code, such as AZ.
        "countrySubdivisionCode" country_subdivision_code: optional String as Subdivision;
        /// The ISO 3166 alpha-2 code of the country.
        "countryCode" country_code: optional String as Country;
    }
}

described! {
    /// An e-mail address of a contact.
    pub struct ContactEmail {
        /// The id of the telephone or address, unique within the contact.
        "communicationId" communication_id: optional CommunicationId as Identifier;
        /// The e-mail address, such as `ana@example.com`.
        "uri" uri: required String as Email;
        /// The purpose of the e-mail address.
        "usageType" usage_type: optional UsageType as Enumeration;
    }
}

/// Reads the relationship of a contact, which contains a person or an entity but not both.
pub(crate) struct ContactRelationshipKind;

impl ObjectKind<ContactRelationship> for ContactRelationshipKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<ContactRelationship> {
        let relationship = ContactRelationship::read(object)?;
        let (person, entity) = (relationship.person.is_some(), relationship.entity.is_some());
        if !person && !entity {
            object.report_fault(Reason::FieldMissing, "person", "is missing: send a person or an entity");
        }
        if person && entity {
            let rule = "must be absent if the contact has a person: send one of the two";
            object.report_fault(Reason::FieldAmbiguous, "entity", rule);
        }
        Some(relationship)
    }
}

/// Reads a person who is a contact. The person is stored in columns of the contact.
pub(crate) struct ContactPersonKind;

impl ObjectKind<ContactPerson> for ContactPersonKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<ContactPerson> {
        let person = ContactPerson::read(object)?;
        if person.communication.is_none() {
            object.report_fault(Reason::FieldMissing, "communication", "is missing");
        }
        Some(person)
    }
}

/// Reads an entity that is a contact. The entity is stored in columns of the contact.
pub(crate) struct ContactEntityKind;

impl ObjectKind<ContactEntity> for ContactEntityKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<ContactEntity> {
        let entity = ContactEntity::read(object)?;
        if entity.communication.is_none() {
            object.report_fault(Reason::FieldMissing, "communication", "is missing");
        }
        Some(entity)
    }
}

/// Declares that objects of the given kinds are stored in columns of the parent's table.
#[cfg(feature = "server")]
macro_rules! declare_kinds_stored_in_parent_row {
    ($($kind:ident of $object:ident;)*) => { $(
        impl StoredObjectKind<$object> for $kind {
            const COLUMNS: &'static [Column] = $object::COLUMNS;

            fn shape() -> MemberShape {
                MemberShape::Object($object::MEMBERS)
            }

            fn show_value(value: &$object, show: &mut dyn FnMut(MemberValue<'_>)) {
                show(MemberValue::Object(value));
            }

            fn append_cells(value: Option<&$object>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
                <InParentRow as StoredObjectKind<$object>>::append_cells(value, seal, cells)
            }

            fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<$object>> {
                <InParentRow as StoredObjectKind<$object>>::take_from_cells(cells, seal)
            }
        }
    )* };
}
#[cfg(feature = "server")]
declare_kinds_stored_in_parent_row! {
    ContactRelationshipKind of ContactRelationship;
    ContactPersonKind of ContactPerson;
    ContactEntityKind of ContactEntity;
}

/// Reads the communications of a contact. At least one communication is required.
pub(crate) struct ContactCommunicationsKind;

#[cfg(feature = "server")]
impl StoredInSeparateTable for ContactCommunicationsKind {}

/// The error text for a contact without a telephone and without an address.
const NO_COMMUNICATION_RULE: &str = "is missing: a contact has at least one of telecom, postal and email";

impl ObjectKind<PersonCommunication> for ContactCommunicationsKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<PersonCommunication> {
        let PersonCommunication { telecom, postal, email } = PersonCommunication::read(object)?;
        if telecom.is_empty() && postal.is_empty() && email.is_empty() {
            object.report_fault(Reason::FieldMissing, "telecom", NO_COMMUNICATION_RULE);
        }
        Some(PersonCommunication { telecom, postal, email })
    }
}

impl ObjectKind<EntityCommunication> for ContactCommunicationsKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<EntityCommunication> {
        let read = EntityCommunication::read(object)?;
        if read.telecom.is_none() && read.postal.is_none() && read.email.is_none() {
            object.report_fault(Reason::FieldMissing, "telecom", NO_COMMUNICATION_RULE);
        }
        Some(read)
    }
}

/// Reads a postal address of a contact, which must have a street or a post office box.
pub(crate) struct PostalKind;

#[cfg(feature = "server")]
impl StoredInSeparateTable for PostalKind {}

impl ObjectKind<ContactPostal> for PostalKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<ContactPostal> {
        let postal = ContactPostal::read(object)?;
        if postal.street_line_one.is_none() && postal.post_office_box.is_none() {
            object.report_fault(Reason::FieldMissing, "streetLineOne", "is required without postOfficeBox");
        }
        Some(postal)
    }
}

impl ListKind<ContactPostal> for PostalKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<ContactPostal>> {
        object.read_list(name, <Self as ObjectKind<ContactPostal>>::read)
    }
}

/// Reads the list of a worker's contacts and adds missing ids and primary contacts.
pub(crate) struct ContactListKind;

impl ListKind<WorkerContact> for ContactListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<WorkerContact>> {
        let mut contacts = object.read_list(name, WorkerContact::read)?;
        fill_missing_contact_data(&mut contacts);
        Some(contacts)
    }
}

/// Completes contacts: adds missing ids inside the contacts, and makes the first contact of a type primary if
/// the type has no primary contact.
pub(crate) fn fill_missing_contact_data(contacts: &mut [WorkerContact]) {
    let is_primary = |contact: &&WorkerContact| contact.relationship.primary;
    let mut settled: HashSet<ContactTypeId> =
        contacts.iter().filter(is_primary).map(|contact| contact.contact_type_id.clone()).collect();
    for contact in contacts {
        if settled.insert(contact.contact_type_id.clone()) {
            contact.relationship.primary = true;
        }
        contact.fill_missing_ids();
    }
}

impl WorkerContact {
    fn fill_missing_ids(&mut self) {
        let id = self.contact_id.as_str();
        let relationship = &mut self.relationship;
        derive_missing_id(&mut relationship.relationship_id, id);
        derive_missing_id(&mut relationship.related_id, id);
        if let Some(entity) = &mut relationship.entity {
            derive_missing_id(&mut entity.entity_id, id);
        }
        let mut used_ids: HashSet<CommunicationId> = HashSet::new();
        self.for_each_communication_id(&mut |own, _| used_ids.extend(own.clone()));
        let mut number = 0;
        self.for_each_communication_id(&mut |own, kind| {
            while own.is_none() {
                number += 1;
                *own = format!("{kind}{number}").parse().ok().filter(|id| !used_ids.contains(id));
            }
        });
    }

    /// Calls `visit` for each communication, with its id and with a letter for its kind. A new id starts
    /// with that letter.
    fn for_each_communication_id(&mut self, visit: &mut dyn FnMut(&mut Option<CommunicationId>, char)) {
        let ContactRelationship { person, entity, .. } = &mut self.relationship;
        if let Some(of) = person.as_mut().and_then(|person| person.communication.as_mut()) {
            of.telecom.iter_mut().for_each(|it| visit(&mut it.communication_id, 'T'));
            of.postal.iter_mut().for_each(|it| visit(&mut it.communication_id, 'P'));
            of.email.iter_mut().for_each(|it| visit(&mut it.communication_id, 'E'));
        }
        if let Some(of) = entity.as_mut().and_then(|entity| entity.communication.as_mut()) {
            of.telecom.iter_mut().for_each(|it| visit(&mut it.communication_id, 'T'));
            of.postal.iter_mut().for_each(|it| visit(&mut it.communication_id, 'P'));
            of.email.iter_mut().for_each(|it| visit(&mut it.communication_id, 'E'));
        }
    }

    /// Returns the ids of the communications, with their pointers in the relationship.
    pub(crate) fn communication_ids(&self) -> Vec<(String, &str)> {
        let ContactRelationship { person, entity, .. } = &self.relationship;
        let mut ids = Vec::new();
        if let Some(of) = person.as_ref().and_then(|person| person.communication.as_ref()) {
            let at = |(kind, index): (&str, usize)| format!("person/communication/{kind}/{index}");
            let telecom = of.telecom.iter().enumerate();
            ids.extend(telecom.map(|(index, it)| (at(("telecom", index)), &it.communication_id)));
            let postal = of.postal.iter().enumerate();
            ids.extend(postal.map(|(index, it)| (at(("postal", index)), &it.communication_id)));
            let email = of.email.iter().enumerate();
            ids.extend(email.map(|(index, it)| (at(("email", index)), &it.communication_id)));
        }
        if let Some(of) = entity.as_ref().and_then(|entity| entity.communication.as_ref()) {
            let at = |kind: &str| format!("entity/communication/{kind}");
            ids.extend(of.telecom.iter().map(|it| (at("telecom"), &it.communication_id)));
            ids.extend(of.postal.iter().map(|it| (at("postal"), &it.communication_id)));
            ids.extend(of.email.iter().map(|it| (at("email"), &it.communication_id)));
        }
        ids.into_iter().filter_map(|(place, id)| Some((place, id.as_ref()?.as_str()))).collect()
    }
}

fn derive_missing_id<K>(id: &mut Option<Id<K>>, contact_id: &str) {
    if id.is_none() {
        *id = contact_id.parse().ok();
    }
}
