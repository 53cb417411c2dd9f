//! Finds the faults of direct deposits that have specific error codes.

use payroll_domain::account::{InvalidRoutingNumber, check_routing_number};
use payroll_domain::code::Reason;
use payroll_domain::date::{Date, parse_date};
use payroll_domain::input::{Node, Value};
use payroll_domain::money::Rate;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::{DepositStatus, LOWEST_DEPOSIT_PRIORITY, PaymentType};
use rust_decimal::Decimal;

use super::revision::pending_change;
use crate::shared::objects::account::ACCOUNT_NUMBER_MEMBER;
use crate::shared::objects::side::{ElementChange, ElementOperation};

/// Members that cannot be changed. For another account or another start date, a client adds a new deposit
/// instead.
const UNCHANGEABLE_MEMBERS: [&str; 4] = ["startDate", "accountType", "routingNumber", ACCOUNT_NUMBER_MEMBER];
/// The maximum number of years by which a start date may be in the future.
const MAX_YEARS_AHEAD: i32 = 1;

/// The maximum number of direct deposits of a worker, without the deposit that gets the remainder of the pay.
/// Each deposit has its own priority, and the deposit of the remainder has the lowest one.
const MAX_DEPOSITS_BESIDES_REMAINDER: u32 = LOWEST_DEPOSIT_PRIORITY - 1;

/// Returns the faults of a new or changed direct deposit.
pub(super) fn find_change_faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation> {
    // A value that is not an object has no members to check. The parser reports such a value.
    let Some(after) = change.after.filter(|after| matches!(after.value, Value::Object(_))) else {
        return Vec::new();
    };
    match change.before {
        None => find_creation_faults(after, change.others, today),
        Some(before) => find_deposit_change_faults(before, after, change),
    }
}

/// Returns the fault of a complete account number from a caller who cannot read account numbers.
pub(super) fn complete_account_number_fault() -> Violation {
    let rule = "cannot be changed; without the scope read:deposits, only its masked form is accepted";
    unchangeable_member_fault(ACCOUNT_NUMBER_MEMBER, rule)
}

fn find_creation_faults(deposit: &Node<'_>, others: &[&Node<'_>], today: Date) -> Vec<Violation> {
    let mut faults: Vec<_> = find_routing_number_fault(deposit).into_iter().collect();
    if let Some(day) = member_as_text(deposit, "startDate").and_then(|text| parse_date(text).ok()) {
        let last = today.replace_year(today.year() + MAX_YEARS_AHEAD).unwrap_or(today);
        if day < today {
            faults.push(fault(Reason::StartsTooEarly, "startDate", "startDate must not be before today"));
        } else if day > last {
            let sentence = "startDate must be at most a year ahead";
            faults.push(fault(Reason::StartsTooLate, "startDate", sentence));
        }
    }
    let gets_remainder = |deposit: &Node<'_>| {
        member_as_text(deposit, "paymentType") == Some(PaymentType::Remainder.as_str())
            && !is_rejected(deposit)
    };
    // The lowest priority belongs to the deposit of the remainder. The server assigns the lowest priority
    // to another deposit only if all other priorities are in use. The worker then has too many deposits.
    let priority = member_as_text(deposit, "priority").and_then(|text| text.parse().ok());
    let payment_type = member_as_text(deposit, "paymentType");
    if payment_type != Some(PaymentType::Remainder.as_str()) && priority == Some(LOWEST_DEPOSIT_PRIORITY) {
        let sentence = format!(
            "the worker has {MAX_DEPOSITS_BESIDES_REMAINDER} direct deposits besides REMAINDER, which is the \
             maximum; delete one of them"
        );
        faults.push(fault(Reason::StateForbids, "priority", &sentence));
    }
    if gets_remainder(deposit) && others.iter().any(|other| gets_remainder(other)) {
        let sentence = "another direct deposit of the worker gets the remainder";
        faults.push(fault(Reason::RemainderTaken, "paymentType", sentence));
    }
    faults
}

fn find_routing_number_fault(deposit: &Node<'_>) -> Option<Violation> {
    let number = deposit.member("routingNumber").filter(|number| !number.value.is_null_or_empty_text());
    let Some(number) = number else {
        return Some(fault(Reason::RoutingNumberMissing, "routingNumber", "routingNumber is missing"));
    };
    let Value::Text(text) = &number.value else { return None };
    let (reason, sentence) = match check_routing_number(text) {
        Ok(()) => return None,
        Err(InvalidRoutingNumber::Digits) => {
            (Reason::RoutingNumberLength, "routingNumber must be nine digits")
        }
        Err(InvalidRoutingNumber::Checksum) => {
            (Reason::RoutingNumberInvalid, "routingNumber must have a valid checksum")
        }
    };
    Some(fault(reason, "routingNumber", sentence))
}

