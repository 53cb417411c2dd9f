//! Contract tests for reading the audit log. The audited changes in these tests are changes of operator keys.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::audit::{ActorKind, AuditAction, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::operator_key::{OperatorKey, OperatorRole};

use super::world::{NOW, id};
use crate::Store;
use crate::applications::SecretHash;
use crate::audit::{AuditPage, AuditQuery};
use crate::write::AuditContext;

fn audit_query(limit: u32) -> AuditQuery {
    AuditQuery {
        before: None,
        company_id: None,
        visible_companies: None,
        kind: None,
        resource_id: None,
        from: None,
        until: None,
        limit: NonZeroU32::new(limit).unwrap(),
    }
}

fn instant_at(number: i64) -> Timestamp {
    NOW.plus_seconds(number)
}

/// Creates the operator key `number`, at `number` seconds after `NOW`.
async fn create_numbered_key(store: &Arc<dyn Store>, number: u8) {
    let now = instant_at(number.into());
    let name = format!("n{number}");
    let key = OperatorKey::new(id(&format!("k{number}")), name, OperatorRole::Administrator, now);
    store
        .create_operator_key(&key, &SecretHash([number; 32]), &AuditContext::for_command("tests", now))
        .await
        .unwrap();
}

/// Returns the object ids of the rows, newest first.
fn audit_row_ids(page: &AuditPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.resource_id.as_str()).collect()
}

pub(super) async fn the_audit_log_is_read_newest_first_with_a_cursor(store: Arc<dyn Store>) {
    for number in [1, 2, 3, 4, 5] {
        create_numbered_key(&store, number).await;
    }
    let first = store.read_audit_log(&audit_query(2)).await.unwrap();
    assert_eq!(audit_row_ids(&first), ["k5", "k4"]);
    let second_page =
        store.read_audit_log(&AuditQuery { before: first.next_cursor, ..audit_query(2) }).await.unwrap();
    assert_eq!(audit_row_ids(&second_page), ["k3", "k2"]);
    let last = store
        .read_audit_log(&AuditQuery { before: second_page.next_cursor, ..audit_query(2) })
        .await
        .unwrap();
    assert_eq!((audit_row_ids(&last), last.next_cursor), (vec!["k1"], None));
    for none in [-1, 0, i64::MAX] {
        let page = store.read_audit_log(&AuditQuery { before: Some(none), ..audit_query(2) }).await.unwrap();
        assert_eq!(page.rows.len(), if none == i64::MAX { 2 } else { 0 }, "before {none}");
    }
}

pub(super) async fn an_audit_row_contains_actor_action_and_instant(store: Arc<dyn Store>) {
    create_numbered_key(&store, 1).await;
    store
        .revoke_operator_key(&id("k1"), &AuditContext::for_command("somebody", instant_at(9)))
        .await
        .unwrap();
    let page = store.read_audit_log(&audit_query(10)).await.unwrap();
    let reported: Vec<_> =
        page.rows.iter().map(|row| (row.action, row.kind, row.at, row.actor.name.as_str())).collect();
    let kind = AuditedKind::OperatorKey;
    assert_eq!(
        reported,
        [
            (AuditAction::Delete, kind, instant_at(9), "somebody"),
            (AuditAction::Create, kind, instant_at(1), "tests")
        ]
    );
    assert!(page.rows.iter().all(|row| row.actor.kind == ActorKind::CommandLine && row.company_id.is_none()));
    let documents: Vec<_> = page.rows.iter().map(|row| (row.before.is_some(), row.after.is_some())).collect();
    assert_eq!(documents, [(true, false), (false, true)]);
}

pub(super) async fn filters_of_the_audit_log_are_combined(store: Arc<dyn Store>) {
    for number in [1, 2, 3] {
        create_numbered_key(&store, number).await;
    }
    let cases = [
        (AuditQuery { resource_id: Some("k2".to_owned()), ..audit_query(9) }, vec!["k2"]),
        (AuditQuery { resource_id: Some("k\u{0}".to_owned()), ..audit_query(9) }, vec![]),
        (AuditQuery { from: Some(instant_at(2)), ..audit_query(9) }, vec!["k3", "k2"]),
        (AuditQuery { until: Some(instant_at(2)), ..audit_query(9) }, vec!["k1"]),
        (AuditQuery { from: Some(instant_at(2)), until: Some(instant_at(3)), ..audit_query(9) }, vec!["k2"]),
        (AuditQuery { kind: Some(AuditedKind::OperatorKey), ..audit_query(9) }, vec!["k3", "k2", "k1"]),
        (AuditQuery { kind: Some(AuditedKind::Worker), ..audit_query(9) }, vec![]),
        (AuditQuery { company_id: Some(id("acme")), ..audit_query(9) }, vec![]),
        (AuditQuery { visible_companies: Some(vec![id("acme")]), ..audit_query(9) }, vec![]),
        (
            AuditQuery { company_id: Some(id("acme")), resource_id: Some("k2".to_owned()), ..audit_query(9) },
            vec![],
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(audit_row_ids(&store.read_audit_log(&query).await.unwrap()), expected, "{query:?}");
    }
}

pub(super) async fn the_oldest_audit_rows_are_deleted(store: Arc<dyn Store>) {
    for number in [1, 2, 3, 4] {
        create_numbered_key(&store, number).await;
    }
    assert_eq!(store.delete_audit_before(instant_at(1), 10).await.unwrap(), 0);
    assert_eq!(store.delete_audit_before(instant_at(4), 2).await.unwrap(), 2, "never more than were allowed");
    assert_eq!(audit_row_ids(&store.read_audit_log(&audit_query(9)).await.unwrap()), ["k4", "k3"]);
    assert_eq!(store.delete_audit_before(instant_at(4), 2).await.unwrap(), 1);
    assert_eq!(audit_row_ids(&store.read_audit_log(&audit_query(9)).await.unwrap()), ["k4"]);
}
