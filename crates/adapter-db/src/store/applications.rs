//! Partner applications, their secrets and their grants.
//!
//! Every change raises the application's access version, which is part of every `ETag`.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Nullable, Text};
use futures_util::try_join;
use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use payroll_ports::StoreError;
use payroll_ports::applications::{
    Application, ApplicationRefusal, ApplicationStore, Credentials, MAX_SECRETS, NewApplication, NewSecret,
    SecretHash,
};

use super::idempotency::hex;
use super::{Conn, Store, dialect, findable};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, command, query, sql};
use crate::rows::At;
use crate::rows::access::{ApplicationRow, SecretRow, scopes};
use crate::table::{OnConflict, Table};

type Refusable = Result<(), ApplicationRefusal>;

#[async_trait]
impl ApplicationStore for Store {
    async fn credentials(&self, client_id: &str) -> Result<Option<Credentials>, StoreError> {
        let client_id = findable(client_id);
        let read = self.db.read(move |conn| Box::pin(async move { credentials(conn, &client_id).await }));
        Ok(read.await?)
    }

    async fn applications(&self) -> Result<Vec<Application>, StoreError> {
        Ok(self.db.read(|conn| Box::pin(all(conn))).await?)
    }

    async fn create_application(&self, new: &NewApplication) -> Result<Refusable, StoreError> {
        let new = new.clone();
        let written = self.db.write(move |conn| Box::pin(async move { create(conn, &new).await }));
        match written.await {
            Err(Failure::Taken(_)) => Ok(Err(ApplicationRefusal::Taken)),
            other => Ok(other.map(Ok)?),
        }
    }

    async fn add_secret(
        &self,
        application_id: &ApplicationId,
        secret: &NewSecret,
    ) -> Result<Refusable, StoreError> {
        let (id, secret) = (application_id.clone(), secret.clone());
        let written =
            self.db.write(move |conn| Box::pin(async move { add_secret(conn, &id, &secret).await }));
        match written.await {
            Err(Failure::Taken(_)) => Ok(Err(ApplicationRefusal::Taken)),
            other => Ok(other?),
        }
    }

    async fn set_enabled(
        &self,
        application_id: &ApplicationId,
        enabled: bool,
    ) -> Result<Refusable, StoreError> {
        const ENABLE: &str = "UPDATE applications \
            SET enabled = $1, access_version = access_version + 1 WHERE application_id = $2";
        let id = application_id.clone();
        let written = self.db.write(move |conn| {
            Box::pin(async move { conn.execute(command(ENABLE, binds![enabled, id.as_str()])).await })
        });
        Ok(known(written.await?))
    }

    async fn grant(
        &self,
        application_id: &ApplicationId,
        company_id: &CompanyId,
        scopes: Scopes,
    ) -> Result<Refusable, StoreError> {
        let (application_id, company_id) = (application_id.clone(), company_id.clone());
        let written = self.db.write(move |conn| {
            Box::pin(async move { grant(conn, &application_id, &company_id, scopes).await })
        });
        Ok(written.await?)
    }
}

const fn known(touched: usize) -> Refusable {
    if touched == 0 { Err(ApplicationRefusal::UnknownApplication) } else { Ok(()) }
}

const APPLICATIONS: &str = sql!["SELECT ", ApplicationRow::COLUMNS, " FROM applications ORDER BY name"];
const OF_CLIENT: &str = sql!["SELECT ", ApplicationRow::COLUMNS, " FROM applications WHERE client_id = $1"];

async fn credentials(conn: &Conn, client_id: &str) -> Outcome<Option<Credentials>> {
    const SECRETS: &str = "SELECT s.secret_id, s.hash FROM secrets s \
        JOIN applications a ON a.application_id = s.application_id \
        WHERE a.client_id = $1 ORDER BY s.created, s.secret_id";
    const SCOPES: &str = "SELECT DISTINCT g.scopes FROM grants g \
        JOIN applications a ON a.application_id = g.application_id WHERE a.client_id = $1";
    let (row, secrets, words) = try_join!(
        conn.row(query::<<ApplicationRow as Table>::Sql>(OF_CLIENT, binds![client_id])),
        conn.rows(query::<(Text, Text)>(SECRETS, binds![client_id])),
        conn.rows(query::<(Text,)>(SCOPES, binds![client_id])),
    )?;
    let (row, secrets): (Option<ApplicationRow>, Vec<(String, String)>) = (row, secrets);
    let words: Vec<(String,)> = words;
    let Some(row) = row else { return Ok(None) };
    let id = row.application_id.as_str();
    let mut granted = scopes(&row.webhook_scopes, id)?;
    for (text,) in words {
        granted = granted.union(scopes(&text, id)?);
    }
    let application_id = At { table: "applications", key: id }.id(id)?;
    let secrets = secrets.iter().map(|(id, hash)| secret(id, hash)).collect::<Outcome<_>>()?;
    Ok(Some(Credentials { application_id, enabled: row.enabled, secrets, granted }))
}

fn secret(id: &str, hash: &str) -> Outcome<(SecretId, SecretHash)> {
    let at = At { table: "secrets", key: id };
    let mut bytes = [0; 32];
    let digits = |place: usize| hash.get(place * 2..place * 2 + 2);
    for (place, byte) in bytes.iter_mut().enumerate() {
        let digits = digits(place).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        *byte = digits.ok_or_else(|| at.corrupt("the hash is malformed"))?;
    }
    Ok((at.id(id)?, SecretHash(bytes)))
}

