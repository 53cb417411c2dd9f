//! Tests properties of hooks and their delivery log that the contract tests do not cover. The encrypted
//! secrets of a hook cannot be decrypted for another hook. No single call reads or writes the complete
//! delivery log if it is long.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store, settings};
use payroll_adapter_db::open;
use payroll_domain::SecretText;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::DeliveryState;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookChange, HookKey, SIGNING_SECRET_LENGTH,
    SigningSecret,
};
use payroll_ports::contract::world::{NOW, create_application, id, import_audit_context};
use payroll_ports::deliveries::{
    DeliveryPage, DeliveryQuery, MAX_STORED_ATTEMPTS, ReplayOutcome, ReplayQuery,
};
use payroll_ports::hooks::NewHook;
use payroll_ports::keys::{Key, KeySet};
use payroll_ports::write::AuditContext;
use payroll_ports::{Store, StoreError};

const SELECT_HOOK_SECRETS: &str = "SELECT authentication || ' ' || signing_secret || ' ' || \
    coalesce(old_signing_secret, '') AS text FROM hooks ORDER BY hook";

/// Runs a test on SQLite, and on PostgreSQL if `TEST_DATABASE_URL` is set.
async fn run_on_both_databases(test: impl AsyncFn(&TestDatabase, Arc<dyn Store>)) {
    for database in [Some(TestDatabase::sqlite()), TestDatabase::postgres()].into_iter().flatten() {
        database.create().await;
        let store = open_store(database.url()).await;
        create_application(&store, "partner").await;
        test(&database, store).await;
        database.delete_database().await;
    }
}

fn hook_key(hook_id: &str) -> HookKey {
    HookKey { application_id: id("partner"), hook_id: id(hook_id) }
}

fn basic_authentication() -> Authentication {
    Authentication::Basic { username: "ann".to_owned(), password: SecretText::new("open-sesame") }
}

async fn register_hook(store: &Arc<dyn Store>, hook_id: &str) {
    let hook = Hook {
        key: hook_key(hook_id),
        company_id: None,
        address: Address::from_stored("https://hooks.example.com/in").unwrap(),
        domains: vec![EventDomain::WorkerAdded],
        auth_type: AuthType::Basic,
        active: true,
        delivery: DeliveryOptions::default(),
        created: NOW,
        version: 1,
    };
    let signing_secret = SigningSecret([b'S'; SIGNING_SECRET_LENGTH]);
    let new = NewHook { hook, authentication: basic_authentication(), signing_secret };
    store.add_hook(&new, 20, &import_audit_context()).await.unwrap().unwrap();
}

/// Sets the same authentication again. The store compares the new authentication with the stored one, which
/// it must decrypt for this purpose.
async fn rewrite_authentication(store: &Arc<dyn Store>, hook_id: &str) -> Result<i64, StoreError> {
    let change = HookChange { authentication: Some(basic_authentication()), ..HookChange::default() };
    let changed = store.change_hook(&hook_key(hook_id), &change, None, &import_audit_context()).await?;
    Ok(changed.unwrap().version)
}

