//! Computes the direct deposit that is stored for a partner's request. This module assigns the priority and
//! marks the deposit as pending if the server requires approval.

use payroll_domain::date::{Date, format_date};
use payroll_domain::input::{Node, Value};
use payroll_domain::money::Rate;
use payroll_domain::worker::{DepositStatus, LOWEST_DEPOSIT_PRIORITY, PaymentType};

use crate::partner::parts::ElementRevision;
use crate::shared::objects::account;

/// The member with a change that awaits approval.
const PENDING_CHANGE_MEMBER: &str = "pendingChange";
/// Members that the server sets and that are ignored in requests.
const SERVER_SET_MEMBERS: [&str; 4] = ["status", PENDING_CHANGE_MEMBER, "requestedBy", "requestedDate"];
/// Members whose change needs approval.
const MEMBERS_NEEDING_APPROVAL: [&str; 2] = ["paymentType", "value"];

/// The application that sends the request, and the data that its change depends on.
pub(super) struct DepositRevision<'a> {
    pub(super) application_id: &'a str,
    pub(super) needs_approval: bool,
    pub(super) today: Date,
}

impl DepositRevision<'_> {
    /// Returns the direct deposit to store.
    pub(super) fn apply_revision<'n>(
        &self,
        ElementRevision { before, mut after, others }: ElementRevision<'_, 'n>,
    ) -> Node<'n> {
        let sends_values = pending_change(&after).is_none();
        for member in SERVER_SET_MEMBERS {
            set_member(&mut after, member, before.and_then(|before| before.member(member).cloned()));
        }
        let Some(before) = before else {
            let priority = text_node(&next_priority(&after, others).to_string());
            set_member(&mut after, "priority", Some(priority));
            if self.needs_approval {
                set_member(&mut after, "status", Some(text_node(DepositStatus::Pending.as_str())));
                self.set_requester(&mut after);
            }
            return after;
        };
        account::unmask_account_number(before, &mut after);
        let is_active =
            member_as_text(before, "status").is_none_or(|status| status == DepositStatus::Active.as_str());
        let differs = differs_in_members_needing_approval(before, &after);
        let pending = pending_change(before);
        let is_requested_again =
            pending.is_some_and(|pending| !differs_in_members_needing_approval(pending, &after));
        if is_active && differs && self.needs_approval && is_requested_again {
            for member in MEMBERS_NEEDING_APPROVAL {
                set_member(&mut after, member, before.member(member).cloned());
            }
        } else if is_active && differs && self.needs_approval {
            let change = Node::from(Value::Object(take_members(&mut after, &MEMBERS_NEEDING_APPROVAL)));
            for member in MEMBERS_NEEDING_APPROVAL {
                set_member(&mut after, member, before.member(member).cloned());
            }
            set_member(&mut after, PENDING_CHANGE_MEMBER, Some(change));
            self.set_requester(&mut after);
        } else if is_active && (differs || (sends_values && pending.is_some())) {
            // The sent values take effect at once or are already in force. The deposit therefore has no
            // pending change any more.
            for member in SERVER_SET_MEMBERS {
                set_member(&mut after, member, None);
            }
        }
        after
    }

    /// Records the application and the date of the request.
    fn set_requester(&self, deposit: &mut Node<'_>) {
        set_member(deposit, "requestedBy", Some(text_node(self.application_id)));
        set_member(deposit, "requestedDate", Some(text_node(&format_date(self.today).to_string())));
    }
}

/// Prepares a patch for [`DepositRevision::apply_revision`]. If the patch has a member that needs approval,
/// the stored pending change is removed. Otherwise the pending change is kept. A pending change in the patch
/// itself is ignored.
pub(super) fn prepare_patch<'n>(sent: &mut Node<'n>, stored: &Node<'n>) {
    if MEMBERS_NEEDING_APPROVAL.iter().any(|member| sent.member(member).is_some()) {
        set_member(sent, PENDING_CHANGE_MEMBER, Some(Node::from(Value::Null)));
    } else if sent.member(PENDING_CHANGE_MEMBER).is_some() {
        set_member(sent, PENDING_CHANGE_MEMBER, stored.member(PENDING_CHANGE_MEMBER).cloned());
    }
}

