//! Workers (specification §6.11 to §6.14).

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::{list_schema, schema_reference, with_keyword};
use super::objects::{DOCUMENT_REASONS, WRITE_REASONS, WritableEndpoints, dry_run_parameter};
use crate::shared::limits::MAX_WORKERS_PER_REQUEST;
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let of_workers = vec![
        list_workers_operation(types),
        add_workers_operation(types),
        get_worker_operation(types),
        change_worker_operation(types),
        remove_worker_operation(),
    ];
    [of_workers, communication_operations(types), pay_rate_operations(types)].into_iter().flatten().collect()
}

fn list_workers_operation(types: &VendorTypes) -> OperationDescription {
    let found = success(
        200,
        "The workers of the company.",
        &[&types.workers, &types.workers_communications],
        BodySchema::Collection("Worker"),
    )
    .with_media_types_of_schema(&types.nonpii_types(), BodySchema::Collection("ImpersonalWorker"))
    .with_media_types_of_schema(
        &types.nonpii_types_with_communications(),
        BodySchema::Collection("ReachableWorker"),
    )
    .with_media_type(&types.workers_roster, BodySchema::Collection("RosterWorker"))
    .with_media_type(JSON, BodySchema::Collection("Worker"))
    .with_link("getWorker", "workerId", "/content/0/workerId")
    .with_link("listCommunicationsOfWorker", "workerId", "/content/0/workerId")
    .with_link("listPayRates", "workerId", "/content/0/workerId");
    OperationDescription::new(
        "GET",
        "/companies/{companyId}/workers",
        "listWorkers",
        "List a company's workers",
    )
    .with_description(
        "A worker must match all filters. The media type determines the members of each \
            worker: all members, those of a roster, no personal data (`nonpii`), or no personal data except \
            communications (`nonpii_communications`). `nonpii` requires `read:workers` or `read:payroll`. \
            All others require `read:workers`. SSNs are masked without `read:taxids`.",
    )
    .with_alternative_scope(Scope::ReadPayroll)
    .with_parameters(filters::worker_filters(true))
    .with_paging()
    .with_success(found)
}

fn add_workers_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.workers.as_str(), JSON];
    let several =
        with_keyword(list_schema("The workers to add.", schema_reference("WorkerInput")), "minItems", 1);
    let body = with_keyword(several, "maxItems", MAX_WORKERS_PER_REQUEST);
    let created = |status, words, content| success(status, words, &media_types, content);
    OperationDescription::new(
        "POST",
        "/companies/{companyId}/workers",
        "addWorkers",
        "Add workers to a company",
    )
    .with_description(
        "Adds at most 100 workers. You can send one worker without the array. If some \
            workers are invalid, the others are created, and the response is 207, with the created workers \
            in `content` and the faults of the others in `errors`. A new worker has the status IN_PROGRESS \
            and gets federal tax settings: tax is withheld, and the filing status is \
            SINGLE_OR_MARRIED_FILING_SEPARATELY. `jobId` and ids are ignored.",
    )
    .with_parameters([dry_run_parameter()])
    .with_required_body(
        &media_types,
        &body,
        &json!([{
            "workerCorrelationId": "c-1", "workerType": "EMPLOYEE", "hireDate": "2026-12-01T00:00:00Z",
            "name": {"familyName": "Sample", "givenName": "Ann"},
            "communications": [{"type": "EMAIL", "usageType": "BUSINESS", "uri": "ann@demo.example"}],
        }]),
    )
    .with_success(created(201, "The new workers.", BodySchema::Resource("CreatedWorker")))
    .with_success(created(
        200,
        "A dry run: the workers as they would be stored, without ids.",
        BodySchema::Resource("CreatedWorker"),
    ))
    .with_success(created(
        207,
        "Some workers are created, others are invalid.",
        BodySchema::WithErrors("CreatedWorker"),
    ))
    .with_reasons(DOCUMENT_REASONS)
    .with_reasons(&[
        Reason::TooManyWorkers,
        Reason::DuplicateCorrelationId,
        Reason::TelephoneInvalid,
        Reason::StreetInvalid,
        Reason::AlreadyUsed,
        Reason::EmptyRequest,
        Reason::CompanyLocked,
    ])
}

fn get_worker_operation(types: &VendorTypes) -> OperationDescription {
    let found = success(
        200,
        "The worker.",
        &[&types.worker, &types.worker_communications],
        BodySchema::Resource("Worker"),
    )
    .with_media_types_of_schema(&types.nonpii_types(), BodySchema::Resource("ImpersonalWorker"))
    .with_media_types_of_schema(
        &types.nonpii_types_with_communications(),
        BodySchema::Resource("ReachableWorker"),
    )
    .with_media_type(JSON, BodySchema::Resource("Worker"));
    OperationDescription::new("GET", "/workers/{workerId}", "getWorker", "Read one worker")
        .with_description(
            "The worker has the same members as in the list of the company's workers. For the `nonpii` media type, the scope `read:payroll` is sufficient.",
        )
        .with_alternative_scope(Scope::ReadPayroll)
        .with_success(found)
}

