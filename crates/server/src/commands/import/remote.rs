//! Imports a file through a running server. The file is sent in chunks of limited size. The result of each
//! line is printed as for a local import.

use std::collections::HashSet;
use std::io::Write;

use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_ports::import::ImportCounts;
use serde::Deserialize;

use super::lines::ImportLines;
use super::summary::{ImportSummary, print_faults};
use crate::failure::{Failure, Outcome};
use crate::operator::{Fault, Method, OperatorClient, Request, path};

/// The size of a chunk in bytes: large enough to need few requests, and small enough to retry after a
/// failure. A longer line is a chunk of its own.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;
/// The media type of the file and of the results.
const NDJSON_MEDIA_TYPE: &str = "application/x-ndjson";

/// Sends every line to the server, and reports a rejected line on `errors` with its line number.
///
/// # Errors
/// The file cannot be read any further, or the server does not respond. The lines of earlier chunks are
/// stored.
pub(super) async fn import_remotely(
    operator: &OperatorClient,
    dry_run: bool,
    lines: &mut ImportLines,
    errors: &mut dyn Write,
) -> Outcome<ImportSummary> {
    let (mut summary, mut waiting) = (ImportSummary { dry_run, ..ImportSummary::default() }, None);
    while let Some(piece) = LineChunk::gather_chunk(lines, &mut waiting, &summary)? {
        for (number, fault) in &piece.unreadable_lines {
            summary.refused += 1;
            lines.progress.suspend(|| print_faults(errors, *number, std::slice::from_ref(fault)))?;
        }
        for report in piece.send_chunk(operator, dry_run).await? {
            summary.count_result(&report);
            lines.progress.suspend(|| print_faults(errors, report.line, &report.faults()))?;
        }
    }
    Ok(summary)
}

/// A chunk of the file: consecutive lines that are sent in one request.
#[derive(Default)]
struct LineChunk {
    bytes: Vec<u8>,
    /// The line numbers in the file, one for each line in `bytes`.
    numbers: Vec<u64>,
    /// The ids of the companies in the lines of the chunk.
    company_ids: HashSet<String>,
    /// The lines that could not be read and are not sent, with their numbers and faults.
    unreadable_lines: Vec<(u64, String)>,
}

/// A line that was read but belongs to the next chunk, with its number.
type UnsentLine = Option<(u64, Vec<u8>)>;

/// The company id of a line, which is the only member that this command reads before the line is sent.
#[derive(Deserialize)]
struct LineCompany {
    #[serde(rename = "companyId")]
    company_id: String,
}

/// The server's report about one line of the import.
#[derive(Deserialize)]
struct RemoteLineReport {
    line: u64,
    #[serde(rename = "companyId")]
    company_id: Option<String>,
    result: LineResult,
    counts: Option<Counts>,
    #[serde(default)]
    errors: Vec<Fault>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum LineResult {
    Stored,
    Valid,
    Refused,
    Locked,
    Failed,
}

#[derive(Deserialize)]
struct Counts {
    created: u64,
    changed: u64,
    unchanged: u64,
}

impl LineChunk {
    /// Reads the next chunk. `None` at the end of the file. If a company occurs a second time, the chunk ends
    /// before that second line. Whether the second line is sent depends on the result of the first line.
    fn gather_chunk(
        lines: &mut ImportLines,
        unsent_line: &mut UnsentLine,
        summary: &ImportSummary,
    ) -> Outcome<Option<Self>> {
        let mut piece = Self::default();
        while piece.bytes.len() < CHUNK_BYTES {
            let Some((number, line)) = piece.next(lines, unsent_line)? else {
                let nothing = piece.numbers.is_empty() && piece.unreadable_lines.is_empty();
                return Ok(if nothing { None } else { Some(piece) });
            };
            let named: Option<LineCompany> = serde_json::from_slice(&line).ok();
            if let Some(LineCompany { company_id }) = named {
                if let Some(before) = summary.line_numbers.get(company_id.as_str()) {
                    let fault = format!("API-409 company {company_id} is already in line {before}");
                    piece.unreadable_lines.push((number, fault));
                    continue;
                }
                if !piece.company_ids.insert(company_id) {
                    *unsent_line = Some((number, line));
                    break;
                }
            }
            piece.push_line(number, &line);
        }
        Ok(Some(piece))
    }

    /// Returns the next line that is not blank. Unreadable lines before this line are added to
    /// `unreadable_lines`.
    fn next(&mut self, lines: &mut ImportLines, unsent_line: &mut UnsentLine) -> Outcome<UnsentLine> {
        if unsent_line.is_some() {
            return Ok(unsent_line.take());
        }
        while let Some(line) = lines.next()? {
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                Ok(line) => return Ok(Some((lines.number, line))),
                Err(fault) => self.unreadable_lines.push((lines.number, fault)),
            }
        }
        Ok(None)
    }

    fn push_line(&mut self, number: u64, line: &[u8]) {
        self.numbers.push(number);
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
    }

