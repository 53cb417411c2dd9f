//! The encrypted columns and their associated data. If you add an encrypted column to the schema, add it to
//! this module. Otherwise a test of the move fails, because it searches the target for texts that were
//! encrypted with a key of the source.

use payroll_domain::tax_id::{LastFour, LegalId, LegalIdType};

use super::columns::SourceTable;
use crate::rows::hooks::EncryptedColumn;
use crate::rows::requests::details_associated_data;
use crate::rows::workers::deposit_associated_data;

/// The columns that may contain encrypted texts.
const SEALED_COLUMNS: [(&str, &str); 7] = [
    ("companies", "legal_id"),
    ("workers", "legal_id"),
    ("direct_deposits", "account_number"),
    ("request_details", "sealed"),
    ("hooks", "authentication"),
    ("hooks", "signing_secret"),
    ("hooks", "old_signing_secret"),
];

/// The columns that are derived from a worker's encrypted tax ID: its hash, and the encrypted text from which
/// the hash was computed.
const HASH_COLUMNS: [&str; 2] = ["last_four_hash", "last_four_of"];

/// Returns whether the texts of that column may be encrypted, or derived from a key.
pub(super) fn may_be_sealed(table: &str, column: &str) -> bool {
    SEALED_COLUMNS.contains(&(table, column)) || (table == "workers" && HASH_COLUMNS.contains(&column))
}

/// The data for the search hash of a worker's tax ID. This data contains the column index of the hash, and
/// the column index of the text from which the hash was computed. The company and the digits are needed to
/// compute a new hash.
pub(super) struct TaxIdSearchData {
    pub(super) hash_at: usize,
    pub(super) made_from_at: usize,
    pub(super) company_id: String,
    pub(super) digits: LastFour,
}

/// Decrypts the tax ID in a worker's row, and returns the data for computing its search hash. `None` if the
/// row has no hash yet. In that case, a server on the target adds the hash later.
pub(super) fn read_tax_id_search_data(
    table: &SourceTable,
    row: &[Option<String>],
) -> Option<TaxIdSearchData> {
    if table.name != "workers" {
        return None;
    }
    let value = |column: &str| row.get(table.column_position(column)?)?.as_deref();
    value("last_four_hash")?;
    let kind = LegalIdType::parse(value("legal_id_type")?)?;
    Some(TaxIdSearchData {
        hash_at: table.column_position("last_four_hash")?,
        made_from_at: table.column_position("last_four_of")?,
        company_id: value("company_id")?.to_owned(),
        digits: LegalId::parse(kind, value("legal_id")?)?.last_four(),
    })
}

/// Returns the index and the associated data of each encrypted value of a row.
pub(super) fn find_sealed_values(table: &SourceTable, row: &[Option<String>]) -> Vec<(usize, String)> {
    let value = |column: &str| row.get(table.column_position(column)?)?.as_deref();
    let columns = SEALED_COLUMNS.iter().filter(|(name, _)| *name == table.name);
    let bound = columns.filter_map(|(_, column)| {
        value(column)?;
        let bound = match (table.name.as_str(), *column) {
            ("companies", _) if is_personal_tax_id(value("legal_id_type")) => value("company_id")?.to_owned(),
            ("workers", _) if is_personal_tax_id(value("legal_id_type")) => value("worker_id")?.to_owned(),
            ("direct_deposits", _) => {
                deposit_associated_data(value("worker_id")?, value("direct_deposit_id")?)
            }
            ("request_details", _) => details_associated_data(value("application_id")?, value("request_id")?),
            ("hooks", column) => {
                encrypted_hook_column(column)?.associated_data(value("application_id")?, value("hook_id")?)
            }
            _ => return None,
        };
        Some((table.column_position(column)?, bound))
    });
    bound.collect()
}

/// Returns whether the tax ID belongs to a person. The tax ID of a company is public.
fn is_personal_tax_id(kind: Option<&str>) -> bool {
    kind == Some(LegalIdType::Ssn.as_str())
}

fn encrypted_hook_column(column: &str) -> Option<EncryptedColumn> {
    match column {
        "authentication" => Some(EncryptedColumn::Authentication),
        "signing_secret" => Some(EncryptedColumn::SigningSecret),
        "old_signing_secret" => Some(EncryptedColumn::OldSigningSecret),
        _ => None,
    }
}
