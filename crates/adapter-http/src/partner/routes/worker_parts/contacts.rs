//! The partners' rules for contacts of a worker.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use payroll_domain::code::Reason;
use payroll_domain::company::ContactType;
use payroll_domain::date::Date;
use payroll_domain::document;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::Resource;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::WorkerContact;
use payroll_ports::setup::SetupList;
use payroll_ports::workers::WorkerListKind;
use payroll_ports::{Listing, Window};
use serde_json::Value as Json;

use super::element::text_member;
use crate::partner::call::PartnerCall;
use crate::partner::parts::PartnerListElement;
use crate::shared::error::Failure;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::side::{ElementChange, ElementOperation};

/// The members with the communications of a contact. These members are lists for a person and objects for an
/// entity.
const COMMUNICATION_LISTS: [&str; 3] = ["telecom", "postal", "email"];

/// The contact types of the company.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactTypes {
    by_id: Arc<HashMap<String, ContactType>>,
    /// The version of the company's data, which is part of the entity tag.
    version: i64,
}

impl ContactTypes {
    async fn read(call: &PartnerCall) -> Result<Self, Failure> {
        let (company_id, list) = (call.company_id().await?, SetupList::ContactTypes);
        let found = call.store().setup_list(&call.caller, &company_id, list, Window::default()).await?;
        let (_, Listing { version, rows, .. }) = call.check_access(found)?;
        let rows: Vec<Vec<Resource>> = rows.into_stream().try_collect().await?;
        let types = rows.into_iter().flatten().filter_map(|resource| match resource {
            Resource::ContactType(of) => Some((of.contact_type_id.to_string(), of)),
            _ => None,
        });
        Ok(Self { by_id: Arc::new(types.collect()), version })
    }
}

impl PartnerListElement for WorkerContact {
    const CREATED_STATUS: u16 = 201;
    const STORED_LIST: Option<WorkerListKind> = Some(WorkerListKind::Contacts);
    const HAS_LINKS: bool = false;
    const NESTED_IDS: &'static [&'static str] =
        &["relationshipId", "relationWeid", "entityId", "communicationId"];
    const ADDS_REFERENCED_DATA: bool = true;

    type Facts = ContactTypes;

    async fn read_facts(call: &PartnerCall) -> Result<ContactTypes, Failure> {
        ContactTypes::read(call).await
    }

    fn referenced_data_version(facts: &ContactTypes) -> Option<i64> {
        Some(facts.version)
    }

    /// Adds the names of the contact type and of the relationship type.
    fn add_referenced_data(shown: &mut Json, facts: &ContactTypes) {
        let id = shown.pointer("/contactType/contactTypeId").and_then(Json::as_str);
        let Some(of) = id.and_then(|id| facts.by_id.get(id)) else { return };
        if let Some(members) = shown.pointer_mut("/contactType").and_then(Json::as_object_mut) {
            members.insert("contactTypeName".to_owned(), of.contact_type_name.clone().into());
        }
        let pointer = "/relationship/relationshipType";
        let id = shown.pointer(&format!("{pointer}/relationshipTypeId")).and_then(Json::as_str);
        let named = of.relationship_types.iter().find(|it| Some(it.relationship_type_id.as_str()) == id);
        let name = named.map(|it| it.relationship_type_name.clone());
        let members = shown.pointer_mut(pointer).and_then(Json::as_object_mut);
        if let (Some(members), Some(name)) = (members, name) {
            members.insert("relationshipTypeName".to_owned(), name.into());
        }
    }

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.contacts_of_worker, &types.contact_of_worker]
    }

    fn specific_reason(pointer: &str, reason: Reason) -> Option<Reason> {
        let is_own = matches!(reason, Reason::FieldInvalid | Reason::FieldMissing);
        let mut steps = pointer.rsplit('/').filter(|step| step.parse::<usize>().is_err());
        let (member, kind) = (steps.next()?, steps.next()?);
        match (kind, member) {
            ("email", "uri") if is_own => Some(Reason::EmailInvalid),
            ("telecom", "dialNumber") if is_own => Some(Reason::TelephoneInvalid),
            ("telecom", "dialCountry" | "dialArea" | "extension") if reason == Reason::FieldInvalid => {
                Some(Reason::TelephoneInvalid)
            }
            ("postal", "streetLineOne" | "streetLineTwo") if is_own => Some(Reason::StreetInvalid),
            (_, _) => None,
        }
    }

    /// Removes the ids inside a contact that the server assigns. Ids of stored communications remain, because
    /// they select the communication to change. A client may send a communication of a person as an object,
    /// and a communication of an entity as a list with one element. Both forms are converted to the stored
    /// form.
    fn convert_to_stored_form<'n>(
        sent: &mut Node<'n>,
        stored: Option<&Node<'n>>,
        _: &ContactTypes,
    ) -> Vec<Violation> {
        let mut faults = Vec::new();
        let Some(relationship) = member_mut(sent, "relationship") else { return faults };
        let stored = stored.and_then(|stored| stored.member("relationship"));
        remove_members(relationship, &["relationshipId", "relationWeid"]);
        if let Some(entity) = member_mut(relationship, "entity") {
            remove_members(entity, &["entityId"]);
            let of_entity = member_mut(entity, "communication");
            for communication in entity_communications(of_entity) {
                unwrap_single_element(communication);
                if stored.is_none() {
                    remove_members(communication, &["communicationId"]);
                }
            }
        }
        let pointer = "/relationship/person/communication";
        let stored = stored.and_then(|it| it.member("person")?.member("communication"));
        let of_person = member_mut(relationship, "person").and_then(|it| member_mut(it, "communication"));
        let Some(Value::Object(members)) = of_person.map(|node| &mut node.value) else { return faults };
        for (name, node) in
            members.iter_mut().filter(|(name, _)| COMMUNICATION_LISTS.contains(&name.as_ref()))
        {
            let list = stored.and_then(|stored| stored.member(name)).map(|list| &list.value);
            let list = if let Some(Value::Array(list)) = list { list.as_slice() } else { &[] };
            if let Err(sentence) = object_to_list(node, list) {
                let fault = Violation::new(Reason::FieldAmbiguous, format!("{name} {sentence}"));
                faults.push(fault.at_position(format!("{pointer}/{name}"), DocumentPosition::default()));
            }
            if list.is_empty()
                && let Value::Array(elements) = &mut node.value
            {
                elements.iter_mut().for_each(|element| remove_members(element, &["communicationId"]));
            }
        }
        faults
    }

    fn find_change_faults(change: ElementChange<'_, '_>, _: Date) -> Vec<Violation> {
        let Some(own) = change.after.and_then(contact_identity) else { return Vec::new() };
        if change.operation == ElementOperation::Delete
            || change.before.and_then(contact_identity).as_ref() == Some(&own)
        {
            return Vec::new();
        }
        if !change.others.iter().any(|other| contact_identity(other).as_ref() == Some(&own)) {
            return Vec::new();
        }
        let sentence = "the worker already has a contact of this type with this name";
        vec![
            Violation::new(Reason::AlreadyUsed, sentence)
                .at_position("/contactType", DocumentPosition::default()),
        ]
    }
}