/// The secrets and the grants of an application.
type Belongings = (Vec<(SecretId, Timestamp)>, Vec<(CompanyId, Scopes)>);

async fn all(conn: &Conn) -> Outcome<Vec<Application>> {
    const SECRETS: &str =
        "SELECT application_id, secret_id, created FROM secrets ORDER BY created, secret_id";
    const GRANTS: &str = "SELECT application_id, company_id, scopes FROM grants ORDER BY company_id";
    let (rows, secrets, grants) = try_join!(
        conn.rows(query::<<ApplicationRow as Table>::Sql>(APPLICATIONS, binds![])),
        conn.rows(query::<(Text, Text, BigInt)>(SECRETS, binds![])),
        conn.rows(query::<(Text, Text, Text)>(GRANTS, binds![])),
    )?;
    let rows: Vec<ApplicationRow> = rows;
    let secrets: Vec<(String, String, i64)> = secrets;
    let grants: Vec<(String, String, String)> = grants;
    let mut of: HashMap<String, Belongings> = HashMap::new();
    for (application_id, secret_id, created) in secrets {
        let id = At { table: "secrets", key: &secret_id }.id(&secret_id)?;
        of.entry(application_id).or_default().0.push((id, Timestamp::from_micros(created)));
    }
    for (application_id, company_id, words) in grants {
        let id = At { table: "grants", key: &application_id }.id(&company_id)?;
        let granted = scopes(&words, &application_id)?;
        of.entry(application_id).or_default().1.push((id, granted));
    }
    let application = |row: ApplicationRow| {
        let at = At { table: "applications", key: &row.application_id };
        let (secrets, grants) = of.remove(&row.application_id).unwrap_or_default();
        Ok(Application {
            application_id: at.id(&row.application_id)?,
            rate_limit_per_minute: row.rate_limit_per_minute.map(|limit| at.number(limit)).transpose()?,
            enabled: row.enabled,
            correlation_ids_last_for_the_pay_period: row.correlation_ids_last,
            secrets,
            grants,
            name: row.name,
            client_id: row.client_id,
        })
    };
    rows.into_iter().map(application).collect()
}

async fn create(conn: &Conn, new: &NewApplication) -> Outcome<()> {
    let row = ApplicationRow {
        application_id: new.application_id.to_string(),
        created: new.secret.created.as_micros(),
        name: new.name.clone(),
        enabled: true,
        client_id: new.client_id.clone(),
        correlation_ids_last: new.correlation_ids_last_for_the_pay_period,
        rate_limit_per_minute: new.rate_limit_per_minute.map(i64::from),
        webhook_scopes: String::new(),
        access_version: 1,
    };
    dialect::bulk(conn, OnConflict::Fail, &[row]).await?;
    dialect::bulk(conn, OnConflict::Fail, &[secret_row(&new.application_id, &new.secret)]).await?;
    Ok(())
}

fn secret_row(application_id: &ApplicationId, secret: &NewSecret) -> SecretRow {
    SecretRow {
        application_id: application_id.to_string(),
        secret_id: secret.secret_id.to_string(),
        created: secret.created.as_micros(),
        hash: hex(&secret.hash.0),
    }
}

async fn raise_version(conn: &Conn, application_id: &ApplicationId) -> Outcome<usize> {
    const RAISE: &str =
        "UPDATE applications SET access_version = access_version + 1 WHERE application_id = $1";
    conn.execute(command(RAISE, binds![application_id.as_str()])).await
}

async fn add_secret(conn: &Conn, application_id: &ApplicationId, secret: &NewSecret) -> Outcome<Refusable> {
    const DROP_OLDEST: &str = "DELETE FROM secrets WHERE application_id = $1 AND secret_id IN (\
        SELECT secret_id FROM secrets WHERE application_id = $1 \
        ORDER BY created DESC, secret_id DESC LIMIT 1000 OFFSET $2)";
    // The application's row first: it keeps two rotations at once apart.
    if raise_version(conn, application_id).await? == 0 {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    }
    dialect::bulk(conn, OnConflict::Fail, &[secret_row(application_id, secret)]).await?;
    let kept = i64::try_from(MAX_SECRETS).unwrap_or(i64::MAX);
    conn.execute(command(DROP_OLDEST, binds![application_id.as_str(), kept])).await?;
    Ok(Ok(()))
}

async fn grant(
    conn: &Conn,
    application_id: &ApplicationId,
    company_id: &CompanyId,
    scopes: Scopes,
) -> Outcome<Refusable> {
    const COMPANY: &str = concat!(
        "SELECT company_id FROM companies WHERE company_id = $1",
        dialect::lock_rows!("FOR KEY SHARE")
    );
    const GRANT: &str = "INSERT INTO grants (application_id, company_id, scopes) VALUES ($1, $2, $3) \
        ON CONFLICT (application_id, company_id) DO UPDATE SET scopes = excluded.scopes";
    const REVOKE: &str = "DELETE FROM grants WHERE application_id = $1 AND company_id = $2";
    if raise_version(conn, application_id).await? == 0 {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    }
    let company: Option<(Option<String>,)> =
        conn.row(query::<(Nullable<Text>,)>(COMPANY, binds![company_id.as_str()])).await?;
    if company.is_none() {
        return Ok(Err(ApplicationRefusal::UnknownCompany));
    }
    let (application, company, words) = (application_id.as_str(), company_id.as_str(), scopes.to_string());
    if scopes.is_empty() {
        conn.execute(command(REVOKE, binds![application, company])).await?;
    } else {
        conn.execute(command(GRANT, binds![application, company, &words])).await?;
    }
    Ok(Ok(()))
}
