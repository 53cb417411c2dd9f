//! Checks that the description of each member declares the domain of the event that a change of the member
//! fires. A new member without a domain therefore fails a test.

use crate::company::Company;
use crate::description::Described;
use crate::worker::Worker;

/// Checks the members of workers. The exceptions are the worker's id, lists with their own events, and
/// members that fire no event.
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

/// Checks the members of companies. The exceptions are members that fire no event, and lists with their own
/// events.
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
