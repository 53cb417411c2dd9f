//! The report on one line of an import.

use payroll_domain::code::Reason;
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::import::ImportCounts;
use serde::Serialize;

/// The result for one company.
pub(super) struct LineReport {
    pub(super) line: u64,
    pub(super) company_id: Option<String>,
    pub(super) result: LineResult,
}

/// The possible results of importing a line.
pub(super) enum LineResult {
    /// The company is stored.
    Stored(ImportCounts),
    /// The company is valid, but a dry run stores nothing.
    Valid(ImportCounts),
    /// The company is not stored. The violations contain the reasons.
    Refused(Violations),
    /// The company is not stored because the company is locked. A later attempt may succeed.
    Locked(Violations),
    /// The company is not stored because of a failure, and the import ends.
    Failed(Violations),
}

impl LineReport {
    pub(super) const fn from_faults(line: u64, company_id: Option<String>, faults: Violations) -> Self {
        Self { line, company_id, result: LineResult::Refused(faults) }
    }

    pub(super) fn for_locked_company(line: u64, company_id: Option<String>) -> Self {
        Self { line, company_id, result: LineResult::Locked(Reason::CompanyLocked.into()) }
    }

    /// Returns the report as JSON with a line feed.
    ///
    /// # Errors
    /// Serialization cannot fail, because the report contains only texts and numbers.
    pub(super) fn to_json_line(&self) -> serde_json::Result<Vec<u8>> {
        let (result, counts, faults) = match &self.result {
            LineResult::Stored(counts) => ("stored", Some(counts), None),
            LineResult::Valid(counts) => ("valid", Some(counts), None),
            LineResult::Refused(faults) => ("refused", None, Some(faults)),
            LineResult::Locked(faults) => ("locked", None, Some(faults)),
            LineResult::Failed(faults) => ("failed", None, Some(faults)),
        };
        let mut line = serde_json::to_vec(&ReportResource {
            line: self.line,
            company_id: self.company_id.as_deref(),
            result,
            counts: counts.map(|it| CountsResource {
                created: it.created,
                changed: it.changed,
                unchanged: it.unchanged,
            }),
            errors: faults.map(Violations::as_slice),
        })?;
        line.push(b'\n');
        Ok(line)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportResource<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<&'a str>,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<CountsResource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a [Violation]>,
}

#[derive(Serialize)]
struct CountsResource {
    created: u64,
    changed: u64,
    unchanged: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_report_contains_counts_or_errors() {
        let counts = ImportCounts { created: 3, changed: 2, unchanged: 1 };
        let stored =
            LineReport { line: 7, company_id: Some("A".to_owned()), result: LineResult::Stored(counts) };
        assert_eq!(
            String::from_utf8(stored.to_json_line().unwrap()).unwrap(),
            "{\"line\":7,\"companyId\":\"A\",\"result\":\"stored\",\"counts\":{\"created\":3,\"changed\":2,\
             \"unchanged\":1}}\n"
        );
        let refused = LineReport::from_faults(8, None, Reason::EmptyRequest.into()).to_json_line().unwrap();
        let refused: serde_json::Value = serde_json::from_slice(&refused).unwrap();
        assert_eq!(
            (&refused["result"], &refused["errors"][0]["code"]),
            (&"refused".into(), &"API-52".into())
        );
    }
}
