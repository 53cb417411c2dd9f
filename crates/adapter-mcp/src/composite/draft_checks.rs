//! The tool `draft_checks`: validates a batch of checks in a dry run, and returns the totals of the batch, or
//! all faults.

use payroll_ports::BoxError;
use payroll_ports::api_calls::ApiCaller;
use rmcp::model::{CallToolResult, JsonObject};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use super::failure::{ToolFailure, required_text};
use super::reading::{content_elements, text_member};
use crate::call;
use crate::catalog::ToolCatalog;
use crate::exact::{BODY_ARGUMENT, CHECKS_ARGUMENT, document_text, parse_with_exact_numbers};
use crate::result::{ArgumentFault, error_content, parse_masked_document};
use crate::side::Api;

/// The members of a check that contain its lines, one for each section.
const LINE_SECTIONS: [&str; 3] = ["earnings", "deductions", "informational"];

/// Returns the operation that adds checks.
pub(super) const fn add_checks_operation(side: Api) -> &'static str {
    match side {
        Api::Partner => "addChecks",
        Api::Operator => "addChecksOfOperator",
    }
}

pub(super) async fn run_draft_checks(
    (side, catalog): (Api, &ToolCatalog),
    arguments: &JsonObject,
    api: &dyn ApiCaller,
) -> Result<CallToolResult, ToolFailure> {
    let document = arguments.get(CHECKS_ARGUMENT).filter(|it| document_text(it).starts_with('['));
    let document = document
        .ok_or_else(|| ArgumentFault::new("checks", "the argument is required, as a list of checks"))?;
    let mut sent = Map::new();
    sent.insert("companyId".to_owned(), required_text(arguments, "companyId")?.into());
    if side == Api::Operator {
        sent.insert("payPeriodId".to_owned(), required_text(arguments, "payPeriodId")?.into());
    }
    sent.insert(BODY_ARGUMENT.to_owned(), document.clone());
    let name = add_checks_operation(side);
    let missing = || BoxError::from("the API has no operation that adds checks");
    let operation = catalog.operation(name).ok_or_else(missing)?;
    let request = call::build_request(operation, &sent, true).map_err(ToolFailure::Faults)?;
    let response = api.call(request).await?;
    if !response.is_success() {
        let checks: Value = serde_json::from_str(document_text(document)).unwrap_or_default();
        return Ok(CallToolResult::structured_error(assign_faults_to_checks(
            error_content(&response),
            &checks,
        )));
    }
    let checks = parse_with_exact_numbers(document_text(document));
    let answered = parse_masked_document(&response.body);
    // The partner API's dry run returns the checks with the amounts that the server computes. If the response
    // contains no lines, the lines of the sent checks are used.
    let lines_of = if has_lines(content_elements(&answered)) {
        content_elements(&answered)
    } else {
        elements_of_checks(&checks)
    };
    Ok(CallToolResult::structured(json!({
        "valid": true,
        "totals": sum_draft_totals(elements_of_checks(&checks), lines_of),
        "next": format!("Nothing is stored. Call `{name}` with the same checks as `body`, an `idempotencyKey` and \
                         `execute: true` to store them."),
    })))
}

fn elements_of_checks(checks: &Value) -> &[Value] {
    checks.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn has_lines(checks: &[Value]) -> bool {
    checks.iter().any(|check| LINE_SECTIONS.iter().any(|group| check.get(*group).is_some()))
}

/// Adds to each fault of a batch the correlation id of the check that has the fault. Also changes the fault's
/// pointer so that it points into the tool's arguments.
fn assign_faults_to_checks(mut error: Value, checks: &Value) -> Value {
    for fault in error.get_mut("errors").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(pointer) = fault.get("pointer").and_then(Value::as_str) else { continue };
        let Some(rest) = pointer.strip_prefix("/body") else { continue };
        let pointer = format!("/checks{rest}");
        let index = rest.split('/').nth(1).and_then(|index| index.parse::<usize>().ok());
        let id =
            index.and_then(|index| checks.get(index)).map(|check| text_member(check, "checkCorrelationId"));
        if let Some(members) = fault.as_object_mut() {
            members.insert("pointer".to_owned(), pointer.into());
            members.extend(index.map(|index| ("check".to_owned(), index.into())));
            members.extend(id.map(|id| ("checkCorrelationId".to_owned(), id.into())));
        }
    }
    if let Some(members) = error.as_object_mut() {
        members.insert("valid".to_owned(), false.into());
    }
    error
}

/// Returns the totals of a batch. Amounts are added as exact decimals.
fn sum_draft_totals(sent: &[Value], checks: &[Value]) -> Value {
    let mut workers: Vec<&str> = sent.iter().map(|check| text_member(check, "workerId")).collect();
    workers.sort_unstable();
    workers.dedup();
    let mut totals = Map::new();
    totals.insert("checks".to_owned(), sent.len().into());
    totals.insert("workers".to_owned(), workers.len().into());
    for group in LINE_SECTIONS {
        let lines: Vec<&Value> =
            checks.iter().filter_map(|check| check.get(group)?.as_array()).flatten().collect();
        if lines.is_empty() {
            continue;
        }
        let sum = |member: &str| -> Option<String> {
            let numbers: Vec<_> = lines.iter().filter_map(|line| parse_decimal(line.get(member)?)).collect();
            let sum = numbers.iter().try_fold(Decimal::ZERO, |sum, number| sum.checked_add(*number))?;
            (!numbers.is_empty()).then(|| sum.to_string())
        };
        totals.insert(
            group.to_owned(),
            json!({"lines": lines.len(), "payAmount": sum("payAmount"), "payHours": sum("payHours"),
                "payUnits": sum("payUnits")}),
        );
    }
    Value::Object(totals)
}

fn parse_decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_add_texts_and_numbers_exactly() {
        let checks = json!([
            {"workerId": "a", "earnings": [{"payAmount": "0.10"}, {"payAmount": 0.2, "payHours": "8"}]},
            {"workerId": "a", "earnings": [{"payUnits": 3}], "deductions": []},
        ]);
        let checks = checks.as_array().unwrap();
        let expected = json!({"checks": 2, "workers": 1,
            "earnings": {"lines": 3, "payAmount": "0.30", "payHours": "8", "payUnits": "3"}});
        assert_eq!(sum_draft_totals(checks, checks), expected);
    }

    #[test]
    fn fault_contains_the_correlation_id_of_its_check() {
        let error = json!({"status": 400, "errors": [{"code": "API-48", "pointer": "/body/1/payPeriodId"}]});
        let checks = json!([{}, {"checkCorrelationId": "second"}]);
        let fault = &assign_faults_to_checks(error, &checks)["errors"][0];
        let expected = json!({"code": "API-48", "pointer": "/checks/1/payPeriodId", "check": 1,
            "checkCorrelationId": "second"});
        assert_eq!(*fault, expected);
    }
}
