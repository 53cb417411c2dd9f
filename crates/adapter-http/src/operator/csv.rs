//! CSV as the operator API takes it (specification §10.21): what people have in spreadsheets, made into one
//! document of the API, which is stored completely or not at all. What a value may be is the domain's
//! business; here is what a file may be, and which line and column a fault is in.

mod columns;
mod document;
mod faults;
mod header;
mod template;
mod text;

use payroll_domain::code::Reason;

pub use columns::RowKind;
pub use document::Rows;
pub use faults::{Faults, Judged};
pub use header::{ColumnMap, UnknownColumn};
pub use text::MAX_ROWS;

/// Reads a file as rows of that kind, whose columns the map may rename. What is wrong with single rows is noted
/// next to them.
///
/// # Errors
/// The faults of a file that has no text, or no header that says what its columns are.
pub fn read<'t>(bytes: &'t [u8], kind: RowKind, map: &ColumnMap) -> Result<(Rows<'t>, Faults), Faults> {
    let mut faults = Faults::default();
    let records = text::decode(bytes, &mut faults).map(|text| text::records(text, &mut faults));
    let Some(mut records) = records.filter(|_| faults.are_none()).map(Vec::into_iter) else {
        return Err(faults);
    };
    let header = records.next().and_then(|header| header::Header::read(&header, kind, map, &mut faults));
    let Some(header) = header else {
        if faults.are_none() {
            faults.add(Reason::InvalidParameter, 1, None, "the file has no header");
        }
        return Err(faults);
    };
    let rows = Rows::new(kind, header, records.collect(), &mut faults);
    Ok((rows, faults))
}
