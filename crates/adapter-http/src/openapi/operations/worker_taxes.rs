//! Tax settings of workers (specification §6.18).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::schema_reference;
use super::objects::{DOCUMENT_REASONS, WRITE_REASONS, dry_run_parameter};
use crate::shared::media_type::{JSON, JSON_PATCH, MERGE_PATCH, VendorTypes};

const FEDERAL_PATH: &str = "/workers/{workerId}/federaltax";
const STATES_PATH: &str = "/workers/{workerId}/statetaxes";
const REPLACE_DESCRIPTION: &str = "The settings in the request replace the stored settings completely. \
    `extraWithholdingAmount` can be sent with one of the two percentages. `overrideWithholdingAmount` \
    excludes the other three amounts and percentages.";
const PATCH_DESCRIPTION: &str = "A JSON merge patch. The result must follow the rules of the POST \
    request. If two members exclude each other, the member in the patch removes the stored member.";

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    vec![
        get_federal_tax_operation(types),
        replace_federal_tax_operation(types),
        change_federal_tax_operation(types),
        get_state_taxes_operation(),
        change_state_taxes_operation(),
    ]
}

fn get_federal_tax_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.federal_tax.as_str(), JSON];
    OperationDescription::new("GET", FEDERAL_PATH, "getFederalTax", "Read a worker's federal tax settings")
        .with_description(
            "The content is empty if the worker has no federal tax settings. The `ETag` in the response is \
             that of the worker. You can send it in `If-Match`.",
        )
        .with_success(success(
            200,
            "The tax settings of the worker.",
            &media_types,
            BodySchema::Resource("FederalTax"),
        ))
}

fn replace_federal_tax_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.federal_tax.as_str(), JSON];
    let shown = |status, words| success(status, words, &media_types, BodySchema::Resource("FederalTax"));
    OperationDescription::new("POST", FEDERAL_PATH, "setFederalTax", "Set a worker's federal tax settings")
        .with_description(REPLACE_DESCRIPTION)
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_required_body(
            &media_types,
            &schema_reference("FederalTaxInput"),
            &json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "multipleJobs": "false", "taxesWithheld": "true"}),
        )
        .with_success(shown(201, "The tax settings of the worker."))
        .with_success(shown(200, "The objects that a request without `dryrun` would store."))
        .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid])
        .with_reasons(&[Reason::EmptyRequest])
        .with_reasons(WRITE_REASONS)
}

fn change_federal_tax_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.federal_tax.as_str(), JSON];
    let changed = success(
        200,
        "The tax settings of the worker after the change.",
        &media_types,
        BodySchema::Resource("FederalTax"),
    );
    OperationDescription::new(
        "PATCH",
        FEDERAL_PATH,
        "changeFederalTax",
        "Change a worker's federal tax settings",
    )
    .with_description(PATCH_DESCRIPTION)
    .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
    .with_required_body(
        &[types.federal_tax.as_str(), JSON, MERGE_PATCH],
        &schema_reference("FederalTaxChange"),
        &json!({"dependentsAmount": "123.45", "extraWithholdingAmount": "3.45"}),
    )
    .with_success(changed.with_header("ETag"))
    .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid])
    .with_reasons(&[Reason::EmptyRequest])
    .with_reasons(WRITE_REASONS)
}

fn get_state_taxes_operation() -> OperationDescription {
    OperationDescription::new("GET", STATES_PATH, "listStateTaxes", "List a worker's state tax settings")
        .with_description(
            "A worker has at most one tax setting for each state. The `ETag` in the response \
            is that of the worker. You can send it in `If-Match`.",
        )
        .with_success(success(
            200,
            "The tax settings of the worker.",
            &[JSON],
            BodySchema::Resource("StateTax"),
        ))
}

fn change_state_taxes_operation() -> OperationDescription {
    let media_types = [JSON, JSON_PATCH];
    let changed = success(
        200,
        "All state tax settings of the worker after the change.",
        &media_types,
        BodySchema::Resource("StateTax"),
    );
    OperationDescription::new(
        "PATCH",
        STATES_PATH,
        "changeStateTaxes",
        "Change a worker's state tax settings",
    )
    .with_description(
        "A JSON Patch (RFC 6902) with the operations `add` and `replace` on \
            `/workerTaxes/{workerTaxId}`, on \
            `/workerTaxes/{workerTaxId}/workerTaxDeductions/{workerTaxDeductionId}`, or on a member \
            below these paths. To add a tax setting, choose any text as its `workerTaxId`. Later \
            operations of the same patch can use this text. The allocation percentages of all states add \
            up to at most 100.",
    )
    .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
    .with_required_body(
        &[JSON_PATCH, JSON],
        &schema_reference("StateTaxPatch"),
        &json!([
            {"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH",
                "isResidentState": false, "taxStatusType": "WITHHOLD"}},
            {"op": "add", "path": "/workerTaxes/new/additionalAmount", "value": "5.00"},
        ]),
    )
    .with_success(changed.with_header("ETag"))
    .with_reasons(DOCUMENT_REASONS)
    .with_reasons(&[Reason::EmptyRequest, Reason::AlreadyUsed])
    .with_reasons(WRITE_REASONS)
}
