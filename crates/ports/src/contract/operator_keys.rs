//! Contract tests for operator keys.

use std::sync::Arc;

use futures_util::future::join_all;

use super::world::{NOW, id, import_audit_context};
use crate::applications::SecretHash;
use crate::operator_keys::{KeyCreationOutcome, OperatorKey, OperatorKeyStore, OperatorRole};

fn operator_key_with_name(name: &str) -> OperatorKey {
    OperatorKey::new(id(&format!("id-of-{name}")), name.to_owned(), OperatorRole::Administrator, NOW)
}

fn hash(number: u8) -> SecretHash {
    SecretHash([number; 32])
}

pub(super) async fn a_key_is_found_by_its_value_until_it_is_revoked<S: OperatorKeyStore + ?Sized>(
    store: Arc<S>,
) {
    let (full, reader) = (
        operator_key_with_name("full"),
        OperatorKey { role: OperatorRole::Auditor, ..operator_key_with_name("a-reader") },
    );
    for (key, number) in [(&full, 1), (&reader, 2)] {
        let created = store.create_operator_key(key, &hash(number), &import_audit_context()).await.unwrap();
        assert_eq!(created, KeyCreationOutcome::Stored);
    }
    assert_eq!(store.operator_key(&hash(1)).await.unwrap(), Some(full.clone()));
    assert_eq!(store.operator_key(&hash(3)).await.unwrap(), None);
    assert_eq!(store.operator_keys().await.unwrap(), [reader, full.clone()]);

    assert!(store.revoke_operator_key(&full.key_id, &import_audit_context()).await.unwrap());
    assert_eq!(store.operator_key(&hash(1)).await.unwrap(), None);
    assert!(
        !store.revoke_operator_key(&full.key_id, &import_audit_context()).await.unwrap(),
        "it is gone already"
    );
}

pub(super) async fn rejects_a_duplicate_name_of_a_key<S: OperatorKeyStore + ?Sized>(store: Arc<S>) {
    store
        .create_operator_key(&operator_key_with_name("ann"), &hash(1), &import_audit_context())
        .await
        .unwrap();
    let again = OperatorKey { key_id: id("another"), ..operator_key_with_name("ann") };
    let created = store.create_operator_key(&again, &hash(2), &import_audit_context()).await.unwrap();
    assert_eq!(created, KeyCreationOutcome::Taken);
    assert_eq!(store.operator_key(&hash(2)).await.unwrap(), None);
}

pub(super) async fn a_key_keeps_its_operator_role_companies_and_expiry<S: OperatorKeyStore + ?Sized>(
    store: Arc<S>,
) {
    for (role, number) in OperatorRole::ALL.iter().zip(1..) {
        let stored = OperatorKey {
            operator_name: "ann".to_owned(),
            role: *role,
            company_ids: Some(vec![id("acme"), id("bravo")]),
            expires: Some(NOW.plus_seconds(60)),
            ..operator_key_with_name(&format!("ann-{role}"))
        };
        let stored = OperatorKey { key_id: id(role.as_str()), ..stored };
        let created =
            store.create_operator_key(&stored, &hash(number), &import_audit_context()).await.unwrap();
        assert_eq!(created, KeyCreationOutcome::Stored);
        assert_eq!(store.operator_key(&hash(number)).await.unwrap(), Some(stored));
    }
}

pub(super) async fn rejects_another_spelling_of_an_operator_name<S: OperatorKeyStore + ?Sized>(
    store: Arc<S>,
) {
    store
        .create_operator_key(&operator_key_with_name("ann"), &hash(1), &import_audit_context())
        .await
        .unwrap();
    let of = |operator_name: &str| OperatorKey {
        operator_name: operator_name.to_owned(),
        ..operator_key_with_name("laptop")
    };
    let created = store.create_operator_key(&of("ANN"), &hash(2), &import_audit_context()).await.unwrap();
    assert_eq!(created, KeyCreationOutcome::OperatorLooksTheSame);
    let created = store.create_operator_key(&of("ann"), &hash(2), &import_audit_context()).await.unwrap();
    assert_eq!(created, KeyCreationOutcome::Stored);
}

pub(super) async fn only_one_of_several_concurrent_name_spellings_is_stored<S: OperatorKeyStore + ?Sized>(
    store: Arc<S>,
) {
    let names = ["ann", "Ann", "aNn", "anN", "ANn", "AnN", "aNN", "ANN"];
    let (audit, keys) = (import_audit_context(), names.map(operator_key_with_name));
    let created = join_all(keys.iter().zip(1..).map(|(key, number)| {
        let (store, hash, audit) = (&store, hash(number), &audit);
        async move { store.create_operator_key(key, &hash, audit).await.unwrap() }
    }));
    let created = created.await;
    let stored = created.iter().filter(|outcome| **outcome == KeyCreationOutcome::Stored).count();
    assert_eq!((stored, store.operator_keys().await.unwrap().len()), (1, 1), "{created:?}");
}

pub(super) async fn the_last_use_of_a_key_never_goes_back<S: OperatorKeyStore + ?Sized>(store: Arc<S>) {
    let ann = operator_key_with_name("ann");
    store.create_operator_key(&ann, &hash(1), &import_audit_context()).await.unwrap();
    let last_used = async || store.operator_key(&hash(1)).await.unwrap().and_then(|key| key.last_used);
    assert_eq!(last_used().await, None);
    for (seconds, expected) in [(60, 60), (30, 60), (120, 120)] {
        store.record_operator_key_use(&ann.key_id, NOW.plus_seconds(seconds)).await.unwrap();
        assert_eq!(last_used().await, Some(NOW.plus_seconds(expected)));
    }
    store.record_operator_key_use(&id("unknown"), NOW).await.unwrap();
}
