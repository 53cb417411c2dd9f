//! Completes a check: computes its amounts from its lines and from the supplied taxes and deductions
//! (specification §8.4).
//!
//! The server does not compute taxes or a worker's recurring deductions. The caller of the completion
//! supplies these amounts.

use std::collections::HashMap;
use std::hash::BuildHasher;

use super::{
    CheckAmounts, ComponentLabel, DEFAULT_CHECK_TYPE, Line, PayFault, REVERSAL_CHECK_TYPE, Reversal,
    StoredCheck, TaxLine,
};
use crate::code::Reason;
use crate::id::ComponentId;
use crate::money::Amount;
use crate::pay_component::{EffectOnPay, PayComponent};
use crate::violation::{DocumentPosition, Violation};

/// The data that the caller supplies for one check on its completion. By default, the caller supplies no
/// data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionInput {
    /// Taxes of the worker and of the company.
    pub taxes: Vec<TaxLine>,
    /// Deductions in addition to those in the check.
    pub deductions: Vec<SuppliedDeduction>,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The type of the check. `None` means [`DEFAULT_CHECK_TYPE`].
    pub check_type: Option<String>,
    /// The position of the check in the completion document. `None` if the document does not contain the
    /// check.
    pub position: Option<CompletionPosition>,
}

/// A position among the checks of a completion document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionPosition {
    /// The index of the check in the document's list, from 0.
    pub index: usize,
    /// The position of the check in the document, which determines the order of the faults.
    pub position: DocumentPosition,
}

/// A deduction that is supplied on completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppliedDeduction {
    /// The pay component of the deduction.
    pub component_id: ComponentId,
    /// The amount by which the deduction reduces net pay.
    pub amount: Amount,
    /// The position of the deduction in the completion document.
    pub position: DocumentPosition,
}

/// The amounts of a completed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedCheck {
    /// Gross earnings and net pay.
    pub pay: CheckAmounts,
    /// The type of the check, such as `Regular`.
    pub check_type: String,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The taxes, as they were supplied.
    pub taxes: Vec<TaxLine>,
    /// The supplied deductions, with the labels of their pay components.
    pub deductions: Vec<(ComponentLabel, Amount)>,
}

impl CompletionPosition {
    fn pointer(self) -> String {
        format!("/checks/{}", self.index)
    }
}

/// Completes a check. `components` must contain at least the company's pay components that the deductions
/// name.
///
/// Returns every fault of these kinds:
/// * a deduction whose component the company does not have, or whose component does not reduce pay,
/// * a negative net pay, reported with the check's id,
/// * any supplied data for a check that is a reversal.
///
/// ```
/// # use payroll_domain::check::{Check, CompletionInput, StoredCheck, PaidBy, TaxLine, complete_check};
/// # use payroll_domain::money::Amount;
/// # let check = Check {
/// #     worker_id: "worker".parse()?, pay_period_id: "period".parse()?, correlation_id: "1".to_owned(),
/// #     block_auto_distribution: false, check_date: payroll_domain::date::parse_date("2026-05-12")?,
/// #     lines: Vec::new(),
/// # };
/// # let stored = StoredCheck { paycheck_id: "paycheck".parse()?, check_component_ids: Vec::new(), reversal: None, check };
/// let tax = TaxLine { name: "A tax".to_owned(), amount: Amount::parse("0.01")?, paid_by: PaidBy::Employee };
/// let input = CompletionInput { taxes: vec![tax], ..CompletionInput::default() };
/// let faults = complete_check(&stored, &input, &std::collections::HashMap::new()).unwrap_err();
/// assert_eq!(faults[0].description, "check paycheck: the deductions and taxes are higher than the gross pay: the net pay would be negative");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn complete_check<S: BuildHasher>(
    stored: &StoredCheck,
    input: &CompletionInput,
    components: &HashMap<ComponentId, PayComponent, S>,
) -> Result<CompletedCheck, Vec<Violation>> {
    if let Some(reversal) = stored.reversal.as_deref() {
        return complete_reversal(stored, reversal, input);
    }
    let deductions = validate_deductions(stored, input, components)?;
    let pay = calculate_pay(stored, input, &deductions)
        .map_err(|fault| vec![to_pay_violation(stored, input, fault)])?;
    Ok(CompletedCheck {
        pay,
        check_type: input.check_type.clone().unwrap_or_else(|| DEFAULT_CHECK_TYPE.to_owned()),
        check_number: input.check_number.clone(),
        taxes: input.taxes.clone(),
        deductions,
    })
}

