//! Contract tests for sessions of operators' browsers.

use std::sync::Arc;

use payroll_domain::date::Timestamp;

use super::world::{NOW, id, import_audit_context};
use crate::Store;
use crate::applications::SecretHash;
use crate::operator_keys::{OperatorKey, OperatorRole};
use crate::operator_sessions::{MAX_SESSIONS_PER_KEY, OperatorSession, SessionCreationOutcome};

const LIFETIME_SECONDS: i64 = 100;

fn operator_key_with_name(name: &str) -> OperatorKey {
    let key_id = id(&format!("id-of-{name}"));
    OperatorKey::new(key_id, name.to_owned(), OperatorRole::Administrator, NOW)
}

fn seconds_later(seconds: i64) -> Timestamp {
    NOW.plus_seconds(seconds)
}

fn hash(number: u8) -> SecretHash {
    SecretHash([number; 32])
}

fn session_of_key(key: &OperatorKey, number: u8) -> OperatorSession {
    let created = seconds_later(number.into());
    OperatorSession {
        session_id: id(&format!("session-{number}")),
        key: key.clone(),
        created,
        expires: created.plus_seconds(LIFETIME_SECONDS),
    }
}

async fn create_session(store: &dyn Store, key: &OperatorKey, number: u8) -> OperatorSession {
    let session = session_of_key(key, number);
    let audit = crate::write::AuditContext { now: session.created, ..import_audit_context() };
    let created = store.create_operator_session(&session, &hash(number), &audit).await.unwrap();
    assert_eq!(created, SessionCreationOutcome::Stored);
    session
}

pub(super) async fn a_session_is_found_by_its_value_until_it_expires(store: Arc<dyn Store>) {
    let ann = operator_key_with_name("ann");
    store.create_operator_key(&ann, &hash(200), &import_audit_context()).await.unwrap();
    let (first, second) = (create_session(&*store, &ann, 1).await, create_session(&*store, &ann, 2).await);
    let last = seconds_later(LIFETIME_SECONDS);
    assert_eq!(store.operator_session(&hash(1), last).await.unwrap(), Some(first.clone()));
    assert_eq!(store.operator_session(&hash(1), seconds_later(LIFETIME_SECONDS + 1)).await.unwrap(), None);
    assert_eq!(store.operator_session(&hash(3), NOW).await.unwrap(), None);
    assert_eq!(store.operator_sessions(last).await.unwrap(), [second.clone(), first]);
    assert_eq!(store.operator_sessions(seconds_later(LIFETIME_SECONDS + 1)).await.unwrap(), [second]);
}

pub(super) async fn session_ends_on_sign_out_or_with_its_key(store: Arc<dyn Store>) {
    let (ann, ben) = (operator_key_with_name("ann"), operator_key_with_name("ben"));
    store.create_operator_key(&ann, &hash(200), &import_audit_context()).await.unwrap();
    store.create_operator_key(&ben, &hash(201), &import_audit_context()).await.unwrap();
    let ended = create_session(&*store, &ann, 1).await;
    create_session(&*store, &ann, 2).await;
    let other = create_session(&*store, &ben, 3).await;
    assert!(store.end_operator_session(&ended.session_id, &import_audit_context()).await.unwrap());
    assert!(!store.end_operator_session(&ended.session_id, &import_audit_context()).await.unwrap());
    assert_eq!(store.operator_session(&hash(1), NOW).await.unwrap(), None);
    assert!(store.revoke_operator_key(&ann.key_id, &import_audit_context()).await.unwrap());
    assert_eq!(store.operator_session(&hash(2), NOW).await.unwrap(), None);
    assert_eq!(store.operator_sessions(NOW).await.unwrap(), [other]);
    let late = session_of_key(&ann, 4);
    let created = store.create_operator_session(&late, &hash(4), &import_audit_context()).await.unwrap();
    assert_eq!(created, SessionCreationOutcome::NoKey, "its key is revoked");
}

pub(super) async fn the_oldest_session_of_a_key_ends_when_there_are_too_many(store: Arc<dyn Store>) {
    let (ann, ben) = (operator_key_with_name("ann"), operator_key_with_name("ben"));
    store.create_operator_key(&ann, &hash(200), &import_audit_context()).await.unwrap();
    store.create_operator_key(&ben, &hash(201), &import_audit_context()).await.unwrap();
    create_session(&*store, &ben, 0).await;
    let most = u8::try_from(MAX_SESSIONS_PER_KEY).unwrap();
    for number in 1..=most + 1 {
        create_session(&*store, &ann, number).await;
    }
    let there = store.operator_sessions(NOW).await.unwrap();
    assert_eq!(there.len(), usize::from(most) + 1, "those of another key are left alone");
    assert_eq!(store.operator_session(&hash(1), NOW).await.unwrap(), None);
    assert!(store.operator_session(&hash(2), NOW).await.unwrap().is_some());
}
