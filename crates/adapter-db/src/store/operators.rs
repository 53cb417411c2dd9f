//! The storage for operators: their keys and sessions, the checks that they remove, and the values that they
//! disclose.

pub(super) mod disclosures;
pub(super) mod keys;
pub(super) mod removals;
pub(super) mod sessions;
