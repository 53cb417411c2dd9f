//! The keys of the operator's listener (specification §10.1, §10.12).

use crate::date::Timestamp;
use crate::id::OperatorKeyId;

/// An operator key, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    /// Its id.
    pub key_id: OperatorKeyId,
    /// Its name, unique in the server.
    pub name: String,
    /// It reads and writes nothing.
    pub read_only: bool,
    /// When it was made.
    pub created: Timestamp,
}
