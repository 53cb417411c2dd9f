//! Account numbers that clients send back as they were shown.

use payroll_domain::account::AccountNumber;
use payroll_domain::input::{Node, Value};

const MEMBER: &str = "accountNumber";

/// Puts the stored account number in the place of its mask, because responses show it masked.
pub(crate) fn unmask<'n>(before: &Node<'n>, after: &mut Node<'n>) {
    let stored = before.member(MEMBER).and_then(Node::as_text).and_then(AccountNumber::parse);
    let is_mask = stored
        .is_some_and(|stored| after.member(MEMBER).and_then(Node::as_text) == Some(stored.masked().as_str()));
    let Value::Object(members) = &mut after.value else { return };
    let found = members.iter_mut().find(|(name, _)| name == MEMBER);
    if let (true, Some((_, sent)), Some(stored)) = (is_mask, found, before.member(MEMBER)) {
        *sent = stored.clone();
    }
}