/// Sets a new signing secret. To keep the old secret for some time, the store must decrypt the stored secret.
async fn rotate_secret(store: &Arc<dyn Store>, hook_id: &str) -> Result<(), StoreError> {
    let secret = SigningSecret([b'T'; SIGNING_SECRET_LENGTH]);
    let until = NOW.plus_seconds(60);
    store.rotate_signing_secret(&hook_key(hook_id), secret, until, &import_audit_context()).await.map(|_| ())
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_a_hook_are_stored_encrypted() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        rotate_secret(&store, "hook").await.unwrap();
        let stored = RawConnection::connect_to(database).await.query_texts(SELECT_HOOK_SECRETS).await;
        // The list contains parts of the secrets in plain text, in Base64 and in hexadecimal digits.
        for secret in ["ann", "sesame", "SSSS", "TTTT", "U1NT", "VFRU", "5353", "5454"] {
            assert!(stored.iter().all(|text| !text.contains(secret)), "{secret} in {stored:?}");
        }
        assert_eq!(stored.len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_an_encrypted_secret_in_another_hook_or_column() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "one").await;
        register_hook(&store, "two").await;
        let mut raw = RawConnection::connect_to(database).await;
        raw.execute(
            "UPDATE hooks SET authentication = (SELECT authentication FROM hooks WHERE hook_id = 'one'), \
            signing_secret = authentication WHERE hook_id = 'two'",
        )
        .await;
        for failed in
            [rewrite_authentication(&store, "two").await.map(|_| ()), rotate_secret(&store, "two").await]
        {
            let error = failed.unwrap_err();
            assert!(matches!(error, StoreError::Corrupt { table: "hooks", .. }), "{error}");
        }
        assert_eq!(rewrite_authentication(&store, "one").await.unwrap(), 1, "it is unchanged");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decrypts_with_an_older_key_and_encrypts_changes_with_the_active_one() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        drop(store);
        let old = Key::new("test", [1; 32]).unwrap();
        let keys = KeySet::new(Key::new("newer", [2; 32]).unwrap(), vec![old]).unwrap();
        let store =
            open(payroll_adapter_db::DatabaseSettings { keys: keys.into(), ..settings(database.url(), 1) })
                .await
                .unwrap();
        assert_eq!(rewrite_authentication(&store, "hook").await.unwrap(), 1);
        rotate_secret(&store, "hook").await.unwrap();
        let stored = RawConnection::connect_to(database).await.query_texts(SELECT_HOOK_SECRETS).await;
        let sealed_by: Vec<_> =
            stored.iter().flat_map(|row| row.split(' ')).filter_map(|text| text.split(':').next()).collect();
        assert_eq!(sealed_by, ["test", "newer", "newer"]);
    })
    .await;
}

fn timestamp_at(number: i64) -> Timestamp {
    NOW.plus_seconds(number)
}

fn audit_context(number: i64) -> AuditContext {
    AuditContext::for_command("tests", timestamp_at(number))
}

/// Stores deliveries of the only hook, which are queued at `NOW` and numbered from 1.
async fn insert_deliveries(raw: &mut RawConnection, count: u32, state: &str, columns: &str, values: &str) {
    let now = NOW.as_micros();
    raw.execute(&format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) \
         INSERT INTO deliveries (hook, event_id, domain, action, as_of, queued, state, {columns}) \
         SELECT (SELECT hook FROM hooks), 'n' || n, 'WRKR_ADD', 'ADD', {now}, {now}, {state}, {values} \
         FROM numbers"
    ))
    .await;
}

async fn read_hook_log(
    store: &Arc<dyn Store>,
    state: Option<DeliveryState>,
    before: Option<i64>,
) -> DeliveryPage {
    let limit = NonZeroU32::new(100).unwrap();
    let query = DeliveryQuery { state, domain: None, from: None, to: None, before, limit };
    store.deliveries(&hook_key("hook"), &query).await.unwrap()
}

