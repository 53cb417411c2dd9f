//! The keys of the operator's listener, and the sessions of browsers (specification §10.1, §10.12, §10.23).

use crate::date::Timestamp;
use crate::id::{OperatorKeyId, OperatorSessionId};

/// An operator key, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    /// Its id.
    pub key_id: OperatorKeyId,
    /// Its name, unique in the server, also by its look ([`crate::operator_name::are_same`]).
    pub name: String,
    /// It reads and writes nothing.
    pub read_only: bool,
    /// When it was made.
    pub created: Timestamp,
}

/// A session of a browser, for which an operator key was exchanged: it may do what its key may, until it
/// expires, is ended, or its key is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSession {
    /// Its id, which is not what the browser sends.
    pub session_id: OperatorSessionId,
    /// The key that it was exchanged for.
    pub key: OperatorKey,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it is worth nothing.
    pub expires: Timestamp,
}
