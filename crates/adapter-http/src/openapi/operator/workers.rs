//! Workers and the elements of their lists, such as contacts and pay rates (specification §10.6, §10.7).

use serde_json::json;

use super::super::filters;
use super::super::operation::OperationDescription;
use super::companies::{reveal_tax_id_operation, with_name_filter};
use super::objects::ObjectEndpoints;
use crate::shared::lookup::object_names;

/// Returns the operations on workers and on the elements of their lists.
pub(super) fn operations() -> Vec<OperationDescription> {
    let mut operations = worker_endpoints()
        .operations_with_filters(with_name_filter("workers", filters::worker_filters(false)));
    operations.extend(worker_list_endpoints().iter().flat_map(ObjectEndpoints::operations));
    operations.extend(super::deposit_requests::operations());
    operations.extend(super::documents::operations());
    operations.push(reveal_tax_id_operation(
        "/operator/v1/companies/{companyId}/workers/{workerId}/reveal-taxid",
        "revealTaxIdOfWorker",
        "Show the full tax id of a worker",
    ));
    operations.push(super::bulk::change_workers_operation());
    operations
}

fn worker_endpoints() -> ObjectEndpoints {
    ObjectEndpoints {
        list: "/operator/v1/companies/{companyId}/workers",
        object_path: "/operator/v1/companies/{companyId}/workers/{workerId}",
        ids: ["listWorkers", "createWorker", "getWorker", "replaceWorker", "changeWorker", "deleteWorker"],
        summaries: [
            "List a company's workers",
            "Add a worker",
            "Read one worker",
            "Replace a worker",
            "Change a worker",
            "Delete a worker",
        ],
        schemas: ["Worker", "WorkerInput", "WorkerPatch"],
        example: json!({
            "workerType": "EMPLOYEE", "employmentType": "FULL_TIME", "exemptionType": "NON_EXEMPT",
            "hireDate": "2026-01-05", "name": {"givenName": "Ada", "familyName": "Example"},
        }),
        patch: json!({"employeeId": "1001"}),
        is_held_by_lock: true,
    }
}

/// Declares the lists of a worker. The arguments of each list are: the names of the operations and of the
/// schema, the singular and plural in texts, the path, the path parameter with the id, an element that can be
/// created with the demo data, and a patch.
macro_rules! define_worker_lists {
    ($(
        $one:ident $many:ident as $schema:ident, $words:literal $plural:literal, at $path:literal $id:literal,
        example $example:tt, patch $patch:tt;
    )*) => {
        /// Returns the declarations of all lists of a worker.
        fn worker_list_endpoints() -> Vec<ObjectEndpoints> {
            vec![$(ObjectEndpoints {
                list: concat!("/operator/v1/companies/{companyId}/workers/{workerId}/", $path),
                object_path: concat!("/operator/v1/companies/{companyId}/workers/{workerId}/", $path, "/{", $id, "}"),
                ids: object_names!($one, $many, $words, $plural).0,
                summaries: [
                    concat!("List a worker's ", $plural),
                    concat!("Add a ", $words),
                    concat!("Read one ", $words),
                    concat!("Replace a ", $words),
                    concat!("Change a ", $words),
                    concat!("Delete a ", $words),
                ],
                schemas: object_names!($schema, $many, $words, $plural).2,
                example: json!($example),
                patch: json!($patch),
                is_held_by_lock: true,
            }),*]
        }
    };
}

define_worker_lists! {
    PayRate PayRates as PayRate, "pay rate" "pay rates", at "payrates" "rateId",
        example {
            "rateType": "HOURLY_RATE", "rateNumber": "RATE_9", "amount": "21.50", "startDate": "2026-01-05",
        },
        patch {"amount": "22.00"};
    RecurringComponent RecurringComponents as RecurringComponent,
        "recurring component" "recurring components", at "recurringcomponents" "workerComponentId",
        example {
            "componentId": "851000000001004", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "25.00",
        },
        patch {"value": "30.00"};
    DirectDeposit DirectDeposits as DirectDeposit, "direct deposit" "direct deposits",
        at "directdeposits" "directDepositId",
        example {
            "startDate": "2026-12-01", "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING",
            "value": "100.00", "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "5",
        },
        patch {"value": "120.00"};
    WorkerCustomField WorkerCustomFields as WorkerCustomField,
        "value of a custom field" "values of custom fields", at "customfields" "workerCustomFieldId",
        example {"customFieldId": "1-FIELD-7", "numericValue": 0.5}, patch {"dropdownId": "1-CHOICE-3"};
    Contact Contacts as WorkerContact, "contact" "contacts", at "contacts" "contactId",
        example {
            "contactType": {"contactTypeId": "1-CONTACT-1"},
            "relationship": {"entity": {
                "entityName": "Neighbours Inc.", "communication": {"telecom": {"dialNumber": "5550199"}},
            }},
        },
        patch {"contactType": {"contactTypeId": "1-CONTACT-1"}};
}
