//! Keys for the operator API, roles of operators, and sessions of operators' browsers (specification §10.1,
//! §10.12, §10.23).

use crate::date::Timestamp;
use crate::id::{CompanyId, OperatorKeyId, OperatorSessionId};
use crate::named::named_enum;

named_enum! {
    /// The role of an operator, which determines the operations that a key may call. The table of the
    /// operator API's paths declares the roles for each operation.
    OperatorRole {
        /// An administrator can call all operations.
        Administrator = "administrator",
        /// A payroll operator runs payroll and can read everything.
        Payroll = "payroll",
        /// A support operator helps partners. The role sees only the work of a worker and no personal data.
        Support = "support",
        /// An auditor can read everything and change nothing.
        Auditor = "auditor",
    }
}

impl OperatorRole {
    /// Returns the permissions of the role as a human-readable sentence.
    ///
    /// ```
    /// use payroll_domain::operator_key::OperatorRole;
    /// assert_eq!(OperatorRole::Auditor.summary(), "Reads everything, including the audit log, and writes nothing.");
    /// ```
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Administrator => "Can do everything.",
            Self::Payroll => {
                "Runs payroll: reads everything, and writes workers, pay periods, checks and completions."
            }
            Self::Support => "Reads who works where and what is paid, and resends notifications.",
            Self::Auditor => "Reads everything, including the audit log, and writes nothing.",
        }
    }
}

/// An operator key without its secret value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    /// The id of the key. The secret value of the key cannot be derived from it.
    pub key_id: OperatorKeyId,
    /// The name of the key, unique on the server. Names that look the same count as equal
    /// ([`crate::operator_name::are_confusable`]).
    pub name: String,
    /// The name of the operator who owns the key, a person or a program. An operator may have several keys.
    pub operator_name: String,
    /// The role of the operator for requests with this key.
    pub role: OperatorRole,
    /// The companies to which the key is restricted. `None` means all companies.
    pub company_ids: Option<Vec<CompanyId>>,
    /// The instant at which the key was created.
    pub created: Timestamp,
    /// The instant at which the key expires. `None` means never.
    pub expires: Option<Timestamp>,
    /// The instant of the last use, accurate to about a minute. `None` if the key was never used.
    pub last_used: Option<Timestamp>,
}

impl OperatorKey {
    /// Creates a key whose operator has the same name as the key. The key is valid for every company and does
    /// not expire.
    ///
    /// ```
    /// use payroll_domain::{date::Timestamp, operator_key::{OperatorKey, OperatorRole}};
    /// let created = Timestamp::from_micros(0);
    /// let key = OperatorKey::new("K1".parse().unwrap(), "Ann".to_owned(), OperatorRole::Payroll, created);
    /// assert_eq!(key.operator_name, "Ann");
    /// assert!(key.allows_company(&"ACME".parse().unwrap()) && key.is_valid_at(created));
    /// ```
    #[must_use]
    pub fn new(key_id: OperatorKeyId, name: String, role: OperatorRole, created: Timestamp) -> Self {
        let operator_name = name.clone();
        Self { key_id, name, operator_name, role, company_ids: None, created, expires: None, last_used: None }
    }

    /// Returns whether the key has not yet expired at the instant `now`.
    ///
    /// ```
    /// use payroll_domain::{date::Timestamp, operator_key::{OperatorKey, OperatorRole}};
    /// let at = Timestamp::from_micros;
    /// let key = OperatorKey::new("K1".parse().unwrap(), "Ann".to_owned(), OperatorRole::Auditor, at(0));
    /// let key = OperatorKey { expires: Some(at(5)), ..key };
    /// assert!(key.is_valid_at(at(4)) && !key.is_valid_at(at(5)));
    /// ```
    #[must_use]
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }

    /// Returns whether the key may access a company.
    ///
    /// ```
    /// use payroll_domain::{date::Timestamp, operator_key::{OperatorKey, OperatorRole}};
    /// let created = Timestamp::from_micros(0);
    /// let key = OperatorKey::new("K1".parse().unwrap(), "Ann".to_owned(), OperatorRole::Payroll, created);
    /// let key = OperatorKey { company_ids: Some(vec!["ACME".parse().unwrap()]), ..key };
    /// assert!(key.allows_company(&"ACME".parse().unwrap()) && !key.allows_company(&"BRAVO".parse().unwrap()));
    /// ```
    #[must_use]
    pub fn allows_company(&self, company_id: &CompanyId) -> bool {
        self.company_ids.as_ref().is_none_or(|ids| ids.contains(company_id))
    }
}

/// A session of an operator's browser. A session is created with an operator key and has the permissions of
/// the key. The session ends when it expires, when the operator signs out, or when its key is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSession {
    /// The id of the session, which differs from the token that the browser sends.
    pub session_id: OperatorSessionId,
    /// The key with which the session was created.
    pub key: OperatorKey,
    /// The instant at which the session was created.
    pub created: Timestamp,
    /// The instant at which the session expires.
    pub expires: Timestamp,
}
