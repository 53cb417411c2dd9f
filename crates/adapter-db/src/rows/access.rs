//! Rows for access control: applications, secrets, keys and grants.

use payroll_domain::access::{Access, CompanyAccess, Scopes};
use payroll_domain::application::{Application, ApplicationSecret, ApplicationSettings, Grant};
use payroll_domain::client_key::ClientKey;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};
use payroll_domain::operator_key::{OperatorKey, OperatorRole};
use payroll_ports::applications::{NewSecret, SecretHash, SecretValue, public_key_id, thumbprint};
use payroll_ports::resources::Versioned;

use crate::columns::query_row;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// The row of an application.
    struct ApplicationRow in "applications" key "application_id" {
        application_id: text,
        created: int,
        name: text,
        enabled: bool,
        client_id: text,
        correlation_ids_last: bool,
        rate_limit_per_minute: int_or_null,
        webhook_scopes: text,
        access_version: int,
        record_version: int,
        readable_companies: int,
    }
}

impl ApplicationRow {
    /// Creates the row of a new application.
    pub(crate) fn new(application: &Application, created: Timestamp) -> Self {
        let settings = application.settings.clone();
        Self {
            application_id: application.application_id.to_string(),
            created: created.as_micros(),
            name: settings.name,
            enabled: settings.enabled,
            client_id: application.client_id.clone(),
            correlation_ids_last: settings.correlation_ids_last_for_the_pay_period,
            rate_limit_per_minute: settings.rate_limit_per_minute.map(i64::from),
            webhook_scopes: settings.webhook_scopes.to_string(),
            // The first version is the instant of creation. This version therefore differs from all versions
            // of a deleted application with the same id.
            access_version: created.as_micros(),
            record_version: created.as_micros(),
            readable_companies: 0,
        }
    }

    /// Converts the row to an application with these secrets.
    pub(crate) fn into_application(self, secrets: Vec<ApplicationSecret>) -> Outcome<Versioned<Application>> {
        let at = RowLocation { table: "applications", key: &self.application_id };
        let words = |word| at.corruption_failure(format!("unknown scope {word:?}"));
        let settings = ApplicationSettings {
            enabled: self.enabled,
            correlation_ids_last_for_the_pay_period: self.correlation_ids_last,
            rate_limit_per_minute: self
                .rate_limit_per_minute
                .map(|limit| at.read_number(limit))
                .transpose()?,
            webhook_scopes: Scopes::parse(&self.webhook_scopes).map_err(words)?,
            name: self.name,
        };
        let application_id = at.parse_id(&self.application_id)?;
        let value = Application { application_id, client_id: self.client_id, settings, secrets };
        Ok(Versioned { value, version: self.record_version })
    }
}

table! {
    /// The row of a client secret. The row contains the hash of the secret, or a public key instead of a
    /// secret.
    struct SecretRow in "secrets" key "application_id, secret_id" {
        application_id: text,
        secret_id: text,
        created: int,
        hash: text,
        public_key: text_or_null,
    }
}

impl SecretRow {
    /// Creates the row of a new secret.
    pub(crate) fn new(application_id: &ApplicationId, secret: &NewSecret) -> Self {
        let (hash, public_key) = match &secret.value {
            SecretValue::Hash(hash) => (to_hex(&hash.0), None),
            SecretValue::PublicKey(key) => {
                (hash_column_of_public_key(&thumbprint(key)), Some(key.to_canonical_text()))
            }
        };
        Self {
            application_id: application_id.to_string(),
            secret_id: secret.secret_id.to_string(),
            created: secret.created.as_micros(),
            hash,
            public_key,
        }
    }

    /// Returns the secret without its value.
    pub(crate) fn to_secret(&self) -> Outcome<ApplicationSecret> {
        let secret_id = RowLocation { table: "secrets", key: &self.secret_id }.parse_id(&self.secret_id)?;
        let public_key = parse_public_key(self.public_key.as_deref(), &self.secret_id)?;
        Ok(ApplicationSecret {
            secret_id,
            created: Timestamp::from_micros(self.created),
            public_key: public_key.as_ref().map(public_key_id),
        })
    }
}

/// Returns the text in the column `hash` for a public key. The text does not have the form of a secret's
/// hash. No server therefore accepts a public key as a secret. This includes servers of an earlier release
/// that use the same database.
pub(crate) fn hash_column_of_public_key(kid: &str) -> String {
    format!("key {kid}")
}

/// Returns the public key of a row in `secrets`.
pub(crate) fn parse_public_key(stored: Option<&str>, secret_id: &str) -> Outcome<Option<ClientKey>> {
    let at = RowLocation { table: "secrets", key: secret_id };
    let read = |text| {
        ClientKey::from_canonical_text(text)
            .ok_or_else(|| at.corruption_failure("not a public key".to_owned()))
    };
    stored.map(read).transpose()
}

table! {
    /// The row of an operator key. The row contains only the hash of the key's value.
    struct OperatorKeyRow in "operator_keys" key "key_id" {
        key_id: text,
        created: int,
        name: text,
        read_only: bool,
        hash: text,
        operator_name: text_or_null,
        role: text_or_null,
        company_ids: text_or_null,
        expires: int_or_null,
        last_used: int_or_null,
    }
}

