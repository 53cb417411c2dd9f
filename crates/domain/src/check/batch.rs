//! The checks of one request, read from the caller's document and not yet validated.

use std::collections::HashSet;
use std::hash::Hash;

use crate::code::Reason;
use crate::id::{Id, WorkerId};
use crate::input::{Field, Node, Path, Value};
use crate::report::Report;
use crate::violation::{Violation, Violations};

use super::draft::{CheckDraft, LineDraft};
use super::{MAX_CHECKS_PER_REQUEST, RequiredLookups};

/// The checks of one request, with the faults that were found while reading them.
///
/// [`validate`](fn@super::validate) turns the batch into checks, or returns every fault.
///
/// ```
/// use payroll_domain::{check::Batch, code::Reason, input, violation::Violations};
/// let document = input::parse(br#"[{"checkCorrelationId": "a1"}, {"checkCorrelationId": "a2"}]"#)?;
/// let batch = Batch::read(&document)?;
/// assert_eq!((batch.check_count(), batch.correlation_id(1)), (2, Some("a2")));
///
/// let nothing = input::parse(b"[]")?;
/// assert!(Batch::read(&nothing).unwrap_err().all_have_reason(Reason::EmptyRequest));
/// # Ok::<(), Violations>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    pub(super) checks: Vec<CheckDraft<'a>>,
    /// The faults found so far. The report also contains the code for a missing member, which differs for
    /// requests with several checks.
    pub(super) report: Report,
}

impl<'a> Batch<'a> {
    /// Reads a document as a batch: an array of checks, or one check (specification §7.2).
    ///
    /// # Errors
    /// Returns a single fault for which the request is rejected immediately (specification §7.3): the
    /// document is neither an array nor an object, contains no check, or contains more than
    /// [`MAX_CHECKS_PER_REQUEST`] checks. All other faults are collected in the batch.
    pub fn read(document: &'a Node<'a>) -> Result<Self, Violations> {
        Self::read_checks(document, (None, MAX_CHECKS_PER_REQUEST))
    }

    /// Reads a document like [`Self::read`], with a different maximum number of checks.
    ///
    /// # Errors
    /// Returns the same errors as [`Self::read`].
    pub fn read_with_max_checks(document: &'a Node<'a>, max_checks: usize) -> Result<Self, Violations> {
        Self::read_checks(document, (None, max_checks))
    }

    /// Reads a document like [`Self::read`], for the worker in the request's path. A check may omit the
    /// worker id, but must not contain a different one (specification §7.12).
    ///
    /// # Errors
    /// Returns the same errors as [`Self::read`].
    pub fn read_for_worker(document: &'a Node<'a>, worker_id: &'a WorkerId) -> Result<Self, Violations> {
        Self::read_checks(document, (Some(worker_id.as_str()), MAX_CHECKS_PER_REQUEST))
    }

    fn read_checks(
        document: &'a Node<'a>,
        (worker, max_checks): (Option<&'a str>, usize),
    ) -> Result<Self, Violations> {
        match &document.value {
            Value::Array(elements) if elements.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Object(members) if members.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Array(elements) if elements.len() > max_checks => {
                let count = elements.len();
                let description = format!("the request has {count} checks; at most {max_checks} are allowed");
                Err(Violation::new(Reason::TooManyChecks, description).into())
            }
            Value::Array(elements) => Ok(Self::read_check_array(elements, worker)),
            Value::Object(_) => {
                let mut report = Report::new(Reason::FieldMissing);
                let check = CheckDraft::read(document, Path::ROOT, worker, &mut report);
                Ok(Self { checks: check.into_iter().collect(), report })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {
                let description = "the body must be an array of checks or one check";
                Err(Violation::new(Reason::InvalidParameter, description).into())
            }
        }
    }

    fn read_check_array(elements: &'a [Node<'a>], worker: Option<&'a str>) -> Self {
        let several = elements.len() > 1;
        let mut report = Report::new(if several { Reason::FieldMissingInOne } else { Reason::FieldMissing });
        let checks = elements.iter().enumerate();
        let checks = checks
            .filter_map(|(index, node)| {
                CheckDraft::read(node, Path::ROOT.with_element(index), worker, &mut report)
            })
            .collect();
        Self { checks, report }
    }

    /// Returns the number of checks that could be read.
    #[must_use]
    pub fn check_count(&self) -> usize {
        self.checks.len()
    }

    /// Returns the correlation id of a check, if it has one. `index` is the index among the checks that could
    /// be read.
    #[must_use]
    pub fn correlation_id(&self, index: usize) -> Option<&'a str> {
        self.checks.get(index).and_then(|check| check.correlation_id.value().copied())
    }

