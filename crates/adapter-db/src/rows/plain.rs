//! Where plain objects are stored: a kind is a row here, and all that the storage decides about it stands in
//! that row. Reading, writing, import, export, distribution, anonymised copies and a sandbox's reset follow.

use payroll_domain::plain::{CalculationBase, CustomEmploymentType, Plain, PlainKind};
use payroll_domain::with_plain_kind;

use crate::fixed::{sql, window};
use crate::rows::resources::{ResourceRow, StoredResource, resources};
use crate::table::Table;

/// What the storage decides about a plain kind.
pub(crate) struct PlainTable {
    /// The table.
    pub(crate) name: &'static str,
    /// The column of the id.
    pub(crate) id: &'static str,
    /// The columns that an anonymised copy keeps, with spaces between them.
    pub(crate) kept: &'static str,
    /// The columns in which it puts a made-up name, each with the word before that name.
    pub(crate) named: &'static [(&'static str, &'static str)],
    /// What refers to an object, by a column that is named as the id is.
    pub(crate) referrers: &'static [PlainReferrer],
    /// Counts the objects of a company $1, whose version is theirs.
    pub(crate) size: &'static str,
    /// Reads a page of the objects of a company $1.
    pub(crate) page: &'static str,
    /// Deletes all of every company.
    pub(crate) empty: &'static str,
}

/// A way in which something refers to a plain object.
pub(crate) struct PlainReferrer {
    /// How, in words that go before the ids of the referrers.
    pub(crate) how: &'static str,
    /// The table of the referrers.
    pub(crate) table: &'static str,
    /// The column that names a referrer.
    pub(crate) column: &'static str,
}

/// The type of the objects of a plain kind.
pub(crate) trait StoredPlain: Plain + StoredResource {
    /// What the storage decides about them.
    const PLAIN: PlainTable;
}

/// What the storage decides about a kind.
pub(crate) fn table(kind: PlainKind) -> &'static PlainTable {
    with_plain_kind!(kind, Object => &<Object as StoredPlain>::PLAIN)
}

/// The same of every kind.
pub(crate) fn tables() -> impl Iterator<Item = &'static PlainTable> {
    PlainKind::ALL.iter().copied().map(table)
}

/// Says of each kind where its objects are, which columns beside its id an anonymised copy keeps, which get a
/// made-up name, and what refers to one.
macro_rules! plain_tables {
    ($(
        $object:ident in $table:literal by $id:literal, keeps $kept:literal,
            names [$($column:literal $word:literal),*],
            referrers [$($how:literal in $referrers:literal by $referrer:literal),*];
    )+) => { $(
        resources! {
            $object in $table key concat!("company_id, ", $id);
        }

        impl StoredPlain for $object {
            const PLAIN: PlainTable = PlainTable {
                name: $table,
                id: $id,
                kept: concat!("company_id created version ", $id, " ", $kept),
                named: &[$(($column, $word)),*],
                referrers: &[$(PlainReferrer { how: $how, table: $referrers, column: $referrer }),*],
                size: concat!("SELECT count(*), CAST(NULL AS BIGINT) FROM ", $table, " WHERE company_id = $1"),
                page: sql![
                    "SELECT ",
                    <ResourceRow<$object> as Table>::COLUMNS,
                    concat!(" FROM ", $table, " WHERE company_id = $1 ORDER BY created, ", $id),
                    window!("$2", "$3")
                ],
                empty: concat!("DELETE FROM ", $table),
            };
        }
    )+ };
}

plain_tables! {
    CalculationBase in "calculation_bases" by "calculation_base_id", keeps "",
        names ["calculation_base_name" "Base"],
        referrers [
            "recurring components are calculated from it, of workers" in "recurring_components" by "worker_id"
        ];
    CustomEmploymentType in "custom_employment_types" by "custom_employment_type_id", keeps "",
        names ["custom_employment_type_name" "Employment"],
        referrers ["it is the employment type of workers" in "workers" by "worker_id"];
}
