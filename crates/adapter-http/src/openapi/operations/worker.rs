//! Workers (specification §6.11 to §6.14).

use payroll_domain::access::Scope;

use super::super::envelope::Content;
use super::super::filters;
use super::super::operation::{Operation, success};
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<Operation> {
    let mut operations = vec![list_workers(types), get_worker(types), communications(types)];
    operations.extend(pay_rates(types));
    operations
}

fn list_workers(types: &VendorTypes) -> Operation {
    let found = success(
        200,
        "Workers.",
        &[&types.workers, &types.workers_communications],
        Content::Collection("Worker"),
    )
    .or_each(&types.impersonal(), Content::Collection("ImpersonalWorker"))
    .or_each(&types.impersonal_with_communications(), Content::Collection("ReachableWorker"))
    .or(&types.workers_roster, Content::Collection("RosterWorker"))
    .or(JSON, Content::Collection("Worker"))
    .leads_to("getWorker", "workerId", "/content/0/workerId")
    .leads_to("listCommunicationsOfWorker", "workerId", "/content/0/workerId")
    .leads_to("listPayRates", "workerId", "/content/0/workerId");
    Operation::new("GET", "/companies/{companyId}/workers", "listWorkers", "List a company's workers")
        .says("The filters hold together. The media type says how much is shown: everything, what a roster lists, nothing personal (`nonpii`), or nothing personal but communications (`nonpii_communications`). `nonpii` is given for `read:payroll` as well; all others take `read:workers`. SSNs are masked without `read:taxids`.")
        .opened_by(Scope::ReadPayroll)
        .takes(filters::workers("Only workers whose SSN ends in these four digits. It takes `read:taxids` too."))
        .pages()
        .answers(found)
}

fn get_worker(types: &VendorTypes) -> Operation {
    let found = success(
        200,
        "The worker.",
        &[&types.worker, &types.worker_communications],
        Content::Resource("Worker"),
    )
    .or_each(&types.impersonal(), Content::Resource("ImpersonalWorker"))
    .or_each(&types.impersonal_with_communications(), Content::Resource("ReachableWorker"))
    .or(JSON, Content::Resource("Worker"));
    Operation::new("GET", "/workers/{workerId}", "getWorker", "Read one worker")
        .says("As in the list of the company's workers; `nonpii` is given for `read:payroll` as well.")
        .opened_by(Scope::ReadPayroll)
        .answers(found)
}

fn communications(types: &VendorTypes) -> Operation {
    let media_types = [types.communications_of_worker.as_str(), JSON];
    Operation::new(
        "GET",
        "/workers/{workerId}/communications",
        "listCommunicationsOfWorker",
        "List what a worker can be reached by",
    )
    .pages()
    .answers(success(
        200,
        "Addresses, telephones, e-mail addresses.",
        &media_types,
        Content::Collection("Communication"),
    ))
}

fn pay_rates(types: &VendorTypes) -> [Operation; 2] {
    let several = success(200, "Pay rates.", &[&types.pay_rates, JSON], Content::Collection("PayRate"))
        .leads_to("getPayRate", "rateId", "/content/0/rateId")
        .keeping("getPayRate", "workerId");
    let one = success(200, "The pay rate.", &[&types.pay_rate, JSON], Content::Resource("PayRate"));
    [
        Operation::new(
            "GET",
            "/workers/{workerId}/compensation/payrates",
            "listPayRates",
            "List what a worker is paid by",
        )
        .says("A line of a check may name one of these by its `rateId`.")
        .pages()
        .answers(several),
        Operation::new(
            "GET",
            "/workers/{workerId}/compensation/payrates/{rateId}",
            "getPayRate",
            "Read one pay rate of a worker",
        )
        .answers(one),
    ]
}
