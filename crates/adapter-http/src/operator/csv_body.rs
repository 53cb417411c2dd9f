//! Accepts CSV in place of a JSON document. The rows are converted to a JSON document, which is validated as
//! usual. Each fault is reported with its line and column (specification §10.21).

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::input;
use payroll_domain::violation::{Violation, Violations};

use super::call::OperatorCall;
use super::csv::{self, ColumnMap, CsvFault, RowKind};
use crate::shared::error::Failure;
use crate::shared::media_type::{CSV, JSON};

/// The accepted media types of the body.
pub(super) const ACCEPTED_MEDIA_TYPES: [&str; 2] = [JSON, CSV];

/// The estimated bytes of memory per field during the conversion: the text, and a member of an object.
const BYTES_PER_FIELD: usize = 256;
/// The estimated bytes of memory per row in addition to its fields, for the objects that the row becomes.
const BYTES_PER_ROW: usize = 4 * 1024;
/// The pay period id for files whose rows do not belong to a pay period.
const NO_PERIOD_ID: &str = "";

/// The document in the body of a request.
pub(super) struct RequestDocument {
    /// The JSON of the document.
    pub(super) json: Bytes,
    /// The CSV file, if the body is CSV.
    file: Option<CsvFile>,
}

struct CsvFile {
    text: Bytes,
    kind: RowKind,
    period: String,
    /// Whether some rows have faults. The document is then validated but not stored.
    has_faults: bool,
}

impl RequestDocument {
    /// Reads the document from a body: the body itself if it is JSON, else the converted rows. `period` is
    /// the pay period of check lines.
    ///
    /// # Errors
    /// 400 with all faults if the file cannot be read, or if `kind` is missing. 413 or 503 if there is no
    /// memory for the conversion.
    pub(super) async fn read_document(
        call: &OperatorCall,
        body: Bytes,
        kind: Option<RowKind>,
        period: Option<&str>,
    ) -> Result<Self, Failure> {
        if !call.incoming.has_media_type(CSV) {
            return Ok(Self { json: body, file: None });
        }
        let kind = kind.ok_or_else(|| {
            let message = "the query parameter rows is missing: send rows=workers or rows=rates";
            Violation::new(Reason::ParameterMissing, message)
        })?;
        let period = period.unwrap_or(NO_PERIOD_ID).to_owned();
        call.incoming.reserve_memory(body.len().saturating_add(estimate_conversion_memory(&body)))?;
        let (text, of_period) = (body.clone(), period.clone());
        let (json, has_faults) = call
            .incoming
            .process_body(&body, move |text| {
                let (mut rows, mut faults) = csv::read_rows(text, kind, &ColumnMap::default())
                    .map_err(|faults| file_faults_failure(&faults))?;
                let document = rows.build_document(&of_period, &mut faults);
                // If no row is valid, the document is empty, and its validation would only report an empty
                // document.
                if !faults.is_empty() && document.as_array().is_some_and(Vec::is_empty) {
                    return Err(file_faults_failure(&faults));
                }
                Ok((Bytes::from(document.to_string()), !faults.is_empty()))
            })
            .await?;
        let memory_bytes =
            body.len().saturating_add(json.len()).saturating_add(input::estimate_tree_bytes(&json));
        call.incoming.reserve_memory(memory_bytes)?;
        Ok(Self { json, file: Some(CsvFile { text, kind, period, has_faults }) })
    }

    /// Whether the document must not be stored, because the file has faults.
    pub(super) fn is_faulty(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.has_faults)
    }

    /// Maps the faults of validating the document to lines of the CSV file.
    ///
    /// # Errors
    /// The errors of the validation, and the faults of the file itself.
    pub(super) async fn translate_faults<T>(
        &self,
        call: &OperatorCall,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(CsvFile { text, kind, period, has_faults }) = &self.file else { return result };
        let found = match result {
            Ok(done) if !has_faults => return Ok(done),
            Ok(_) => None,
            Err(failure) => match failure.document_faults() {
                Some(found) => Some(found.clone()),
                // A failure without faults of the document, such as a locked company, concerns no line of the
                // file.
                None => return Err(failure),
            },
        };
        let (kind, period) = (*kind, period.clone());
        // The rows are parsed again, which costs time only for a rejected request.
        let refusal = call.incoming.process_body(text, move |text| {
            let (mut rows, mut faults) = csv::read_rows(text, kind, &ColumnMap::default())
                .map_err(|faults| file_faults_failure(&faults))?;
            drop(rows.build_document(&period, &mut faults));
            let found = found.iter().flat_map(Violations::iter).map(|fault| CsvFault {
                reason: fault.reason,
                pointer: fault.pointer.as_deref(),
                description: fault.description.as_str().into(),
            });
            rows.translate_faults(found, &mut faults);
            Ok(file_faults_failure(&faults))
        });
        Err(refusal.await?)
    }
}

/// Returns the error for a file with faults.
fn file_faults_failure(faults: &csv::FileFaults) -> Failure {
    faults.violations().map_or_else(|| Reason::InvalidParameter.into(), Failure::from)
}

/// Returns the approximate maximum bytes of memory for converting a file to a document.
fn estimate_conversion_memory(text: &[u8]) -> usize {
    let rows = text.iter().filter(|byte| **byte == b'\n').count().saturating_add(1).min(csv::MAX_ROWS);
    let fields = text.iter().filter(|byte| matches!(byte, b',' | b'\n')).count().saturating_add(1);
    rows.saturating_mul(BYTES_PER_ROW).saturating_add(fields.saturating_mul(BYTES_PER_FIELD))
}
