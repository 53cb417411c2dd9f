//! Recurring components of workers (specification §6.17).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::filters;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{list_schema, schema_reference, with_keyword};
use super::objects::{DOCUMENT_REASONS, WRITE_REASONS, WritableEndpoints, dry_run_parameter};
use crate::shared::lookup::LookupListFilter;
use crate::shared::media_type::{JSON, VendorTypes};

const LIST_PATH: &str = "/workers/{workerId}/paycomponents";

/// The reasons to reject recurring components in a request, in addition to the reasons that apply to every
/// document.
const COMPONENT_REASONS: &[Reason] = &[
    Reason::RateAmountInvalid,
    Reason::StartsTooEarly,
    Reason::DatesOverlap,
    Reason::CalculationBaseInvalid,
    Reason::CompanyLocked,
];

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let several = success(
        200,
        "The recurring components of the worker.",
        &[&types.pay_components, JSON],
        BodySchema::Collection("RecurringComponent"),
    )
    .with_link("getRecurringComponent", "workerComponentId", "/content/0/workerComponentId")
    .with_parameter_passed_to("getRecurringComponent", "workerId");
    let listed = OperationDescription::new(
        "GET",
        LIST_PATH,
        "listRecurringComponents",
        "List a worker's recurring components",
    )
    .with_description(
        "Returns the recurring components of the worker, such as deductions and \
            benefits, that are in force on the day of the parameter `asof`, by default today.",
    )
    .with_parameters(filter_parameters())
    .with_paging()
    .with_success(several);
    let [add, one, change, remove] = writable_endpoints(types).operations();
    let one = one.with_parameters(filters::lookup_filters(LookupListFilter::Day));
    vec![listed, add, change_list_elements_operation(types), one, change, remove]
}

fn writable_endpoints(types: &VendorTypes) -> WritableEndpoints<'_> {
    let media_types = vec![types.pay_components.as_str(), types.pay_component.as_str()];
    WritableEndpoints {
        list: LIST_PATH,
        object_path: "/workers/{workerId}/paycomponents/{workerComponentId}",
        ids: [
            "addRecurringComponent",
            "getRecurringComponent",
            "changeRecurringComponent",
            "removeRecurringComponent",
        ],
        summaries: [
            "Add a recurring component to a worker",
            "Read one recurring component of a worker",
            "Change a recurring component of a worker",
            "Remove a recurring component of a worker",
        ],
        notes: [
            "Without `startDate`, the component starts today. Two recurring components of a worker with the same `componentId` cannot overlap. `name`, `effectOnPay` and `classificationType` are those of the pay component.",
            "The `ETag` in the response is that of the worker. You can send it in `If-Match`.",
            "A JSON merge patch. `componentId` cannot be changed, and `startDate` cannot become a day before today.",
            "Before its start date, a recurring component cannot be removed (422 API-45).",
        ],
        schemas: [
            "RecurringComponent",
            "RecurringComponentInput",
            "RecurringComponentChange",
            "CreatedRecurringComponent",
        ],
        created: 201,
        new_types: media_types.clone(),
        types: media_types,
        read_types: vec![&types.pay_component],
        delete_media_types: None,
        example: json!({
            "componentId": "851000000001016", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "12.5",
            "frequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY", "effectedChecks": "FIRST_CHECK"},
            "checkLimit": {"type": "STOPS_AT", "stopsAt": "500.00"},
        }),
        patch: json!({"value": "15"}),
        reasons: COMPONENT_REASONS,
        reasons_to_keep: &[Reason::StartsLater],
    }
}

fn change_list_elements_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.pay_components.as_str(), types.pay_component.as_str(), JSON];
    let changed = success(
        200,
        "The changed recurring components.",
        &media_types,
        BodySchema::Resource("RecurringComponent"),
    );
    let body = with_keyword(
        list_schema(
            "The changes, one for each recurring component.",
            schema_reference("NamedRecurringComponentChange"),
        ),
        "minItems",
        1,
    );
    OperationDescription::new("PATCH", LIST_PATH, "changeRecurringComponents", "Change several recurring components of a worker")
        .with_description("Each element is a JSON merge patch that names its recurring component by `workerComponentId`. Either all changes are stored, or none.")
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_required_body(
            &media_types,
            &body,
            &json!([{"workerComponentId": "851000000005001", "value": "15"}]),
        )
        .with_success(changed.with_header("ETag"))
        .with_reasons(DOCUMENT_REASONS)
        .with_reasons(COMPONENT_REASONS)
        .with_reasons(&[Reason::EmptyRequest])
        .with_reasons(WRITE_REASONS)
}

fn filter_parameters() -> Vec<serde_json::Value> {
    let mut all = filters::lookup_filters(LookupListFilter::Day);
    all.extend([
        query_parameter(
            "effectonpay",
            "Return only components with this effect.",
            schema_reference("EffectOnPay"),
        ),
        query_parameter(
            "name",
            "Return only recurring components whose pay component has exactly this name.",
            filters::non_empty_text_schema("The exact name of the pay component."),
        ),
        query_parameter(
            "componentid",
            "Return only recurring components that use this pay component.",
            filters::non_empty_text_schema("The id of a pay component."),
        ),
        query_parameter(
            "classificationtype",
            "Return only components with this classification.",
            schema_reference("ClassificationType"),
        ),
    ]);
    all
}
