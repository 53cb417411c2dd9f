//! The documented statuses of each kind of operation. The status of a successful response is omitted.

/// Statuses that any operation may return.
pub(super) const STATUSES_OF_ANY_OPERATION: &[u16] = &[400, 414, 429, 431, 503];

/// Statuses of reading the application's own data, except for success.
pub(super) const READ_STATUSES: &[u16] = &[304, 401, 403, 405, 406, 500];
/// Statuses of reading one object of the application's own data, except for success.
pub(super) const READ_OBJECT_STATUSES: &[u16] = &[304, 401, 403, 404, 405, 406, 500];
/// Statuses of reading a list of a company, except for success.
pub(super) const LIST_STATUSES: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 500];
/// Statuses of reading checks, except for success. 410 means that the checks are archived.
pub(super) const CHECK_LIST_STATUSES: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 410, 500];
/// Statuses of executing an action on a hook, except for success.
pub(super) const ACTION_STATUSES: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500];

/// Statuses of adding a company object or a part of a worker, except for success.
pub(super) const ADDITION_STATUSES: &[u16] =
    &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// The statuses of [`ADDITION_STATUSES`], and the 200 of a dry run. A successful request has another status.
pub(super) const CREATION_STATUSES: &[u16] =
    &[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// Statuses of adding several workers, except for success.
pub(super) const PARTIAL_CREATION_STATUSES: &[u16] =
    &[200, 207, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// Statuses of changing one object, except for success.
pub(super) const CHANGE_STATUSES: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// The statuses of [`CHANGE_STATUSES`], and the 202 of a change that an operator must approve.
pub(super) const PENDING_CHANGE_STATUSES: &[u16] =
    &[202, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// Statuses of deleting checks, except for success. 409 means that a total would be too large.
pub(super) const CHECK_REMOVAL_STATUSES: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 423, 500];
/// Statuses of deleting one object, except for success.
pub(super) const REMOVAL_STATUSES: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 412, 423, 500];
/// The statuses of [`REMOVAL_STATUSES`], and the 422 for an object that has already started and therefore
/// cannot be deleted.
pub(super) const REMOVAL_STATUSES_IF_NOT_STARTED: &[u16] =
    &[400, 401, 403, 404, 405, 406, 409, 412, 422, 423, 500];
