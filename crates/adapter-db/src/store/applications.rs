//! Partner applications, their secrets and their grants.
//!
//! Every change increases the application's access version, which is part of every `ETag`.

pub(super) mod access_requests;

mod grants;
mod locking;
mod read;
mod write;

use async_trait::async_trait;
use payroll_domain::client_key::ClientKey;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use payroll_ports::applications::{
    Application, ApplicationChangeResult, ApplicationRefusal, ApplicationSettings, ApplicationStore,
    Credentials, Grant, GrantUpdate, NewApplication, NewSecret, SecretHash,
};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, Rows, StoreError, Window};

pub(super) use grants::change_grant;
pub(super) use locking::lock_application;

use locking::RefusalResult;

use super::{Store, remove_nul, windows};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::access::{hash_column_of_public_key, to_hex};

#[async_trait]
impl ApplicationStore for Store {
    async fn find_credentials(
        &self,
        client_id: &str,
        secret: &SecretHash,
    ) -> Result<Option<Credentials>, StoreError> {
        let client_id = remove_nul(client_id);
        let hash = to_hex(&secret.0);
        let found =
            run_on_connection!(self.query_by_key, |conn| read::find_credentials(conn, &client_id, &hash))?;
        Ok(found.map(|(credentials, _)| credentials))
    }

    async fn find_key_credentials(
        &self,
        client_id: &str,
        kid: &str,
    ) -> Result<Option<(Credentials, ClientKey)>, StoreError> {
        let (client_id, hash) = (remove_nul(client_id), remove_nul(&hash_column_of_public_key(kid)));
        let found =
            run_on_connection!(self.query_by_key, |conn| read::find_credentials(conn, &client_id, &hash))?;
        Ok(found.and_then(|(credentials, key)| Some((credentials, key?))))
    }

    async fn application(&self, id: &ApplicationId) -> Result<Option<Versioned<Application>>, StoreError> {
        Ok(run_on_connection!(self.read, |conn, id| read::read_application(conn, id.as_str()))?)
    }

    async fn applications(&self, window: Window) -> Result<Listing<Versioned<Application>>, StoreError> {
        let listing = windows::read_listing(&self.db, read::ApplicationList, window).await?;
        Ok(listing.unwrap_or(Listing { total: 0, version: 0, rows: Rows::All(Vec::new()) }))
    }

    async fn create_application(
        &self,
        new: &NewApplication,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<i64> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, new, audit, sealer| write::create_application(
            conn, &new, &audit, &sealer
        )))
    }

    async fn change_application(
        &self,
        id: &ApplicationId,
        settings: &ApplicationSettings,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<i64> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, id, settings, audit, sealer| {
            write::change_application(conn, (&id, &settings, version), &audit, &sealer)
        }))
    }

    async fn delete_application(
        &self,
        id: &ApplicationId,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, id, audit, sealer| write::delete_application(
            conn,
            (&id, version),
            &audit,
            &sealer
        )))
    }

    async fn add_secret(
        &self,
        id: &ApplicationId,
        secret: &NewSecret,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, id, secret, audit, sealer| write::add_secret(
            conn,
            (&id, &secret),
            &audit,
            &sealer
        )))
    }

    async fn revoke_secret(
        &self,
        id: &ApplicationId,
        secret_id: &SecretId,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, id, secret_id, audit, sealer| {
            write::revoke_secret(conn, (&id, &secret_id), &audit, &sealer)
        }))
    }

    async fn find_grant(
        &self,
        id: &ApplicationId,
        company_id: &CompanyId,
    ) -> Result<Option<Versioned<Grant>>, StoreError> {
        Ok(run_on_connection!(self.query_by_key, |conn, id, company_id| read::read_grant(
            conn,
            id.as_str(),
            company_id.as_str()
        ))?)
    }

    async fn grants(
        &self,
        id: &ApplicationId,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Grant>>>, StoreError> {
        Ok(windows::read_listing(&self.db, read::GrantList(id.clone()), window).await?)
    }

    async fn update_grant(
        &self,
        call: &GrantUpdate,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<Option<Versioned<Grant>>> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, call, audit, sealer| grants::change_grant(
            conn, &call, &audit, &sealer
        )))
    }
}

/// Converts two failures that the caller can handle to a refusal: a violated unique constraint, and a lost
/// idempotency record.
fn to_port_result<T>(outcome: Outcome<RefusalResult<T>>) -> ApplicationChangeResult<T> {
    match outcome {
        Err(Failure::Taken(_)) => Ok(Err(ApplicationRefusal::Taken)),
        Err(Failure::RecordLost) => Ok(Err(ApplicationRefusal::RecordLost)),
        other => Ok(other?),
    }
}
