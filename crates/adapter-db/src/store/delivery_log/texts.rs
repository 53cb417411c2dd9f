//! Parts of statements that reading and writing share.

/// The number of the hook that an application has under an id: `hook!("$1", "$2")`.
macro_rules! hook {
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
pub(super) use hook;

/// Deliveries that one call reads at most, whether it returns them or not: a filter that matches nothing
/// does not read the full log at once, but returns how far it has come.
pub(super) const LIMIT: &str = " LIMIT 10000";
/// Leads to the last of these deliveries.
pub(super) const OFFSET_OF_LAST: &str = " LIMIT 1 OFFSET 9999";