/// Completes a reversal, whose amounts are those of the original with the opposite sign. Returns a fault if
/// the completion document contains the check.
fn complete_reversal(
    stored: &StoredCheck,
    reversal: &Reversal,
    input: &CompletionInput,
) -> Result<CompletedCheck, Vec<Violation>> {
    let Some(location) = input.position else {
        return Ok(CompletedCheck {
            pay: CheckAmounts { gross_earnings: reversal.gross_earnings, net_pay: reversal.net_pay },
            check_type: REVERSAL_CHECK_TYPE.to_owned(),
            check_number: None,
            taxes: reversal.taxes.clone(),
            deductions: Vec::new(),
        });
    };
    let rule =
        format!("must not be the id of a reversal: check {} reverses another check", stored.paycheck_id);
    let pointer = format!("{}/paycheckId", location.pointer());
    Err(vec![add_correlation_id(
        stored,
        Violation::new(Reason::FieldInvalid, rule).at_position(pointer, location.position),
    )])
}

fn validate_deductions<S: BuildHasher>(
    stored: &StoredCheck,
    input: &CompletionInput,
    components: &HashMap<ComponentId, PayComponent, S>,
) -> Result<Vec<(ComponentLabel, Amount)>, Vec<Violation>> {
    let (mut found, mut faults) = (Vec::with_capacity(input.deductions.len()), Vec::new());
    for (at, given) in input.deductions.iter().enumerate() {
        match find_deduction_component(given, components) {
            Ok(component) => found.push((ComponentLabel::from_component(component), given.amount)),
            Err(rule) => {
                let check = input.position.map(CompletionPosition::pointer).unwrap_or_default();
                let pointer = format!("{check}/deductions/{at}/componentId");
                faults.push(add_correlation_id(
                    stored,
                    Violation::new(Reason::FieldInvalid, rule).at_position(pointer, given.position),
                ));
            }
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

fn find_deduction_component<'c, S: BuildHasher>(
    given: &SuppliedDeduction,
    components: &'c HashMap<ComponentId, PayComponent, S>,
) -> Result<&'c PayComponent, &'static str> {
    let found = components.get(given.component_id.as_str());
    let component = found.ok_or("componentId must be that of a pay component of the company")?;
    match component.effect_on_pay {
        EffectOnPay::Reduction => Ok(component),
        EffectOnPay::Addition | EffectOnPay::AdditionWithInOut | EffectOnPay::EmployerInformational => {
            Err("componentId must be that of a component whose effect on pay is REDUCTION")
        }
    }
}

fn calculate_pay(
    stored: &StoredCheck,
    input: &CompletionInput,
    deductions: &[(ComponentLabel, Amount)],
) -> Result<CheckAmounts, PayFault> {
    let amount = |line: &Line| Some((line.component.effect_on_pay, line.amount()?));
    // Every validated line has an amount. `None` therefore means that the computed amount exceeds the allowed
    // range.
    let lines: Option<Vec<_>> = stored.check.lines.iter().map(amount).collect();
    let deducted = deductions.iter().map(|(component, amount)| (component.effect_on_pay, *amount));
    CheckAmounts::from_lines(lines.ok_or(PayFault::TooLarge)?.into_iter().chain(deducted), &input.taxes)
}

fn to_pay_violation(stored: &StoredCheck, input: &CompletionInput, fault: PayFault) -> Violation {
    let violation = Violation::new(Reason::FieldInvalid, format!("check {}: {fault}", stored.paycheck_id));
    let placed = match input.position {
        Some(location) => violation.at_position(location.pointer(), location.position),
        None => violation,
    };
    add_correlation_id(stored, placed)
}

fn add_correlation_id(stored: &StoredCheck, fault: Violation) -> Violation {
    Violation { correlation_id: Some(stored.check.correlation_id.clone()), ..fault }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::check::PaidBy;
    use crate::check::test_data::{facts, one_valid_check, validate_json};

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn deduction(component: &str, text: &str) -> SuppliedDeduction {
        let place = DocumentPosition::default();
        SuppliedDeduction { component_id: component.parse().unwrap(), amount: amount(text), position: place }
    }

    fn tax(paid_by: PaidBy, text: &str) -> TaxLine {
        TaxLine { name: "A tax".to_owned(), amount: amount(text), paid_by }
    }

    /// Returns a stored check whose lines are these earnings and informational lines.
    fn stored_check(earnings: Value, informational: Value) -> StoredCheck {
        let mut request = one_valid_check();
        request[0]["earnings"] = earnings;
        request[0]["informational"] = informational;
        let check = validate_json(&request.to_string(), &facts()).unwrap().remove(0);
        StoredCheck {
            paycheck_id: "p1".parse().unwrap(),
            check_component_ids: Vec::new(),
            reversal: None,
            check,
        }
    }

    fn stored_check_earning_100() -> StoredCheck {
        stored_check(json!([{"componentId": "bonus", "payAmount": "100"}]), json!([]))
    }

    fn complete_check_with_test_components(
        stored: &StoredCheck,
        input: &CompletionInput,
    ) -> Result<CompletedCheck, Vec<Violation>> {
        complete_check(stored, input, &facts().components)
    }

    #[test]
    fn computes_gross_and_net_from_lines_taxes_and_deductions() {
        let check = stored_check(
            json!([{"componentId": "hourly", "payHours": "7.5", "payRate": "20.3333"},
                   {"componentId": "tips", "payAmount": "10"},
                   {"componentId": "bonus", "payAmount": "5", "payHours": "2", "memoed": true}]),
            json!([{"componentId": "match", "payAmount": "50"}]),
        );
        let input = CompletionInput {
            taxes: vec![tax(PaidBy::Employee, "28.33"), tax(PaidBy::Employer, "11.48")],
            deductions: vec![deduction("garnishment", "20")],
            ..CompletionInput::default()
        };
        let pay = complete_check_with_test_components(&check, &input).unwrap().pay;
        assert_eq!((pay.gross_earnings, pay.net_pay), (amount("167.50"), amount("109.17")));
    }

    #[test]
    fn a_check_completed_without_input_has_the_type_regular() {
        let completed =
            complete_check_with_test_components(&stored_check_earning_100(), &CompletionInput::default())
                .unwrap();
        assert_eq!((completed.check_type.as_str(), completed.check_number), ("Regular", None));
        assert_eq!((completed.taxes, completed.deductions), (Vec::new(), Vec::new()));
        assert_eq!(completed.pay.net_pay, amount("100"));
    }

    #[test]
    fn rejects_each_deduction_by_a_component_that_does_not_reduce_pay() {
        let names = ["nothing", "bonus", "tips", "match", "garnishment"];
        let location = Some(CompletionPosition { index: 4, position: DocumentPosition::default() });
        let deductions = names.map(|name| deduction(name, "1")).into();
        let input = CompletionInput { deductions, position: location, ..CompletionInput::default() };
        let faults = complete_check_with_test_components(&stored_check_earning_100(), &input).unwrap_err();
        let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_deref().unwrap()).collect();
        let expected = [0, 1, 2, 3].map(|at| format!("/checks/4/deductions/{at}/componentId"));
        assert_eq!(pointers, expected);
    }

    #[test]
    fn reports_a_negative_net_with_the_check() {
        let location = Some(CompletionPosition { index: 2, position: DocumentPosition::default() });
        let with_deduction = |text| CompletionInput {
            taxes: vec![tax(PaidBy::Employee, "60")],
            deductions: vec![deduction("garnishment", text)],
            position: location,
            ..CompletionInput::default()
        };
        assert_eq!(
            complete_check_with_test_components(&stored_check_earning_100(), &with_deduction("40"))
                .unwrap()
                .pay
                .net_pay,
            Amount::ZERO
        );
        let faults =
            complete_check_with_test_components(&stored_check_earning_100(), &with_deduction("40.01"))
                .unwrap_err();
        let [fault] = faults.as_slice() else { unreachable!("one fault: {faults:?}") };
        assert_eq!(fault.pointer.as_deref(), Some("/checks/2"));
        assert_eq!(fault.correlation_id.as_deref(), Some("a1"));
        assert!(fault.description.starts_with("check p1: "), "{}", fault.description);
    }
}
