//! Tests concurrent writes of operators. If two writes exclude each other, exactly one succeeds.

use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store, test_on_both_databases};
use futures_util::future::join_all;
use payroll_domain::resource::{CompanyRecord, Resource, ResourceKind};
use payroll_ports::Store;
use payroll_ports::contract::world::{
    NOW, custom_field, empty_company, full_worker, id, import_company, organization, worker,
};
use payroll_ports::resources::{MissingReference, ObjectWrite, WriteOutcome, WriteRefusal};
use payroll_ports::write::AuditContext;

test_on_both_databases! {
    |database| (open_store(database.url()).await, database);
    one_of_several_writes_with_the_same_version_succeeds,
    a_worker_id_is_unique_across_companies,
    concurrent_writes_create_no_cycle_of_parents,
    either_a_child_is_added_or_its_parent_is_deleted,
    either_a_reference_is_added_or_its_target_is_deleted,
    a_waiting_write_sees_the_changes_of_the_other_writer,
}

/// Starts a write that runs concurrently with others.
fn write(
    store: &Arc<dyn Store>,
    company_id: &str,
    write: ObjectWrite,
) -> tokio::task::JoinHandle<WriteOutcome> {
    let (store, company_id) = (Arc::clone(store), id(company_id));
    tokio::spawn(async move {
        store
            .write_resource(&company_id, &write, &AuditContext::for_command("ada", NOW.plus_seconds(1)))
            .await
            .unwrap()
    })
}

/// Returns the number of stored writes, and the reasons for which the other writes were rejected.
async fn count_outcomes(writers: Vec<tokio::task::JoinHandle<WriteOutcome>>) -> (usize, Vec<WriteRefusal>) {
    let reported: Vec<WriteOutcome> = join_all(writers).await.into_iter().map(Result::unwrap).collect();
    let total = reported.len();
    let refused: Vec<WriteRefusal> = reported
        .into_iter()
        .filter_map(|one| match one {
            WriteOutcome::Stored(_) => None,
            WriteOutcome::Refused(refusal) => Some(refusal),
        })
        .collect();
    (total - refused.len(), refused)
}

async fn store_three_companies(store: &Arc<dyn Store>) {
    for name in ["acme", "bravo", "coral"] {
        import_company(store, &empty_company(name)).await;
    }
}

fn child_organization(name: &str, parent: Option<&str>) -> Resource {
    let company = empty_company(name).company;
    let company = payroll_domain::company::Company { parent_company_id: parent.map(id), ..company };
    Resource::Company(Box::new(CompanyRecord { company, products: Vec::new() }))
}

fn worker_with_name(worker_id: &str, given_name: &str) -> Resource {
    let mut worker = worker(worker_id);
    worker.name.given_name = given_name.to_owned();
    Resource::Worker(Box::new(worker))
}

mod claims {
    use super::*;

    pub(super) async fn one_of_several_writes_with_the_same_version_succeeds(
        store: Arc<dyn Store>,
        _: &TestDatabase,
    ) {
        store_three_companies(&store).await;
        let first = write(&store, "acme", ObjectWrite::Create(worker_with_name("w", "first"))).await.unwrap();
        assert!(matches!(first, WriteOutcome::Stored(_)), "{first:?}");
        let mut version = NOW.plus_seconds(1).as_micros();
        for round in 0..10 {
            let writers = (0..8).map(|writer| {
                let new_object = worker_with_name("w", &format!("{round} {writer}"));
                write(&store, "acme", ObjectWrite::Replace(new_object, Some(version)))
            });
            let (won, refused) = count_outcomes(writers.collect()).await;
            assert_eq!(won, 1, "{refused:?}");
            assert!(refused.iter().all(|refusal| *refusal == WriteRefusal::Stale), "{refused:?}");
            let found = store.resource(&id("acme"), ResourceKind::Worker, "w").await.unwrap().unwrap();
            assert_eq!(found.version, version + 1);
            version = found.version;
        }
    }

    pub(super) async fn a_worker_id_is_unique_across_companies(store: Arc<dyn Store>, _: &TestDatabase) {
        store_three_companies(&store).await;
        for round in 0..10 {
            let name = format!("w{round}");
            let writers = ["acme", "bravo", "coral", "acme"]
                .map(|company| write(&store, company, ObjectWrite::Create(worker_with_name(&name, "first"))));
            let (won, refused) = count_outcomes(writers.into()).await;
            assert_eq!(won, 1, "{refused:?}");
            assert!(refused.iter().all(|it| matches!(it, WriteRefusal::Taken(_))), "{refused:?}");
        }
    }

