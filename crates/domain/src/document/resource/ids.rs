//! Assigns ids to objects that a document contains without an id.

use crate::input::{Node, Value};
use crate::resource::ResourceKind;
use crate::worker::WORKER_LISTS;

/// Assigns ids where the document omits them: first to the object, then to the objects inside it, list by
/// list. Existing ids remain unchanged, even if they are invalid. The positions of the nodes are numbered
/// again.
///
/// ```
/// use payroll_domain::resource::ResourceKind;
/// use payroll_domain::{document, input};
/// let node = input::parse(br#"{"contactTypeName": "Emergency", "relationshipTypes": [{"relationshipTypeName": "Friend"}]}"#);
/// let mut made = 0;
/// let mut next_id = || { made += 1; format!("ID-{made}") };
/// let node = document::fill_missing_ids(ResourceKind::ContactType, node.unwrap(), &mut next_id);
/// assert!(document::read_resource_document(ResourceKind::ContactType, &node).is_ok());
/// assert_eq!(made, 2);
/// ```
pub fn fill_missing_ids<'a>(
    kind: ResourceKind,
    mut node: Node<'a>,
    next_id: &mut dyn FnMut() -> String,
) -> Node<'a> {
    fill_missing_object_id(&mut node, kind.id_member(), next_id);
    for (member, id_member) in list_members_with_ids(kind) {
        for inside in find_members_by_name(&mut node, member) {
            match &mut inside.value {
                Value::Array(elements) => {
                    elements.iter_mut().for_each(|it| fill_missing_object_id(it, id_member, next_id))
                }
                // The value may be a single object, which is assigned an id below. Any other value remains
                // unchanged, and the reader reports it.
                Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {
                    fill_missing_object_id(inside, id_member, next_id);
                }
            }
        }
    }
    Node::from(node.value)
}

/// Assigns the given id to the object if the document omits the member. The positions of the nodes are
/// numbered again.
///
/// ```
/// use payroll_domain::{document, input};
/// let node = document::fill_missing_id(input::parse(br#"{"amount": "20"}"#).unwrap(), "rateId", "R-1");
/// assert_eq!(node, input::parse(br#"{"amount": "20", "rateId": "R-1"}"#).unwrap());
/// assert_eq!(document::fill_missing_id(node.clone(), "rateId", "R-2"), node);
/// ```
#[must_use]
pub fn fill_missing_id<'a>(mut node: Node<'a>, id_member: &'static str, id: &str) -> Node<'a> {
    fill_missing_object_id(&mut node, id_member, &mut || id.to_owned());
    Node::from(node.value)
}

/// Returns the members that contain objects with their own ids, with the name of each object's id member. A
/// member contains one object or a list of them. Jobs, locations and labor assignments are not included,
/// because their ids come from other systems.
pub(super) fn list_members_with_ids(kind: ResourceKind) -> Vec<(&'static str, &'static str)> {
    match kind {
        ResourceKind::Company => vec![("communications", "communicationId")],
        ResourceKind::ContactType => vec![("relationshipTypes", "relationshipTypeId")],
        ResourceKind::CustomField => vec![("dropdown", "dropdownId")],
        ResourceKind::Worker => {
            let lists = WORKER_LISTS.iter().map(|list| (list.member, list.id_member));
            [("currentStatus", "workerStatusId")].into_iter().chain(lists).collect()
        }
        ResourceKind::Organization
        | ResourceKind::CustomFieldCategory
        | ResourceKind::PayComponent
        | ResourceKind::PayPeriod
        | ResourceKind::Lookup(_) => Vec::new(),
    }
}

