//! Handles account numbers that a client sends back in masked form.

use payroll_domain::account::AccountNumber;
use payroll_domain::input::{Node, Value};

const ACCOUNT_NUMBER_MEMBER: &str = "accountNumber";

/// Replaces a masked account number by the stored one. Responses contain the masked number, and a client may
/// send it back unchanged.
pub(crate) fn unmask_account_number<'n>(before: &Node<'n>, after: &mut Node<'n>) {
    let stored = before.member(ACCOUNT_NUMBER_MEMBER).and_then(Node::as_text).and_then(AccountNumber::parse);
    let is_mask = stored.is_some_and(|stored| {
        after.member(ACCOUNT_NUMBER_MEMBER).and_then(Node::as_text) == Some(stored.masked().as_str())
    });
    let Value::Object(members) = &mut after.value else { return };
    let found = members.iter_mut().find(|(name, _)| name == ACCOUNT_NUMBER_MEMBER);
    if let (true, Some((_, sent)), Some(stored)) = (is_mask, found, before.member(ACCOUNT_NUMBER_MEMBER)) {
        *sent = stored.clone();
    }
}
