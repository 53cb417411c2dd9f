//! Hooks of applications, with their credentials sealed.

mod read;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::{Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};
use payroll_ports::StoreError;
use payroll_ports::hooks::{HookRefusal, HookReport, HookStore, NewHook, Registration};
use payroll_ports::write::By;

use self::write::Refusable;
use super::{Conn, Store};
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;

pub(super) use write::{noted, remove_all};

#[async_trait]
impl HookStore for Store {
    async fn hooks_of(&self, caller: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError> {
        let caller = caller.clone();
        let read = self.db.read(move |conn| Box::pin(async move { read::hooks_of(conn, &caller).await }));
        Ok(read.await?)
    }

    async fn hook_of(&self, caller: &Caller, hook_id: &HookId) -> Result<Guarded<Option<Hook>>, StoreError> {
        let (caller, hook_id) = (caller.clone(), hook_id.clone());
        let read =
            self.db.read(move |conn| Box::pin(async move { read::hook_of(conn, &caller, &hook_id).await }));
        Ok(read.await?)
    }

    async fn registration(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Guarded<Registration>, StoreError> {
        let (caller, company_id) = (caller.clone(), company_id.cloned());
        let read = self.db.read(move |conn| {
            Box::pin(async move { read::registration(conn, &caller, company_id.as_ref()).await })
        });
        Ok(read.await?)
    }

    async fn hooks(&self, of: Option<&ApplicationId>) -> Result<Vec<HookReport>, StoreError> {
        let of = of.cloned();
        let read = self.db.read(move |conn| Box::pin(async move { read::reports(conn, of.as_ref()).await }));
        Ok(read.await?)
    }

    async fn hook(&self, key: &HookKey) -> Result<Option<HookReport>, StoreError> {
        let key = key.clone();
        let read = self.db.read(move |conn| Box::pin(async move { read::report(conn, &key).await }));
        Ok(read.await?)
    }

    async fn add_hook(
        &self,
        new: &NewHook,
        most: u32,
        by: &By,
    ) -> Result<Result<(), HookRefusal>, StoreError> {
        let new = new.clone();
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::add(conn, (&new, most), by, sealer).await })
        });
        self.changed_hook(by, work).await
    }

    async fn change_hook(
        &self,
        key: &HookKey,
        change: &HookChange,
        version: Option<i64>,
        by: &By,
    ) -> Result<Result<Hook, HookRefusal>, StoreError> {
        let (key, change) = (key.clone(), change.clone());
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::change(conn, (&key, &change, version), by, sealer).await })
        });
        self.changed_hook(by, work).await
    }

    async fn remove_hook(&self, key: &HookKey, by: &By) -> Result<bool, StoreError> {
        let key = key.clone();
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::remove(conn, &key, by, sealer).await })
        });
        found(self.changed_hook(by, work).await?).map(|removed| removed.is_some())
    }

    async fn set_hook_active(
        &self,
        key: &HookKey,
        active: bool,
        by: &By,
    ) -> Result<Option<Hook>, StoreError> {
        let key = key.clone();
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::set_active(conn, (&key, active), by, sealer).await })
        });
        found(self.changed_hook(by, work).await?)
    }

    async fn rotate_signing_secret(
        &self,
        key: &HookKey,
        secret: SigningSecret,
        old_until: Timestamp,
        by: &By,
    ) -> Result<Option<Hook>, StoreError> {
        let key = key.clone();
        let work: Work<_> = Box::new(move |conn, by, sealer| {
            Box::pin(async move { write::rotate(conn, (&key, &secret, old_until), by, sealer).await })
        });
        found(self.changed_hook(by, work).await?)
    }
}

/// What a change does in its transaction.
type Work<T> =
    Box<dyn for<'c> FnOnce(&'c Conn, &'c By, &'c Sealer) -> BoxFuture<'c, Outcome<Refusable<T>>> + Send>;

impl Store {
    /// Runs a change in its transaction; a constraint that refuses it is an answer, not an error.
    async fn changed_hook<T: Send + 'static>(
        &self,
        by: &By,
        work: Work<T>,
    ) -> Result<Refusable<T>, StoreError> {
        let (by, sealer) = (by.clone(), Arc::clone(&self.sealer));
        let written = self.db.write(move |conn| Box::pin(async move { work(conn, &by, &sealer).await }));
        match written.await {
            Err(Failure::Taken(_)) => Ok(Err(HookRefusal::Taken)),
            Err(Failure::MarkLost) => Ok(Err(HookRefusal::MarkLost)),
            other => Ok(other?),
        }
    }
}

/// The answer of a change that can be refused only because there is no such hook.
fn found<T>(changed: Refusable<T>) -> Result<Option<T>, StoreError> {
    match changed {
        Ok(changed) => Ok(Some(changed)),
        Err(HookRefusal::UnknownHook) => Ok(None),
        // Its answer is not kept in the transaction of the change.
        Err(refusal) => Err(Failure::Bug(format!("a change of a hook was refused: {refusal:?}")).into()),
    }
}
