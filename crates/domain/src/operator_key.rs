//! The keys of the operator's listener, the roles of their operators, and the sessions of browsers
//! (specification §10.1, §10.12, §10.23).

use crate::date::Timestamp;
use crate::id::{CompanyId, OperatorKeyId, OperatorSessionId};
use crate::named::named;

named! {
    /// The role of an operator, which decides what a key may do. Which operations a role may call is declared in
    /// the table of the operator's paths.
    OperatorRole {
        /// An administrator may do everything.
        Administrator = "administrator",
        /// A payroll operator runs payroll, and reads everything.
        Payroll = "payroll",
        /// Helps partners, and sees of workers only who works where as what.
        Support = "support",
        /// Reads, and writes nothing.
        Auditor = "auditor",
    }
}

impl OperatorRole {
    /// What the role may do, as a sentence for people.
    ///
    /// ```
    /// use payroll_domain::operator_key::OperatorRole;
    /// assert_eq!(OperatorRole::Auditor.summary(), "Reads everything, including the audit log, and writes nothing.");
    /// ```
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Administrator => "May do everything.",
            Self::Payroll => {
                "Runs payroll: reads everything, and writes workers, pay periods, checks and completions."
            }
            Self::Support => "Reads who works where and what is paid, and resends notifications.",
            Self::Auditor => "Reads everything, including the audit log, and writes nothing.",
        }
    }
}

/// An operator key, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    /// The id of the key.
    pub key_id: OperatorKeyId,
    /// Its name, unique in the server, also by its look ([`crate::operator_name::are_same`]).
    pub name: String,
    /// The name of the operator that it belongs to: a person or a machine, which may have several keys.
    pub operator_name: String,
    /// The role of the operator when they use this key.
    pub role: OperatorRole,
    /// The only companies that it reaches; `None`: all.
    pub company_ids: Option<Vec<CompanyId>>,
    /// When it was created.
    pub created: Timestamp,
    /// From when on it is invalid; `None`: never.
    pub expires: Option<Timestamp>,
    /// When it was last used, to about a minute; `None`: never.
    pub last_used: Option<Timestamp>,
}

impl OperatorKey {
    /// A key that is named like its operator, reaches every company and never expires.
    ///
    /// ```
    /// use payroll_domain::{date::Timestamp, operator_key::{OperatorKey, OperatorRole}};
    /// let created = Timestamp::from_micros(0);
    /// let key = OperatorKey::new("K1".parse().unwrap(), "Ann".to_owned(), OperatorRole::Payroll, created);
    /// assert_eq!(key.operator_name, "Ann");
    /// assert!(key.reaches(&"ACME".parse().unwrap()) && key.is_valid_at(created));
    /// ```
    #[must_use]
    pub fn new(key_id: OperatorKeyId, name: String, role: OperatorRole, created: Timestamp) -> Self {
        let operator_name = name.clone();
        Self { key_id, name, operator_name, role, company_ids: None, created, expires: None, last_used: None }
    }

    /// Whether it has not expired.
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

    /// Whether it reaches a company.
    ///
    /// ```
    /// use payroll_domain::{date::Timestamp, operator_key::{OperatorKey, OperatorRole}};
    /// let created = Timestamp::from_micros(0);
    /// let key = OperatorKey::new("K1".parse().unwrap(), "Ann".to_owned(), OperatorRole::Payroll, created);
    /// let key = OperatorKey { company_ids: Some(vec!["ACME".parse().unwrap()]), ..key };
    /// assert!(key.reaches(&"ACME".parse().unwrap()) && !key.reaches(&"BRAVO".parse().unwrap()));
    /// ```
    #[must_use]
    pub fn reaches(&self, company_id: &CompanyId) -> bool {
        self.company_ids.as_ref().is_none_or(|ids| ids.contains(company_id))
    }
}

/// A session of a browser, for which an operator key was exchanged: it may do what its key may, until it
/// expires, is ended, or its key is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSession {
    /// Its id, which is not what the browser sends.
    pub session_id: OperatorSessionId,
    /// The key that it was exchanged for.
    pub key: OperatorKey,
    /// When it was created.
    pub created: Timestamp,
    /// From when on it is worth nothing.
    pub expires: Timestamp,
}
