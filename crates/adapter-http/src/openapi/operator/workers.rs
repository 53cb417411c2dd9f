//! Workers and their parts (specification §10.6 to §10.9).

use serde_json::json;

use super::super::filters;
use super::super::operation::Operation;
use super::companies::{reveal, with_part_of_name};
use super::objects::Objects;

/// The operations on workers and their parts.
pub(super) fn operations() -> Vec<Operation> {
    let mut operations = worker().operations_with(with_part_of_name(
        "workers",
        filters::workers("Only workers whose SSN ends in these four digits."),
    ));
    let parts = [pay_rate(), recurring_component(), direct_deposit(), custom_value(), contact()];
    operations.extend(parts.iter().flat_map(Objects::operations));
    operations.extend(super::deposit_requests::operations());
    operations.extend(super::documents::operations());
    operations.push(reveal(
        "/operator/v1/companies/{companyId}/workers/{workerId}/reveal-taxid",
        "revealTaxIdOfWorker",
        "Show the full tax id of a worker",
    ));
    operations.push(super::bulk::change_workers());
    operations
}

fn worker() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}",
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

fn pay_rate() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers/{workerId}/payrates",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}/payrates/{rateId}",
        ids: [
            "listPayRates",
            "createPayRate",
            "getPayRate",
            "replacePayRate",
            "changePayRate",
            "deletePayRate",
        ],
        summaries: [
            "List a worker's pay rates",
            "Add a pay rate",
            "Read one pay rate",
            "Replace a pay rate",
            "Change a pay rate",
            "Delete a pay rate",
        ],
        schemas: ["PayRate", "PayRateInput", "PayRatePatch"],
        example: json!({"rateType": "HOURLY_RATE", "rateNumber": "RATE_9", "amount": "21.50", "startDate": "2026-01-05"}),
        patch: json!({"amount": "22.00"}),
        is_held_by_lock: true,
    }
}

fn recurring_component() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers/{workerId}/recurringcomponents",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}/recurringcomponents/{workerComponentId}",
        ids: [
            "listRecurringComponents",
            "createRecurringComponent",
            "getRecurringComponent",
            "replaceRecurringComponent",
            "changeRecurringComponent",
            "deleteRecurringComponent",
        ],
        summaries: [
            "List a worker's recurring components",
            "Add a recurring component",
            "Read one recurring component",
            "Replace a recurring component",
            "Change a recurring component",
            "Delete a recurring component",
        ],
        schemas: ["RecurringComponent", "RecurringComponentInput", "RecurringComponentPatch"],
        example: json!({"componentId": "851000000001004", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "25.00"}),
        patch: json!({"value": "30.00"}),
        is_held_by_lock: true,
    }
}

fn direct_deposit() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}",
        ids: [
            "listDirectDeposits",
            "createDirectDeposit",
            "getDirectDeposit",
            "replaceDirectDeposit",
            "changeDirectDeposit",
            "deleteDirectDeposit",
        ],
        summaries: [
            "List a worker's direct deposits",
            "Add a direct deposit",
            "Read one direct deposit",
            "Replace a direct deposit",
            "Change a direct deposit",
            "Delete a direct deposit",
        ],
        schemas: ["DirectDeposit", "DirectDepositInput", "DirectDepositPatch"],
        example: json!({
            "startDate": "2026-12-01", "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING",
            "value": "100.00", "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "5",
        }),
        patch: json!({"value": "120.00"}),
        is_held_by_lock: true,
    }
}

fn custom_value() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers/{workerId}/customfields",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}/customfields/{workerCustomFieldId}",
        ids: [
            "listWorkerCustomFields",
            "createWorkerCustomField",
            "getWorkerCustomField",
            "replaceWorkerCustomField",
            "changeWorkerCustomField",
            "deleteWorkerCustomField",
        ],
        summaries: [
            "List a worker's values of custom fields",
            "Add a value of a custom field",
            "Read one value of a custom field",
            "Replace a value of a custom field",
            "Change a value of a custom field",
            "Delete a value of a custom field",
        ],
        schemas: ["WorkerCustomField", "WorkerCustomFieldInput", "WorkerCustomFieldPatch"],
        example: json!({"customFieldId": "1-FIELD-7", "numericValue": 0.5}),
        patch: json!({"dropdownId": "1-CHOICE-3"}),
        is_held_by_lock: true,
    }
}

fn contact() -> Objects {
    Objects {
        list: "/operator/v1/companies/{companyId}/workers/{workerId}/contacts",
        one: "/operator/v1/companies/{companyId}/workers/{workerId}/contacts/{contactId}",
        ids: [
            "listContacts",
            "createContact",
            "getContact",
            "replaceContact",
            "changeContact",
            "deleteContact",
        ],
        summaries: [
            "List a worker's contacts",
            "Add a contact",
            "Read one contact",
            "Replace a contact",
            "Change a contact",
            "Delete a contact",
        ],
        schemas: ["WorkerContact", "WorkerContactInput", "WorkerContactPatch"],
        example: json!({
            "contactType": {"contactTypeId": "1-CONTACT-1"},
            "relationship": {"entity": {
                "entityName": "Neighbours Inc.", "communication": {"telecom": {"dialNumber": "5550199"}},
            }},
        }),
        patch: json!({"contactType": {"contactTypeId": "1-CONTACT-1"}}),
        is_held_by_lock: true,
    }
}
