//! Promises about changing one object in the transaction that reads it.

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::access::{Scope, Scopes};
use payroll_domain::resource::{Resource, ResourceKind};

use super::resources::full_company;
use super::world::{NOW, application, grant, id, import};
use super::writing::{ada, changed, one_of_each, read};
use crate::Store;
use crate::resources::{Edit, Refusal, Versioned, Written};

/// An edit that needs no time.
fn at_once(edit: impl FnOnce(Versioned<Resource>) -> Option<Resource> + Send + 'static) -> Edit {
    Box::new(move |stored| Box::pin(async move { edit(stored).map(Into::into) }))
}

async fn edit(store: &Arc<dyn Store>, company_id: &str, of: (ResourceKind, &str), edit: Edit) -> Written {
    store.edit(&id(company_id), of, edit, &ada()).await.unwrap()
}

pub(super) async fn an_edit_is_given_what_is_stored_and_stores_what_it_makes(store: Arc<dyn Store>) {
    import(&store, &full_company("acme")).await;
    for object in one_of_each() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (before, version) = read(&store, "acme", kind, &name).await.unwrap();
        let (wanted, expected) = (changed(&before), Versioned { value: before, version });
        let made = wanted.clone();
        let makes = at_once(move |stored| {
            assert_eq!(stored, expected);
            Some(made)
        });
        let Written::Stored(new) = edit(&store, "acme", (kind, &name), makes).await else {
            panic!("{kind} is not stored")
        };
        assert!(new > version, "{kind}");
        assert_eq!(read(&store, "acme", kind, &name).await, Some((wanted, new)));
    }
}

pub(super) async fn an_edit_that_changes_nothing_leaves_every_version(store: Arc<dyn Store>) {
    import(&store, &full_company("acme")).await;
    let caller = application(&store, "partner").await;
    grant(&store, &caller, "acme", Scopes::all()).await;
    let seen = async || {
        let guarded = store.company(&caller, &id("acme"), false).await.unwrap();
        guarded.open(&caller, Scope::ReadCompanies, NOW.date()).unwrap().1.unwrap().version
    };
    let before = seen().await;
    for object in one_of_each() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (stored, version) = read(&store, "acme", kind, &name).await.unwrap();
        let same = edit(&store, "acme", (kind, &name), at_once(|stored| Some(stored.value))).await;
        assert_eq!(same, Written::Stored(version), "{kind}");
        let declined = edit(&store, "acme", (kind, &name), at_once(|_| None)).await;
        assert_eq!(declined, Written::Refused(Refusal::Declined), "{kind}");
        assert_eq!(read(&store, "acme", kind, &name).await, Some((stored, version)));
    }
    assert_eq!(seen().await, before, "partners see no change");
}

pub(super) async fn an_edit_of_nothing_is_not_asked(store: Arc<dyn Store>) {
    import(&store, &full_company("acme")).await;
    for (company_id, name) in [("acme", "nobody"), ("nowhere", "ann"), ("acme", "nul\0")] {
        let asked = at_once(|_| panic!("there is nothing to edit"));
        let refused = edit(&store, company_id, (ResourceKind::Worker, name), asked).await;
        assert_eq!(refused, Written::Refused(Refusal::Unknown));
    }
}

pub(super) async fn no_edit_undoes_another(store: Arc<dyn Store>) {
    const EDITS: usize = 8;
    import(&store, &full_company("acme")).await;
    let component = one_of_each().into_iter().find(|object| object.kind() == ResourceKind::PayComponent);
    let name = component.unwrap().id().to_owned();
    let longer = || {
        at_once(|stored| match stored.value {
            Resource::PayComponent(mut component) => {
                component.name.push('+');
                Some(Resource::PayComponent(component))
            }
            _ => None,
        })
    };
    let of = (ResourceKind::PayComponent, name.as_str());
    let all = join_all((0..EDITS).map(|_| edit(&store, "acme", of, longer()))).await;
    assert!(all.iter().all(|written| matches!(written, Written::Stored(_))), "{all:?}");
    let (stored, _) = read(&store, "acme", of.0, of.1).await.unwrap();
    let Resource::PayComponent(component) = stored else { panic!("another kind") };
    assert_eq!(component.name.matches('+').count(), EDITS);
}