fn replay_query_after(after: Option<i64>) -> ReplayQuery {
    let limit = NonZeroU32::new(100).unwrap();
    ReplayQuery { failed_only: true, from: None, to: None, after, limit }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_delivery_log_is_searched_in_several_parts() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        let mut raw = RawConnection::connect_to(database).await;
        let state = "CASE WHEN n IN (3, 10020) THEN 'EXPIRED' ELSE 'DELIVERED' END";
        insert_deliveries(&mut raw, 10_025, state, "ended", "1").await;
        let expired = Some(DeliveryState::Expired);
        let newest = read_hook_log(&store, expired, None).await;
        assert_eq!((newest.deliveries.len(), newest.next_cursor.is_some()), (1, true));
        let oldest = read_hook_log(&store, expired, newest.next_cursor).await;
        assert_eq!((oldest.deliveries.len(), oldest.next_cursor), (1, None));
        assert!(oldest.deliveries[0].position < newest.next_cursor.unwrap());

        let first = store
            .replay_deliveries(&hook_key("hook"), &replay_query_after(None), &audit_context(1))
            .await
            .unwrap();
        assert_eq!((first.deliveries, first.next_cursor.is_some()), (1, true));
        let second = store
            .replay_deliveries(&hook_key("hook"), &replay_query_after(first.next_cursor), &audit_context(1))
            .await
            .unwrap();
        assert_eq!(second, ReplayOutcome { deliveries: 1, next_cursor: None });
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enabling_a_hook_makes_its_retries_due() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        let mut raw = RawConnection::connect_to(database).await;
        let later = timestamp_at(300).as_micros();
        insert_deliveries(&mut raw, 3, "'RETRYING'", "due, attempts", &format!("{later} + n, 1")).await;
        raw.execute("UPDATE hooks SET active = FALSE, failing_since = 5, failures = 7, warned = TRUE").await;
        let before = store.hook(&hook_key("hook")).await.unwrap().unwrap();
        assert_eq!((before.queue.failures, before.queue.pending), (7, 3));
        let enabled =
            store.set_hook_active(&hook_key("hook"), true, &audit_context(9)).await.unwrap().unwrap();
        assert!(enabled.active && enabled.version > before.hook.version);
        let page = read_hook_log(&store, None, None).await;
        assert!(page.deliveries.iter().all(|delivery| delivery.due == Some(timestamp_at(9))), "{page:?}");
        let queue = store.hook(&hook_key("hook")).await.unwrap().unwrap().queue;
        assert_eq!((queue.failures, queue.failing_since, queue.disabled), (0, None, None));
        assert_eq!(raw.query_texts("SELECT 'warned' AS text FROM hooks WHERE warned").await, [""; 0]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_skips_deliveries_that_are_being_sent() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        let mut raw = RawConnection::connect_to(database).await;
        let claimed = timestamp_at(60).as_micros();
        // The first two deliveries are being sent. The last delivery was delivered, and its attempt is
        // recorded.
        let state = "CASE WHEN n < 3 THEN 'RETRYING' ELSE 'DELIVERED' END";
        let values = format!("{claimed}, CASE WHEN n < 3 THEN 1 END, CASE WHEN n > 2 THEN 1 END");
        insert_deliveries(&mut raw, 3, state, "claimed_until, due, ended", &values).await;
        let all = ReplayQuery { failed_only: false, ..replay_query_after(None) };
        let replayed = store.replay_deliveries(&hook_key("hook"), &all, &audit_context(1)).await.unwrap();
        assert_eq!(replayed, ReplayOutcome { deliveries: 1, next_cursor: None });
        let claims = raw.query_texts("SELECT event_id AS text FROM deliveries WHERE claimed_until > 0").await;
        assert_eq!(claims, ["n1", "n2"], "a claim of what had arrived does not count any more");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_attempts_are_kept_and_deleted_with_their_delivery() {
    run_on_both_databases(async |database, store| {
        register_hook(&store, "hook").await;
        let mut raw = RawConnection::connect_to(database).await;
        insert_deliveries(
            &mut raw,
            2,
            "'DELIVERED'",
            "ended, attempts",
            &format!("{} + n, 25", NOW.as_micros()),
        )
        .await;
        raw.execute(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25) \
             INSERT INTO attempts (hook, position, number, at, duration, cause, status, error, answer_cut) \
             SELECT hook, position, n, n, 12, 'RETRY', 500, 'STATUS', FALSE FROM numbers, deliveries",
        )
        .await;
        for delivery in read_hook_log(&store, None, None).await.deliveries {
            let numbers: Vec<_> = delivery.stored_attempts.iter().map(|attempt| attempt.number).collect();
            assert_eq!(numbers, (26 - MAX_STORED_ATTEMPTS..=25).collect::<Vec<_>>());
            assert_eq!(delivery.attempts, 25);
        }
        let before = Timestamp::from_micros(NOW.as_micros() + 2);
        assert_eq!(store.delete_deliveries_before(before, 10).await.unwrap(), 1);
        assert_eq!(raw.query_texts("SELECT CAST(count(*) AS TEXT) AS text FROM attempts").await, ["25"]);
    })
    .await;
}
