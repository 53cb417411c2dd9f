//! The tables of lookup objects. Each kind has one entry in this module with all its storage settings.
//! Reading, writing, import, export, distribution, anonymised copies and the reset of a sandbox use the
//! entry.

use payroll_domain::lookup::{
    CalculationBase, CompanyJob, CompanyJobTitle, CompanyStatus, CompanyUser, CustomEmploymentType,
    DocumentCategory, JobSegment, LaborAssignment, Location, Lookup, LookupKind, PayFrequency,
};
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::with_lookup_kind;
use payroll_ports::filters::LookupFilter;

use crate::rows::anonymisation::Anonymisation;
use crate::rows::resources::{ResourceRow, StoredResource, declare_resource_tables};
use crate::rows::stored_table::StoredTable;
use crate::statement::{BindValue, binds, sql, window};
use crate::table::TableDefinition;

/// The storage settings of a lookup kind.
pub(crate) struct LookupTable {
    pub(crate) stored: StoredTable,
    /// The column with the id.
    pub(crate) id: &'static str,
    /// The kinds of references to an object of this table. A referring column has the same name as the id
    /// column.
    pub(crate) referrers: &'static [LookupReferrer],
    /// The statement that counts the objects of company $1 that match the filter, and reads the version of
    /// the list.
    pub(crate) size: &'static str,
    /// The statement that reads a page of the objects of company $1 that match the filter.
    pub(crate) page: &'static str,
    /// Returns the parameters of `size` and `page` that follow the company.
    pub(crate) values: fn(&LookupFilter) -> Vec<BindValue<'static>>,
}

/// A kind of reference to a lookup object.
pub(crate) struct LookupReferrer {
    /// The description of the reference, as text before the ids of the referrers.
    pub(crate) description: &'static str,
    /// The table of the referrers.
    pub(crate) table: &'static str,
    /// The column with the id of a referrer.
    pub(crate) column: &'static str,
}

/// The type of the objects of one lookup kind.
pub(crate) trait StoredLookup: Lookup + StoredResource {
    /// The storage settings of the kind.
    const LOOKUP: LookupTable;
}

/// Returns the storage settings of a kind.
pub(crate) fn table_of_kind(kind: LookupKind) -> &'static LookupTable {
    with_lookup_kind!(kind, Object => &<Object as StoredLookup>::LOOKUP)
}

/// Returns the storage settings of every kind.
pub(crate) fn all_tables() -> impl Iterator<Item = &'static LookupTable> {
    LookupKind::ALL.iter().copied().map(table_of_kind)
}

/// Expands to one part of a list's optional filter. `condition` is the SQL of the filter, and `values` are
/// its parameters. `window` is the SQL for limit and offset, with parameter numbers after those of the
/// filter.
macro_rules! list_filter {
    (condition) => {
        ""
    };
    (values) => {
        |_| Vec::new()
    };
    (window) => {
        window!("$2", "$3")
    };
    (window $($filter:tt)+) => {
        window!("$3", "$4")
    };
    (condition in force from $from:literal to $to:literal) => {
        concat!(
            " AND (CAST($2 AS DATE) IS NULL OR (",
            $from,
            " IS NULL OR ",
            $from,
            " <= $2) AND (",
            $to,
            " IS NULL OR ",
            $to,
            " >= $2))"
        )
    };
    (values in force from $from:literal to $to:literal) => {
        |filter| binds![filter.in_force_on].into()
    };
    (condition of frequency $column:literal) => {
        concat!(" AND (CAST($2 AS TEXT) IS NULL OR ", $column, " = $2)")
    };
    (values of frequency $column:literal) => {
        |filter| binds![filter.pay_frequency.map(IntervalCode::as_str)].into()
    };
}

