//! Reads CSV files for the operator API (specification §10.21). A file becomes one document of the API, which
//! is stored completely or not at all. The domain validates the values. This module validates the format of
//! the file and maps faults to lines and columns.

mod columns;
mod document;
mod faults;
mod header;
mod template;
mod text;

use payroll_domain::code::Reason;

pub use columns::RowKind;
pub use document::CsvRows;
pub use faults::{CsvFault, FileFaults};
pub use header::{ColumnMap, UnknownColumn};
pub use text::MAX_ROWS;

/// Parses a CSV file as rows of this kind. `map` assigns columns to header names that are not column names.
/// Faults of single rows are returned together with the rows.
///
/// # Errors
/// The faults of a file that is not text or has no valid header.
pub fn read_rows<'t>(
    bytes: &'t [u8],
    kind: RowKind,
    map: &ColumnMap,
) -> Result<(CsvRows<'t>, FileFaults), FileFaults> {
    let mut faults = FileFaults::default();
    let records = text::decode_utf8(bytes, &mut faults).map(|text| text::parse_records(text, &mut faults));
    let Some(mut records) = records.filter(|_| faults.is_empty()).map(Vec::into_iter) else {
        return Err(faults);
    };
    let header = records.next().and_then(|header| header::CsvHeader::read(&header, kind, map, &mut faults));
    let Some(header) = header else {
        if faults.is_empty() {
            faults.add_line_fault(Reason::InvalidParameter, 1, None, "the file has no header");
        }
        return Err(faults);
    };
    let rows = CsvRows::new(kind, header, records.collect(), &mut faults);
    Ok((rows, faults))
}
