//! Direct deposits of workers (specification §6.27).

use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, SuccessResponse, success};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{list_schema, request_date_schema, schema_reference, with_keyword};
use super::objects::{DOCUMENT_REASONS, WRITE_REASONS, WritableEndpoints, dry_run_parameter};
use crate::shared::media_type::{JSON, VendorTypes};

const LIST_PATH: &str = "/workers/{workerId}/directdeposits";

/// The reasons to reject direct deposits in a request, in addition to the reasons that apply to every
/// document.
const DEPOSIT_REASONS: &[Reason] = &[
    Reason::NotChangeable,
    Reason::StateForbids,
    Reason::RateAmountInvalid,
    Reason::RoutingNumberMissing,
    Reason::RoutingNumberInvalid,
    Reason::RoutingNumberLength,
    Reason::IdOrDateInvalid,
    Reason::StartsTooLate,
    Reason::StartsTooEarly,
    Reason::DepositsNotSetUp,
    Reason::RemainderTaken,
    Reason::DepositTypeInvalid,
    Reason::CompanyLocked,
];

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let several = success(
        200,
        "The direct deposits of the worker.",
        &[&types.direct_deposits, JSON],
        BodySchema::Collection("DirectDeposit"),
    )
    .with_link("getDirectDeposit", "directDepositId", "/content/0/directDepositId")
    .with_parameter_passed_to("getDirectDeposit", "workerId");
    let listed =
        OperationDescription::new("GET", LIST_PATH, "listDirectDeposits", "List a worker's direct deposits")
            .with_description(
                "Returns the direct deposits of the worker that have started by the day of the \
            parameter `asof`, by default today. Account numbers are unmasked.",
            )
            .with_parameters(date_parameters())
            .with_paging()
            .with_success(several);
    let [add, one, change, remove] = writable_endpoints(types).operations();
    let media_types = [types.direct_deposit.as_str(), types.direct_deposits.as_str(), JSON];
    let change = change
        .with_parameters([effective_date_parameter()])
        .with_success(approval_pending_response(&media_types).with_header("ETag"));
    let remove = remove.with_parameters([effective_date_parameter()]);
    vec![
        listed,
        add,
        change_list_elements_operation(types),
        one.with_parameters(date_parameters()),
        change,
        remove,
    ]
}

fn writable_endpoints(types: &VendorTypes) -> WritableEndpoints<'_> {
    let media_types = vec![types.direct_deposit.as_str(), types.direct_deposits.as_str()];
    WritableEndpoints {
        list: LIST_PATH,
        object_path: "/workers/{workerId}/directdeposits/{directDepositId}",
        ids: ["addDirectDeposit", "getDirectDeposit", "changeDirectDeposit", "removeDirectDeposit"],
        summaries: [
            "Add a direct deposit to a worker",
            "Read one direct deposit of a worker",
            "Change a direct deposit of a worker",
            "Remove a direct deposit of a worker",
        ],
        notes: [
            "The response is 202 if an operator must approve the account. Until the approval, the \
             `status` of the direct deposit is PENDING. The response is 200 if the account is in force, \
             or for a dry run. Without `startDate`, \
             the direct deposit starts today. The server assigns `priority`. The account number is masked \
             in the response.",
            "The `ETag` in the response is that of the worker. You can send it in `If-Match`. The account \
             number is unmasked.",
            "A JSON merge patch of `paymentType` and `value`. `startDate`, `accountType`, `routingNumber` \
             and `accountNumber` cannot be changed (API-5): add a new direct deposit for another account. \
             The response is 202 if an operator must approve the change. Until the approval, the change \
             is in `pendingChange`.",
            "The removal takes effect immediately.",
        ],
        schemas: ["DirectDeposit", "DirectDepositInput", "DirectDepositChange", "CreatedDirectDeposit"],
        created: 202,
        new_types: media_types.clone(),
        types: media_types,
        read_types: vec![&types.direct_deposit],
        delete_media_types: None,
        example: json!({
            "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING", "value": "100",
            "routingNumber": "122100024", "accountNumber": "1234567865",
        }),
        patch: json!({"value": "120"}),
        reasons: DEPOSIT_REASONS,
        reasons_to_keep: &[],
    }
}

fn change_list_elements_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.direct_deposits.as_str(), types.direct_deposit.as_str(), JSON];
    let changed =
        success(200, "The changed direct deposits.", &media_types, BodySchema::Resource("DirectDeposit"));
    let body = with_keyword(
        list_schema(
            "The changes, one for each direct deposit.",
            schema_reference("NamedDirectDepositChange"),
        ),
        "minItems",
        1,
    );
    OperationDescription::new(
        "PATCH",
        LIST_PATH,
        "changeDirectDeposits",
        "Change several direct deposits of a worker",
    )
    .with_description(
        "Each element is a JSON merge patch that names its direct deposit by \
            `directDepositId`. Either all changes are stored, or none. Use this operation to swap \
            priorities: each new priority must be that of another direct deposit of the worker, and each \
            can be used only once.",
    )
    .with_parameters([parameter_reference("If-Match"), dry_run_parameter(), effective_date_parameter()])
    .with_required_body(&media_types, &body, &json!([{"directDepositId": "851000000023001", "value": "120"}]))
    .with_success(changed.with_header("ETag"))
    .with_success(approval_pending_response(&media_types).with_header("ETag"))
    .with_reasons(DOCUMENT_REASONS)
    .with_reasons(DEPOSIT_REASONS)
    .with_reasons(&[Reason::EmptyRequest])
    .with_reasons(WRITE_REASONS)
}

fn approval_pending_response(media_types: &[&str]) -> SuccessResponse {
    success(202, "An operator must approve the change.", media_types, BodySchema::Resource("DirectDeposit"))
}

fn date_parameters() -> Vec<Value> {
    let day = |name, words| query_parameter(name, words, request_date_schema("The day, as a date."));
    vec![
        day("asof", "Return only objects that are in force on this day."),
        day("effectivitydate", "Another name of the parameter `asof`."),
    ]
}

fn effective_date_parameter() -> Value {
    query_parameter(
        "effectivitydate",
        "Today's date. A change takes effect immediately.",
        request_date_schema("The day, as a date."),
    )
}
