//! Partner applications, their secrets and their grants.
//!
//! Every change raises the application's access version, which is part of every `ETag`.

mod grants;
mod held;
mod read;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use payroll_ports::applications::{
    Application, ApplicationRefusal, ApplicationSettings, ApplicationStore, Changed, Credentials, Grant,
    GrantCall, NewApplication, NewSecret, SecretHash,
};
use payroll_ports::resources::Versioned;
use payroll_ports::write::By;
use payroll_ports::{Listing, Rows, StoreError, Window};

pub(super) use grants::change as change_grant;
pub(super) use held::hold;

use held::Refusable;

use super::{Conn, Store, findable, windows};
use crate::error::{Failure, Outcome};
use crate::rows::access::hex;
use crate::seal::Sealer;

#[async_trait]
impl ApplicationStore for Store {
    async fn credentials(
        &self,
        client_id: &str,
        secret: &SecretHash,
    ) -> Result<Option<Credentials>, StoreError> {
        let (client_id, hash) = (findable(client_id), hex(&secret.0));
        let read = self
            .db
            .read(move |conn| Box::pin(async move { read::credentials(conn, &client_id, &hash).await }));
        Ok(read.await?)
    }

    async fn application(&self, id: &ApplicationId) -> Result<Option<Versioned<Application>>, StoreError> {
        let id = id.clone();
        let read =
            self.db.read(move |conn| Box::pin(async move { read::application(conn, id.as_str()).await }));
        Ok(read.await?)
    }

    async fn applications(&self, window: Window) -> Result<Listing<Versioned<Application>>, StoreError> {
        let listing = windows::listing(&self.db, read::Applications, window).await?;
        Ok(listing.unwrap_or(Listing { total: 0, version: 0, rows: Rows::All(Vec::new()) }))
    }

    async fn create_application(&self, new: &NewApplication, by: &By) -> Changed<i64> {
        let new = new.clone();
        let work: Work<i64> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::create(conn, &new, by, sealer).await })
        });
        self.changed(by, work).await
    }

    async fn change_application(
        &self,
        id: &ApplicationId,
        settings: &ApplicationSettings,
        version: Option<i64>,
        by: &By,
    ) -> Changed<i64> {
        let (id, settings) = (id.clone(), settings.clone());
        let work: Work<i64> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::change(conn, (&id, &settings, version), by, sealer).await })
        });
        self.changed(by, work).await
    }

    async fn delete_application(&self, id: &ApplicationId, version: Option<i64>, by: &By) -> Changed<()> {
        let id = id.clone();
        let work: Work<()> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::delete(conn, (&id, version), by, sealer).await })
        });
        self.changed(by, work).await
    }

    async fn add_secret(&self, id: &ApplicationId, secret: &NewSecret, by: &By) -> Changed<()> {
        let (id, secret) = (id.clone(), secret.clone());
        let work: Work<()> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::add_secret(conn, (&id, &secret), by, sealer).await })
        });
        self.changed(by, work).await
    }

    async fn drop_secret(&self, id: &ApplicationId, secret_id: &SecretId, by: &By) -> Changed<()> {
        let (id, secret_id) = (id.clone(), secret_id.clone());
        let work: Work<()> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::drop_secret(conn, (&id, &secret_id), by, sealer).await })
        });
        self.changed(by, work).await
    }

    async fn grant_of(
        &self,
        id: &ApplicationId,
        company_id: &CompanyId,
    ) -> Result<Option<Versioned<Grant>>, StoreError> {
        let (id, company_id) = (id.clone(), company_id.clone());
        let read = self.db.read(move |conn| {
            Box::pin(async move { read::grant(conn, id.as_str(), company_id.as_str()).await })
        });
        Ok(read.await?)
    }

    async fn grants(
        &self,
        id: &ApplicationId,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Grant>>>, StoreError> {
        Ok(windows::listing(&self.db, read::Grants(id.clone()), window).await?)
    }

    async fn grant(&self, call: &GrantCall, by: &By) -> Changed<Option<Versioned<Grant>>> {
        let call = call.clone();
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { grants::change(conn, &call, by, sealer).await })
        });
        self.changed(by, work).await
    }
}

/// What a change does in its transaction.
type Work<T> =
    Box<dyn for<'c> FnOnce(&'c Conn, &'c By, &'c Sealer) -> BoxFuture<'c, Outcome<Refusable<T>>> + Send>;

impl Store {
    /// Runs a change in its transaction; a constraint that refuses it is an answer, not an error.
    async fn changed<T: Send + 'static>(&self, by: &By, work: Work<T>) -> Changed<T> {
        let (by, sealer) = (by.clone(), Arc::clone(&self.sealer));
        let written = self.db.write(move |conn| Box::pin(async move { work(conn, &by, &sealer).await }));
        match written.await {
            Err(Failure::Taken(_)) => Ok(Err(ApplicationRefusal::Taken)),
            Err(Failure::MarkLost) => Ok(Err(ApplicationRefusal::MarkLost)),
            other => Ok(other?),
        }
    }
}
