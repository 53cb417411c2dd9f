//! The columns that are sealed, and what each is sealed to. A new one needs its line here: the test
//! of the move looks for texts of the source's key in the target.

use payroll_domain::tax_id::LegalIdType;

use super::columns::Table;
use crate::rows::hooks::Sealed;

/// Columns that may hold sealed texts.
const COLUMNS: [(&str, &str); 5] = [
    ("companies", "legal_id"),
    ("workers", "legal_id"),
    ("hooks", "authentication"),
    ("hooks", "signing_secret"),
    ("hooks", "old_signing_secret"),
];

/// Whether texts of that column may be sealed.
pub(super) fn may_be(table: &str, column: &str) -> bool {
    COLUMNS.contains(&(table, column))
}

/// The sealed values of a row: where each stands, and what it is sealed to.
pub(super) fn of_row(table: &Table, row: &[Option<String>]) -> Vec<(usize, String)> {
    let value = |column: &str| row.get(table.place_of(column)?)?.as_deref();
    let columns = COLUMNS.iter().filter(|(name, _)| *name == table.name);
    let bound = columns.filter_map(|(_, column)| {
        value(column)?;
        let bound = match (table.name.as_str(), *column) {
            ("companies", _) if is_persons(value("legal_id_type")) => value("company_id")?.to_owned(),
            ("workers", _) if is_persons(value("legal_id_type")) => value("worker_id")?.to_owned(),
            ("hooks", column) => hook(column)?.of(value("application_id")?, value("hook_id")?),
            _ => return None,
        };
        Some((table.place_of(column)?, bound))
    });
    bound.collect()
}

/// The number of a company is public; a person's is not.
fn is_persons(kind: Option<&str>) -> bool {
    kind == Some(LegalIdType::Ssn.as_str())
}

fn hook(column: &str) -> Option<Sealed> {
    match column {
        "authentication" => Some(Sealed::Authentication),
        "signing_secret" => Some(Sealed::SigningSecret),
        "old_signing_secret" => Some(Sealed::OldSigningSecret),
        _ => None,
    }
}
