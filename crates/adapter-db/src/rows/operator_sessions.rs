//! Rows of the browser sessions of operators.

use payroll_domain::date::Timestamp;
use payroll_domain::operator_key::OperatorSession;
use payroll_ports::applications::SecretHash;

use super::access::{OperatorKeyRow, to_hex};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// A session, with the hash of the browser's token.
    struct OperatorSessionRow in "operator_sessions" key "session_id" {
        session_id: text,
        key_id: text,
        created: int,
        expires: int,
        hash: text,
    }
}

impl OperatorSessionRow {
    /// Creates the row of a new session.
    pub(crate) fn new(session: &OperatorSession, hash: &SecretHash) -> Self {
        Self {
            session_id: session.session_id.to_string(),
            key_id: session.key.key_id.to_string(),
            created: session.created.as_micros(),
            expires: session.expires.as_micros(),
            hash: to_hex(&hash.0),
        }
    }
}

/// A session row with the row of its operator key.
pub(crate) type SessionWithKeyRow = (OperatorSessionRow, OperatorKeyRow);

/// Combines the row of a session and the row of its operator key into a session.
pub(crate) fn into_session((session, key): SessionWithKeyRow) -> Outcome<OperatorSession> {
    let at = RowLocation { table: "operator_sessions", key: &session.session_id };
    Ok(OperatorSession {
        session_id: at.parse_id(&session.session_id)?,
        key: key.into_operator_key()?,
        created: Timestamp::from_micros(session.created),
        expires: Timestamp::from_micros(session.expires),
    })
}