impl OperatorKeyRow {
    /// Creates the row of a new operator key.
    pub(crate) fn new(key: &OperatorKey, hash: &SecretHash) -> Self {
        let ids = |ids: &Vec<CompanyId>| ids.iter().map(CompanyId::as_str).collect::<Vec<_>>().join(" ");
        Self {
            key_id: key.key_id.to_string(),
            created: key.created.as_micros(),
            name: key.name.clone(),
            // An earlier release evaluates the column `read_only` but not the role and the companies. Such a
            // release must not give a key more permissions than the role and the companies allow.
            read_only: key.role != OperatorRole::Administrator || key.company_ids.is_some(),
            hash: to_hex(&hash.0),
            operator_name: Some(key.operator_name.clone()),
            role: Some(key.role.to_string()),
            company_ids: key.company_ids.as_ref().map(ids),
            expires: key.expires.map(Timestamp::as_micros),
            last_used: key.last_used.map(Timestamp::as_micros),
        }
    }

    /// Returns the operator key, without the hash of its value.
    pub(crate) fn into_operator_key(self) -> Outcome<OperatorKey> {
        let at = RowLocation { table: "operator_keys", key: &self.key_id };
        let role = match self.role.as_deref() {
            Some(role) => at.parse_text(role, OperatorRole::parse)?,
            None if self.read_only => OperatorRole::Auditor,
            None => OperatorRole::Administrator,
        };
        let ids = |ids: &str| ids.split_whitespace().map(|id| at.parse_id(id)).collect::<Outcome<Vec<_>>>();
        Ok(OperatorKey {
            key_id: at.parse_id(&self.key_id)?,
            role,
            company_ids: self.company_ids.as_deref().map(ids).transpose()?,
            created: Timestamp::from_micros(self.created),
            expires: self.expires.map(Timestamp::from_micros),
            last_used: self.last_used.map(Timestamp::from_micros),
            operator_name: self.operator_name.unwrap_or_else(|| self.name.clone()),
            name: self.name,
        })
    }
}

table! {
    /// The scopes of an application for a company.
    struct GrantRow in "grants" key "application_id, company_id" {
        application_id: text,
        company_id: text,
        scopes: text,
        version: int,
    }
}

impl GrantRow {
    /// Returns the grant of the row.
    pub(crate) fn into_grant(self) -> Outcome<Versioned<Grant>> {
        let at = RowLocation { table: "grants", key: &self.application_id };
        let value = Grant {
            application_id: at.parse_id(&self.application_id)?,
            company_id: at.parse_id(&self.company_id)?,
            scopes: parse_scopes(&self.scopes, &self.application_id)?,
        };
        Ok(Versioned { value, version: self.version })
    }
}

query_row! {
    /// The access of a caller to a company, and the version of the company's lists.
    #[derive(Debug)]
    pub(crate) struct AccessRow {
        pub(crate) enabled: bool,
        pub(crate) secret_id: Option<String>,
        pub(crate) access_version: i64,
        pub(crate) rate_limit_per_minute: Option<i64>,
        pub(crate) correlation_ids_last: bool,
        pub(crate) webhook_scopes: String,
        pub(crate) company_id: Option<String>,
        pub(crate) end_date: Option<time::Date>,
        pub(crate) converting: Option<bool>,
        pub(crate) version: Option<i64>,
        pub(crate) scopes: Option<String>,
    }
}

/// Returns the bytes as hexadecimal digits. Hashes are stored in this form.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

impl AccessRow {
    /// Returns the access of a caller. `row` is `None` if the application does not exist. In that case the
    /// caller has no access.
    pub(crate) fn to_access(row: Option<&Self>, application_id: &str) -> Outcome<Access> {
        let Some(row) = row else {
            return Ok(Access {
                application_enabled: false,
                secret_valid: false,
                version: 0,
                rate_limit_per_minute: None,
                correlation_ids_last_for_the_pay_period: false,
                application_scopes: Scopes::NONE,
                company: None,
            });
        };
        let at = RowLocation { table: "applications", key: application_id };
        let company = match &row.company_id {
            None => None,
            Some(_) => Some(CompanyAccess {
                granted_scopes: parse_scopes(row.scopes.as_deref().unwrap_or_default(), application_id)?,
                end_date: row.end_date,
                converting: row.converting.unwrap_or(false),
            }),
        };
        Ok(Access {
            application_enabled: row.enabled,
            secret_valid: row.secret_id.is_some(),
            version: row.access_version,
            rate_limit_per_minute: row
                .rate_limit_per_minute
                .map(|limit| at.read_number(limit))
                .transpose()?,
            correlation_ids_last_for_the_pay_period: row.correlation_ids_last,
            application_scopes: parse_scopes(&row.webhook_scopes, application_id)?,
            company,
        })
    }
}

/// Parses the scopes of a grant.
pub(crate) fn parse_scopes(text: &str, application_id: &str) -> Outcome<Scopes> {
    let at = RowLocation { table: "grants", key: application_id };
    Scopes::parse(text).map_err(|word| at.corruption_failure(format!("unknown scope {word:?}")))
}
