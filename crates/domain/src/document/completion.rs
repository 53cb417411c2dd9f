//! The data that an operator supplies to complete a pay period: for each check its taxes, deductions, number
//! and type (specification §11.19).

use std::collections::{HashMap, HashSet};

use crate::check::{CompletionInput, CompletionPosition, REVERSAL_CHECK_TYPE, SuppliedDeduction, TaxLine};
use crate::code::Reason;
use crate::id::{ComponentId, PaycheckId};
use crate::input::Node;
use crate::object::reader::{ObjectReader, read_object, read_struct};
use crate::object::values::{
    MAX_CODE_LENGTH, MAX_NAME_CHARACTERS, ReadResult, read_id, read_named_value, read_non_negative_amount,
    text_reader,
};
use crate::report::Fault;
use crate::violation::{Violation, Violations};

/// The maximum number of taxes of one check. A long pay stub has about 10 taxes. The limit bounds the
/// memory that a page of checks needs.
pub const MAX_TAXES_PER_CHECK: usize = 100;
/// The maximum number of supplied deductions of one check. Like [`MAX_TAXES_PER_CHECK`], this limit bounds
/// the memory that a page of checks needs.
pub const MAX_DEDUCTIONS_PER_CHECK: usize = 100;

/// The fault description for completing a period that has no checks. The usual cause is that the partner has
/// not sent the checks yet.
const EMPTY_PERIOD_MESSAGE: &str =
    "the pay period has no checks; to complete it anyway, send \"allowEmpty\": true in the document";

/// The supplied data for the checks of a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    checks: HashMap<PaycheckId, CompletionInput>,
    allow_empty: bool,
}

impl Completion {
    /// Returns the supplied data for a check. `None` if the document does not contain the check.
    #[must_use]
    pub fn completion_input_of_check(&self, paycheck_id: &PaycheckId) -> Option<&CompletionInput> {
        self.checks.get(paycheck_id.as_str())
    }

    /// Returns a fault if the period has no checks and the document does not allow an empty period. `checks`
    /// is the number of checks in the period.
    #[must_use]
    pub fn find_empty_period_fault(&self, checks: usize) -> Option<Violation> {
        let refused = checks == 0 && !self.allow_empty;
        refused.then(|| Violation::new(Reason::Conflict, EMPTY_PERIOD_MESSAGE))
    }

    /// Returns the number of checks in the document.
    #[must_use]
    pub fn len(&self) -> usize {
        self.checks.len()
    }

    /// Returns whether the document contains no checks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Returns the ids of the pay components that the supplied deductions use, each once.
    #[must_use]
    pub fn components(&self) -> Vec<ComponentId> {
        let deductions = self.checks.values().flat_map(|input| &input.deductions);
        let named: HashSet<&ComponentId> = deductions.map(|given| &given.component_id).collect();
        named.into_iter().cloned().collect()
    }

    /// Returns a fault for each check in the document that the period does not have. `known_ids` are the ids
    /// of the period's checks.
    pub fn find_faults_of_unknown_checks<'c>(
        &'c self,
        known_ids: &'c HashSet<PaycheckId>,
    ) -> impl Iterator<Item = Violation> + 'c {
        let strangers =
            self.checks.iter().filter(|(paycheck_id, _)| !known_ids.contains(paycheck_id.as_str()));
        strangers.map(|(_, input)| {
            let fault = Violation::new(
                Reason::FieldInvalid,
                "paycheckId must be the id of a check of the pay period",
            );
            match input.position {
                Some(spot) => fault.at_position(format!("/checks/{}/paycheckId", spot.index), spot.position),
                None => fault,
            }
        })
    }
}

