//! The columns that are sealed, and what each is sealed to. A new one needs its line here: the test
//! of the move looks for texts of the source's key in the target.

use payroll_domain::tax_id::{LastFour, LegalId, LegalIdType};

use super::columns::Table;
use crate::rows::hooks::Sealed;
use crate::rows::workers::seal_of_deposit;

/// Columns that may hold sealed texts.
const COLUMNS: [(&str, &str); 6] = [
    ("companies", "legal_id"),
    ("workers", "legal_id"),
    ("direct_deposits", "account_number"),
    ("hooks", "authentication"),
    ("hooks", "signing_secret"),
    ("hooks", "old_signing_secret"),
];

/// Columns that depend on what a worker's tax identity is sealed to: its hash, and the sealed text that
/// the hash was made from.
const HASH_COLUMNS: [&str; 2] = ["last_four_hash", "last_four_of"];

/// Whether texts of that column may be sealed, or made with a key in another way.
pub(super) fn may_be(table: &str, column: &str) -> bool {
    COLUMNS.contains(&(table, column)) || (table == "workers" && HASH_COLUMNS.contains(&column))
}

/// A worker's tax identity as it is found by: the places of the hash and of what it was made from, and
/// the company and the digits that it is made of.
pub(super) struct Findable {
    pub(super) hash_at: usize,
    pub(super) made_from_at: usize,
    pub(super) company_id: String,
    pub(super) digits: LastFour,
}

/// What a row of a worker is found by, whose tax identity is open; `None` where it has no hash yet, which
/// the target then makes itself.
pub(super) fn findable(table: &Table, row: &[Option<String>]) -> Option<Findable> {
    if table.name != "workers" {
        return None;
    }
    let value = |column: &str| row.get(table.place_of(column)?)?.as_deref();
    value("last_four_hash")?;
    let kind = LegalIdType::parse(value("legal_id_type")?)?;
    Some(Findable {
        hash_at: table.place_of("last_four_hash")?,
        made_from_at: table.place_of("last_four_of")?,
        company_id: value("company_id")?.to_owned(),
        digits: LegalId::parse(kind, value("legal_id")?)?.last_four(),
    })
}

/// The sealed values of a row: where each is, and what it is sealed to.
pub(super) fn of_row(table: &Table, row: &[Option<String>]) -> Vec<(usize, String)> {
    let value = |column: &str| row.get(table.place_of(column)?)?.as_deref();
    let columns = COLUMNS.iter().filter(|(name, _)| *name == table.name);
    let bound = columns.filter_map(|(_, column)| {
        value(column)?;
        let bound = match (table.name.as_str(), *column) {
            ("companies", _) if is_persons(value("legal_id_type")) => value("company_id")?.to_owned(),
            ("workers", _) if is_persons(value("legal_id_type")) => value("worker_id")?.to_owned(),
            ("direct_deposits", _) => seal_of_deposit(value("worker_id")?, value("direct_deposit_id")?),
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