fn find_deposit_change_faults(
    before: &Node<'_>,
    after: &Node<'_>,
    change: ElementChange<'_, '_>,
) -> Vec<Violation> {
    if is_rejected(before) {
        let sentence = "a rejected direct deposit cannot be changed";
        return vec![Violation::new(Reason::StateForbids, sentence)];
    }
    let differs = |member: &str| !has_equal_member(before, after, member);
    let fixed = UNCHANGEABLE_MEMBERS.into_iter().filter(|member| differs(member));
    let mut faults: Vec<_> =
        fixed.map(|member| unchangeable_member_fault(member, "cannot be changed")).collect();
    let is_remainder =
        |node: &Node<'_>| member_as_text(node, "paymentType") == Some(PaymentType::Remainder.as_str());
    let proposed = pending_change(after).unwrap_or(after);
    let is_known =
        PaymentType::ALL.iter().any(|it| member_as_text(proposed, "paymentType") == Some(it.as_str()));
    if is_known && is_remainder(before) != is_remainder(proposed) {
        faults.push(unchangeable_member_fault("paymentType", "cannot be changed to or from REMAINDER"));
    }
    faults.extend(find_percentage_fault(before, after, change.others));
    let priority = member_as_text(after, "priority");
    if differs("priority") && change.operation != ElementOperation::PatchList {
        faults.push(unchangeable_member_fault(
            "priority",
            "can be changed only with a PATCH of the list of direct deposits",
        ));
    } else if differs("priority") && change.stored.iter().all(|it| member_as_text(it, "priority") != priority)
    {
        let sentence =
            "priority must be that of another direct deposit of the worker: priorities are swapped";
        faults.push(fault(Reason::FieldInvalid, "priority", sentence));
    }
    faults
}

/// Returns the fault of a percentage that brings the sum of all deposits above 100. The parser also validates
/// the sum, but reports the fault at the last deposit of the list, which may be another deposit.
fn find_percentage_fault(before: &Node<'_>, after: &Node<'_>, others: &[&Node<'_>]) -> Option<Violation> {
    let own = current_and_pending_percentage(after);
    if own == current_and_pending_percentage(before)
        || own.iter().any(|percent| *percent > Decimal::ONE_HUNDRED)
    {
        return None;
    }
    let sums = others.iter().fold(own, |[in_force, proposed], other| {
        let [other_in_force, other_proposed] = current_and_pending_percentage(other);
        [in_force.saturating_add(other_in_force), proposed.saturating_add(other_proposed)]
    });
    let sentence = "value must not raise the sum of the percentages of the worker's direct deposits, \
        including pending changes, above 100";
    let is_exceeded = sums.iter().any(|sum| *sum > Decimal::ONE_HUNDRED);
    is_exceeded.then(|| fault(Reason::RateAmountInvalid, "value", sentence))
}

/// Returns two percentages of a deposit: the current one, and the one after an approval of the pending
/// change.
fn current_and_pending_percentage(deposit: &Node<'_>) -> [Decimal; 2] {
    let percent = |node: &Node<'_>| match member_as_text(node, "paymentType") {
        Some(text) if text == PaymentType::Percentage.as_str() => {
            let value = member_as_text(node, "value").and_then(|text| Rate::parse(text).ok());
            value.map(Rate::value).unwrap_or_default()
        }
        _ => Decimal::ZERO,
    };
    let proposed = percent(pending_change(deposit).unwrap_or(deposit));
    match member_as_text(deposit, "status") {
        Some(status) if status == DepositStatus::Refused.as_str() => [Decimal::ZERO; 2],
        Some(status) if status == DepositStatus::Pending.as_str() => [Decimal::ZERO, proposed],
        _ => [percent(deposit), proposed],
    }
}

/// Whether a member has the same value in both deposits. Dates are compared without their time.
fn has_equal_member(before: &Node<'_>, after: &Node<'_>, member: &str) -> bool {
    let (old, new) = (member_as_text(before, member), member_as_text(after, member));
    let day = |text: Option<&str>| text.and_then(|text| parse_date(text).ok());
    old == new || (member == "startDate" && day(old).is_some() && day(old) == day(new))
}

fn is_rejected(deposit: &Node<'_>) -> bool {
    member_as_text(deposit, "status") == Some(DepositStatus::Refused.as_str())
}

fn unchangeable_member_fault(member: &str, rule: &str) -> Violation {
    fault(Reason::NotChangeable, member, &format!("{member} {rule}"))
}

fn fault(reason: Reason, member: &str, sentence: &str) -> Violation {
    Violation::new(reason, sentence.to_owned()).at_position(format!("/{member}"), DocumentPosition::default())
}

fn member_as_text<'t>(node: &'t Node<'_>, member: &str) -> Option<&'t str> {
    match &node.member(member)?.value {
        Value::Text(text) | Value::Number(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use payroll_domain::input::parse;

    use super::*;

    #[test]
    fn deposit_priorities_change_only_with_a_patch_of_the_list() {
        let node = |text: &'static str| parse(text.as_bytes()).unwrap();
        let (before, after) = (node(r#"{"priority": "1"}"#), node(r#"{"priority": "3"}"#));
        let codes = |operation, stored: &[Node<'_>]| {
            let change =
                ElementChange { operation, before: Some(&before), after: Some(&after), others: &[], stored };
            let faults = find_change_faults(change, Date::MIN);
            faults.iter().map(|it| it.reason.code()).collect::<Vec<_>>()
        };
        let others = [node(r#"{"priority": "3"}"#)];
        assert_eq!(codes(ElementOperation::Patch, &others), ["API-5"]);
        assert_eq!(codes(ElementOperation::PatchList, &others), Vec::<&str>::new());
        assert_eq!(codes(ElementOperation::PatchList, &[]), ["API-48"], "a priority that no deposit has");
    }
}
