//! Imports over HTTP (specification §10.9). The request contains one company per line. The response contains
//! one report per line and is sent while later lines are still arriving.
//!
//! The next company is imported only when the next line of the response is read. Only one company is
//! therefore in memory. If the client disconnects, the import ends after the current company.

mod lines;
mod report;

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use futures_util::stream;
use payroll_domain::audit::Actor;
use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::input::{self, Node};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::StoreError;
use payroll_ports::import::{ImportOutcome, ImportRules, ImportSource};
use payroll_ports::write::AuditContext;

use super::call::OperatorCall;
use crate::shared::api::ListenerState;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::NDJSON;
use crate::shared::stream::StreamPermit;
use lines::{LineReader, ReadLine};
use report::{LineReport, LineResult};

/// The query parameters of an import.
pub(super) const PARAMETERS: &[&str] = &["dryrun"];

/// A line with fewer bytes than this number is copied before it is parsed. If the line has faults, the report
/// takes the company's id from the copy.
const MAX_COPIED_LINE_BYTES: usize = 1024 * 1024;

/// Handles a request for `POST /operator/v1/import`.
pub(super) async fn import_lines(mut call: OperatorCall) -> HandlerResult {
    call.incoming.check_content_type(&[NDJSON])?;
    call.incoming.negotiate(&[NDJSON])?;
    let is_dry = call.incoming.query().boolean_value("dryrun")? == Some(true);
    idempotency::validate_key_without_record(&call.incoming)?;
    let api = Arc::clone(&call.incoming.api);
    let import = ImportInProgress {
        _permit: api.streams.acquire_permit()?,
        lines: LineReader::new(
            call.incoming.take_payload(),
            api.settings.body_timeout,
            api.memory.new_reservation(None),
        ),
        request_id: call.incoming.context.request_id.clone(),
        actor: call.caller.actor,
        is_finished: false,
        valid_companies: is_dry.then(HashSet::new),
        api,
    };
    let reports = stream::unfold(import, |mut import| async move {
        let report = import.next().await?;
        Some((report.map(Bytes::from), import))
    });
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, NDJSON)).streaming(reports))
}

/// The state of an import.
struct ImportInProgress {
    api: Arc<ListenerState>,
    actor: Actor,
    request_id: String,
    lines: LineReader,
    is_finished: bool,
    /// In a dry run, the companies that were valid so far; `None` if companies are stored.
    valid_companies: Option<HashSet<CompanyId>>,
    /// Limits the number of concurrent imports, because each import may need memory for a large company.
    _permit: StreamPermit,
}

impl ImportInProgress {
    /// Imports the next company and returns its report; `None` at the end.
    async fn next(&mut self) -> Option<serde_json::Result<Vec<u8>>> {
        loop {
            if self.is_finished {
                return None;
            }
            let line = self.lines.next().await?;
            let number = self.lines.line_number();
            let report = match line {
                ReadLine::Complete(bytes) if bytes.trim_ascii().is_empty() => continue,
                ReadLine::Complete(bytes) => self.import_line(number, bytes).await,
                ReadLine::TooLong(fault) => LineReport::from_faults(number, None, fault.into()),
                ReadLine::NoMemory(fault) => {
                    self.is_finished = true;
                    LineReport { line: number, company_id: None, result: LineResult::Failed(fault.into()) }
                }
                ReadLine::BrokenOff(fault) => {
                    self.is_finished = true;
                    LineReport::from_faults(number, None, fault.into())
                }
            };
            return Some(report.to_json_line());
        }
    }

    async fn import_line(&mut self, number: u64, bytes: Vec<u8>) -> LineReport {
        // Parsing a large company takes long, so it must not block other requests.
        let (company_id, company) = match tokio::task::spawn_blocking(move || parse_import_line(bytes)).await
        {
            Ok(read) => read,
            Err(panic) => return self.report_store_error(number, None, &StoreError::Bug(panic.into())),
        };
        let company = match company {
            Ok(company) => company,
            Err(faults) => return LineReport::from_faults(number, company_id, faults),
        };
        let audit = AuditContext::new(self.actor.clone(), self.api.now(), None);
        let id = company.company().company.company_id.clone();
        let store = &self.api.store;
        let rules = ImportRules { two_person_completion: self.api.settings.two_person_completion };
        let imported = match &self.valid_companies {
            Some(validated) => store.validate_company(company, validated, rules, &audit).await,
            None => store.import_company(company, rules, &audit).await,
        };
        match imported {
            Ok(ImportOutcome::Stored(counts)) => {
                let became = match &mut self.valid_companies {
                    Some(validated) => {
                        validated.insert(id);
                        LineResult::Valid(counts)
                    }
                    None => LineResult::Stored(counts),
                };
                LineReport { line: number, company_id, result: became }
            }
            Ok(ImportOutcome::Locked) => LineReport::for_locked_company(number, company_id),
            Ok(ImportOutcome::Refused(sentences)) => {
                let faults = sentences.into_iter().map(|sentence| Violation::new(Reason::Conflict, sentence));
                let faults =
                    Violations::from_faults(faults.collect()).unwrap_or_else(|| Reason::Conflict.into());
                LineReport::from_faults(number, company_id, faults)
            }
            Err(StoreError::CompanyBusy) => LineReport::for_locked_company(number, company_id),
            Err(error) => self.report_store_error(number, company_id, &error),
        }
    }

    /// Ends the import, because a failure of the storage would affect the next company as well.
    fn report_store_error(
        &mut self,
        number: u64,
        company_id: Option<String>,
        error: &StoreError,
    ) -> LineReport {
        self.is_finished = true;
        tracing::error!(request_id = self.request_id, line = number, error = %error, "an import stopped");
        let reason = match error {
            StoreError::Unavailable(_) | StoreError::CompanyBusy => Reason::Unavailable,
            StoreError::TotalTooLarge => Reason::Conflict,
            StoreError::Corrupt { .. } | StoreError::Bug(_) => Reason::Internal,
        };
        LineReport { line: number, company_id, result: LineResult::Failed(reason.into()) }
    }
}

/// Parses one line. The company's id is also returned for a line with faults, if the id can be read.
fn parse_import_line(line: Vec<u8>) -> (Option<String>, Result<ImportSource, Violations>) {
    let copy = (line.len() < MAX_COPIED_LINE_BYTES).then(|| line.clone());
    let company = ImportSource::read(line);
    let company_id = match &company {
        Ok(company) => Some(company.company().company.company_id.to_string()),
        Err(_) => copy.and_then(|line| company_id(&input::parse(&line).ok()?)),
    };
    (company_id, company)
}

fn company_id(node: &Node<'_>) -> Option<String> {
    let id = node.member("companyId")?.as_text()?;
    id.parse().ok().map(|id: CompanyId| id.to_string())
}
