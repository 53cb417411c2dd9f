//! A body of CSV, taken where a JSON document is: made into that document, which is validated as if it had
//! been sent, with every fault at its line and column (specification §10.21).

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::input;
use payroll_domain::violation::{Violation, Violations};

use super::call::OperatorCall;
use super::csv::{self, ColumnMap, Judged, RowKind};
use crate::shared::error::Failure;
use crate::shared::media_type::{CSV, JSON};

/// The media types of such a body.
pub(super) const ACCEPTED: [&str; 2] = [JSON, CSV];

/// Bytes of memory that a field of a file takes while the document is made: its text, and a member of an object.
const BYTES_OF_FIELD: usize = 256;
/// Bytes of memory that a row takes in addition to its fields: the objects that it is made into.
const BYTES_OF_ROW: usize = 4 * 1024;
/// The pay period of rows that are of none.
const NO_PERIOD: &str = "";

/// The document of a request.
pub(super) struct Document {
    /// The JSON of the document.
    pub(super) json: Bytes,
    /// The file that it was made of.
    file: Option<File>,
}

struct File {
    text: Bytes,
    kind: RowKind,
    period: String,
    /// Single rows of it are wrong, so that it is validated and not stored.
    has_faults: bool,
}

impl Document {
    /// The document of a body: the body itself, or what its rows of that kind are, of the pay period where they are
    /// of one.
    ///
    /// # Errors
    /// 400 for a file that cannot be read, with every fault, or whose rows are of no kind; 413 and 503 where there is no
    /// memory for it.
    pub(super) async fn read(
        call: &OperatorCall,
        body: Bytes,
        kind: Option<RowKind>,
        period: Option<&str>,
    ) -> Result<Self, Failure> {
        if !call.incoming.is_of_type(CSV) {
            return Ok(Self { json: body, file: None });
        }
        let kind = kind.ok_or_else(|| {
            let wanted = "the query parameter rows is missing: it is workers or rates";
            Violation::new(Reason::ParameterMissing, wanted)
        })?;
        let period = period.unwrap_or(NO_PERIOD).to_owned();
        call.incoming.reserve(body.len().saturating_add(making_bytes(&body)))?;
        let (text, of_period) = (body.clone(), period.clone());
        let (json, has_faults) = call
            .incoming
            .work_on(&body, move |text| {
                let (mut rows, mut faults) =
                    csv::read(text, kind, &ColumnMap::default()).map_err(|faults| refused(&faults))?;
                let document = rows.document(&of_period, &mut faults).to_string();
                Ok((Bytes::from(document), !faults.are_none()))
            })
            .await?;
        let kept = body.len().saturating_add(json.len()).saturating_add(input::tree_bytes(&json));
        call.incoming.reserve(kept)?;
        Ok(Self { json, file: Some(File { text, kind, period, has_faults }) })
    }

    /// Whether it may only be validated, since something in it is known to be wrong.
    pub(super) fn is_faulty(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.has_faults)
    }

    /// The result of validating the document, with its faults at the lines of the file that it was made of.
    ///
    /// # Errors
    /// Those of the judgement, and the faults of the file itself.
    pub(super) async fn judged<T>(
        &self,
        call: &OperatorCall,
        judged: Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(File { text, kind, period, has_faults }) = &self.file else { return judged };
        let found = match judged {
            Ok(done) if !has_faults => return Ok(done),
            Ok(_) => None,
            Err(failure) => match failure.faults_of_document() {
                Some(found) => Some(found.clone()),
                // It is of no line: the company is locked, say.
                None => return Err(failure),
            },
        };
        let (kind, period) = (*kind, period.clone());
        // The rows are read once more, which only what is refused costs.
        let refusal = call.incoming.work_on(text, move |text| {
            let (mut rows, mut faults) =
                csv::read(text, kind, &ColumnMap::default()).map_err(|faults| refused(&faults))?;
            drop(rows.document(&period, &mut faults));
            let found = found.iter().flat_map(Violations::iter).map(|fault| Judged {
                reason: fault.reason,
                pointer: fault.pointer.as_deref(),
                description: fault.description.as_str().into(),
            });
            rows.translate(found, &mut faults);
            Ok(refused(&faults))
        });
        Err(refusal.await?)
    }
}

/// The refusal of a file with faults.
fn refused(faults: &csv::Faults) -> Failure {
    faults.violations().map_or_else(|| Reason::InvalidParameter.into(), Failure::from)
}

/// Bytes of memory that making the document of a file takes at most, about.
fn making_bytes(text: &[u8]) -> usize {
    let rows = text.iter().filter(|byte| **byte == b'\n').count().saturating_add(1).min(csv::MAX_ROWS);
    let fields = text.iter().filter(|byte| matches!(byte, b',' | b'\n')).count().saturating_add(1);
    rows.saturating_mul(BYTES_OF_ROW).saturating_add(fields.saturating_mul(BYTES_OF_FIELD))
}
