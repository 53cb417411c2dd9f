//! Rows of sessions of operators' browsers.

use payroll_domain::date::Timestamp;
use payroll_domain::operator_key::{OperatorKey, OperatorSession};
use payroll_ports::applications::SecretHash;

use super::access::hex;
use crate::error::Outcome;
use crate::rows::At;
use crate::table::table;

table! {
    /// A session, by the hash of what the browser sends.
    struct OperatorSessionRow in "operator_sessions" key "session_id" {
        session_id: text,
        key_id: text,
        created: int,
        expires: int,
        hash: text,
    }
}

impl OperatorSessionRow {
    /// The row of a new session.
    pub(crate) fn new(session: &OperatorSession, hash: &SecretHash) -> Self {
        Self {
            session_id: session.session_id.to_string(),
            key_id: session.key.key_id.to_string(),
            created: session.created.as_micros(),
            expires: session.expires.as_micros(),
            hash: hex(&hash.0),
        }
    }
}

table! {
    /// A session with what its key is.
    struct SessionWithKeyRow in "operator_sessions" key "session_id" {
        session_id: text,
        created: int,
        expires: int,
        key_id: text,
        name: text,
        read_only: bool,
        key_created: int,
    }
}

impl SessionWithKeyRow {
    /// What the row means.
    pub(crate) fn session(self) -> Outcome<OperatorSession> {
        let at = At { table: "operator_sessions", key: &self.session_id };
        Ok(OperatorSession {
            session_id: at.id(&self.session_id)?,
            key: OperatorKey {
                key_id: at.id(&self.key_id)?,
                name: self.name,
                read_only: self.read_only,
                created: Timestamp::from_micros(self.key_created),
            },
            created: Timestamp::from_micros(self.created),
            expires: Timestamp::from_micros(self.expires),
        })
    }
}
