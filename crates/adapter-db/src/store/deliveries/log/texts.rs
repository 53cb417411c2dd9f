//! Parts of SQL statements, for both reading and writing the log.

/// Selects the number of an application's hook by its id: `hook_number_sql!("$1", "$2")`.
macro_rules! hook_number_sql {
    ($application_id:literal, $hook_id:literal) => {
        concat!(
            "(SELECT hook FROM hooks WHERE application_id = ",
            $application_id,
            " AND hook_id = ",
            $hook_id,
            ")"
        )
    };
}
pub(super) use hook_number_sql;

/// The maximum number of deliveries that one call scans, including those that its filter omits. Without this
/// limit, a filter that matches nothing would read the complete log. The call returns the position of the
/// last scanned delivery.
pub(super) const SCAN_LIMIT_SQL: &str = " LIMIT 10000";
/// Selects the last of the deliveries that one call scans. The next page starts after this delivery.
pub(super) const LAST_SCANNED_ROW_SQL: &str = " LIMIT 1 OFFSET 9999";