fn change_worker_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.worker.as_str(), JSON];
    let accepted = [types.worker.as_str(), JSON, MERGE_PATCH];
    let changed = success(200, "The worker after the change.", &media_types, BodySchema::Resource("Worker"));
    OperationDescription::new("PATCH", "/workers/{workerId}", "changeWorker", "Change a worker")
        .with_description("A JSON merge patch. `workerType`, `jobId` and `communications` cannot be changed. If the worker is active, `exemptionType`, `ethnicityCode` and `hireDate` cannot be changed either. A new `currentStatus` starts today.")
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_required_body(&accepted, &schema_reference("WorkerChange"), &json!({"employmentType": "PART_TIME"}))
        .with_success(changed.with_header("ETag"))
        .with_reasons(DOCUMENT_REASONS)
        .with_reasons(&[Reason::EmptyRequest, Reason::StateForbids, Reason::DateNotToday, Reason::NotDeletable])
        .with_reasons(&[Reason::SupervisorEnds])
        .with_reasons(WRITE_REASONS)
}

fn remove_worker_operation() -> OperationDescription {
    OperationDescription::new(
        "DELETE",
        "/workers/{workerId}",
        "removeWorker",
        "Delete a worker who is being set up",
    )
    .with_description("Return only a worker whose status is IN_PROGRESS can be deleted.")
    .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
    .with_success(success(204, "The worker is deleted.", &[], BodySchema::Nothing))
    .with_reasons(&[Reason::InvalidParameter, Reason::StateForbids])
    .with_reasons(WRITE_REASONS)
}

fn communication_operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let media_types = [types.communications_of_worker.as_str(), JSON];
    let path = "/workers/{workerId}/communications";
    let found = success(
        200,
        "The communications of the worker.",
        &media_types,
        BodySchema::Collection("Communication"),
    );
    let list = OperationDescription::new(
        "GET",
        path,
        "listCommunicationsOfWorker",
        "List a worker's communications",
    )
    .with_paging()
    .with_success(found);
    let one = vec![types.communication_of_worker.as_str(), types.communications_of_worker.as_str()];
    let written = WritableEndpoints {
        list: path,
        object_path: "/workers/{workerId}/communications/{communicationId}",
        ids: ["addCommunication", "getCommunication", "changeCommunication", "removeCommunication"],
        summaries: [
            "Add a communication to a worker",
            "Read one communication of a worker",
            "Change a communication of a worker",
            "Remove a communication of a worker",
        ],
        notes: [
            "A worker has one communication of each type and usage. The `usageType` of PHONE and EMAIL is BUSINESS or PERSONAL. The `usageType` of MOBILE_PHONE, FAX and PAGER is BUSINESS.",
            "The `ETag` in the response is that of the worker. Send it in `If-Match` to change the worker.",
            "A JSON merge patch. `type`, `usageType` and `postOfficeBox` cannot be changed.",
            "The response has the communications that the worker still has. Street addresses and post \
             office boxes cannot be removed.",
        ],
        schemas: ["Communication", "CommunicationInput", "CommunicationChange", "CreatedCommunication"],
        created: 200,
        new_types: one.clone(),
        types: one,
        read_types: vec![&types.communication_of_worker],
        delete_media_types: Some(vec![&types.communications_of_worker, &types.communication_of_worker]),
        example: json!({"type": "PHONE", "usageType": "BUSINESS", "dialArea": "585", "dialNumber": "5550100"}),
        patch: json!({"dialNumber": "5550101"}),
        reasons: &[
            Reason::TelephoneInvalid,
            Reason::StreetInvalid,
            Reason::AlreadyUsed,
            Reason::CompanyLocked,
        ],
        reasons_to_keep: &[Reason::NotDeletable],
    };
    [vec![list], written.operations().into()].into_iter().flatten().collect()
}

fn pay_rate_operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let path = "/workers/{workerId}/compensation/payrates";
    let several = success(
        200,
        "The pay rates of the worker.",
        &[&types.pay_rates, JSON],
        BodySchema::Collection("PayRate"),
    )
    .with_link("getPayRate", "rateId", "/content/0/rateId")
    .with_parameter_passed_to("getPayRate", "workerId");
    let list = OperationDescription::new("GET", path, "listPayRates", "List a worker's pay rates")
        .with_description("A check line can refer to a pay rate by its `rateId`.")
        .with_paging()
        .with_success(several);
    let one = vec![types.pay_rate.as_str(), types.pay_rates.as_str()];
    let written = WritableEndpoints {
        list: path,
        object_path: "/workers/{workerId}/compensation/payrates/{rateId}",
        ids: ["addPayRate", "getPayRate", "changePayRate", "removePayRate"],
        summaries: [
            "Add a pay rate to a worker",
            "Read one pay rate of a worker",
            "Change a pay rate of a worker",
            "Remove a pay rate of a worker",
        ],
        notes: [
            "A worker can have up to 25 pay rates, each with a different number. A pay rate without \
             `startDate` starts today.",
            "The `ETag` in the response is that of the worker. Send it in `If-Match` to change the worker.",
            "A JSON merge patch of the pay rate.",
            "Existing checks keep the amount that the pay rate had when they were added.",
        ],
        schemas: ["PayRate", "PayRateInput", "PayRateChange", "CreatedPayRate"],
        created: 200,
        new_types: one.clone(),
        types: one,
        read_types: vec![&types.pay_rate],
        delete_media_types: None,
        example: json!({"rateNumber": "RATE_9", "rateType": "HOURLY_RATE", "amount": "40.20"}),
        patch: json!({"amount": "41.00"}),
        reasons: &[
            Reason::TextTooLong,
            Reason::AlreadyUsed,
            Reason::RateTypeInvalid,
            Reason::RateAmountInvalid,
            Reason::CompanyLocked,
        ],
        reasons_to_keep: &[],
    };
    [vec![list], written.operations().into()].into_iter().flatten().collect()
}
