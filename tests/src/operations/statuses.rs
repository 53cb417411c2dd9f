//! The statuses that kinds of operations may return in addition to that of success.

/// Statuses that any operation may return.
pub(super) const ANYWHERE: &[u16] = &[400, 414, 429, 431, 503];

/// What reading something of the application itself may return, apart from success.
pub(super) const READ: &[u16] = &[304, 401, 403, 405, 406, 500];
/// What reading one thing of it may return, apart from success.
pub(super) const FOUND: &[u16] = &[304, 401, 403, 404, 405, 406, 500];
/// What reading a list of a company may return, apart from success.
pub(super) const LISTED: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 500];
/// What reading checks may return, apart from success: they may have been archived.
pub(super) const LISTED_CHECKS: &[u16] = &[304, 400, 401, 403, 404, 405, 406, 410, 500];
/// What doing something with a hook may return, apart from success.
pub(super) const DONE: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 500];

/// What adding an object of a company, or a part of a worker, may return, apart from success.
pub(super) const ADDED: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// The same, where a dry run has a status of its own.
pub(super) const CREATED: &[u16] = &[200, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// What adding several workers may return, apart from success.
pub(super) const CREATED_IN_PART: &[u16] =
    &[200, 207, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 423, 500];
/// What changing one may return, apart from success.
pub(super) const CHANGED: &[u16] = &[400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// The same, where an operator may have to approve it.
pub(super) const CHANGED_OR_PENDING: &[u16] =
    &[202, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 423, 500];
/// What removing one may return, apart from success.
pub(super) const REMOVED: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 412, 423, 500];
/// The same, where one that has not started cannot be removed.
pub(super) const REMOVED_UNLESS_AHEAD: &[u16] = &[400, 401, 403, 404, 405, 406, 409, 412, 422, 423, 500];
