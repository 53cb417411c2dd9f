//! Operators: their keys and sessions, and what they remove and disclose.

pub(super) mod disclosures;
pub(super) mod keys;
pub(super) mod removals;
pub(super) mod sessions;
