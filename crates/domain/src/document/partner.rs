//! Helpers for documents that partners send.

use crate::description::{Member, MemberShape, MemberView};
use crate::input::{Node, Value};

/// Removes from a partner's object all members that are unknown or that partners cannot see. A partner must
/// not write a member that the partner may not read.
pub fn remove_unknown_members(sent: &mut Node<'_>, known: &[Member]) {
    let Value::Object(members) = &mut sent.value else { return };
    let find = |name: &str| {
        known
            .iter()
            .find(|member| member.name == name && MemberView::Full.shows_member_limited_to(member.views))
    };
    members.retain(|(name, _)| find(name).is_some());
    for (name, value) in members {
        match find(name).map(|member| (member.shape)()) {
            Some(MemberShape::Object(inner)) => remove_unknown_members(value, inner),
            Some(MemberShape::Objects(inner)) => {
                if let Value::Array(elements) = &mut value.value {
                    elements.iter_mut().for_each(|element| remove_unknown_members(element, inner));
                }
            }
            Some(MemberShape::Reference(id)) => remove_other_members(value, &[id]),
            Some(MemberShape::TaxIdentity) => remove_other_members(value, &["legalIdType", "legalIdValue"]),
            _ => {}
        }
    }
}

fn remove_other_members(sent: &mut Node<'_>, names: &[&str]) {
    if let Value::Object(members) = &mut sent.value {
        members.retain(|(name, _)| names.contains(&name.as_ref()));
    }
}
