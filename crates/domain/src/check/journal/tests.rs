//! Tests that debits equal credits for any checks and accounts, and that the balance of the wages payable
//! account is the workers' net pay.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::check::test_data::component;
use crate::check::{CheckAmounts, ComponentLabel, Section, TaxLine};
use crate::date::parse_date;

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn processed_line(
    component_id: &str,
    effect_on_pay: EffectOnPay,
    unit: Option<&str>,
    amount: Amount,
) -> ProcessedLine {
    let organization = |unit: &str| OrganizationLabel {
        organization_id: unit.parse().unwrap(),
        name: format!("Unit {unit}"),
        number: None,
    };
    ProcessedLine {
        section: Section::Earnings,
        check_component_id: "l".parse().unwrap(),
        component: ComponentLabel::from_component(&component(component_id, effect_on_pay)),
        memoed: false,
        amount,
        rate: None,
        hours: None,
        units: None,
        line_date: None,
        job_id: None,
        labor_assignment_id: None,
        organization: unit.map(organization),
    }
}

fn tax_line(name: &str, paid_by: PaidBy, amount: Amount) -> TaxLine {
    TaxLine { name: name.to_owned(), amount, paid_by }
}

fn processed_check(lines: Vec<ProcessedLine>, taxes: Vec<TaxLine>) -> ProcessedCheck {
    let pay = CheckAmounts::from_processed_lines(&lines, &taxes);
    let pay = pay.unwrap_or(CheckAmounts { gross_earnings: Amount::ZERO, net_pay: Amount::ZERO });
    ProcessedCheck {
        paycheck_id: "p".parse().unwrap(),
        worker_id: "w".parse().unwrap(),
        pay_period_id: "t".parse().unwrap(),
        correlation_id: None,
        check_date: parse_date("2026-05-12").unwrap(),
        net_pay: pay.net_pay,
        gross_earnings: pay.gross_earnings,
        check_type: "Regular".to_owned(),
        check_number: None,
        reversal_of: None,
        lines,
        taxes,
    }
}

fn default_accounts() -> JournalAccounts {
    JournalAccounts {
        wages_expense: "6000".to_owned(),
        wages_payable: "2100".to_owned(),
        employer_tax_expense: "6100".to_owned(),
        taxes_payable: "2200".to_owned(),
        deductions_payable: "2300".to_owned(),
    }
}

fn journal_of_checks(checks: &[ProcessedCheck], components: &[PayComponent]) -> Journal {
    let mut sums = JournalSums::default();
    checks.iter().for_each(|check| sums.add(check.clone()).unwrap());
    let components = components.iter().map(|it| (it.component_id.clone(), it.clone())).collect();
    sums.into_journal(&default_accounts(), &components).unwrap()
}

fn account_sum(journal: &Journal, is_debit: bool, account: Option<&str>) -> Amount {
    let entries = journal.entries.iter().filter(|entry| entry.is_debit == is_debit);
    let entries = entries.filter(|entry| account.is_none_or(|account| entry.account == account));
    entries.fold(Amount::ZERO, |sum, entry| sum.checked_add(entry.amount).unwrap())
}

fn journal_rows(journal: &Journal) -> Vec<String> {
    let shown = |entry: &JournalEntry| {
        let side = if entry.is_debit { "debit" } else { "credit" };
        let unit = entry.organization.as_ref().map_or("-", |unit| unit.organization_id.as_str());
        format!("{} {side} {} {} {unit}", entry.account, entry.amount, entry.name)
    };
    journal.entries.iter().map(shown).collect()
}

/// Generates amounts in cents. Some are negative, because imported checks may have negative amounts.
fn any_amount() -> impl Strategy<Value = Amount> {
    (-99_999_999_i64..=99_999_999).prop_map(|cents| Amount::from_ten_thousandths(cents * 100).unwrap())
}