/// Returns the type and the names of a contact, by which duplicates are found; `None` if the contact has no
/// name.
fn contact_identity<'t>(contact: &'t Node<'_>) -> Option<[Option<&'t str>; 4]> {
    let relationship = contact.member("relationship")?;
    let name = relationship.member("person").and_then(|person| person.member("name"));
    let entity = relationship.member("entity");
    let of = |node: Option<&'t Node<'_>>, member| node.and_then(|node| text_member(node, member));
    let type_id = of(contact.member("contactType"), "contactTypeId");
    let names = [of(name, "familyName"), of(name, "givenName"), of(entity, "entityName")];
    let [family, given, entity] = names;
    (family.is_some() || entity.is_some()).then_some([type_id, family, given, entity])
}

fn member_mut<'t, 'n>(node: &'t mut Node<'n>, name: &str) -> Option<&'t mut Node<'n>> {
    let Value::Object(members) = &mut node.value else { return None };
    members.iter_mut().find(|(member, _)| member == name).map(|(_, node)| node)
}

fn remove_members(node: &mut Node<'_>, names: &[&str]) {
    if let Value::Object(members) = &mut node.value {
        members.retain(|(name, _)| !names.contains(&name.as_ref()));
    }
}

/// Iterates over the communications of an entity: telephone, address and e-mail.
fn entity_communications<'t, 'n>(of: Option<&'t mut Node<'n>>) -> impl Iterator<Item = &'t mut Node<'n>> {
    let members = match of.map(|node| &mut node.value) {
        Some(Value::Object(members)) => members.as_mut_slice(),
        _ => &mut [],
    };
    members.iter_mut().filter(|(name, _)| COMMUNICATION_LISTS.contains(&name.as_ref())).map(|(_, node)| node)
}

/// Replaces a list with one element by the element.
fn unwrap_single_element(node: &mut Node<'_>) {
    if let Value::Array(elements) = &mut node.value
        && elements.len() == 1
        && let Some(only) = elements.pop()
    {
        *node = only;
    }
}

/// Converts an object to a list. The object is merged into the stored element with the same id, or into the
/// only stored element.
///
/// # Errors
/// A message if several stored elements are possible.
fn object_to_list<'n>(node: &mut Node<'n>, stored: &[Node<'n>]) -> Result<(), &'static str> {
    if !matches!(node.value, Value::Object(_)) {
        return Ok(());
    }
    let id = text_member(node, "communicationId");
    let named = stored.iter().position(|it| id.is_some() && text_member(it, "communicationId") == id);
    let at = match (named, stored.len()) {
        (Some(at), _) => Some(at),
        (None, 0) => None,
        (None, 1) if id.is_none() => Some(0),
        (None, _) => {
            return Err("matches several stored elements: send the communicationId of one, or a list");
        }
    };
    let sent = std::mem::replace(node, Node::from(Value::Null));
    let mut elements = stored.to_vec();
    match at.and_then(|at| elements.get_mut(at)) {
        Some(element) => {
            let before = std::mem::replace(element, Node::from(Value::Null));
            *element = document::merge_documents(before, sent);
        }
        None => elements.push(sent),
    }
    *node = Node::from(Value::Array(elements));
    Ok(())
}
