//! Contract tests for access requests.

use std::sync::Arc;

use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::company::to_display_key;
use payroll_domain::date::Timestamp;

use super::world::{NOW, company, create_application, grant_scopes, id, import_company};
use crate::Store;
use crate::access_requests::{AccessRefusal, AccessRequestKey, NewAccessRequest};
use crate::applications::SecretHash;
use crate::write::AuditContext;

fn instant_at(number: i64) -> Timestamp {
    NOW.plus_seconds(number)
}

fn audit_context(number: i64) -> AuditContext {
    AuditContext::for_command("tests", instant_at(number))
}

fn parse_scopes(words: &str) -> Scopes {
    Scopes::parse(words).unwrap()
}

/// Returns an access request for `acme` with the given number. The request expires `number + 10` seconds
/// after `NOW`.
fn new_access_request(caller: &Caller, number: u8) -> NewAccessRequest {
    NewAccessRequest {
        access_request_id: id(&format!("r{number}")),
        application_id: caller.application_id.clone(),
        company_id: id("acme"),
        hash: SecretHash([number; 32]),
        scopes: parse_scopes("read:companies read:payroll"),
        expires: instant_at(i64::from(number) + 10),
    }
}

fn link_key(number: u8) -> AccessRequestKey {
    AccessRequestKey::Link(SecretHash([number; 32]))
}

async fn create_caller_with_request(store: &Arc<dyn Store>) -> Caller {
    import_company(store, &company("acme")).await;
    let caller = create_application(store, "partner").await;
    store.request_access(&new_access_request(&caller, 1), 9, &audit_context(1)).await.unwrap().unwrap();
    caller
}

pub(super) async fn a_request_is_found_by_its_link_and_its_id_until_it_expires(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    let found = store.access_request(&link_key(1), instant_at(10)).await.unwrap().unwrap();
    assert_eq!((found.scopes, found.expires), (new_access_request(&caller, 1).scopes, instant_at(11)));
    assert_eq!((found.application_name.as_str(), found.legal_name.as_str()), ("partner", "acme LLC"));
    let by_id = store.access_request(&AccessRequestKey::Id(id("r1")), instant_at(10)).await.unwrap();
    assert_eq!(by_id.as_ref(), Some(&found));
    assert_eq!(store.access_requests(instant_at(10)).await.unwrap(), [found]);
    assert_eq!(store.access_request(&link_key(2), instant_at(10)).await.unwrap(), None);
    assert_eq!(store.access_request(&link_key(1), instant_at(11)).await.unwrap(), None, "it has ended");
    assert_eq!(store.access_requests(instant_at(11)).await.unwrap(), []);
    assert_eq!(store.delete_expired_access_requests(instant_at(10), 9).await.unwrap(), 0);
    assert_eq!(store.delete_expired_access_requests(instant_at(11), 9).await.unwrap(), 1);
}

pub(super) async fn companies_are_found_by_their_display_key(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    grant_scopes(&store, &caller, "acme", parse_scopes("read:companies")).await;
    let named = store.find_named_companies(&caller, &to_display_key("Dacme")).await.unwrap();
    let (_, named) = named.open_by_any_token().unwrap();
    let found: Vec<_> = named.iter().map(|it| (it.company_id.as_str(), it.granted_scopes)).collect();
    assert_eq!(found, [("acme", [Scope::ReadCompanies].into_iter().collect())]);
    let none = store.find_named_companies(&caller, "NO\u{0}NE").await.unwrap();
    assert_eq!(none.open_by_any_token().unwrap().1, []);
}

pub(super) async fn a_new_request_replaces_the_previous_one(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    store.request_access(&new_access_request(&caller, 2), 1, &audit_context(2)).await.unwrap().unwrap();
    assert_eq!(store.access_request(&link_key(1), instant_at(3)).await.unwrap(), None);
    assert_eq!(store.access_requests(instant_at(3)).await.unwrap().len(), 1);
    import_company(&store, &company("other")).await;
    let other = NewAccessRequest { company_id: id("other"), ..new_access_request(&caller, 3) };
    let refused = store.request_access(&other, 1, &audit_context(3)).await.unwrap();
    assert_eq!(refused, Err(AccessRefusal::TooMany));
    let ended = store.request_access(&other, 1, &audit_context(12)).await.unwrap();
    assert_eq!(ended, Ok(()), "what has ended does not count");
}

pub(super) async fn rejects_a_request_for_scopes_that_are_already_granted(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    grant_scopes(&store, &caller, "acme", Scopes::for_companies()).await;
    let refused = store.request_access(&new_access_request(&caller, 2), 9, &audit_context(2)).await.unwrap();
    assert_eq!(refused, Err(AccessRefusal::Granted));
    let nobody = NewAccessRequest { application_id: id("nobody"), ..new_access_request(&caller, 3) };
    assert_eq!(
        store.request_access(&nobody, 9, &audit_context(2)).await.unwrap(),
        Err(AccessRefusal::Unknown)
    );
}

pub(super) async fn one_of_two_concurrent_approvals_succeeds(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    grant_scopes(&store, &caller, "acme", parse_scopes("read:workers")).await;
    let (granted_scopes, key, now) = (parse_scopes("read:payroll"), link_key(1), audit_context(2));
    let approve = || store.approve_access(&key, granted_scopes, &now);
    let (one, other) = futures_util::join!(approve(), approve());
    let (one, other) = (one.unwrap(), other.unwrap());
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let granted = store.find_grant(&caller.application_id, &id("acme")).await.unwrap().unwrap();
    assert_eq!(granted.value.scopes, parse_scopes("read:payroll read:workers"));
    assert_eq!(approve().await.unwrap(), Err(AccessRefusal::Unknown));
}

pub(super) async fn a_rejected_request_is_closed_and_grants_nothing(store: Arc<dyn Store>) {
    let caller = create_caller_with_request(&store).await;
    assert_eq!(store.reject_access(&link_key(1), &audit_context(2)).await.unwrap(), Ok(()));
    assert_eq!(
        store.reject_access(&link_key(1), &audit_context(3)).await.unwrap(),
        Err(AccessRefusal::Unknown)
    );
    assert_eq!(store.find_grant(&caller.application_id, &id("acme")).await.unwrap(), None);
}