/// Reads the supplied data of a completion strictly: `{"checks": [{"paycheckId", "taxes": [{"name", "amount",
/// "paidBy"}], "deductions": [{"componentId", "amount"}], "checkNumber", "checkType"}], "allowEmpty"}`.
/// Whether the checks and components exist is checked later with the stored data.
///
/// # Errors
/// Returns every fault, each with its pointer, in the order of the document. A duplicate check is a fault.
///
/// ```
/// use payroll_domain::{document, input};
/// let text = br#"{"checks": [{"paycheckId": "P-1", "taxes": [
///     {"name": "Federal Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}]}]}"#;
/// let completion = document::read_completion(&input::parse(text).unwrap()).unwrap();
/// let input = completion.completion_input_of_check(&"P-1".parse().unwrap()).unwrap();
/// assert_eq!(input.taxes[0].name, "Federal Income Tax");
/// ```
pub fn read_completion(node: &Node<'_>) -> Result<Completion, Violations> {
    read_object(node, |object| {
        let (mut index, mut met) = (0, HashSet::new());
        let checks = object.read_list("checks", |object| {
            let check = read_check(object, index);
            index += 1;
            let (paycheck_id, input) = check?;
            if met.insert(paycheck_id.clone()) {
                return Some((paycheck_id, input));
            }
            object.report_fault(
                Reason::FieldInvalid,
                "paycheckId",
                "must occur only once: an earlier element has the same paycheckId",
            );
            None
        });
        let allow_empty = object.read_flag("allowEmpty");
        Some(Completion { checks: checks?.into_iter().collect(), allow_empty: allow_empty? })
    })
}

/// Reads the id of the check to reverse: `{"paycheckId"}`.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::{document, input};
/// let node = input::parse(br#"{"paycheckId": "P-1"}"#).unwrap();
/// assert_eq!(document::read_reversal(&node).unwrap().as_str(), "P-1");
/// ```
pub fn read_reversal(node: &Node<'_>) -> Result<PaycheckId, Violations> {
    read_object(node, |object| object.read_required("paycheckId", read_id))
}

/// Checks that a document supplies no data: it must be an object without members.
///
/// # Errors
/// Returns `API-48` for each member, or if the document is not an object.
pub fn require_empty_document(node: &Node<'_>) -> Result<(), Violations> {
    read_object(node, |_| Some(()))
}

fn read_check(object: &mut ObjectReader<'_>, index: usize) -> Option<(PaycheckId, CompletionInput)> {
    let spot = CompletionPosition { index, position: object.position() };
    let paycheck_id = object.read_required("paycheckId", read_id);
    let input = read_struct!(CompletionInput {
        taxes: read_list_with_maximum(object, "taxes", MAX_TAXES_PER_CHECK, read_tax),
        deductions: read_list_with_maximum(object, "deductions", MAX_DEDUCTIONS_PER_CHECK, read_deduction),
        check_number: object.read_optional("checkNumber", text_reader(MAX_CODE_LENGTH)),
        check_type: object.read_optional("checkType", read_check_type),
        position: Some(Some(spot)),
    });
    Some((paycheck_id?, input?))
}

/// Reads the type of a check that is not a reversal. The server itself sets the type of a reversal.
fn read_check_type(node: &Node<'_>) -> ReadResult<String> {
    let text = text_reader(MAX_CODE_LENGTH)(node)?;
    if text.eq_ignore_ascii_case(REVERSAL_CHECK_TYPE) {
        let problem = format!("must not be {REVERSAL_CHECK_TYPE}, because the check reverses no other check");
        return Err(Fault::invalid(problem));
    }
    Ok(text)
}

fn read_list_with_maximum<T>(
    object: &mut ObjectReader<'_>,
    name: &'static str,
    maximum: usize,
    read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let list = object.read_list(name, read)?;
    if list.len() <= maximum {
        return Some(list);
    }
    object.report_fault(Reason::FieldInvalid, name, &format!("must have at most {maximum} elements"));
    None
}

fn read_tax(object: &mut ObjectReader<'_>) -> Option<TaxLine> {
    read_struct!(TaxLine {
        name: object.read_required("name", text_reader(MAX_NAME_CHARACTERS)),
        amount: object.read_required("amount", read_non_negative_amount),
        paid_by: object.read_required("paidBy", read_named_value),
    })
}