    /// Returns the ids to look up for the validation of the batch. Each well-formed id is listed once.
    #[must_use]
    pub fn required_lookups(&self) -> RequiredLookups {
        let checks = || self.checks.iter();
        let lines = || checks().flat_map(|check| &check.lines);
        RequiredLookups {
            pay_periods: parse_ids(checks().map(|check| &check.pay_period_id)),
            workers: parse_ids(checks().map(|check| &check.worker_id)),
            components: parse_ids(lines().map(|line: &LineDraft<'_>| &line.component_id)),
            organizations: parse_ids(lines().map(|line| &line.organization_id)),
            jobs: parse_distinct(lines().map(|line| &line.job_id), |id| Some(id.clone())),
            labor_assignments: parse_distinct(lines().map(|line| &line.labor_assignment_id), |id| {
                Some(id.clone())
            }),
            paychecks: parse_ids(checks().map(|check| &check.paycheck_id)),
            correlation_ids: parse_distinct(checks().map(|check| &check.correlation_id), |text| {
                Some((*text).to_owned())
            }),
        }
    }
}

fn parse_ids<'f, 'a: 'f, K>(fields: impl Iterator<Item = &'f Field<&'a str>>) -> Vec<Id<K>> {
    parse_distinct(fields, |text| Id::parse(text).ok())
}

/// Converts the fields with `parse` and returns the distinct results in the caller's order. Omits values that
/// `parse` rejects.
fn parse_distinct<'f, V: Eq + Hash + 'f, T>(
    fields: impl Iterator<Item = &'f Field<V>>,
    parse: impl Fn(&V) -> Option<T>,
) -> Vec<T> {
    let mut seen = HashSet::new();
    fields.filter_map(|field| field.value()).filter(|value| seen.insert(*value)).filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::check::test_data::{codes_and_pointers, facts, find_faults, valid_checks, validate_json};
    use crate::input;

    /// Returns the code and pointer of each fault with which `Batch::read` rejects the body.
    fn read_rejection_codes(body: &str) -> Vec<String> {
        codes_and_pointers(&validate_json(body, &facts()).unwrap_err())
    }

    #[test]
    fn rejects_an_invalid_batch_with_a_single_fault() {
        for body in ["", " \n", "[]", "{}", "[ ]"] {
            assert_eq!(read_rejection_codes(body), ["API-52 -"], "{body:?}");
        }
        for body in ["null", "5", "\"a\"", "true", "[", "\u{feff}[]", "[\"\\ud800\"]", "[] []", "{\"a\":1,}"]
        {
            assert_eq!(read_rejection_codes(body), ["API-40 -"], "{body:?}");
        }
    }

    #[test]
    fn accepts_at_most_100_checks() {
        let of = |count: usize| {
            let check = |index: usize| {
                let mut check = valid_checks()[0].clone();
                check["checkCorrelationId"] = json!(format!("a{index}"));
                check
            };
            Json::Array((0..count).map(check).collect()).to_string()
        };
        assert_eq!(validate_json(&of(100), &facts()).unwrap().len(), 100);
        assert_eq!(read_rejection_codes(&of(101)), ["API-44 -"]);
    }

    #[test]
    fn accepts_a_single_check_with_pointers_without_an_index() {
        let mut check = valid_checks()[0].clone();
        assert_eq!(validate_json(&check.to_string(), &facts()).unwrap().len(), 1);
        check["workerId"] = json!("nobody");
        check["earnings"][0]["payHours"] = json!("x");
        assert_eq!(find_faults(&check), ["API-48 /earnings/0/payHours", "API-55 /workerId"]);
        check["earnings"] = json!([]);
        check["workerId"] = json!("employee");
        assert_eq!(find_faults(&check), ["API-46 "], "the check itself");
    }

    #[test]
    fn reports_missing_members_by_api_46_in_one_check_and_api_54_in_several() {
        let missing = ["", "/workerId", "/payPeriodId", "/checkCorrelationId"];
        assert_eq!(find_faults(&json!([{"x": 1}])), missing.map(|position| format!("API-46 /0{position}")));
        assert_eq!(find_faults(&json!([{}])), missing.map(|position| format!("API-46 /0{position}")));
        let both =
            ["/0", "/1"].iter().flat_map(|check| missing.map(|position| format!("API-54 {check}{position}")));
        assert_eq!(find_faults(&json!([{}, {}])), both.collect::<Vec<_>>());
        assert_eq!(find_faults(&json!([null])), ["API-48 /0"]);
    }

    #[test]
    fn a_check_for_one_worker_may_omit_but_not_change_the_worker() {
        let validated = |request: &Json, worker: &str| {
            let (text, worker) = (request.to_string(), worker.parse().unwrap());
            let document = input::parse(text.as_bytes()).unwrap();
            crate::check::validate(&Batch::read_for_worker(&document, &worker).unwrap(), &facts())
        };
        let mut named = json!(valid_checks()[0]);
        let whole = validated(&named, "employee").unwrap();
        for absent in [json!(null), json!("")] {
            named["workerId"] = absent;
            assert_eq!(validated(&named, "employee").unwrap(), whole);
        }
        named.as_object_mut().unwrap().remove("workerId");
        assert_eq!(validated(&named, "employee").unwrap(), whole);
        named["earnings"][0]["payHours"] = json!("x");
        assert_eq!(
            codes_and_pointers(&validated(&named, "employee").unwrap_err()),
            ["API-48 /earnings/0/payHours"]
        );
        named["workerId"] = json!("contractor");
        let both = ["API-48 /earnings/0/payHours", "API-48 /workerId"];
        assert_eq!(codes_and_pointers(&validated(&named, "employee").unwrap_err()), both);
    }

    #[test]
    fn looks_up_each_well_formed_id_once() {
        let mut request = valid_checks();
        request[1]["workerId"] = json!("no id!");
        request[1]["paycheckId"] = json!("stored");
        let text = request.to_string();
        let document = input::parse(text.as_bytes()).unwrap();
        let batch = Batch::read(&document).unwrap();
        let lookups = batch.required_lookups();
        assert_eq!(lookups.workers, ["employee".parse().unwrap()]);
        assert_eq!(lookups.pay_periods, ["open".parse().unwrap()]);
        assert_eq!(lookups.components.len(), 3);
        assert_eq!(lookups.paychecks, ["stored".parse().unwrap()]);
        assert_eq!(lookups.correlation_ids, ["a1", "a2"]);
        assert_eq!((batch.check_count(), batch.correlation_id(1)), (2, Some("a2")));
    }

    #[test]
    fn a_check_has_at_most_500_lines() {
        let of = |count: usize| {
            let mut check = valid_checks()[0].clone();
            let line = check["earnings"][0].clone();
            check["earnings"] = Json::Array(vec![line; count]);
            check
        };
        assert_eq!(validate_json(&of(500).to_string(), &facts()).unwrap()[0].lines.len(), 500);
        assert_eq!(find_faults(&of(501)), ["API-48 "], "the check itself");
    }

    #[test]
    fn reports_at_most_ten_thousand_faults_and_a_note_about_the_rest() {
        use crate::violation::MAX_FAULTS;
        let check = format!("{{\"earnings\":[{}]}}", vec!["{}"; 400].join(","));
        let faults =
            validate_json(&format!("[{}]", vec![check.as_str(); 100].join(",")), &facts()).unwrap_err();
        assert_eq!(faults.as_slice().len(), MAX_FAULTS + 1);
        assert!(faults.iter().last().is_some_and(|last| last.pointer.is_none()));
    }
}
