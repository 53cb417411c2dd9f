//! Which members name the event of their change, so that a new member is not forgotten.

use crate::company::Company;
use crate::description::Described;
use crate::worker::Worker;

/// What is left without one is the worker's id, what has events as a list, and values that fire none.
#[test]
fn every_member_of_a_worker_names_the_event_of_its_change() {
    let without = Worker::MEMBERS.iter().filter(|member| member.event.is_none()).map(|member| member.name);
    let lists = [
        "workerId",
        "communications",
        "payRates",
        "recurringComponents",
        "directDeposits",
        "customFields",
        "contacts",
        "timeOff",
        "statuses",
        "i9Status",
        "taxes",
    ];
    assert_eq!(without.collect::<Vec<_>>(), lists);
}

/// What is left without one has events of no domain, or as a list.
#[test]
fn members_of_a_company_name_the_event_of_their_change() {
    let without = Company::MEMBERS.iter().filter(|member| member.event.is_none()).map(|member| member.name);
    let known = [
        "companyId",
        "communications",
        "parentCompanyId",
        "endDate",
        "converting",
        "wagesExpenseAccount",
        "wagesPayableAccount",
        "employerTaxExpenseAccount",
        "taxesPayableAccount",
        "deductionsPayableAccount",
        "taxStates",
    ];
    assert_eq!(without.collect::<Vec<_>>(), known);
}
