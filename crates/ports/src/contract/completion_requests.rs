//! Contract tests for requests to complete pay periods.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::check::Totals;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_period::PeriodStatus;

use super::periods::{
    audit_by, create_company_with_checks, process_period, read_period_completion, read_view, state_change,
};
use super::world::{NOW, id};
use crate::audit::AuditQuery;
use crate::completion::PeriodCompletion;
use crate::completion_requests::{CompletionRequestOutcome, NewCompletionRequest, StoredCompletionRequest};
use crate::periods::{StateChange, StateChangeOutcome};
use crate::write::AuditContext;
use crate::{Store, Window};

const COMPLETION_DOCUMENT: &str = r#"{"checks": [{"paycheckId": "c1",
    "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}]}]}"#;

/// Requests the completion of the open period as the given operator. The period must be in processing.
async fn request_completion(store: &Arc<dyn Store>, audit: &AuditContext) -> CompletionRequestOutcome {
    let completing = read_period_completion(store, COMPLETION_DOCUMENT).await;
    let totals = completing.validate_period(store.as_ref()).await.unwrap().unwrap();
    let new = NewCompletionRequest {
        state_change: completing.state_change,
        totals,
        document: COMPLETION_DOCUMENT.to_owned(),
    };
    store.request_completion(&new, audit).await.unwrap()
}

async fn read_stored_request(store: &Arc<dyn Store>) -> Option<StoredCompletionRequest> {
    store.completion_request(&id("acme"), &id("open")).await.unwrap()
}

async fn count_pending_requests(store: &Arc<dyn Store>) -> usize {
    let listing = store.completion_requests(None, Window::default()).await.unwrap();
    let total = usize::try_from(listing.total).unwrap();
    let rows = listing.rows.into_vec().await.unwrap();
    assert_eq!(rows.len(), total);
    total
}

/// Completes the open period by approving the request with the given version.
async fn approve_request(store: &Arc<dyn Store>, version: i64, audit: &AuditContext) -> StateChangeOutcome {
    let completing = read_period_completion(store, COMPLETION_DOCUMENT).await;
    let moved = StateChange { request: Some(version), ..completing.state_change };
    let completing = PeriodCompletion { state_change: moved, ..completing };
    completing
        .complete_period(store.as_ref(), &mut IdSequence::new(NOW, [9; 10]), audit, &|_| ())
        .await
        .unwrap()
}

/// Returns the actor and the action of each audit row of the request, newest first.
async fn read_audit_rows(store: &Arc<dyn Store>) -> Vec<(String, AuditAction)> {
    let query = AuditQuery {
        company_id: Some(id("acme")),
        visible_companies: None,
        kind: Some(AuditedKind::CompletionRequest),
        resource_id: Some("open".to_owned()),
        from: None,
        until: None,
        before: None,
        limit: NonZeroU32::new(20).unwrap(),
    };
    let rows = store.read_audit_log(&query).await.unwrap().rows;
    rows.into_iter().map(|row| (row.actor.name, row.action)).collect()
}

pub(super) async fn a_request_is_pending_until_another_operator_approves_it(store: Arc<dyn Store>) {
    create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    assert_eq!(request_completion(&store, &audit_by("anna")).await, CompletionRequestOutcome::Done);
    assert_eq!(request_completion(&store, &audit_by("anna")).await, CompletionRequestOutcome::AlreadyPending);
    let stored = read_stored_request(&store).await.unwrap();
    assert_eq!((stored.document.as_str(), count_pending_requests(&store).await), (COMPLETION_DOCUMENT, 1));
    assert_eq!(stored.request.period_version, read_view(&store, "open").await.version);
    let Totals { checks, net_pay, .. } = stored.request.totals;
    assert_eq!((checks, net_pay.to_string().as_str()), (2, "502.67"));
    assert_eq!(
        approve_request(&store, stored.version, &audit_by("anna")).await,
        StateChangeOutcome::SameOperator
    );
    assert_eq!(
        approve_request(&store, stored.version + 1, &audit_by("ben")).await,
        StateChangeOutcome::NotRequested
    );
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Processing);
}

