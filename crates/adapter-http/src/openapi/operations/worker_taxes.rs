//! Tax settings of workers (specification §6.18).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::Content;
use super::super::operation::{Operation, success};
use super::super::parameters::reference_to;
use super::super::schema::reference;
use super::objects::{FAULTS, WRITE_REASONS, dry_run};
use crate::shared::media_type::{JSON, JSON_PATCH, MERGE_PATCH, VendorTypes};

const FEDERAL: &str = "/workers/{workerId}/federaltax";
const STATES: &str = "/workers/{workerId}/statetaxes";
const REPLACES: &str = "They replace the stored settings completely. `extraWithholdingAmount` can be sent with one of the two percentages. `overrideWithholdingAmount` excludes the other three amounts and percentages.";
const CHANGES: &str = "A JSON merge patch, with the rules of POST. A member that is sent removes stored members that it excludes.";

pub(super) fn operations(types: &VendorTypes) -> Vec<Operation> {
    vec![federal(types), replace_federal(types), change_federal(types), states(), change_states()]
}

fn federal(types: &VendorTypes) -> Operation {
    let media_types = [types.federal_tax.as_str(), JSON];
    Operation::new("GET", FEDERAL, "getFederalTax", "Read a worker's federal tax settings")
        .with_description(
            "The content is empty if the worker has none. The `ETag` is that of the worker, for `If-Match`.",
        )
        .with_success(success(200, "The settings.", &media_types, Content::Resource("FederalTax")))
}

fn replace_federal(types: &VendorTypes) -> Operation {
    let media_types = [types.federal_tax.as_str(), JSON];
    let shown = |status, words| success(status, words, &media_types, Content::Resource("FederalTax"));
    Operation::new("POST", FEDERAL, "setFederalTax", "Set a worker's federal tax settings")
        .with_description(REPLACES)
        .with_parameters([reference_to("If-Match"), dry_run()])
        .needs_body(
            &media_types,
            &reference("FederalTaxInput"),
            &json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "multipleJobs": "false", "taxesWithheld": "true"}),
        )
        .with_success(shown(201, "The settings."))
        .with_success(shown(200, "The objects that a request without `dryrun` would store."))
        .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid])
        .with_reasons(&[Reason::EmptyRequest])
        .with_reasons(WRITE_REASONS)
}

fn change_federal(types: &VendorTypes) -> Operation {
    let media_types = [types.federal_tax.as_str(), JSON];
    let changed =
        success(200, "The settings after the change.", &media_types, Content::Resource("FederalTax"));
    Operation::new("PATCH", FEDERAL, "changeFederalTax", "Change a worker's federal tax settings")
        .with_description(CHANGES)
        .with_parameters([reference_to("If-Match"), dry_run()])
        .needs_body(
            &[types.federal_tax.as_str(), JSON, MERGE_PATCH],
            &reference("FederalTaxChange"),
            &json!({"dependentsAmount": "123.45", "extraWithholdingAmount": "3.45"}),
        )
        .with_success(changed.header("ETag"))
        .with_reasons(&[Reason::FieldAmbiguous, Reason::FieldInvalid])
        .with_reasons(&[Reason::EmptyRequest])
        .with_reasons(WRITE_REASONS)
}

fn states() -> Operation {
    Operation::new("GET", STATES, "listStateTaxes", "List a worker's state tax settings")
        .with_description("A worker has at most one setting of each state. The `ETag` is that of the worker, for `If-Match`.")
        .with_success(success(200, "The settings.", &[JSON], Content::Resource("StateTax")))
}

fn change_states() -> Operation {
    let media_types = [JSON, JSON_PATCH];
    let changed = success(200, "All settings after the change.", &media_types, Content::Resource("StateTax"));
    Operation::new("PATCH", STATES, "changeStateTaxes", "Change a worker's state tax settings")
        .with_description("A JSON Patch (RFC 6902) with the operations `add` and `replace` on `/workerTaxes/{workerTaxId}`, on `/workerTaxes/{workerTaxId}/workerTaxDeductions/{workerTaxDeductionId}`, or on a member below them. A new setting is added under any name of yours, which later operations of the same patch may use. The percentages of all states are at most 100 together.")
        .with_parameters([reference_to("If-Match"), dry_run()])
        .needs_body(
            &[JSON_PATCH, JSON],
            &reference("StateTaxPatch"),
            &json!([
                {"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH",
                    "isResidentState": false, "taxStatusType": "WITHHOLD"}},
                {"op": "add", "path": "/workerTaxes/new/additionalAmount", "value": "5.00"},
            ]),
        )
        .with_success(changed.header("ETag"))
        .with_reasons(FAULTS)
        .with_reasons(&[Reason::EmptyRequest, Reason::AlreadyUsed])
        .with_reasons(WRITE_REASONS)
}