fn any_lines() -> impl Strategy<Value = Vec<ProcessedLine>> {
    let ids = proptest::sample::select(vec!["a", "b", "c", "d", "e"]);
    let units = option::of(proptest::sample::select(vec!["u1", "u2", "u3"]));
    let effects = proptest::sample::select(EffectOnPay::ALL.to_vec());
    let line = (ids, effects, units, any_amount())
        .prop_map(|(id, effect, unit, it)| processed_line(id, effect, unit, it));
    vec(line, 0..8)
}

fn any_check() -> impl Strategy<Value = ProcessedCheck> {
    let names = proptest::sample::select(vec!["Federal", "State"]);
    let payers = proptest::sample::select(PaidBy::ALL.to_vec());
    let tax = (names, payers, any_amount()).prop_map(|(name, paid_by, it)| tax_line(name, paid_by, it));
    (any_lines(), vec(tax, 0..4)).prop_map(|(lines, taxes)| processed_check(lines, taxes))
}

/// Generates components with their own accounts. Some accounts equal those of the company or of another
/// component.
fn any_components() -> impl Strategy<Value = Vec<PayComponent>> {
    let account = || option::of(proptest::sample::select(vec!["2100", "6000", "7", "8"]));
    vec((account(), account()), 5).prop_map(|accounts| {
        let named = ["a", "b", "c", "d", "e"].into_iter().zip(accounts);
        let with_accounts = |(id, (debit, credit)): (&str, (Option<&str>, Option<&str>))| PayComponent {
            debit_account: debit.map(str::to_owned),
            credit_account: credit.map(str::to_owned),
            ..component(id, EffectOnPay::Addition)
        };
        named.map(with_accounts).collect()
    })
}

proptest! {
    #[test]
    fn debits_equal_credits_for_any_checks(
        checks in vec(any_check(), 0..12),
        components in any_components(),
    ) {
        let journal = journal_of_checks(&checks, &components);
        let sums = [true, false].map(|is_debit| account_sum(&journal, is_debit, None));
        prop_assert_eq!(sums, [journal.total; 2]);
        prop_assert!(journal.entries.iter().all(|entry| entry.amount > Amount::ZERO));
        prop_assert!(journal.entries.is_sorted_by_key(|entry| &entry.account));
    }

    #[test]
    fn wages_payable_equals_the_net_pay(checks in vec(any_check(), 0..12)) {
        let paid = |check: &ProcessedCheck| CheckAmounts::from_processed_lines(&check.lines, &check.taxes).is_ok();
        let checks: Vec<_> = checks.into_iter().filter(paid).collect();
        let journal = journal_of_checks(&checks, &[]);
        let credits = account_sum(&journal, false, Some("2100"));
        let owed = credits.checked_sub(account_sum(&journal, true, Some("2100")));
        let net = checks.iter().fold(Amount::ZERO, |sum, check| sum.checked_add(check.net_pay).unwrap());
        prop_assert_eq!(owed, Some(net));
    }
}

#[test]
fn each_effect_and_tax_has_its_accounts() {
    let none = None;
    let lines = vec![
        processed_line("pay", EffectOnPay::Addition, Some("u1"), amount("100")),
        processed_line("pay", EffectOnPay::Addition, none, amount("7")),
        processed_line("pay", EffectOnPay::Addition, Some("u1"), amount("0.05")),
        processed_line("meals", EffectOnPay::AdditionWithInOut, none, amount("9")),
        processed_line("dues", EffectOnPay::Reduction, none, amount("12")),
        processed_line("car", EffectOnPay::EmployerInformational, none, amount("50")),
    ];
    let taxes = vec![
        tax_line("T", PaidBy::Employee, amount("28.33")),
        tax_line("T", PaidBy::Employer, amount("8.01")),
    ];
    let expected = [
        "2100 credit 7.00 The pay -",
        "2100 credit 100.05 The pay u1",
        "2100 debit 12.00 The dues -",
        "2100 debit 28.33 T -",
        "2200 credit 28.33 T -",
        "2200 credit 8.01 T -",
        "2300 credit 12.00 The dues -",
        "2300 credit 9.00 The meals -",
        "6000 debit 9.00 The meals -",
        "6000 debit 7.00 The pay -",
        "6000 debit 100.05 The pay u1",
        "6100 debit 8.01 T -",
    ];
    let journal = journal_of_checks(&[processed_check(lines, taxes)], &[]);
    let mut shown = journal_rows(&journal);
    shown.sort_by(|one, other| one[..4].cmp(&other[..4]));
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    shown.sort();
    assert_eq!((shown, journal.total), (expected.to_vec(), amount("164.39")));
}

