//! Tests the audit rows and events that a change writes in its transaction.

use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{open_store, test_on_both_databases};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::Store;
use payroll_ports::checks::AdditionOutcome;
use payroll_ports::contract::world::{
    NOW, company, create_company_and_caller, custom_field, id, import_company, new_checks,
    operator_lock_until, sample_check, worker,
};
use payroll_ports::resources::{ObjectWrite, WriteOutcome};
use payroll_ports::write::AuditContext;

test_on_both_databases! {
    |database| (AuditFixture { store: open_store(database.url()).await, raw: RawConnection::connect_to(database).await });
    every_write_records_an_audit_row_and_its_events,
    rejected_and_unchanged_writes_record_nothing,
    audit_documents_mask_the_tax_ids_of_persons,
    locking_and_unlocking_record_audit_rows,
    additions_by_partners_record_audit_rows,
}

/// A store, with a separate connection that reads its audit rows and events.
struct AuditFixture {
    store: Arc<dyn Store>,
    raw: RawConnection,
}

impl AuditFixture {
    /// Returns the actor, action, kind and id of each audit row since the previous call.
    async fn rows(&mut self) -> Vec<String> {
        let rows = "SELECT actor_name || ' ' || action || ' ' || kind || ' ' || resource_id AS text \
            FROM audit WHERE company_id = 'acme' ORDER BY position";
        let rows = self.raw.query_texts(rows).await;
        self.raw.execute("DELETE FROM audit").await;
        rows
    }

    /// Returns the domain, action and worker id of each event since the previous call.
    async fn events(&mut self) -> Vec<String> {
        let events = "SELECT domain || ' ' || action || ' ' || coalesce(worker_id, '-') AS text \
            FROM events WHERE company_id = 'acme' ORDER BY position";
        let events = self.raw.query_texts(events).await;
        self.raw.execute("DELETE FROM events").await;
        events
    }

    async fn write(&self, write: ObjectWrite) -> WriteOutcome {
        let audit = AuditContext::for_command("ada", NOW.plus_seconds(1));
        self.store.write_resource(&id("acme"), &write, &audit).await.unwrap()
    }

    async fn write_object(&self, write: ObjectWrite) {
        let reported = self.write(write).await;
        assert!(matches!(reported, WriteOutcome::Stored(_)), "{reported:?}");
    }

    /// Imports a company, and deletes the audit rows and events of the import.
    async fn import_company(&mut self) {
        import_company(&self.store, &company("acme")).await;
        self.rows().await;
        self.events().await;
    }
}

fn worker_named(given_name: &str) -> Resource {
    let mut worker = worker("w");
    worker.name.given_name = given_name.to_owned();
    Resource::Worker(Box::new(worker))
}

mod claims {
    use super::*;

    pub(super) async fn every_write_records_an_audit_row_and_its_events(mut fixture: AuditFixture) {
        fixture.import_company().await;
        fixture.write_object(ObjectWrite::Create(worker_named("Ann"))).await;
        assert_eq!(fixture.rows().await, ["ada create worker w"]);
        assert_eq!(fixture.events().await, ["WRKR_ADD ADD w"]);
        fixture.write_object(ObjectWrite::Replace(worker_named("Bea"), None)).await;
        assert_eq!(fixture.rows().await, ["ada update worker w"]);
        assert_eq!(fixture.events().await, ["WRKR_DEM UPDATE w"]);
        fixture.write_object(ObjectWrite::Delete(ResourceKind::Worker, "w".to_owned(), None)).await;
        assert_eq!(fixture.rows().await, ["ada delete worker w"]);
        assert_eq!(fixture.events().await, ["WRKR_EMPL DELETE w"]);
    }

    pub(super) async fn rejected_and_unchanged_writes_record_nothing(mut fixture: AuditFixture) {
        fixture.import_company().await;
        fixture.write_object(ObjectWrite::Create(worker_named("Ann"))).await;
        fixture.rows().await;
        fixture.events().await;
        fixture.write_object(ObjectWrite::Replace(worker_named("Ann"), None)).await;
        for refused in
            [ObjectWrite::Create(worker_named("Bea")), ObjectWrite::Replace(worker_named("Bea"), Some(1))]
        {
            assert!(matches!(fixture.write(refused).await, WriteOutcome::Refused(_)));
        }
        assert_eq!((fixture.rows().await.len(), fixture.events().await.len()), (0, 0));
    }

    pub(super) async fn audit_documents_mask_the_tax_ids_of_persons(mut fixture: AuditFixture) {
        fixture.import_company().await;
        fixture.write_object(ObjectWrite::Create(worker_named("Ann"))).await;
        fixture.write_object(ObjectWrite::Replace(worker_named("Bea"), None)).await;
        let documents = "SELECT coalesce(before, '') || after AS text FROM audit";
        let documents = fixture.raw.query_texts(documents).await;
        assert_eq!(documents.len(), 2);
        let masked = |text: &String| text.contains("*****4321") && !text.contains("987654321");
        assert!(documents.iter().all(masked), "{documents:?}");
    }

    pub(super) async fn locking_and_unlocking_record_audit_rows(mut fixture: AuditFixture) {
        fixture.import_company().await;
        let audit = AuditContext::for_command("ada", NOW);
        for _ in 0..2 {
            let _ =
                fixture.store.lock_company(&id("acme"), &operator_lock_until(None), &audit).await.unwrap();
        }
        for _ in 0..2 {
            let _ = fixture.store.unlock_company(&id("acme"), &audit).await.unwrap();
        }
        assert_eq!(fixture.rows().await, ["ada create lock acme", "ada delete lock acme"]);
        assert_eq!(fixture.events().await.len(), 0);
    }

    pub(super) async fn additions_by_partners_record_audit_rows(mut fixture: AuditFixture) {
        let caller = create_company_and_caller(&fixture.store).await;
        fixture.rows().await;
        let added = fixture
            .store
            .add_checks(&new_checks(&caller, vec![sample_check("c1"), sample_check("c2")]))
            .await;
        assert_eq!(added.unwrap(), AdditionOutcome::Stored);
        let document = fixture.raw.query_texts("SELECT after AS text FROM audit").await;
        assert_eq!(document, [r#"{"paycheckIds":["c1","c2"],"applicationId":"partner"}"#]);
        assert_eq!(fixture.rows().await, ["partner create checks open"]);
        let duplicate = fixture.store.add_checks(&new_checks(&caller, vec![sample_check("c1")])).await;
        assert_eq!(duplicate.unwrap(), AdditionOutcome::FactsChanged);
        assert_eq!(fixture.rows().await.len(), 0);
        let field = ObjectWrite::Create(Resource::CustomField(Box::new(custom_field("badge"))));
        let audit = AuditContext::for_application(&id("partner"), NOW, None);
        let written = fixture.store.write_resource(&id("acme"), &field, &audit).await.unwrap();
        assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
        assert_eq!(fixture.rows().await, ["partner create customField field-badge"]);
    }
}
