//! Tests properties of a database that the contract tests of the ports do not cover: opening it, its keys,
//! its secrets, and invalid rows.

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store, settings, test_on_both_databases};
use futures_util::future::join_all;
use payroll_adapter_db::{DatabaseSettings, MissingKey, OpenError, newest_schema_version, open, reseal};
use payroll_domain::id::ApplicationId;
use payroll_domain::resource::ResourceKind;
use payroll_ports::StoreError;
use payroll_ports::contract::world::{
    NOW, company, create_application, create_company_and_caller, id, import_company, worker,
};
use payroll_ports::keys::{Key, KeySet};
use payroll_ports::requests::{LoggedRequest, RequestDetails};

test_on_both_databases! {
    |database| (database);
    several_processes_start_concurrently_on_an_empty_database,
    rejects_a_start_with_a_wrong_key,
    a_key_is_required_until_its_rows_are_encrypted_again,
    an_interrupted_reencryption_continues_with_the_remaining_rows,
    stored_objects_survive_a_restart,
    reports_an_invalid_row_as_corrupt,
    tax_ids_of_persons_are_stored_encrypted,
}

mod claims {
    use super::*;

    pub(super) async fn several_processes_start_concurrently_on_an_empty_database(database: &TestDatabase) {
        let starts = (0..6).map(|_| tokio::spawn(open(settings(database.url(), 1))));
        for started in join_all(starts).await {
            started.unwrap().unwrap();
        }
    }

    pub(super) async fn rejects_a_start_with_a_wrong_key(database: &TestDatabase) {
        drop(open_store(database.url()).await);
        let wrong = open(settings(database.url(), 2)).await;
        assert!(matches!(wrong.err(), Some(OpenError::WrongKeys)));
    }

    /// Returns settings with these keys. A key is given as its id and the byte of which its secret consists.
    /// The first key is active.
    fn settings_with_keys(database: &TestDatabase, ids: &[(&str, u8)]) -> DatabaseSettings {
        let mut keys = ids.iter().map(|(id, secret)| Key::new(id, [*secret; 32]).unwrap());
        let keys = KeySet::new(keys.next().unwrap(), keys.collect()).unwrap();
        DatabaseSettings { keys: keys.into(), ..settings(database.url(), 1) }
    }

    const OLD: (&str, u8) = ("test", 1);
    const NEW_KEY: (&str, u8) = ("newer", 2);

    /// Returns a logged, rejected API request with details.
    fn rejected_request(application_id: &ApplicationId, number: u32) -> LoggedRequest {
        LoggedRequest {
            application_id: application_id.clone(),
            at: NOW,
            duration_micros: 1,
            method: "POST".into(),
            route: "/companies".into(),
            company_id: None,
            status: 400,
            codes: Vec::new(),
            request_id: format!("r{number:03}"),
            correlation_id: None,
            skipped_before: 0,
            details: Some(RequestDetails("{}".to_owned())),
        }
    }

    /// Stores a company with more workers than one transaction re-encrypts, and the same number of requests
    /// with details. Returns the number of encrypted values.
    async fn store_rows_with_old_key(database: &TestDatabase) -> usize {
        let store = open_store(database.url()).await;
        let mut whole = company("acme");
        whole.workers.extend((0..500).map(|number| worker(&format!("w{number}"))));
        import_company(&store, &whole).await;
        let application_id = create_application(&store, "partner").await.application_id;
        let requests: Vec<_> = (0..500).map(|number| rejected_request(&application_id, number)).collect();
        store.log_requests(&requests).await.unwrap();
        whole.workers.iter().filter(|worker| worker.legal_id.is_some()).count() + requests.len()
    }

    async fn find_missing_keys(settings: DatabaseSettings) -> Vec<MissingKey> {
        match open(settings).await {
            Err(OpenError::MissingKeys(missing)) => missing,
            opened => {
                opened.unwrap();
                Vec::new()
            }
        }
    }