fn read_deduction(object: &mut ObjectReader<'_>) -> Option<SuppliedDeduction> {
    let place = object.position();
    read_struct!(SuppliedDeduction {
        component_id: object.read_required("componentId", read_id),
        amount: object.read_required("amount", read_non_negative_amount),
        position: Some(place),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::parse;
    use crate::money::Amount;

    fn find_faults(text: &str) -> Vec<String> {
        let faults = read_completion(&parse(text.as_bytes()).unwrap()).err().into_iter().flatten();
        faults.map(|fault| format!("{} {}", fault.reason.code(), fault.pointer.unwrap_or_default())).collect()
    }

    #[test]
    fn reads_all_completion_input_of_a_check() {
        let text = r#"{"checks": [{"paycheckId": "p1", "checkNumber": "17", "checkType": "Manual",
            "taxes": [{"name": "A tax", "amount": 7.65, "paidBy": "EMPLOYER_LIABILITY"}],
            "deductions": [{"componentId": "savings", "amount": "25"}]}]}"#;
        let completion = read_completion(&parse(text.as_bytes()).unwrap()).unwrap();
        let input = completion.completion_input_of_check(&"p1".parse().unwrap()).unwrap();
        assert_eq!(input.taxes.first().unwrap().amount, Amount::parse("7.65").unwrap());
        assert_eq!(input.deductions.first().unwrap().amount, Amount::parse("25").unwrap());
        assert_eq!(
            (input.check_number.as_deref(), input.check_type.as_deref()),
            (Some("17"), Some("Manual"))
        );
        assert_eq!(completion.components(), ["savings".parse().unwrap()]);
    }

    #[test]
    fn a_document_without_checks_has_no_input() {
        for text in ["{}", r#"{"checks": []}"#] {
            assert!(read_completion(&parse(text.as_bytes()).unwrap()).unwrap().is_empty(), "{text}");
        }
    }

    #[test]
    fn a_period_without_checks_is_a_fault_unless_it_is_allowed() {
        for (text, is_fault) in
            [("{}", true), (r#"{"allowEmpty": true}"#, false), (r#"{"allowEmpty": false}"#, true)]
        {
            let completion = read_completion(&parse(text.as_bytes()).unwrap()).unwrap();
            assert_eq!(completion.find_empty_period_fault(0).is_some(), is_fault, "{text}");
            assert_eq!(completion.find_empty_period_fault(1), None, "{text}");
        }
        assert_eq!(find_faults(r#"{"allowEmpty": "yes"}"#), ["API-48 /allowEmpty"]);
    }

    #[test]
    fn reports_every_fault_at_its_position() {
        let text = r#"{"checks": [
            {"paycheckId": "no id", "taxes": [{"name": "A tax", "amount": "-1", "paidBy": "NOBODY"}]},
            {"deductions": [{"componentId": "savings", "amount": "0.001"}, {}]},
            {"paycheckId": "p1", "note": "?", "checkType": "Reversal"}, {"paycheckId": "p2"},
            {"paycheckId": "p2"}, 7], "more": 1}"#;
        assert_eq!(
            find_faults(text),
            [
                "API-48 /checks/0/paycheckId",
                "API-48 /checks/0/taxes/0/amount",
                "API-48 /checks/0/taxes/0/paidBy",
                "API-48 /checks/1/deductions/0/amount",
                "API-46 /checks/1/paycheckId",
                "API-46 /checks/1/deductions/1/componentId",
                "API-46 /checks/1/deductions/1/amount",
                "API-48 /checks/2/note",
                "API-48 /checks/2/checkType",
                "API-48 /checks/4/paycheckId",
                "API-48 /checks/5",
                "API-48 /more",
            ]
        );
    }

    #[test]
    fn a_check_has_at_most_a_hundred_taxes() {
        let tax = r#"{"name": "A tax", "amount": "0", "paidBy": "EMPLOYEE_WITHHOLDING"}"#;
        let text = |count| {
            format!(r#"{{"checks": [{{"paycheckId": "p1", "taxes": [{}]}}]}}"#, vec![tax; count].join(","))
        };
        assert_eq!(find_faults(&text(100)), [""; 0]);
        assert_eq!(find_faults(&text(101)), ["API-48 /checks/0/taxes"]);
    }

    #[test]
    fn reports_a_check_that_the_period_does_not_have() {
        let text = r#"{"checks": [{"paycheckId": "here"}, {"paycheckId": "gone"}]}"#;
        let completion = read_completion(&parse(text.as_bytes()).unwrap()).unwrap();
        let met = HashSet::from(["here".parse().unwrap()]);
        let pointers: Vec<_> =
            completion.find_faults_of_unknown_checks(&met).map(|fault| fault.pointer.unwrap()).collect();
        assert_eq!(pointers, ["/checks/1/paycheckId"]);
    }
}
