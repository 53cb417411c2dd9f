//! Rows of who may reach what, and of idempotency keys.

use diesel::sql_types::{BigInt, Bool, Date, Nullable, Text};
use payroll_domain::access::{Access, CompanyAccess, Scopes};

use crate::error::Outcome;
use crate::rows::At;
use crate::table::table;

table! {
    /// An application.
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
    }
}

table! {
    /// A client secret's hash.
    struct SecretRow in "secrets" key "application_id, secret_id" {
        application_id: text,
        secret_id: text,
        created: int,
        hash: text,
    }
}

/// Everything about a caller's access, and the version of the company's lists.
#[derive(Debug, diesel::Queryable)]
pub(crate) struct AccessRow {
    pub(crate) enabled: bool,
    pub(crate) secret_id: Option<String>,
    pub(crate) access_version: i64,
    pub(crate) rate_limit_per_minute: Option<i64>,
    pub(crate) correlation_ids_last: bool,
    pub(crate) company_id: Option<String>,
    pub(crate) end_date: Option<time::Date>,
    pub(crate) converting: Option<bool>,
    pub(crate) version: Option<i64>,
    pub(crate) scopes: Option<String>,
}

/// The SQL types of [`AccessRow`].
pub(crate) type AccessSql = (
    Bool,
    Nullable<Text>,
    BigInt,
    Nullable<BigInt>,
    Bool,
    Nullable<Text>,
    Nullable<Date>,
    Nullable<Bool>,
    Nullable<BigInt>,
    Nullable<Text>,
);

impl AccessRow {
    /// The access of a caller; `None`: the application is not there.
    pub(crate) fn access(row: Option<&Self>, application_id: &str) -> Outcome<Access> {
        let Some(row) = row else {
            return Ok(Access {
                application_enabled: false,
                secret_valid: false,
                version: 0,
                rate_limit_per_minute: None,
                correlation_ids_last_for_the_pay_period: false,
                company: None,
            });
        };
        let at = At { table: "applications", key: application_id };
        let company = match &row.company_id {
            None => None,
            Some(_) => Some(CompanyAccess {
                granted: scopes(row.scopes.as_deref().unwrap_or_default(), application_id)?,
                end_date: row.end_date,
                converting: row.converting.unwrap_or(false),
            }),
        };
        Ok(Access {
            application_enabled: row.enabled,
            secret_valid: row.secret_id.is_some(),
            version: row.access_version,
            rate_limit_per_minute: row.rate_limit_per_minute.map(|limit| at.number(limit)).transpose()?,
            correlation_ids_last_for_the_pay_period: row.correlation_ids_last,
            company,
        })
    }
}

/// Scopes of a grant.
pub(crate) fn scopes(text: &str, application_id: &str) -> Outcome<Scopes> {
    let at = At { table: "grants", key: application_id };
    Scopes::parse(text).map_err(|word| at.corrupt(format!("unknown scope {word:?}")))
}
