//! Validates a batch: runs every rule on every check and line, and returns checks or faults.

use crate::code::Reason;
use crate::report::Report;
use crate::violation::Violations;

use super::case::{BatchWithFacts, CheckWithFacts, LineWithFacts};
use super::rules::{CHECK_RULES, LINE_RULES, REQUEST_RULES};
use super::{Batch, Check, MAX_LINES_PER_CHECK, ValidationFacts};

/// Validates a batch with the stored data. Returns the checks if all are valid, or every fault otherwise.
/// Faults are in the order of the document, one for each code and position (specification §7.4).
///
/// # Errors
/// Returns only [`Reason::CompanyLocked`] if the facts contain a lock. Otherwise returns every fault of the
/// batch.
///
/// ```
/// use payroll_domain::check::{Batch, ValidationFacts, validate};
/// use payroll_domain::{input, violation::Violations};
///
/// let document = input::parse(
///     br#"{"workerId": "W-1", "payPeriodId": "P-1", "checkCorrelationId": "a1",
///          "earnings": [{"componentId": "HOURLY", "payHours": "8.12345"}]}"#,
/// )?;
/// let batch = Batch::read(&document)?;
/// // This company has no objects. `ValidationFacts::from_company` creates the facts of a company that has some.
/// let faults = validate(&batch, &ValidationFacts::default()).unwrap_err();
/// let faults: Vec<_> = faults.iter().map(|it| (it.reason.code(), it.pointer.as_deref().unwrap_or(""))).collect();
/// assert_eq!(faults, [
///     ("API-55", "/workerId"),
///     ("API-40", "/payPeriodId"),
///     ("API-48", "/earnings/0/componentId"),
///     ("API-48", "/earnings/0/payHours"),
/// ]);
/// # Ok::<(), Violations>(())
/// ```
pub fn validate(batch: &Batch<'_>, facts: &ValidationFacts) -> Result<Vec<Check>, Violations> {
    if facts.lock.is_some() {
        return Err(Reason::CompanyLocked.into());
    }
    let mut report = batch.report.clone();
    let case = BatchWithFacts::new(batch, facts);
    for rule in REQUEST_RULES {
        rule(&case, &mut report);
    }
    let checks: Vec<_> = batch
        .checks
        .iter()
        .filter_map(|draft| validate_check(&CheckWithFacts::new(draft, &case), &mut report))
        .collect();
    match report.into_violations() {
        Some(faults) => Err(faults),
        // If no rule reported a fault, every draft must have become a check. If a check is missing, the
        // program has a bug, and the request is rejected with an internal error.
        None if checks.len() == batch.checks.len() => Ok(checks),
        None => Err(Reason::Internal.into()),
    }
}

/// Validates a check with its lines. If this function returns `None`, the report contains a fault.
fn validate_check(case: &CheckWithFacts<'_>, report: &mut Report) -> Option<Check> {
    for rule in CHECK_RULES {
        rule(case, report);
    }
    let mut lines = Vec::with_capacity(case.draft.lines.len());
    for draft in &case.draft.lines {
        let line = LineWithFacts::new(draft, case);
        for rule in LINE_RULES {
            rule(&line, report);
        }
        lines.extend(line.to_line());
    }
    let check = case.to_check(lines)?;
    if check.lines.len() > MAX_LINES_PER_CHECK {
        let count = check.lines.len();
        let description = format!(
            "the assignment distributions of the worker split the check into {count} lines; at most \
             {MAX_LINES_PER_CHECK} are allowed"
        );
        report.add(Reason::FieldInvalid, case.draft.location(), description);
    }
    Some(check)
}

#[cfg(test)]
mod tests {
    use crate::check::test_data::{facts, valid_checks, validate_json};

    #[test]
    fn a_valid_request_becomes_checks_in_order_with_rates_and_labels() {
        let checks = validate_json(&valid_checks().to_string(), &facts()).unwrap();
        let ids: Vec<_> = checks.iter().map(|check| check.correlation_id.as_str()).collect();
        assert_eq!(ids, ["a1", "a2"]);
        let rates: Vec<_> = checks
            .iter()
            .flat_map(|check| &check.lines)
            .map(|line| (line.component.name.as_str(), line.pay_rate.map(|rate| rate.to_string())))
            .collect();
        let expected = [
            ("The hourly", Some("20.0000".to_owned())),
            ("The bonus", None),
            ("The hourly", Some("12.5000".to_owned())),
            ("The match", None),
        ];
        assert_eq!(rates, expected);
    }
}
