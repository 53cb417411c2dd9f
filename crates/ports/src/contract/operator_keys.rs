//! Promises about operator keys.

use std::sync::Arc;

use super::world::{NOW, id, importer};
use crate::applications::SecretHash;
use crate::operator_keys::{KeyMade, OperatorKey, OperatorKeyStore};

fn key(name: &str) -> OperatorKey {
    OperatorKey {
        key_id: id(&format!("id-of-{name}")),
        name: name.to_owned(),
        read_only: false,
        created: NOW,
    }
}

fn hash(number: u8) -> SecretHash {
    SecretHash([number; 32])
}

pub(super) async fn a_key_is_found_by_its_value_until_it_is_revoked<S: OperatorKeyStore + ?Sized>(
    store: Arc<S>,
) {
    let (full, reader) = (key("full"), OperatorKey { read_only: true, ..key("a-reader") });
    for (key, number) in [(&full, 1), (&reader, 2)] {
        let made = store.create_operator_key(key, &hash(number), &importer()).await.unwrap();
        assert_eq!(made, KeyMade::Stored);
    }
    assert_eq!(store.operator_key(&hash(1)).await.unwrap(), Some(full.clone()));
    assert_eq!(store.operator_key(&hash(3)).await.unwrap(), None);
    assert_eq!(store.operator_keys().await.unwrap(), [reader, full.clone()]);

    assert!(store.revoke_operator_key(&full.key_id, &importer()).await.unwrap());
    assert_eq!(store.operator_key(&hash(1)).await.unwrap(), None);
    assert!(!store.revoke_operator_key(&full.key_id, &importer()).await.unwrap(), "it is gone already");
}

pub(super) async fn a_name_of_a_key_is_taken_once<S: OperatorKeyStore + ?Sized>(store: Arc<S>) {
    store.create_operator_key(&key("ann"), &hash(1), &importer()).await.unwrap();
    let again = OperatorKey { key_id: id("another"), ..key("ann") };
    let made = store.create_operator_key(&again, &hash(2), &importer()).await.unwrap();
    assert_eq!(made, KeyMade::Taken);
    assert_eq!(store.operator_key(&hash(2)).await.unwrap(), None);
}
