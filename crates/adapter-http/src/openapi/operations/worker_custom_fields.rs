//! Values of custom fields of workers (specification §6.22).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::query_parameter;
use super::super::schema::request_date_schema;
use super::objects::WritableEndpoints;
use crate::shared::media_type::{JSON, VendorTypes};

const LIST_PATH: &str = "/workers/{workerId}/customfields";

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let several = success(
        200,
        "The values of custom fields that the worker has.",
        &[&types.custom_fields_of_worker, JSON],
        BodySchema::Collection("WorkerCustomField"),
    )
    .with_link("getWorkerCustomField", "workerCustomFieldId", "/content/0/workerCustomFieldId")
    .with_parameter_passed_to("getWorkerCustomField", "workerId");
    let listed = OperationDescription::new(
        "GET",
        LIST_PATH,
        "listWorkerCustomFields",
        "List a worker's values of custom fields",
    )
    .with_description(
        "Returns the values that the worker has on the day of the parameter `asof`, by \
            default today. The name, the type and the flags of each value are those of the company's \
            custom field.",
    )
    .with_parameters([as_of_parameter()])
    .with_paging()
    .with_success(several);
    let [add, one, change, remove] = writable_endpoints(types).operations();
    vec![listed, add, one.with_parameters([as_of_parameter()]), change, remove]
}

fn as_of_parameter() -> serde_json::Value {
    query_parameter(
        "asof",
        "Return only objects that are in force on this day.",
        request_date_schema("The day, as a date."),
    )
}

fn writable_endpoints(types: &VendorTypes) -> WritableEndpoints<'_> {
    let media_types = vec![types.custom_fields_of_worker.as_str(), types.custom_field_of_worker.as_str()];
    WritableEndpoints {
        list: LIST_PATH,
        object_path: "/workers/{workerId}/customfields/{workerCustomFieldId}",
        ids: [
            "addWorkerCustomField",
            "getWorkerCustomField",
            "changeWorkerCustomField",
            "removeWorkerCustomField",
        ],
        summaries: [
            "Add a value of a custom field to a worker",
            "Read one value of a custom field of a worker",
            "Change a value of a custom field of a worker",
            "Remove a value of a custom field of a worker",
        ],
        notes: [
            "Send the member for the type of the field: `dropdownId`, `dropdownValue` or both, `textValue`, \
             `numericValue`, `dateValue` or `booleanValue`. On each day, a worker can have only one value \
             of a field.",
            "The `ETag` in the response is that of the worker. You can send it in `If-Match`.",
            "A JSON merge patch. `customFieldId` cannot be changed.",
            "You can also remove the value of a required field.",
        ],
        schemas: [
            "WorkerCustomField",
            "WorkerCustomFieldInput",
            "WorkerCustomFieldChange",
            "CreatedWorkerCustomField",
        ],
        created: 200,
        new_types: media_types.clone(),
        types: media_types,
        read_types: vec![&types.custom_field_of_worker],
        delete_media_types: None,
        example: json!({"customFieldId": "1-FIELD-6", "numericValue": 12.5}),
        patch: json!({"dropdownId": "1-CHOICE-3"}),
        reasons: &[Reason::AlreadyUsed, Reason::CompanyLocked],
        reasons_to_keep: &[],
    }
}