/// Declares for each kind the table, and the additional columns that an anonymised copy keeps or replaces. A
/// declaration also contains the references to an object, and an optional filter of the list.
macro_rules! declare_lookup_tables {
    ($(
        $object:ident in $table:literal by $id:literal, keeps $copied:literal,
            replaces [$($column:literal $replacement:expr),*],
            referrers [$($how:literal in $referrers:literal by $referrer:literal),*]
            $(, when [$($filter:tt)+])?;
    )+) => { $(
        declare_resource_tables! {
            $object in $table key concat!("company_id, ", $id);
        }

        impl StoredLookup for $object {
            const LOOKUP: LookupTable = LookupTable {
                stored: StoredTable {
                    name: $table,
                    copied_columns: concat!("company_id created version ", $id, " ", $copied),
                    replaced_columns: &[$(($column, $replacement)),*],
                    delete_all_sql: concat!("DELETE FROM ", $table),
                },
                id: $id,
                referrers: &[$(LookupReferrer { description: $how, table: $referrers, column: $referrer }),*],
                size: concat!(
                    "SELECT count(*), CAST(NULL AS BIGINT) FROM ",
                    $table,
                    " WHERE company_id = $1",
                    list_filter!(condition $($($filter)+)?)
                ),
                page: sql![
                    "SELECT ",
                    <ResourceRow<$object> as TableDefinition>::COLUMNS,
                    concat!(" FROM ", $table, " WHERE company_id = $1"),
                    list_filter!(condition $($($filter)+)?),
                    concat!(" ORDER BY created, ", $id),
                    list_filter!(window $($($filter)+)?)
                ],
                values: list_filter!(values $($($filter)+)?),
            };
        }
    )+ };
}

use Anonymisation::{Absent, Code, Email, Name, Number, Rate};

declare_lookup_tables! {
    CalculationBase in "calculation_bases" by "calculation_base_id", keeps "",
        replaces ["calculation_base_name" Name("Base")],
        referrers [
            "the calculation base is used by recurring components of \
             workers" in "recurring_components" by "worker_id"
        ];
    CustomEmploymentType in "custom_employment_types" by "custom_employment_type_id", keeps "",
        replaces ["custom_employment_type_name" Name("Employment")],
        referrers ["the employment type is used by workers" in "workers" by "worker_id"];
    CompanyJobTitle in "job_titles" by "job_title_id", keeps "start_date end_date",
        replaces ["title" Name("Title")], referrers ["the job title is used by \
            workers" in "workers" by "worker_id"], when [in force from "start_date" to "end_date"];
    LaborAssignment in "labor_assignments" by "labor_assignment_id",
        keeps "start_date end_date organization_id position_id location_id",
        replaces ["name" Name("Assignment"), "rate" Rate],
        referrers [
            "the labor assignment is used by workers" in "workers" by "worker_id",
            "the work of workers is assigned to it, in their assignment \
             distributions" in "assignment_distributions" by "worker_id"
        ], when [in force from "start_date" to "end_date"];
    Location in "locations" by "location_id",
        keeps "moved_in moved_out communication_id country_subdivision_code country_code",
        replaces [
            "name" Name("Location"), "street_line_one" Name("Street"), "street_line_two" Name("Street"),
            "post_office_box" Code, "city" Name("City"), "postal_code" Number, "postal_code_extension" Code
        ],
        referrers ["the location is used by \
            workers" in "workers" by "worker_id"], when [in force from "moved_in" to "moved_out"];
    PayFrequency in "pay_frequencies" by "pay_frequency_id",
        keeps "pay_frequency applied occurrence",
        replaces ["first_interval" Code, "second_interval" Code], referrers [], when [of frequency "pay_frequency"];
    CompanyJob in "jobs" by "job_id", keeps "start_date end_date",
        replaces [
            "job_correlation_id" Code, "job_name" Name("Job"), "first_segment" Code, "second_segment" Code,
            "third_segment" Code
        ],
        referrers [
            "the job is used by workers" in "workers" by "worker_id",
            "the work of workers is assigned to it, in their assignment \
             distributions" in "assignment_distributions" by "worker_id"
        ], when [in force from "start_date" to "end_date"];
    JobSegment in "job_segments" by "job_segment_id", keeps "segment_number segment_length",
        replaces ["name" Name("Segment")], referrers [];
    CompanyStatus in "worker_statuses" by "worker_status_id", keeps "status_type status_reason",
        replaces [], referrers [];
    DocumentCategory in "document_categories" by "document_category_id", keeps "",
        replaces ["category_name" Name("Category")],
        referrers ["the category contains documents of workers" in "documents" by "worker_id"];
    CompanyUser in "users" by "user_id", keeps "active",
        replaces [
            "family_name" Name("Name"), "given_name" Name("Name"), "middle_name" Name("Name"),
            "preferred_name" Name("Name"), "qualification_affix_code" Absent, "title_affix_code" Absent,
            "email" Email, "title" Name("Title")
        ], referrers [];
}
