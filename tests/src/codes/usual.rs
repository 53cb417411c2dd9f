//! Error codes that several operations share, and error codes of the token operation and of adding checks.

/// The error codes of a POST that adds an object of a company or a part of a worker.
pub(super) const ADDITION_CODES: &[&str] = &[
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-52",
    "404 API-7",
    "413 API-413",
    "415 API-415",
];
/// The error codes of a PATCH.
pub(super) const PATCH_CODES: &[&str] = &[
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

/// The error codes of a DELETE.
pub(super) const REMOVAL_CODES: &[&str] = &["404 API-7", "412 API-412"];

/// The error codes of the token operation.
pub(super) const TOKEN_CODES: &[&str] = &[
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "401 API-102",
    "405 API-59",
    "406 API-75",
    "413 API-413",
    "415 API-415",
];

/// The error codes of the operation that adds checks.
pub(super) const CHECK_ADDITION_CODES: &[&str] = &[
    "400 API-28",
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-51",
    "400 API-52",
    "400 API-53",
    "400 API-54",
    "400 API-55",
    "400 API-56",
    "400 API-57",
    "400 API-60",
    "400 API-65",
    "400 API-69",
    "400 API-70",
    "404 API-7",
    "405 API-51",
    "413 API-44",
    "415 API-415",
    "423 API-10",
];