pub(super) async fn an_approved_request_contains_the_other_operator(store: Arc<dyn Store>) {
    create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    assert_eq!(request_completion(&store, &audit_by("anna")).await, CompletionRequestOutcome::Done);
    let stored = read_stored_request(&store).await.unwrap();
    assert!(matches!(
        approve_request(&store, stored.version, &audit_by("ben")).await,
        StateChangeOutcome::Done(_)
    ));
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Completed);
    let approved = read_stored_request(&store).await.unwrap();
    let approval = approved.request.approval.clone().unwrap();
    assert_eq!((approval.approved_by, approval.approved_at), (audit_by("ben").actor, NOW));
    assert_eq!(
        (approved.request.requested_by.clone(), count_pending_requests(&store).await),
        (audit_by("anna").actor, 0)
    );
    assert!(approved.version > stored.version && approved.document.is_empty());
    let expected = [("ben", AuditAction::Update), ("anna", AuditAction::Create)];
    assert_eq!(read_audit_rows(&store).await, expected.map(|(name, action)| (name.to_owned(), action)));
    let withdrawn = store.withdraw_completion_request(&id("acme"), &id("open"), None, &audit_by("ben")).await;
    assert_eq!(withdrawn.unwrap(), CompletionRequestOutcome::NotRequested, "it was approved");
}

pub(super) async fn a_request_is_withdrawn_once_with_its_current_version(store: Arc<dyn Store>) {
    create_company_with_checks(&store, &["c1"]).await;
    process_period(&store, "open").await;
    request_completion(&store, &audit_by("anna")).await;
    let version = read_stored_request(&store).await.unwrap().version;
    let withdraw = async |version| {
        let audit = audit_by("ben");
        store.withdraw_completion_request(&id("acme"), &id("open"), version, &audit).await.unwrap()
    };
    assert_eq!(
        withdraw(Some(version + 1)).await,
        CompletionRequestOutcome::Refused(StateChangeOutcome::Stale)
    );
    assert_eq!(withdraw(Some(version)).await, CompletionRequestOutcome::Done);
    assert_eq!(withdraw(None).await, CompletionRequestOutcome::NotRequested);
    assert_eq!((read_stored_request(&store).await, count_pending_requests(&store).await), (None, 0));
    assert_eq!(
        request_completion(&store, &audit_by("ben")).await,
        CompletionRequestOutcome::Done,
        "another one may request it"
    );
    let unknown =
        store.withdraw_completion_request(&id("acme"), &id("nowhere"), None, &audit_by("ben")).await;
    assert_eq!(unknown.unwrap(), CompletionRequestOutcome::Refused(StateChangeOutcome::UnknownPeriod));
}

pub(super) async fn other_state_changes_delete_the_completion_request(store: Arc<dyn Store>) {
    create_company_with_checks(&store, &["c1"]).await;
    process_period(&store, "open").await;
    request_completion(&store, &audit_by("anna")).await;
    assert!(matches!(
        store.reopen_period(&state_change("open"), &audit_by("ben")).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    assert_eq!((read_stored_request(&store).await, count_pending_requests(&store).await), (None, 0));
    let newest = read_audit_rows(&store).await.remove(0);
    assert_eq!(newest, ("ben".to_owned(), AuditAction::Delete));
    let open = NewCompletionRequest {
        state_change: state_change("open"),
        totals: Totals::default(),
        document: String::new(),
    };
    let refused = store.request_completion(&open, &audit_by("anna")).await.unwrap();
    assert_eq!(refused, CompletionRequestOutcome::Refused(StateChangeOutcome::NotFrom(PeriodStatus::Entry)));
}

pub(super) async fn one_of_two_concurrent_approvals_completes_the_period(store: Arc<dyn Store>) {
    create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    request_completion(&store, &audit_by("anna")).await;
    let version = read_stored_request(&store).await.unwrap().version;
    let (ben, cleo) = (audit_by("ben"), audit_by("cleo"));
    let outcomes = futures_util::future::join(
        approve_request(&store, version, &ben),
        approve_request(&store, version, &cleo),
    )
    .await;
    let done = [&outcomes.0, &outcomes.1]
        .into_iter()
        .filter(|outcome| matches!(outcome, StateChangeOutcome::Done(_)));
    assert_eq!(done.count(), 1, "{outcomes:?}");
    let approvals =
        read_audit_rows(&store).await.into_iter().filter(|(_, action)| *action == AuditAction::Update);
    assert_eq!(approvals.count(), 1);
}
