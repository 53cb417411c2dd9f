//! The objects of companies as the operator reads and writes them.

mod creation;
mod definitions;
pub(super) mod lists;
mod locks;
mod references;
mod uniqueness;
mod write;

pub(super) use definitions::DefinitionIds;
pub(super) use references::read_stored_ids;
pub(super) use write::{find_blocking_lock, is_write_granted};

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::filters::{CompanyFilter, ResourceFilter};
use payroll_ports::resources::{
    CompanyLock, EditFunction, LockOutcome, ObjectWrite, ResourceStore, Versioned, WriteOutcome,
};
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, Window};

use super::objects;
use super::objects::{CompanyContext, ObjectKind, with_object_kind};
use super::{Conn, Store, filters, remove_nul};
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;

#[cfg(test)]
pub(crate) use references::SELECT_CHECKS_OF_WORKER;

#[async_trait]
impl ResourceStore for Store {
    async fn resource(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Option<Versioned<Resource>>, StoreError> {
        if kind == ResourceKind::Company && id != company_id.as_str() {
            return Ok(None);
        }
        let query = ObjectQuery {
            company_id: company_id.clone(),
            kind,
            id: remove_nul(id),
            sealer: Arc::clone(&self.sealer),
        };
        let read = match with_object_kind!(kind, K => K::ONE_ROW) {
            true => self.db.query_once(move |conn| Box::pin(query.read(conn))).await,
            false => self.db.read(move |conn| Box::pin(query.read(conn))).await,
        };
        Ok(read?)
    }

    async fn resources(
        &self,
        company_id: &CompanyId,
        filter: &ResourceFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Resource>>>, StoreError> {
        let selection = lists::ListSelection::for_company(company_id, filter, &self.sealer);
        let query = lists::ObjectListQuery { selection, sealer: Arc::clone(&self.sealer), window };
        Ok(with_object_kind!(filter.kind(), K => lists::read_object_listing::<K>(&self.db, query).await)?)
    }

    async fn all_companies(
        &self,
        filter: &CompanyFilter,
        window: Window,
    ) -> Result<Listing<Versioned<Resource>>, StoreError> {
        let selection = lists::ListSelection::Server(filters::remove_nul_from_company_filter(filter.clone()));
        let query = lists::ObjectListQuery { selection, sealer: Arc::clone(&self.sealer), window };
        let listing = lists::read_company_listing(&self.db, query).await?;
        let Listing { total, version, rows } =
            listing.ok_or_else(|| Failure::Bug("the list of companies has no statements".to_owned()))?;
        let rows = self.unreadable_companies.skip_unreadable_companies(rows, |company| company.value.id());
        Ok(Listing { total, version, rows })
    }

    async fn write_resource(
        &self,
        company_id: &CompanyId,
        write: &ObjectWrite,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        Ok(self.write_object(company_id, write, audit).await?)
    }

    async fn create_resources(
        &self,
        company_id: &CompanyId,
        objects: &[Resource],
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        Ok(self.create_objects(company_id, objects, audit).await?)
    }

    async fn edit_resource(
        &self,
        company_id: &CompanyId,
        object: (ResourceKind, &str),
        edit: EditFunction,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        Ok(self.edit_object(company_id, object, edit, audit).await?)
    }

    async fn read_lock(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<Option<CompanyLock>>, StoreError> {
        Ok(self.read_active_lock(company_id, now).await?)
    }

    async fn lock_company(
        &self,
        company_id: &CompanyId,
        lock: &Lock,
        audit: &AuditContext,
    ) -> Result<LockOutcome, StoreError> {
        Ok(self.set_lock(company_id, Some(lock), audit).await?)
    }

    async fn unlock_company(
        &self,
        company_id: &CompanyId,
        audit: &AuditContext,
    ) -> Result<LockOutcome, StoreError> {
        Ok(self.set_lock(company_id, None, audit).await?)
    }
}

/// The query for one object.
pub(super) struct ObjectQuery {
    pub(super) company_id: CompanyId,
    pub(super) kind: ResourceKind,
    pub(super) id: String,
    pub(super) sealer: Arc<Sealer>,
}

impl ObjectQuery {
    pub(super) async fn read(self, conn: &Conn) -> Outcome<Option<Versioned<Resource>>> {
        let context = CompanyContext { conn, company_id: self.company_id.as_str(), sealer: &self.sealer };
        with_object_kind!(self.kind, K => find_resource::<K>(context, &self.id).await)
    }
}

async fn find_resource<K: ObjectKind>(
    context: CompanyContext<'_>,
    id: &str,
) -> Outcome<Option<Versioned<Resource>>> {
    Ok(objects::load_objects::<K>(context, &[id]).await?.pop().map(lists::to_versioned_resource))
}
