//! Tests of the memory budget, and of the response if the budget is exceeded.

use super::*;

const MAX_TOTAL_BYTES: usize = 100;
const MAX_BYTES_PER_APPLICATION: usize = 60;

fn application_reservation(budget: &Arc<MemoryBudget>, application: &str) -> ReservedMemory {
    budget.new_reservation(Some(application.parse().unwrap()))
}

#[test]
fn memory_is_limited_per_application_and_in_total() {
    let budget = MemoryBudget::new(MAX_TOTAL_BYTES, MAX_BYTES_PER_APPLICATION);
    let (mut first, mut second, mut other) = (
        application_reservation(&budget, "A"),
        application_reservation(&budget, "A"),
        application_reservation(&budget, "B"),
    );
    assert_eq!(first.resize(40), Ok(()));
    assert_eq!(second.resize(21), Err(MemoryRefusal::ApplicationLimit));
    assert_eq!(second.resize(20), Ok(()));
    assert_eq!(other.resize(41), Err(MemoryRefusal::ListenerLimit));
    assert_eq!(other.resize(40), Ok(()));
    assert_eq!(budget.new_reservation(None).resize(1), Err(MemoryRefusal::ListenerLimit));
    assert_eq!(budget.in_use(), MAX_TOTAL_BYTES);
}

#[test]
fn released_memory_is_available_to_others() {
    let budget = MemoryBudget::new(MAX_TOTAL_BYTES, MAX_BYTES_PER_APPLICATION);
    let (mut first, mut second) =
        (application_reservation(&budget, "A"), application_reservation(&budget, "A"));
    assert_eq!(first.resize(MAX_BYTES_PER_APPLICATION), Ok(()));
    assert_eq!(first.resize(10), Ok(()));
    assert_eq!(second.resize(50), Ok(()));
    drop(first);
    assert_eq!(budget.in_use(), 50);
    drop(second);
    assert_eq!(budget.in_use(), 0);
    assert!(budget.lock_totals().of_applications.is_empty(), "nothing is kept of who holds nothing");
}

#[test]
fn a_body_that_never_fits_is_distinguished_from_a_temporary_shortage() {
    let budget = MemoryBudget::new(MAX_TOTAL_BYTES, MAX_BYTES_PER_APPLICATION);
    assert_eq!(
        application_reservation(&budget, "A").resize(MAX_BYTES_PER_APPLICATION + 1),
        Err(MemoryRefusal::NeverFits)
    );
    assert_eq!(budget.new_reservation(None).resize(MAX_TOTAL_BYTES + 1), Err(MemoryRefusal::NeverFits));
}

#[test]
fn data_that_is_already_in_memory_is_always_counted() {
    let budget = MemoryBudget::new(MAX_TOTAL_BYTES, MAX_BYTES_PER_APPLICATION);
    let mut response = application_reservation(&budget, "A");
    response.resize_unchecked(MAX_TOTAL_BYTES + 1);
    assert_eq!(budget.new_reservation(None).resize(1), Err(MemoryRefusal::ListenerLimit));
    assert_eq!(response.resize(1), Ok(()), "what gets smaller always may");
}