    /// Sends the chunk, and returns the result of each line with its number in the file.
    async fn send_chunk(self, operator: &OperatorClient, dry_run: bool) -> Outcome<Vec<RemoteLineReport>> {
        if self.numbers.is_empty() {
            return Ok(Vec::new());
        }
        let request =
            Request::new(Method::Post, path(&["import"]).with_query("dryrun", dry_run.then_some(true)))
                .accept(NDJSON_MEDIA_TYPE)
                .body(NDJSON_MEDIA_TYPE, self.bytes);
        let response = operator.send(request).await?;
        let lines = response.body().split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let mut reports = lines.map(|line| read_report(line, &self.numbers)).collect::<Outcome<Vec<_>>>()?;
        if let Some(failed) = reports.iter().find(|report| report.result == LineResult::Failed) {
            return Err(Failure::new(format!(
                "stopped at line {}: {}",
                failed.line,
                failed.faults().join("; ")
            )));
        }
        if reports.len() < self.numbers.len() {
            let last_line = reports.pop().map_or(0, |last| last.line);
            return Err(Failure::new(format!(
                "the server ended the import after line {last_line} without an error"
            )));
        }
        Ok(reports)
    }
}

fn read_report(line: &[u8], numbers: &[u64]) -> Outcome<RemoteLineReport> {
    let foreign = || {
        Failure::new(
            "the response is not the result of an import. Check that the server and this \
            program have the same release.",
        )
    };
    let report: RemoteLineReport = serde_json::from_slice(line).map_err(|_| foreign())?;
    let at = usize::try_from(report.line).ok().and_then(|line| line.checked_sub(1)).ok_or_else(foreign)?;
    Ok(RemoteLineReport { line: *numbers.get(at).ok_or_else(foreign)?, ..report })
}

impl RemoteLineReport {
    /// Returns the company to record for this line. `None` if the line is invalid. A later line may then
    /// contain the same company.
    fn company_to_record(&self) -> Option<CompanyId> {
        let conflicts = |fault: &Fault| fault.code() == Reason::Conflict.code();
        let is_one = match self.result {
            LineResult::Stored | LineResult::Valid | LineResult::Locked => true,
            LineResult::Refused => self.errors.iter().all(conflicts),
            LineResult::Failed => false,
        };
        self.company_id.as_ref().filter(|_| is_one)?.parse().ok()
    }

    fn faults(&self) -> Vec<String> {
        match &self.company_id {
            Some(company_id) if self.result == LineResult::Locked => {
                vec![format!("API-10 company {company_id} is locked")]
            }
            Some(_) | None => self.errors.iter().map(Fault::format_one_line).collect(),
        }
    }
}

impl ImportSummary {
    fn count_result(&mut self, report: &RemoteLineReport) {
        match report.result {
            LineResult::Stored | LineResult::Valid => self.stored += 1,
            LineResult::Refused | LineResult::Locked | LineResult::Failed => self.refused += 1,
        }
        if let Some(company_id) = report.company_to_record() {
            self.line_numbers.entry(company_id).or_insert(report.line);
        }
        if let Some(Counts { created, changed, unchanged }) = report.counts {
            let ImportCounts { created: all_created, changed: all_changed, unchanged: all_unchanged } =
                &mut self.counts;
            *all_created += created;
            *all_changed += changed;
            *all_unchanged += unchanged;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::ProgressBar;

    fn import_lines(text: &'static str) -> ImportLines {
        ImportLines::new(Box::new(text.as_bytes()), ProgressBar::hidden())
    }

    fn gather_chunk(text: &'static str) -> Option<LineChunk> {
        LineChunk::gather_chunk(&mut import_lines(text), &mut None, &ImportSummary::default()).unwrap()
    }

    #[test]
    fn a_duplicate_company_waits_for_the_result_of_its_first_line() {
        let (mut lines, mut waiting) = (import_lines("{\"companyId\":\"A\"}\n{\"companyId\":\"A\"}\n"), None);
        let mut summary = ImportSummary::default();
        let first = LineChunk::gather_chunk(&mut lines, &mut waiting, &summary).unwrap().unwrap();
        assert_eq!((first.numbers.as_slice(), waiting.is_some()), (&[1][..], true));
        let stored = br#"{"line":1,"companyId":"A","result":"stored"}"#;
        summary.count_result(&read_report(stored, &first.numbers).unwrap());
        let second = LineChunk::gather_chunk(&mut lines, &mut waiting, &summary).unwrap().unwrap();
        let reported = vec![(2, "API-409 company A is already in line 1".to_owned())];
        assert_eq!((second.numbers.len(), second.unreadable_lines), (0, reported));
        assert!(LineChunk::gather_chunk(&mut lines, &mut waiting, &summary).unwrap().is_none());
    }

    #[test]
    fn chunk_keeps_the_numbers_of_its_lines() {
        let piece = gather_chunk("{1}\n\n  \n{4}").unwrap();
        assert_eq!((piece.bytes.as_slice(), piece.numbers.as_slice()), (&b"{1}\n{4}\n"[..], &[1, 4][..]));
        assert!(gather_chunk("").is_none() && gather_chunk("\n \n").is_none());
    }

    #[test]
    fn reports_a_line_with_its_number_in_the_file() {
        let reported = br#"{"line":2,"result":"refused","errors":[{"code":"API-48","description":"wrong","pointer":"/a"}]}"#;
        let report = read_report(reported, &[1, 4]).unwrap();
        assert_eq!((report.line, report.faults()), (4, vec!["API-48 wrong (/a)".to_owned()]));
        assert!(read_report(reported, &[1]).is_err() && read_report(b"{}", &[1]).is_err());
    }
}
