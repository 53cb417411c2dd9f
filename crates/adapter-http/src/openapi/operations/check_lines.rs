//! Lines of one unprocessed check (specification §7.14).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use super::super::schema::schema_reference;
use super::objects::{WRITE_REASONS, dry_run_parameter};
use super::payroll::validation_reasons;
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};

const LIST_PATH: &str = "/checks/{checkId}/checkcomponents";
const LINE_PATH: &str = "/checks/{checkId}/checkcomponents/{checkComponentId}";

pub(super) fn operations(types: &VendorTypes) -> [OperationDescription; 3] {
    [add_line_operation(types), change_line_operation(types), remove_line_operation()]
}

fn add_line_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.check_component.as_str(), JSON];
    let added =
        success(200, "The check with the new line.", &media_types, BodySchema::Resource("UnprocessedCheck"));
    OperationDescription::new("POST", LIST_PATH, "addCheckLine", "Add a line to a check")
        .with_description("The pay period of the check must be open. The new line must follow the rules \
            for the lines of a new check. The other lines keep the rates that they had when they were \
            added. The effect of \
            the pay component determines whether the line is in `earnings`, `deductions` or `informational`.")
        .with_parameters([dry_run_parameter()])
        .with_required_body(
            &media_types,
            &schema_reference("CheckLineInput"),
            &json!({"componentId": "851000000001004", "payAmount": "11.00", "lineDate": "2026-11-24T00:00:00Z"}),
        )
        .with_success(added)
        .with_reasons(&validation_reasons())
        .with_reasons(&[Reason::CompanyLocked])
}

fn change_line_operation(types: &VendorTypes) -> OperationDescription {
    let media_types = [types.check_component.as_str(), JSON];
    let changed = success(
        200,
        "The check line after the change.",
        &media_types,
        BodySchema::Resource("UnprocessedCheckLine"),
    );
    OperationDescription::new("PATCH", LINE_PATH, "changeCheckLine", "Change a line of a check")
        .with_description("A JSON merge patch. The result is validated like a new line. A rate that is not part of the patch keeps its stored value.")
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_required_body(
            &[types.check_component.as_str(), JSON, MERGE_PATCH],
            &schema_reference("CheckLineChange"),
            &json!({"payAmount": "12.50"}),
        )
        .with_success(changed.with_header("ETag"))
        .with_reasons(&validation_reasons())
        .with_reasons(WRITE_REASONS)
}

fn remove_line_operation() -> OperationDescription {
    OperationDescription::new("DELETE", LINE_PATH, "removeCheckLine", "Remove a line of a check")
        .with_description("A check must have at least one line. To remove the last line, delete the check.")
        .with_parameters([parameter_reference("If-Match"), dry_run_parameter()])
        .with_success(success(204, "The line is removed.", &[], BodySchema::Nothing))
        .with_reasons(&[
            Reason::InvalidParameter,
            Reason::StateForbids,
            Reason::NotDeletable,
            Reason::PeriodClosed,
        ])
        .with_reasons(WRITE_REASONS)
}
