//! Reads applications for token requests and for operators.

use std::collections::HashMap;

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::application::{Application, ApplicationSecret, Grant};
use payroll_domain::client_key::ClientKey;
use payroll_domain::id::ApplicationId;
use payroll_ports::applications::Credentials;
use payroll_ports::resources::Versioned;

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::access::{ApplicationRow, GrantRow, SecretRow, parse_public_key, parse_scopes};
use crate::statement::{Statement, binds, query, sql, window};
use crate::table::TableDefinition;

use super::super::Conn;
use super::super::lists::to_unsigned_count;
use super::super::windows::{LimitAndOffset, ListSize, OffsetCollection};

/// The row for a token request: application id, enabled, own scopes, secret id, public key, and the scopes of
/// a grant.
type CredentialsRow = (String, bool, String, String, Option<String>, Option<String>);

/// Finds the secret by its hash, and the application and its grants by the secret. An unknown client and a
/// wrong secret take the same time: one lookup without a result.
///
/// The time of the lookup may depend on the hash, but this does not help an attacker. The hash is the SHA-256
/// of 256 random bits, so similar secrets have completely different hashes.
pub(super) async fn find_credentials(
    conn: &Conn,
    client_id: &str,
    hash: &str,
) -> Outcome<Option<(Credentials, Option<ClientKey>)>> {
    const SELECT_CREDENTIALS_OF_SECRET: &str = "\
        WITH sent AS MATERIALIZED (SELECT application_id, secret_id, public_key FROM secrets WHERE hash = $1) \
        SELECT DISTINCT a.application_id, a.enabled, a.webhook_scopes, sent.secret_id, sent.public_key, g.scopes \
        FROM sent \
        JOIN applications a ON a.application_id = sent.application_id AND a.client_id = $2 \
        LEFT JOIN grants g ON g.application_id = a.application_id";
    let rows: Vec<CredentialsRow> =
        conn.query_rows(query!(SELECT_CREDENTIALS_OF_SECRET, binds![hash, client_id])).await?;
    let Some((id, enabled, webhook_scopes, secret_id, key, _)) = rows.first() else { return Ok(None) };
    let mut granted = parse_scopes(webhook_scopes, id)?;
    for (_, _, _, _, _, words) in &rows {
        granted = granted.union(parse_scopes(words.as_deref().unwrap_or_default(), id)?);
    }
    let application_id = RowLocation { table: "applications", key: id }.parse_id(id)?;
    let public_key = parse_public_key(key.as_deref(), secret_id)?;
    let secret_id = RowLocation { table: "secrets", key: secret_id }.parse_id(secret_id)?;
    Ok(Some((
        Credentials { application_id, enabled: *enabled, secret_id, granted_scopes: granted },
        public_key,
    )))
}

pub(super) async fn read_application(conn: &Conn, id: &str) -> Outcome<Option<Versioned<Application>>> {
    const SELECT_APPLICATION: &str =
        sql!["SELECT ", ApplicationRow::COLUMNS, " FROM applications WHERE application_id = $1"];
    let (row, secrets) =
        try_join!(conn.query_row(query!(SELECT_APPLICATION, binds![id])), read_secrets(conn, id))?;
    let row: Option<ApplicationRow> = row;
    row.map(|row| row.into_application(to_application_secrets(&secrets)?)).transpose()
}

/// Reads the secrets of an application, oldest first.
pub(super) async fn read_secrets(conn: &Conn, id: &str) -> Outcome<Vec<SecretRow>> {
    const SELECT_SECRETS: &str = sql![
        "SELECT ",
        SecretRow::COLUMNS,
        " FROM secrets WHERE application_id = $1 ORDER BY created, secret_id"
    ];
    conn.query_rows(query!(SELECT_SECRETS, binds![id])).await
}

/// Returns the secrets without their values, as an operator sees them.
pub(super) fn to_application_secrets(rows: &[SecretRow]) -> Outcome<Vec<ApplicationSecret>> {
    rows.iter().map(SecretRow::to_secret).collect()
}

/// Reads one grant of an application.
pub(super) async fn read_grant(conn: &Conn, id: &str, company_id: &str) -> Outcome<Option<Versioned<Grant>>> {
    const SELECT_GRANT: &str =
        sql!["SELECT ", GrantRow::COLUMNS, " FROM grants WHERE application_id = $1 AND company_id = $2"];
    let row: Option<GrantRow> = conn.query_row(query!(SELECT_GRANT, binds![id, company_id])).await?;
    row.map(GrantRow::into_grant).transpose()
}

