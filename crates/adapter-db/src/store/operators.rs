//! The storage for operators: operator keys, browser sessions, the removal of checks by operators, and the
//! disclosure of masked values.

pub(super) mod disclosures;
pub(super) mod keys;
pub(super) mod removals;
pub(super) mod sessions;
