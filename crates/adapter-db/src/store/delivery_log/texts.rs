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

/// Deliveries that one call looks at, whether it takes them or not: a filter that fits nothing does
/// not read the whole log at once, but says how far it has come.
macro_rules! looked_at {
    () => {
        "10000"
    };
    (all but one) => {
        "9999"
    };
}
pub(super) use looked_at;