    pub(super) async fn a_key_is_required_until_its_rows_are_encrypted_again(database: &TestDatabase) {
        let rows = store_rows_with_old_key(database).await as u64;
        drop(open(settings_with_keys(database, &[NEW_KEY, OLD])).await.unwrap());
        let needed = MissingKey { key_id: "test".to_owned(), rows };
        assert_eq!(find_missing_keys(settings_with_keys(database, &[NEW_KEY])).await, [needed]);
        let done = reseal(settings_with_keys(database, &[NEW_KEY, OLD]), |_| ()).await.unwrap();
        assert_eq!((done.rows, done.resealed_rows), (rows, rows));
        let again = reseal(settings_with_keys(database, &[NEW_KEY, OLD]), |_| ()).await.unwrap();
        assert_eq!(again.resealed_rows, 0);
        let store = open(settings_with_keys(database, &[NEW_KEY])).await.unwrap();
        let known = store.resource(&id("acme"), ResourceKind::Worker, "w499").await;
        assert!(known.unwrap().is_some(), "it opens");
        let details = store.read_failed_request(&id("partner"), "r499").await;
        assert!(details.unwrap().is_some(), "they open");
        drop(store);
        assert!(find_missing_keys(settings_with_keys(database, &[NEW_KEY])).await.is_empty());
    }

    pub(super) async fn an_interrupted_reencryption_continues_with_the_remaining_rows(
        database: &TestDatabase,
    ) {
        let rows = store_rows_with_old_key(database).await as u64;
        let both = settings_with_keys(database, &[NEW_KEY, OLD]);
        let broken_off = tokio::spawn(reseal(both, |done| assert!(done.resealed_rows == 0, "killed")));
        assert!(broken_off.await.unwrap_err().is_panic());
        let left = find_missing_keys(settings_with_keys(database, &[NEW_KEY])).await;
        assert!(left.iter().all(|key| (1..rows).contains(&key.rows)) && left.len() == 1, "{left:?}");
        let rest = reseal(settings_with_keys(database, &[NEW_KEY, OLD]), |_| ()).await.unwrap();
        assert_eq!(Some(rest.resealed_rows), left.first().map(|key| key.rows));
        assert!(find_missing_keys(settings_with_keys(database, &[NEW_KEY])).await.is_empty());
    }

    pub(super) async fn stored_objects_survive_a_restart(database: &TestDatabase) {
        let store = open_store(database.url()).await;
        assert!(store.is_empty().await.unwrap());
        let caller = create_company_and_caller(&store).await;
        drop(store);
        let store = open_store(database.url()).await;
        assert!(!store.is_empty().await.unwrap());
        assert_eq!(store.schema_version().await.unwrap(), newest_schema_version());
        let access = store.read_access(&caller, Some(&id("acme"))).await.unwrap();
        assert!(access.application_enabled && access.company.is_some());
    }

    pub(super) async fn reports_an_invalid_row_as_corrupt(database: &TestDatabase) {
        let store = open_store(database.url()).await;
        let caller = create_company_and_caller(&store).await;
        RawConnection::connect_to(database)
            .await
            .execute("UPDATE companies SET legal_id_type = 'NONSENSE'")
            .await;
        let fault = store.company(&caller, &id("acme"), false).await.err();
        let named = matches!(
            &fault,
            Some(StoreError::Corrupt { table: "companies", key, .. }) if key == "acme"
        );
        assert!(named, "{fault:?}");
    }

    pub(super) async fn tax_ids_of_persons_are_stored_encrypted(database: &TestDatabase) {
        let store = open_store(database.url()).await;
        let whole = company("acme");
        import_company(&store, &whole).await;
        let digits: Vec<&str> = whole
            .workers
            .iter()
            .filter_map(|worker| worker.legal_id.as_ref())
            .map(|it| it.digits())
            .collect();
        assert!(!digits.is_empty());
        let dump = RawConnection::connect_to(database)
            .await
            .query_texts("SELECT legal_id AS text FROM workers WHERE legal_id IS NOT NULL")
            .await;
        assert_eq!(dump.len(), digits.len());
        assert!(dump.iter().all(|text| digits.iter().all(|digits| !text.contains(digits))), "{dump:?}");
    }
}
