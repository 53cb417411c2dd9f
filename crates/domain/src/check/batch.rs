//! The checks of one request, read from the caller's document and not yet judged.

use std::collections::HashSet;

use crate::code::Reason;
use crate::id::Id;
use crate::input::{Field, Node, Path, Value};
use crate::report::Report;
use crate::violation::{Violation, Violations};

use super::draft::{CheckDraft, LineDraft};
use super::{MAX_CHECKS_PER_REQUEST, Wanted};

/// The checks of one request with the faults that were found while reading them.
///
/// [`judge`](super::judge) turns it into checks, or tells every fault.
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    pub(super) checks: Vec<CheckDraft<'a>>,
    /// The faults so far; what is missing has another code when the request holds several checks.
    pub(super) report: Report,
}

impl<'a> Batch<'a> {
    /// Takes a document as a batch: an array of checks, or one check (specification §7.2).
    ///
    /// # Errors
    /// What is refused at once and alone (specification §7.3): another kind of document, no
    /// check, or more than [`MAX_CHECKS_PER_REQUEST`]. Every other fault waits in the batch.
    pub fn read(document: &'a Node<'a>) -> Result<Self, Violations> {
        match &document.value {
            Value::Array(elements) if elements.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Object(members) if members.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Array(elements) if elements.len() > MAX_CHECKS_PER_REQUEST => {
                let count = elements.len();
                let description = format!("{count} checks in one request; at most {MAX_CHECKS_PER_REQUEST}");
                Err(Violation::new(Reason::TooManyChecks, description).into())
            }
            Value::Array(elements) => Ok(Self::read_all(elements)),
            Value::Object(_) => {
                let mut report = Report::new(Reason::FieldMissing);
                let check = CheckDraft::read(document, Path::ROOT, &mut report);
                Ok(Self { checks: check.into_iter().collect(), report })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {
                let description = "the body must be an array of checks or one check";
                Err(Violation::new(Reason::InvalidParameter, description).into())
            }
        }
    }

    fn read_all(elements: &'a [Node<'a>]) -> Self {
        let several = elements.len() > 1;
        let mut report = Report::new(if several { Reason::FieldMissingInOne } else { Reason::FieldMissing });
        let checks = elements.iter().enumerate();
        let checks = checks
            .filter_map(|(index, node)| CheckDraft::read(node, Path::ROOT.element(index), &mut report))
            .collect();
        Self { checks, report }
    }

    /// The checks that could be read.
    #[must_use]
    pub fn check_count(&self) -> usize {
        self.checks.len()
    }

    /// The caller's id of the check at that index of those that could be read, where it has one.
    #[must_use]
    pub fn correlation_id(&self, index: usize) -> Option<&'a str> {
        self.checks.get(index).and_then(|check| check.correlation_id.value().copied())
    }

    /// What has to be looked up to judge the batch: each well-formed id once.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        let checks = || self.checks.iter();
        let lines = || checks().flat_map(|check| &check.lines);
        Wanted {
            pay_periods: ids(checks().map(|check| &check.pay_period_id)),
            workers: ids(checks().map(|check| &check.worker_id)),
            components: ids(lines().map(|line: &LineDraft<'_>| &line.component_id)),
            organizations: ids(lines().map(|line| &line.organization_id)),
            paychecks: ids(checks().map(|check| &check.paycheck_id)),
            correlation_ids: distinct(checks().map(|check| &check.correlation_id), |text| {
                Some(text.to_owned())
            }),
        }
    }
}

fn ids<'f, 'a: 'f, K>(fields: impl Iterator<Item = &'f Field<&'a str>>) -> Vec<Id<K>> {
    distinct(fields, |text| Id::parse(text).ok())
}

/// What the given fields say, each text once, in the caller's order.
fn distinct<'f, 'a: 'f, T>(
    fields: impl Iterator<Item = &'f Field<&'a str>>,
    parse: impl Fn(&str) -> Option<T>,
) -> Vec<T> {
    let mut seen = HashSet::new();
    fields
        .filter_map(|field| field.value())
        .filter(|text| seen.insert(**text))
        .filter_map(|text| parse(text))
        .collect()
}
