//! Contract tests for grants and their changes.

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::access::{Caller, Scope, Scopes};

use super::world::{
    NOW, company, create_application, create_company_and_caller, grant_update, id, import_audit_context,
    import_company,
};
use crate::applications::{ApplicationRefusal, ExpectedGrant, Grant, GrantChange, GrantUpdate, SecretHash};
use crate::resources::Versioned;
use crate::{Rows, Store, Window};

fn single_scope(scope: Scope) -> Scopes {
    [scope].into_iter().collect()
}

/// Changes the caller's grant for `acme` and returns the new grant.
async fn change_grant(
    store: &Arc<dyn Store>,
    caller: &Caller,
    change: GrantChange,
    expected: ExpectedGrant,
) -> Result<Option<Versioned<Grant>>, ApplicationRefusal> {
    let call = GrantUpdate { expected, ..grant_update(caller, "acme", change) };
    store.update_grant(&call, &import_audit_context()).await.unwrap()
}

pub(super) async fn a_grant_affects_the_next_access_and_increases_its_version(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    import_company(&store, &company("acme")).await;
    let access = async || store.read_access(&caller, Some(&id("acme"))).await.unwrap();
    for scopes in [Scopes::for_companies(), single_scope(Scope::ReadPayroll), Scopes::NONE] {
        let before = access().await.version;
        change_grant(&store, &caller, GrantChange::Set(scopes), ExpectedGrant::Anything).await.unwrap();
        let after = access().await;
        assert!(after.version > before);
        assert_eq!(after.company.unwrap().granted_scopes, scopes);
        let credentials = store.find_credentials("key-of-partner", &SecretHash([1; 32])).await.unwrap();
        assert_eq!(credentials.unwrap().granted_scopes, scopes);
    }
}

pub(super) async fn a_grant_needs_its_application_and_its_company(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let call = grant_update(&caller, "acme", GrantChange::Set(single_scope(Scope::ReadPayroll)));
    let nowhere = GrantUpdate { company_id: id("nowhere"), ..call.clone() };
    let refused = store.update_grant(&nowhere, &import_audit_context()).await.unwrap();
    assert_eq!(refused, Err(ApplicationRefusal::UnknownCompany));
    let nobody = GrantUpdate { application_id: id("nobody"), ..call };
    let refused = store.update_grant(&nobody, &import_audit_context()).await.unwrap();
    assert_eq!(refused, Err(ApplicationRefusal::UnknownApplication));
}

pub(super) async fn a_grant_that_changes_nothing_writes_nothing(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let access = async || store.read_access(&caller, None).await.unwrap().version;
    let held = store.find_grant(&caller.application_id, &id("acme")).await.unwrap();
    let before = access().await;
    for same in [GrantChange::Set(Scopes::all()), GrantChange::Add(single_scope(Scope::ReadPayroll))] {
        assert_eq!(change_grant(&store, &caller, same, ExpectedGrant::Anything).await, Ok(held.clone()));
    }
    assert_eq!(access().await, before);
}

pub(super) async fn concurrent_changes_of_a_grant_lose_no_scope(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    import_company(&store, &company("acme")).await;
    let add = |scope: Scope| {
        let (store, caller) = (Arc::clone(&store), caller.clone());
        async move {
            change_grant(&store, &caller, GrantChange::Add(single_scope(scope)), ExpectedGrant::Anything)
                .await
        }
    };
    let created = join_all(Scopes::for_companies().iter().map(add)).await;
    assert!(created.iter().all(Result::is_ok), "{created:?}");
    let held = store.find_grant(&caller.application_id, &id("acme")).await.unwrap().unwrap();
    assert_eq!(held.value.scopes, Scopes::for_companies());
}

pub(super) async fn rejects_a_change_of_an_unexpected_grant(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    import_company(&store, &company("acme")).await;
    let set = async |scopes: Scopes, expected| {
        change_grant(&store, &caller, GrantChange::Set(scopes), expected).await
    };
    let (one, all) = (single_scope(Scope::ReadPayroll), Scopes::for_companies());
    assert_eq!(set(one, ExpectedGrant::Grant(None)).await, Err(ApplicationRefusal::UnknownGrant));
    let first = set(one, ExpectedGrant::Nothing).await.unwrap().unwrap();
    assert_eq!(first.version, NOW.as_micros());
    assert_eq!(set(all, ExpectedGrant::Nothing).await, Err(ApplicationRefusal::Stale));
    assert_eq!(set(all, ExpectedGrant::Grant(Some(first.version + 1))).await, Err(ApplicationRefusal::Stale));
    let second = set(all, ExpectedGrant::Grant(Some(first.version))).await.unwrap().unwrap();
    assert!(second.version > first.version);
    assert_eq!(set(Scopes::NONE, ExpectedGrant::Grant(None)).await, Ok(None));
    assert_eq!(store.find_grant(&caller.application_id, &id("acme")).await.unwrap(), None);
}

pub(super) async fn grants_are_listed_by_company(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    for name in ["bravo", "acme", "coral"] {
        import_company(&store, &company(name)).await;
        super::world::grant_scopes(&store, &caller, name, single_scope(Scope::ReadCompanies)).await;
    }
    let window = Window { offset: 1, limit: std::num::NonZeroU32::new(1) };
    let listing = store.grants(&caller.application_id, window).await.unwrap().unwrap();
    assert_eq!(listing.total, 3);
    let Rows::All(rows) = listing.rows else { panic!("one row is no stream") };
    let companies: Vec<_> = rows.iter().map(|row| row.value.company_id.as_str()).collect();
    assert_eq!(companies, ["bravo"]);
    assert!(store.grants(&id("nobody"), Window::default()).await.unwrap().is_none());
}
