//! Tests of the budget, and of the response if it is exceeded.

use super::*;

const MAX: usize = 100;
const SHARE: usize = 60;

fn of(budget: &Arc<MemoryBudget>, application: &str) -> Reservation {
    budget.reservation(Some(application.parse().unwrap()))
}

#[test]
fn an_application_gets_its_share_and_all_together_what_there_is() {
    let budget = MemoryBudget::new(MAX, SHARE);
    let (mut first, mut second, mut other) = (of(&budget, "A"), of(&budget, "A"), of(&budget, "B"));
    assert_eq!(first.resize(40), Ok(()));
    assert_eq!(second.resize(21), Err(MemoryRefusal::OfApplication));
    assert_eq!(second.resize(20), Ok(()));
    assert_eq!(other.resize(41), Err(MemoryRefusal::OfListener));
    assert_eq!(other.resize(40), Ok(()));
    assert_eq!(budget.reservation(None).resize(1), Err(MemoryRefusal::OfListener));
    assert_eq!(budget.in_use(), MAX);
}

#[test]
fn what_is_dropped_or_made_smaller_is_there_for_others() {
    let budget = MemoryBudget::new(MAX, SHARE);
    let (mut first, mut second) = (of(&budget, "A"), of(&budget, "A"));
    assert_eq!(first.resize(SHARE), Ok(()));
    assert_eq!(first.resize(10), Ok(()));
    assert_eq!(second.resize(50), Ok(()));
    drop(first);
    assert_eq!(budget.in_use(), 50);
    drop(second);
    assert_eq!(budget.in_use(), 0);
    assert!(budget.reserved().of_applications.is_empty(), "nothing is kept of who holds nothing");
}

#[test]
fn what_never_fits_is_told_apart_from_what_may_come_again() {
    let budget = MemoryBudget::new(MAX, SHARE);
    assert_eq!(of(&budget, "A").resize(SHARE + 1), Err(MemoryRefusal::Ever));
    assert_eq!(budget.reservation(None).resize(MAX + 1), Err(MemoryRefusal::Ever));
}

#[test]
fn what_is_there_already_counts_though_it_is_too_much() {
    let budget = MemoryBudget::new(MAX, SHARE);
    let mut answer = of(&budget, "A");
    answer.force(MAX + 1);
    assert_eq!(budget.reservation(None).resize(1), Err(MemoryRefusal::OfListener));
    assert_eq!(answer.resize(1), Ok(()), "what gets smaller always may");
}