/// Returns the pending change of a deposit, which awaits approval.
pub(super) fn pending_change<'t, 'n>(deposit: &'t Node<'n>) -> Option<&'t Node<'n>> {
    deposit.member(PENDING_CHANGE_MEMBER).filter(|change| !change.value.is_null_or_empty_text())
}

/// Whether two deposits differ in a member whose change needs approval. Amounts are compared as numbers,
/// because `100` and `100.0000` are the same amount.
fn differs_in_members_needing_approval(one: &Node<'_>, other: &Node<'_>) -> bool {
    MEMBERS_NEEDING_APPROVAL.iter().any(|member| {
        let (one, other) = (member_as_text(one, member), member_as_text(other, member));
        let number = |text: Option<&str>| text.and_then(|text| Rate::parse(text).ok()).map(Rate::value);
        one != other && number(one).zip(number(other)).is_none_or(|(one, other)| one != other)
    })
}

/// Returns a free priority for a deposit, or the lowest priority if none is free. The deposit that gets the
/// remainder of the pay has the lowest priority.
fn next_priority(deposit: &Node<'_>, others: &[Node<'_>]) -> u32 {
    if member_as_text(deposit, "paymentType") == Some(PaymentType::Remainder.as_str()) {
        return LOWEST_DEPOSIT_PRIORITY;
    }
    let used = || others.iter().filter_map(|other| member_as_text(other, "priority")?.parse::<u32>().ok());
    let next = used()
        .filter(|priority| *priority < LOWEST_DEPOSIT_PRIORITY)
        .max()
        .unwrap_or_default()
        .saturating_add(1);
    if next < LOWEST_DEPOSIT_PRIORITY {
        return next;
    }
    (1..LOWEST_DEPOSIT_PRIORITY)
        .find(|priority| used().all(|used| used != *priority))
        .unwrap_or(LOWEST_DEPOSIT_PRIORITY)
}

fn member_as_text<'t>(node: &'t Node<'_>, member: &str) -> Option<&'t str> {
    match &node.member(member)?.value {
        Value::Text(text) | Value::Number(text) => Some(text),
        _ => None,
    }
}

fn text_node(value: &str) -> Node<'static> {
    Node::from(Value::Text(value.to_owned().into()))
}

/// Sets a member, or removes it if the value is `None`.
fn set_member<'n>(node: &mut Node<'n>, member: &'static str, value: Option<Node<'n>>) {
    let Value::Object(members) = &mut node.value else { return };
    members.retain(|(name, _)| name != member);
    members.extend(value.map(|value| (member.into(), value)));
}

/// Removes members from an object and returns them. The result includes duplicates, which the parser reports
/// later.
fn take_members<'n>(node: &mut Node<'n>, names: &[&str]) -> Vec<(std::borrow::Cow<'n, str>, Node<'n>)> {
    let Value::Object(members) = &mut node.value else { return Vec::new() };
    let (removed, rest) =
        std::mem::take(members).into_iter().partition(|(name, _)| names.contains(&name.as_ref()));
    *members = rest;
    removed
}

#[cfg(test)]
mod tests {
    use payroll_domain::input::parse;

    use super::*;

    #[test]
    fn amounts_in_another_notation_are_equal() {
        let node = |text: &'static str| parse(text.as_bytes()).unwrap();
        let stored = node(r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": "100.0000"}"#);
        for (value, differs) in [
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": "100"}"#, false),
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": 100}"#, false),
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": 100.0}"#, false),
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": 100.01}"#, true),
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT", "value": "x"}"#, true),
            (r#"{"paymentType": "FLAT_DOLLAR_AMOUNT"}"#, true),
            (r#"{"paymentType": "PERCENTAGE", "value": "100"}"#, true),
        ] {
            assert_eq!(differs_in_members_needing_approval(&stored, &node(value)), differs, "{value}");
        }
    }
}
