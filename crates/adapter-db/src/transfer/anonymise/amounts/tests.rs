//! Tests that checks still add up after their amounts were scaled.

use super::*;
use crate::rows::checks::packed::PackedTax;

fn packed_line(
    effect: &'static str,
    amount: Option<i64>,
    hours: Option<i64>,
    rate: Option<i64>,
) -> PackedLine<'static> {
    let text = format!(
        r#"{{"checkComponentId":"L","section":"earnings","componentId":"K","name":"a",
            "classificationType":"REGULAR","effectOnPay":"{effect}"}}"#
    );
    let line: PackedLine<'static> = serde_json::from_str(Box::leak(text.into_boxed_str())).unwrap();
    PackedLine { amount, hours, rate, ..line }
}

fn packed_tax(amount: i64, paid_by: &'static str) -> PackedTax<'static> {
    PackedTax { name: "tax".into(), amount, paid_by }
}

/// Returns a check with the net pay `left` after deductions and taxes. `by` multiplies all amounts, for
/// example by -1.
fn check_with_net_pay(by: i64, left: i64) -> (Vec<PackedLine<'static>>, PackedCompletion<'static>) {
    let lines = vec![
        packed_line("ADDITION", None, Some(by * 75_000), Some(203_333)),
        packed_line("ADDITION", Some(by * 333_300), None, None),
        packed_line("ADDITION", Some(by * 333_300), None, None),
        packed_line("ADDITION_WITH_IN_OUT", Some(by * 100), None, None),
        packed_line("REDUCTION", Some(by * 100_100), None, None),
        packed_line("EMPLOYER_INFORMATIONAL", Some(by * 55_500), None, None),
    ];
    let completion = PackedCompletion {
        deductions: vec![packed_line("REDUCTION", Some(by * 33_300), None, None)],
        taxes: vec![
            packed_tax(by * 28_300, "EMPLOYEE_WITHHOLDING"),
            packed_tax(by * 31_100, "EMPLOYER_LIABILITY"),
        ],
    };
    let rest = CheckSums::from_lines(&lines, Some(&completion)).unwrap().net_pay() - i128::from(by * left);
    let mut completion = completion;
    completion.taxes.push(packed_tax(i64::try_from(rest).unwrap(), "EMPLOYEE_WITHHOLDING"));
    (lines, completion)
}

fn all_amounts(lines: &[PackedLine<'_>], completion: &PackedCompletion<'_>) -> Vec<i64> {
    let lines = lines.iter().chain(&completion.deductions).map(|line| find_or_compute_amount(line).unwrap());
    lines.chain(completion.taxes.iter().map(|tax| tax.amount)).collect()
}

#[test]
fn a_scaled_check_adds_up_in_cents() {
    for thousandth in 0..4_500 {
        for left in [0, 100, 123_400] {
            let factor = AmountFactor(MIN_FACTOR + thousandth);
            let (mut lines, mut completion) = check_with_net_pay(1, left);
            let before = CheckSums::from_lines(&lines, Some(&completion)).unwrap();
            scale_check(factor, &mut lines, Some(&mut completion)).unwrap();
            let after = CheckSums::from_lines(&lines, Some(&completion)).unwrap();
            assert!(after.net_pay() >= 0, "{factor:?} {left}: {after:?}");
            assert!(
                (after.net_pay() - factor.scale_sum(before.net_pay())).abs() <= 300,
                "{factor:?} {after:?}"
            );
            assert!(
                (after.earnings - factor.scale_sum(before.earnings)).abs() <= 100,
                "{factor:?} {after:?}"
            );
            assert!(
                all_amounts(&lines, &completion).iter().all(|it| *it >= 0 && it % CENT == 0),
                "{factor:?}"
            );
        }
    }
}

#[test]
fn a_scaled_reversal_negates_its_original() {
    for thousandth in 0..4_500 {
        let factor = AmountFactor(MIN_FACTOR + thousandth);
        let (mut lines, mut completion) = check_with_net_pay(1, 0);
        let (mut back, mut of_back) = check_with_net_pay(-1, 0);
        // A reversal states the amount of every line.
        back.iter_mut().for_each(|line| line.amount = find_or_compute_amount(line));
        scale_check(factor, &mut lines, Some(&mut completion)).unwrap();
        scale_check(factor, &mut back, Some(&mut of_back)).unwrap();
        let negated: Vec<i64> = all_amounts(&back, &of_back).iter().map(|amount| -amount).collect();
        assert_eq!(all_amounts(&lines, &completion), negated, "{factor:?}");
    }
}

#[test]
fn scales_lines_that_add_up_to_more_than_64_bits() {
    let largest = i64::MAX / CENT * CENT;
    for by in [1, -1] {
        let mut lines: Vec<_> =
            (0..10).map(|_| packed_line("ADDITION", Some(by * largest), None, None)).collect();
        lines.push(packed_line("REDUCTION", Some(by * largest), None, None));
        scale_check(AmountFactor(5_000), &mut lines, None).unwrap();
        assert!(lines.iter().all(|line| line.amount == Some(by * largest / 2)), "{by}");
    }
}

#[test]
fn scales_positive_and_negative_amounts_individually() {
    let factor = AmountFactor(7_500);
    let mut lines = vec![
        packed_line("ADDITION", Some(100_000), None, None),
        packed_line("ADDITION", Some(-99_900), None, None),
    ];
    scale_check(factor, &mut lines, None).unwrap();
    assert_eq!((lines[0].amount, lines[1].amount), (Some(75_000), Some(-74_900)));
}

#[test]
fn every_amount_of_a_company_has_the_same_factor_below_one() {
    let pseudonyms = PseudonymGenerator::new(&[1; 32]).unwrap();
    let factor = |company: &str| AmountFactor::for_company(company, &pseudonyms).0;
    assert_eq!(factor("A"), factor("A"));
    assert!((0..1000).all(|number| (MIN_FACTOR..9_500).contains(&factor(&number.to_string()))));
    assert_eq!(
        (AmountFactor(5_000).scale_rate(203_333), AmountFactor(5_000).scale_rate(200_000)),
        (101_667, 100_000)
    );
}
