//! Error codes that every operation with the same method has in common.

/// Errors of a POST that adds an object or a part.
pub(super) const ADDED: &[&str] = &[
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-52",
    "404 API-7",
    "413 API-413",
    "415 API-415",
];
/// Errors of a PATCH.
pub(super) const PATCHED: &[&str] = &[
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-52",
    "404 API-7",
    "412 API-412",
    "413 API-413",
    "415 API-415",
];

/// Errors of a DELETE.
pub(super) const REMOVED: &[&str] = &["404 API-7", "412 API-412"];