/// The list of all applications, in the order of their creation.
#[derive(Debug, Clone)]
pub(super) struct ApplicationList;

impl OffsetCollection for ApplicationList {
    type Item = Versioned<Application>;

    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>> {
        // The version of the list is a sum over the versions of all rows, so it changes if a row is added,
        // removed or changed. The sum uses remainders of the versions, because the sum of complete versions
        // would exceed 64 bits.
        const SELECT_SIZE: &str = "SELECT count(*), \
            CAST(coalesce(sum(record_version % 1000000000000), 0) AS BIGINT) FROM applications";
        Box::pin(read_list_size(conn, query!(SELECT_SIZE, binds![])))
    }

    fn read_page<'c>(
        &'c self,
        conn: &'c Conn,
        page: LimitAndOffset,
    ) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const SELECT_PAGE: &str = sql![
            "SELECT ",
            ApplicationRow::COLUMNS,
            " FROM applications ORDER BY created, application_id",
            window!("$1", "$2")
        ];
        const SELECT_SECRETS_OF_PAGE: &str = sql![
            "SELECT ",
            SecretRow::COLUMNS,
            " FROM secrets WHERE application_id IN (\
                SELECT application_id FROM applications ORDER BY created, application_id",
            window!("$1", "$2"),
            ") ORDER BY created, secret_id"
        ];
        Box::pin(async move {
            let values = binds![page.limit, page.offset];
            let (rows, secrets): (Vec<ApplicationRow>, Vec<SecretRow>) = try_join!(
                conn.query_rows(query!(SELECT_PAGE, values.clone())),
                conn.query_rows(query!(SELECT_SECRETS_OF_PAGE, values)),
            )?;
            let mut of: HashMap<String, Vec<ApplicationSecret>> = HashMap::new();
            for row in secrets {
                let secret = row.to_secret()?;
                of.entry(row.application_id).or_default().push(secret);
            }
            let with_secrets = |row: ApplicationRow| {
                let secrets = of.remove(&row.application_id).unwrap_or_default();
                row.into_application(secrets)
            };
            rows.into_iter().map(with_secrets).collect()
        })
    }
}

/// The list of an application's grants, by company.
#[derive(Debug, Clone)]
pub(super) struct GrantList(pub(super) ApplicationId);

impl OffsetCollection for GrantList {
    type Item = Versioned<Grant>;

    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>> {
        const SELECT_SIZE: &str = "SELECT (SELECT count(*) FROM grants WHERE application_id = $1), access_version \
            FROM applications WHERE application_id = $1";
        Box::pin(read_list_size(conn, query!(SELECT_SIZE, binds![self.0.as_str()])))
    }

    fn read_page<'c>(
        &'c self,
        conn: &'c Conn,
        page: LimitAndOffset,
    ) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const SELECT_PAGE: &str = sql![
            "SELECT ",
            GrantRow::COLUMNS,
            " FROM grants WHERE application_id = $1 ORDER BY company_id",
            window!("$2", "$3")
        ];
        Box::pin(async move {
            let values = binds![self.0.as_str(), page.limit, page.offset];
            let rows: Vec<GrantRow> = conn.query_rows(query!(SELECT_PAGE, values)).await?;
            rows.into_iter().map(GrantRow::into_grant).collect()
        })
    }
}

async fn read_list_size(conn: &Conn, counting: Statement<'_>) -> Outcome<Option<ListSize>> {
    let row: Option<(i64, i64)> = conn.query_row(counting).await?;
    let size = |(total, version)| Ok(ListSize { total: to_unsigned_count(total)?, version: Some(version) });
    row.map(size).transpose()
}

/// Reads every grant of an application.
pub(super) async fn read_all_grants(conn: &Conn, id: &str) -> Outcome<Vec<Versioned<Grant>>> {
    const SELECT_ALL_GRANTS: &str =
        sql!["SELECT ", GrantRow::COLUMNS, " FROM grants WHERE application_id = $1 ORDER BY company_id"];
    let rows: Vec<GrantRow> = conn.query_rows(query!(SELECT_ALL_GRANTS, binds![id])).await?;
    rows.into_iter().map(GrantRow::into_grant).collect()
}