    pub(super) async fn concurrent_writes_create_no_cycle_of_parents(
        store: Arc<dyn Store>,
        _: &TestDatabase,
    ) {
        store_three_companies(&store).await;
        for _ in 0..10 {
            // The three writes together would form a cycle, so exactly two of them succeed.
            let writers = [("acme", "bravo"), ("bravo", "coral"), ("coral", "acme")].map(|(name, parent)| {
                write(&store, name, ObjectWrite::Replace(child_organization(name, Some(parent)), None))
            });
            let (won, refused) = count_outcomes(writers.into()).await;
            assert_eq!(won, 2, "{refused:?}");
            for name in ["acme", "bravo", "coral"] {
                write(&store, name, ObjectWrite::Replace(child_organization(name, None), None))
                    .await
                    .unwrap();
            }
        }
    }

    pub(super) async fn either_a_child_is_added_or_its_parent_is_deleted(
        store: Arc<dyn Store>,
        _: &TestDatabase,
    ) {
        store_three_companies(&store).await;
        for _ in 0..10 {
            let gone = ObjectWrite::Delete(ResourceKind::Company, "bravo".to_owned(), None);
            let child = ObjectWrite::Replace(child_organization("acme", Some("bravo")), None);
            let (won, refused) =
                count_outcomes(vec![write(&store, "acme", child), write(&store, "bravo", gone)]).await;
            assert_eq!(won, 1, "{refused:?}");
            write(&store, "acme", ObjectWrite::Replace(child_organization("acme", None), None))
                .await
                .unwrap();
            write(&store, "bravo", ObjectWrite::Create(child_organization("bravo", None))).await.unwrap();
        }
    }

    pub(super) async fn either_a_reference_is_added_or_its_target_is_deleted(
        store: Arc<dyn Store>,
        _: &TestDatabase,
    ) {
        store_three_companies(&store).await;
        for round in 0..10 {
            let unit = ObjectWrite::Create(Resource::Organization(organization("unit")));
            write(&store, "acme", unit).await.unwrap();
            let mut in_unit = worker(&format!("w{round}"));
            in_unit.organization_id = Some(id("unit"));
            let member = ObjectWrite::Create(Resource::Worker(Box::new(in_unit)));
            let gone = ObjectWrite::Delete(ResourceKind::Organization, "unit".to_owned(), None);
            let (won, refused) =
                count_outcomes(vec![write(&store, "acme", member), write(&store, "acme", gone)]).await;
            assert_eq!(won, 1, "{refused:?}");
            let gone = ObjectWrite::Delete(ResourceKind::Worker, format!("w{round}"), None);
            write(&store, "acme", gone).await.unwrap();
        }
    }

    /// The statements of a write are sent together, before the write gets the lock. If the write waits, the
    /// later statements must still read the state after the other writer has released the lock.
    pub(super) async fn a_waiting_write_sees_the_changes_of_the_other_writer(
        store: Arc<dyn Store>,
        database: &TestDatabase,
    ) {
        store_three_companies(&store).await;
        write(&store, "acme", ObjectWrite::Create(Resource::Organization(organization("unit"))))
            .await
            .unwrap();
        let mut other = RawConnection::connect_to(database).await;
        other
            .begin_blocking_transaction(
                "UPDATE companies SET version = version + 1 WHERE company_id = 'acme'",
            )
            .await;
        other.execute("UPDATE organizations SET version = version + 1, name = 'Theirs'").await;
        let stale = store.resource(&id("acme"), ResourceKind::Organization, "unit").await.unwrap().unwrap();
        let mine = ObjectWrite::Replace(Resource::Organization(organization("unit")), Some(stale.version));
        let waiting = write(&store, "acme", mine);
        other.wait_for_lock_waiter().await;
        other.execute("COMMIT").await;
        assert_eq!(waiting.await.unwrap(), WriteOutcome::Refused(WriteRefusal::Stale));
        let mut lost = full_worker("lost");
        lost.custom_employment_type_id = None;
        lost.recurring_components.clear();
        lost.custom_fields.clear();
        lost.contacts.clear();
        lost.organization_id = None;
        let reported =
            write(&store, "acme", ObjectWrite::Create(Resource::Worker(Box::new(lost)))).await.unwrap();
        let missing = MissingReference {
            target: ResourceKind::Worker,
            id: "acme-w1".to_owned(),
            pointer: "/supervisor/workerId".to_owned(),
        };
        assert_eq!(reported, WriteOutcome::Refused(WriteRefusal::Missing(vec![missing])));
        let field = ObjectWrite::Create(Resource::CustomField(Box::new(custom_field("shirt"))));
        let reported = write(&store, "acme", field).await.unwrap();
        assert!(matches!(reported, WriteOutcome::Refused(WriteRefusal::Missing(_))), "{reported:?}");
    }
}
