//! What is done with one list of a company.

use serde_json::Value;

/// The unit of workers and lines.
pub(in crate::machines::walk) const UNIT: &str = "OVEN";

/// A list, an object of it that stays, and one that goes again.
pub(super) struct Round<'a> {
    pub(super) list: String,
    pub(super) id: &'a str,
    pub(super) stays: Value,
    pub(super) change: Value,
    /// What is different when it is replaced.
    pub(super) replaced: (&'a str, Value),
    pub(super) goes: Value,
    /// What is reported of the five changes; nothing where they are reported under no domain.
    pub(super) reported: Vec<String>,
}