pub(super) fn find_members_by_name<'n, 'a>(
    node: &'n mut Node<'a>,
    name: &str,
) -> impl Iterator<Item = &'n mut Node<'a>> {
    let members = match &mut node.value {
        Value::Object(members) => members.as_mut_slice(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => &mut [],
    };
    members.iter_mut().filter(move |(member, _)| member == name).map(|(_, node)| node)
}

fn fill_missing_object_id(node: &mut Node<'_>, id_member: &'static str, next_id: &mut dyn FnMut() -> String) {
    let Value::Object(members) = &mut node.value else { return };
    match members.iter_mut().find(|(name, _)| name == id_member) {
        None => members.push((id_member.into(), Node::from(Value::Text(next_id().into())))),
        Some((_, id)) if id.value.is_null_or_empty_text() => id.value = Value::Text(next_id().into()),
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::read_resource_document;
    use crate::input::parse;
    use crate::lookup::LookupKind;

    /// Fills the ids of the document with consecutive numbers. Returns the document and the number of
    /// assigned ids.
    fn fill_ids_with_numbers(kind: ResourceKind, document: &str) -> (Node<'_>, u32) {
        let mut created = 0;
        let mut next_id = || {
            created += 1;
            format!("ID-{created}")
        };
        let node = fill_missing_ids(kind, parse(document.as_bytes()).unwrap(), &mut next_id);
        (node, created)
    }

    #[test]
    fn every_kind_is_valid_after_its_ids_are_filled_in() {
        let mail = r#"{"type": "EMAIL", "usageType": "HOME"}"#;
        let day = r#""2026-01-01""#;
        let worker = format!(
            r#"{{"workerType": "EMPLOYEE", "name": {{"familyName": "A", "givenName": "B"}},
                "currentStatus": {{"statusType": "ACTIVE", "effectiveDate": {day}}}, "communications": [{mail}, {mail}],
                "payRates": [{{"rateNumber": "RATE_1", "rateType": "DAILY_RATE", "amount": 1, "startDate": {day}}}],
                "recurringComponents": [{{"componentId": "P", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": 1}}]}}"#
        );
        let company =
            format!(r#"{{"displayId": "1", "legalName": "N", "communications": [{mail}, {mail}]}}"#);
        let period = format!(
            r#"{{"intervalCode": "WEEKLY", "status": "INITIAL", "startDate": {day}, "endDate": {day}, "checkDate": {day}}}"#
        );
        let cases = [
            (ResourceKind::Company, company.as_str(), 3),
            (ResourceKind::Organization, r#"{"name": "N"}"#, 1),
            (
                ResourceKind::ContactType,
                r#"{"contactTypeName": "N", "relationshipTypes": [{"relationshipTypeName": "A"}]}"#,
                2,
            ),
            (ResourceKind::CustomFieldCategory, r#"{"categoryName": "N"}"#, 1),
            (
                ResourceKind::CustomField,
                r#"{"customFieldName": "N", "type": "DROPDOWN", "dropdown": [{"dropdownValue": "V"}]}"#,
                2,
            ),
            (
                ResourceKind::PayComponent,
                r#"{"name": "N", "classificationType": "REGULAR", "effectOnPay": "ADDITION"}"#,
                1,
            ),
            (ResourceKind::PayPeriod, period.as_str(), 1),
            (ResourceKind::Worker, worker.as_str(), 6),
        ];
        let all = cases
            .iter()
            .map(|(kind, _, _)| *kind)
            .chain(LookupKind::ALL.iter().map(|it| ResourceKind::Lookup(*it)));
        assert!(all.eq(ResourceKind::ALL.iter().copied()), "lookup kinds have a property of their own");
        for (kind, document, expected) in cases {
            let (node, created) = fill_ids_with_numbers(kind, document);
            assert_eq!(
                read_resource_document(kind, &node).map(|it| it.id().to_owned()),
                Ok("ID-1".to_owned()),
                "{kind}"
            );
            assert_eq!(created, expected, "{kind}");
        }
    }

    #[test]
    fn keeps_existing_ids_and_fills_in_missing_ones() {
        let document =
            r#"{"workerId": "", "communications": [{"communicationId": "M"}, {"communicationId": null}]}"#;
        let (node, created) = fill_ids_with_numbers(ResourceKind::Worker, document);
        let expected = r#"{"workerId": "ID-1", "communications": [{"communicationId": "M"}, {"communicationId": "ID-2"}]}"#;
        assert_eq!((node, created), (parse(expected.as_bytes()).unwrap(), 2));
    }

    #[test]
    fn ignores_documents_that_are_not_objects() {
        for document in ["[]", "null", r#"{"workerId": 7, "communications": "none", "payRates": [1, null]}"#]
        {
            let (node, created) = fill_ids_with_numbers(ResourceKind::Worker, document);
            assert_eq!((node, created), (parse(document.as_bytes()).unwrap(), 0));
        }
    }
}
