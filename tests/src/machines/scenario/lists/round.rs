//! The objects that the scenario creates, changes and deletes in one list of a company.

use serde_json::Value;

/// The organization to which the scenario's workers and check lines belong.
pub(in crate::machines::scenario) const UNIT_ID: &str = "OVEN";

/// A list of a company, and two objects that the scenario creates in it. The object `stays` is kept, and the
/// object `goes` is deleted.
pub(super) struct ListScenario<'a> {
    pub(super) list: String,
    pub(super) id: &'a str,
    pub(super) stays: Value,
    pub(super) change: Value,
    /// The member that the PUT changes, with its new value.
    pub(super) replaced: (&'a str, Value),
    pub(super) goes: Value,
    /// The events of the five writes to the list: create, patch, replace, create, delete. The list is empty
    /// if no event domain covers these objects.
    pub(super) reported: Vec<String>,
}
