//! The statuses of kinds of operations, except for the one of a success.

/// Statuses that any operation may return.
pub(super) const ANYWHERE: &[u16] = &[400, 414, 429, 431, 503];

/// Statuses of reading the application's own data, except for success.
pub(super) const READ: &[u16] = &[304, 401, 403, 405, 406, 500];
/// Statuses of reading one object of the application's own data, except for success.
pub(super) const FOUND: &[u16] = &[304, 401, 403, 404, 405, 406, 500];
/// Statuses of reading a list of a company, except for success.
pub(super) const LISTED: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 500];
/// Statuses of reading checks, except for success. They include 410 for archived checks.
pub(super) const LISTED_CHECKS: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 410, 500];
/// Statuses of executing an action on a hook, except for success.
pub(super) const DONE: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500];

/// Statuses of adding a company object or a part of a worker, except for success.
pub(super) const ADDED: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// The statuses of [`ADDED`], for operations whose dry run has another status than a success.
pub(super) const CREATED: &[u16] = &[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// Statuses of adding several workers, except for success.
pub(super) const CREATED_IN_PART: &[u16] =
    &[200, 207, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// Statuses of changing one object, except for success.
pub(super) const CHANGED: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// The statuses of [`CHANGED`], for operations that an operator may have to approve.
pub(super) const CHANGED_OR_PENDING: &[u16] =
    &[202, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// Statuses of deleting one object, except for success.
pub(super) const REMOVED: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 412, 423, 500];
/// The statuses of [`REMOVED`], for objects that can only be deleted before they start.
pub(super) const REMOVED_UNLESS_AHEAD: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 412, 422, 423, 500];
