//! Handles account numbers that a client sends back in masked form.

use payroll_domain::account::AccountNumber;
use payroll_domain::input::{Node, Value};

/// The member that contains the account number.
pub(crate) const ACCOUNT_NUMBER_MEMBER: &str = "accountNumber";

/// Replaces a masked account number by the stored one. Responses contain the masked number, and a client may
/// send it back unchanged.
pub(crate) fn unmask_account_number<'n>(before: &Node<'n>, after: &mut Node<'n>) {
    let masked = masked_account_number(before);
    let is_mask =
        masked.is_some() && after.member(ACCOUNT_NUMBER_MEMBER).and_then(Node::as_text) == masked.as_deref();
    let Value::Object(members) = &mut after.value else { return };
    let found = members.iter_mut().find(|(name, _)| name == ACCOUNT_NUMBER_MEMBER);
    if let (true, Some((_, sent)), Some(stored)) = (is_mask, found, before.member(ACCOUNT_NUMBER_MEMBER)) {
        *sent = stored.clone();
    }
}

/// Removes each complete account number from a patch. Only the masked form of the stored number remains.
/// Returns whether a number was removed. A complete number that equals the stored number is removed too, so
/// that a caller cannot test guesses.
pub(crate) fn remove_complete_account_number(stored: &Node<'_>, patch: &mut Node<'_>) -> bool {
    let Value::Object(members) = &mut patch.value else { return false };
    let masked = masked_account_number(stored);
    let is_harmless = |value: &Node<'_>| {
        value.value.is_null_or_empty_text() || (masked.is_some() && value.as_text() == masked.as_deref())
    };
    let count = members.len();
    members.retain(|(name, value)| name != ACCOUNT_NUMBER_MEMBER || is_harmless(value));
    members.len() < count
}

fn masked_account_number(stored: &Node<'_>) -> Option<String> {
    let number = stored.member(ACCOUNT_NUMBER_MEMBER).and_then(Node::as_text).and_then(AccountNumber::parse);
    number.map(|number| number.masked())
}

#[cfg(test)]
mod tests {
    use payroll_domain::input::parse;

    use super::*;

    #[test]
    fn only_masked_account_numbers_remain() {
        let stored = parse(br#"{"accountNumber": "998877665544"}"#).unwrap();
        for (sent, removed) in [
            (r#""998877665544""#, true),
            (r#""998877665543""#, true),
            ("998877665544", true),
            (r#"["998877665544"]"#, true),
            (r#""*****5543""#, true),
            (r#""*****5544""#, false),
            (r#""*****5544", "accountNumber": "998877665544""#, true),
            ("null", false),
        ] {
            let document = format!(r#"{{"value": 1, "accountNumber": {sent}}}"#);
            let mut patch = parse(document.as_bytes()).unwrap();
            assert_eq!(remove_complete_account_number(&stored, &mut patch), removed, "{sent}");
        }
    }
}
