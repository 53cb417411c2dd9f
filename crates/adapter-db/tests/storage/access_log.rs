//! Tests the audit rows of changes to applications, secrets, grants and operator keys, and the events of
//! changed grants. The tests also verify that no audit row contains a secret.

use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store};
use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_ports::Store;
use payroll_ports::applications::{ApplicationSettings, GrantChange, NewSecret, SecretHash, SecretValue};
use payroll_ports::contract::world::{
    NOW, application_settings, create_application, empty_company, grant_update, id, import_audit_context,
    import_company,
};
use payroll_ports::operator_keys::{OperatorKey, OperatorRole};

const SELECT_AUDIT_ROWS: &str = "SELECT kind || ' ' || action || ' ' || coalesce(company_id, '-') || ' ' || resource_id \
    AS text FROM audit WHERE kind IN ('application', 'secret', 'grant', 'operatorKey') ORDER BY position";
const SELECT_AUDIT_DOCUMENTS: &str =
    "SELECT actor_name || coalesce(before, '') || coalesce(after, '') AS text FROM audit";
const SELECT_EVENTS: &str = "SELECT action || ' ' || company_id || ' ' || application_id \
    AS text FROM events WHERE domain = 'CLT_ACCESS' ORDER BY position";

/// Runs a test on SQLite, and on PostgreSQL if `TEST_DATABASE_URL` is set.
async fn run_on_both_databases(test: impl AsyncFn(&TestDatabase, Arc<dyn Store>)) {
    for database in [Some(TestDatabase::sqlite()), TestDatabase::postgres()].into_iter().flatten() {
        database.create().await;
        let store = open_store(database.url()).await;
        import_company(&store, &empty_company("acme")).await;
        import_company(&store, &empty_company("bravo")).await;
        test(&database, store).await;
        database.delete_database().await;
    }
}

async fn change_grant(store: &Arc<dyn Store>, caller: &Caller, company_id: &str, change: GrantChange) {
    store
        .update_grant(&grant_update(caller, company_id, change), &import_audit_context())
        .await
        .unwrap()
        .unwrap();
}

fn single_scope(scope: Scope) -> Scopes {
    [scope].into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_writes_an_audit_row_and_an_unchanged_write_none() {
    run_on_both_databases(async |database, store| {
        let caller = create_application(&store, "partner").await;
        let (id_of, audit) = (&caller.application_id, import_audit_context());
        let secret = |number: i64| NewSecret {
            secret_id: id(&format!("s{number}")),
            value: SecretValue::Hash(SecretHash([0xab; 32])),
            created: NOW.plus_seconds(number),
        };
        store.add_secret(id_of, &secret(2), &audit).await.unwrap().unwrap();
        store.add_secret(id_of, &secret(3), &audit).await.unwrap().unwrap();
        store.revoke_secret(id_of, &id("s2"), &audit).await.unwrap().unwrap();
        let disabled = ApplicationSettings { enabled: false, ..application_settings("partner") };
        for _ in 0..2 {
            store.change_application(id_of, &disabled, None, &audit).await.unwrap().unwrap();
            change_grant(&store, &caller, "acme", GrantChange::Set(single_scope(Scope::ReadPayroll))).await;
        }
        let key = OperatorKey::new(id("k1"), "ann".to_owned(), OperatorRole::Administrator, NOW);
        store.create_operator_key(&key, &SecretHash([0xab; 32]), &audit).await.unwrap();
        store.revoke_operator_key(&key.key_id, &audit).await.unwrap();

        let mut raw = RawConnection::connect_to(database).await;
        let expected = [
            "application create - partner",
            "secret create - partner-s1",
            "secret create - s2",
            "secret create - s3",
            "secret delete - partner-s1",
            "secret delete - s2",
            "application update - partner",
            "grant create acme partner",
            "operatorKey create - k1",
            "operatorKey delete - k1",
        ];
        assert_eq!(raw.query_texts(SELECT_AUDIT_ROWS).await, expected);
        let documents = raw.query_texts(SELECT_AUDIT_DOCUMENTS).await;
        assert!(
            documents.iter().all(|text| !text.contains("abab") && !text.contains("0101")),
            "{documents:?}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_a_grant_fires_one_event_for_its_application_only() {
    run_on_both_databases(async |database, store| {
        let caller = create_application(&store, "partner").await;
        create_application(&store, "other").await;
        let read = single_scope(Scope::ReadPayroll);
        let changes = [
            GrantChange::Set(read),
            GrantChange::Add(read),
            GrantChange::Add(Scopes::for_companies()),
            GrantChange::Remove(read),
            GrantChange::Remove(Scopes::all()),
            GrantChange::Remove(read),
        ];
        for one in changes {
            change_grant(&store, &caller, "acme", one).await;
        }
        let mut raw = RawConnection::connect_to(database).await;
        let expected =
            ["ADD acme partner", "UPDATE acme partner", "UPDATE acme partner", "DELETE acme partner"];
        assert_eq!(raw.query_texts(SELECT_EVENTS).await, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_an_application_records_its_grants_and_secrets() {
    run_on_both_databases(async |database, store| {
        let caller = create_application(&store, "partner").await;
        for company_id in ["acme", "bravo"] {
            change_grant(&store, &caller, company_id, GrantChange::Set(Scopes::for_companies())).await;
        }
        let mut raw = RawConnection::connect_to(database).await;
        let before = raw.query_texts(SELECT_AUDIT_ROWS).await.len();
        store
            .delete_application(&caller.application_id, None, &import_audit_context())
            .await
            .unwrap()
            .unwrap();
        let rows = raw.query_texts(SELECT_AUDIT_ROWS).await.split_off(before);
        let expected = [
            "grant delete acme partner",
            "grant delete bravo partner",
            "secret delete - partner-s1",
            "application delete - partner",
        ];
        assert_eq!(rows, expected);
        let events = raw.query_texts(SELECT_EVENTS).await.split_off(2);
        assert_eq!(events, ["DELETE acme partner", "DELETE bravo partner"]);
    })
    .await;
}