#[test]
fn component_accounts_override_defaults_and_informational_lines_need_them() {
    let own = |id: &str, effect: EffectOnPay, debit: Option<&str>, credit: Option<&str>| PayComponent {
        debit_account: debit.map(str::to_owned),
        credit_account: credit.map(str::to_owned),
        ..component(id, effect)
    };
    let information = EffectOnPay::EmployerInformational;
    let components = [
        own("pay", EffectOnPay::Addition, Some("6010"), None),
        own("match", information, Some("6200"), Some("2400")),
        own("car", information, Some("6300"), None),
    ];
    let lines = vec![
        processed_line("pay", EffectOnPay::Addition, None, amount("10")),
        processed_line("match", information, None, amount("3")),
        processed_line("car", information, None, amount("5")),
    ];
    let expected = [
        "2100 credit 10.00 The pay -",
        "2400 credit 3.00 The match -",
        "6010 debit 10.00 The pay -",
        "6200 debit 3.00 The match -",
    ];
    assert_eq!(
        journal_rows(&journal_of_checks(&[processed_check(lines, Vec::new())], &components)),
        expected
    );
}

#[test]
fn component_accounts_do_not_apply_to_lines_with_an_older_effect() {
    let changed = PayComponent {
        debit_account: Some("6200".to_owned()),
        credit_account: Some("2400".to_owned()),
        ..component("pay", EffectOnPay::EmployerInformational)
    };
    let older = processed_line("pay", EffectOnPay::Addition, None, amount("10"));
    let journal = journal_of_checks(&[processed_check(vec![older], Vec::new())], &[changed]);
    assert_eq!(journal_rows(&journal), ["2100 credit 10.00 The pay -", "6000 debit 10.00 The pay -"]);
}

#[test]
fn swaps_debit_and_credit_of_a_negative_sum_and_omits_zero_sums() {
    let pay = |id: &str, it: &str| processed_line(id, EffectOnPay::Addition, None, amount(it));
    let lines = vec![pay("back", "5"), pay("back", "-7"), pay("nothing", "4"), pay("nothing", "-4")];
    let journal = journal_of_checks(&[processed_check(lines, Vec::new())], &[]);
    assert_eq!(journal_rows(&journal), ["2100 debit 2.00 The back -", "6000 credit 2.00 The back -"]);
}

#[test]
fn rejects_a_journal_with_too_many_sums_and_lists_components_once() {
    let mut sums = JournalSums::default();
    let effects = [EffectOnPay::Addition, EffectOnPay::Reduction];
    let lines = effects.map(|effect| processed_line("pay", effect, None, amount("1"))).to_vec();
    sums.add(processed_check(lines, Vec::new())).unwrap();
    assert_eq!(sums.component_ids(), ["pay".parse().unwrap()]);
    let taxed = |number: usize| {
        processed_check(Vec::new(), vec![tax_line(&format!("T{number}"), PaidBy::Employer, amount("1"))])
    };
    (2..MAX_JOURNAL_SUMS).for_each(|number| sums.add(taxed(number)).unwrap());
    assert_eq!(sums.add(taxed(2)), Ok(()), "a known tax");
    assert_eq!(sums.add(taxed(1)), Err(JournalFault::TooManySums));
}
