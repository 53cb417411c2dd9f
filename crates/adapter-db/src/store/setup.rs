//! The port for a company's configuration as partners read it. Each list is in its own submodule. A single
//! object is read with the code for operators. The caller's access is read in the same snapshot.

mod components;
mod organizations;
mod periods;
mod short_lists;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::id::{CompanyId, ComponentId, OrganizationId, PayPeriodId};
use payroll_domain::pay_component::PayComponent;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::with_lookup_kind;
use payroll_ports::filters::{ComponentFilter, PeriodFilter};
use payroll_ports::resources::Versioned;
use payroll_ports::setup::{OrganizationView, PeriodWithCheckCount, SetupList, SetupStore};
use payroll_ports::{Listing, StoreError, VersionedWindow, Window};

use super::lists::{ListFilter, ListQuery, limit_of_versioned_window, read_listing};
use super::objects;
use super::objects::{CompanyContext, ObjectKind, StoredObject, with_object_kind};
use super::resources::lists::to_versioned_resource;
use super::{Conn, Store, access, custom_fields, filters, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;

#[async_trait]
impl SetupStore for Store {
    async fn setup_list(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        list: SetupList,
        window: Window,
    ) -> Result<Guarded<Listing<Resource>>, StoreError> {
        let (db, query) =
            (&self.route_to_node(company_id).await.db, self.create_list_query(caller, company_id));
        Ok(match list {
            SetupList::Lookup(kind, filter) => with_lookup_kind!(kind, Object => {
                let query = ListQuery { filter: ListFilter::Lookup(filter), ..query };
                read_listing::<short_lists::LookupList<Object>>(db, query, window).await
            }),
            SetupList::ContactTypes => read_listing::<short_lists::ContactTypes>(db, query, window).await,
            SetupList::CustomFieldCategories => {
                read_listing::<short_lists::CategoryList>(db, query, window).await
            }
            SetupList::CustomFields => read_listing::<custom_fields::CustomFields>(db, query, window).await,
        }?)
    }

    async fn pay_periods(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<PeriodWithCheckCount>>, StoreError> {
        let filter = match limit_of_versioned_window(window) {
            Some(_) if filter.is_empty() => ListFilter::PageOfPeriods,
            _ => ListFilter::Periods(filter.clone()),
        };
        let query = ListQuery { filter, ..self.create_list_query(caller, company_id) };
        Ok(read_listing::<periods::PayPeriods>(
            &self.route_to_node(company_id).await.db,
            query,
            window.window,
        )
        .await?)
    }

    async fn pay_period(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Option<Versioned<PeriodWithCheckCount>>>, StoreError> {
        let (near, query) =
            (self.route_to_node(company_id).await, self.create_list_query(caller, company_id));
        Ok(near.find_object(query, pay_period_id.as_str(), periods::to_versioned_period).await?)
    }

    async fn pay_components(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &ComponentFilter,
        window: Window,
    ) -> Result<Guarded<Listing<PayComponent>>, StoreError> {
        let filter = ListFilter::Components(filters::remove_nul_from_component_filter(filter.clone()));
        let query = ListQuery { filter, ..self.create_list_query(caller, company_id) };
        Ok(read_listing::<components::PayComponents>(&self.route_to_node(company_id).await.db, query, window)
            .await?)
    }

    async fn pay_component(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        component_id: &ComponentId,
    ) -> Result<Guarded<Option<Versioned<PayComponent>>>, StoreError> {
        let (near, query) =
            (self.route_to_node(company_id).await, self.create_list_query(caller, company_id));
        Ok(near
            .find_object(query, component_id.as_str(), |found: StoredObject<objects::PayComponents>| {
                Ok(to_versioned_object(found))
            })
            .await?)
    }

    async fn organizations(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        window: Window,
    ) -> Result<Guarded<Listing<OrganizationView>>, StoreError> {
        let query = self.create_list_query(caller, company_id);
        Ok(read_listing::<organizations::OrganizationList>(
            &self.route_to_node(company_id).await.db,
            query,
            window,
        )
        .await?)
    }

    async fn organization(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        organization_id: &OrganizationId,
    ) -> Result<Guarded<Option<Versioned<OrganizationView>>>, StoreError> {
        let query = self.create_list_query(caller, company_id);
        let id = organization_id.clone();
        let near = self.route_to_node(company_id).await;
        Ok(run_on_connection!(near.read, |conn| organizations::read_organization(conn, &query, id.as_str()))?)
    }

    async fn object(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Guarded<Option<Versioned<Resource>>>, StoreError> {
        let (near, query) =
            (self.route_to_node(company_id).await, self.create_list_query(caller, company_id));
        let id = remove_nul(id);
        Ok(with_object_kind!(kind, K => {
            near.find_object(query, &id, |found: StoredObject<K>| Ok(to_versioned_resource(found))).await
        })?)
    }
}

impl Store {
    /// Reads one object of a company, with the caller's access in the same snapshot.
    async fn find_object<K: ObjectKind, T: Send + 'static>(
        &self,
        query: ListQuery,
        id: &str,
        convert: fn(StoredObject<K>) -> Outcome<T>,
    ) -> Outcome<Guarded<Option<T>>> {
        let id = id.to_owned();
        self.db
            .read_by_key(move |conn| Box::pin(async move { read_object(conn, &query, &id, convert).await }))
            .await
    }
}

async fn read_object<K: ObjectKind, T>(
    conn: &Conn,
    query: &ListQuery,
    id: &str,
    convert: fn(StoredObject<K>) -> Outcome<T>,
) -> Outcome<Guarded<Option<T>>> {
    let context = CompanyContext { conn, company_id: query.company_id(), sealer: &query.sealer };
    let ids = [id];
    let ((access, _), mut found) = try_join!(
        access::read_access(conn, &query.caller, Some(query.company_id())),
        objects::load_objects::<K>(context, &ids),
    )?;
    Ok(Guarded::new(access, found.pop().map(convert).transpose()?))
}

/// Returns an object with the version of its row.
pub(super) fn to_versioned_object<K: ObjectKind>(found: StoredObject<K>) -> Versioned<K::Object> {
    Versioned { version: found.version(), value: found.object }
}
