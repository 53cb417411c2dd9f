//! Contract tests for hooks and their changes.

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::SecretText;
use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookChange, HookKey, OAuthClient,
    SIGNING_SECRET_LENGTH, SigningSecret,
};

use super::world::{
    NOW, company, create_application, create_company_and_caller, grant_scopes, id, import_audit_context,
    import_company,
};
use crate::Store;
use crate::audit::AuditQuery;
use crate::hooks::{HookQueue, HookRefusal, NewHook, RegistrationFacts};
use crate::write::AuditContext;

/// The maximum number of hooks of an application in these tests.
const MAX_HOOKS: u32 = 20;

/// A password with a distinctive text, which the tests search for in places that must not contain it.
const PASSWORD: &str = "open-sesame";

/// Returns the key of a hook of the caller's application.
pub(super) fn hook_key(caller: &Caller, hook_id: &str) -> HookKey {
    HookKey { application_id: caller.application_id.clone(), hook_id: id(hook_id) }
}

/// Returns a new hook for all companies, with the domains `WorkerAdded` and `CompanyAccess`.
pub(super) fn new_hook(caller: &Caller, hook_id: &str) -> NewHook {
    let hook = Hook {
        key: hook_key(caller, hook_id),
        company_id: None,
        address: Address::from_stored("https://hooks.example.com/in?token=hidden").unwrap(),
        domains: vec![EventDomain::WorkerAdded, EventDomain::CompanyAccess],
        auth_type: AuthType::Basic,
        active: true,
        delivery: DeliveryOptions::default(),
        created: NOW,
        version: NOW.as_micros(),
    };
    let authentication =
        Authentication::Basic { username: "ann".to_owned(), password: SecretText::new(PASSWORD) };
    NewHook { hook, authentication, signing_secret: SigningSecret([1; SIGNING_SECRET_LENGTH]) }
}

async fn add_hook(store: &Arc<dyn Store>, new: &NewHook) -> Result<(), HookRefusal> {
    store.add_hook(new, MAX_HOOKS, &import_audit_context()).await.unwrap()
}

/// Registers a hook. The test fails if the registration is rejected.
pub(super) async fn register_hook(store: &Arc<dyn Store>, caller: &Caller, hook_id: &str) -> Hook {
    let new = new_hook(caller, hook_id);
    add_hook(store, &new).await.unwrap();
    new.hook
}

async fn read_hook_and_queue(store: &Arc<dyn Store>, key: &HookKey) -> Option<(Hook, HookQueue)> {
    store.hook(key).await.unwrap().map(|report| (report.hook, report.queue))
}

/// Returns the ids of the caller's hooks, as the caller itself reads them.
async fn read_own_hook_ids(store: &Arc<dyn Store>, caller: &Caller) -> Vec<String> {
    let (_, hooks) = store.hooks_of_caller(caller).await.unwrap().open_by_any_token().unwrap();
    hooks.iter().map(|hook| hook.key.hook_id.to_string()).collect()
}

pub(super) async fn a_hook_is_read_as_it_was_registered(store: Arc<dyn Store>) {
    let (caller, other) =
        (create_company_and_caller(&store).await, create_application(&store, "other").await);
    let mut new = new_hook(&caller, "zulu");
    new.hook.company_id = Some(id("acme"));
    add_hook(&store, &new).await.unwrap();
    register_hook(&store, &caller, "alpha").await;
    register_hook(&store, &other, "theirs").await;

    assert_eq!(read_own_hook_ids(&store, &caller).await, ["zulu", "alpha"], "in the order of registration");
    assert_eq!(read_own_hook_ids(&store, &other).await, ["theirs"]);
    let guarded = store.hook_of_caller(&caller, &id("zulu")).await.unwrap();
    assert_eq!(guarded.open_by_any_token().unwrap().1, Some(new.hook.clone()));
    let theirs = store.hook_of_caller(&caller, &id("theirs")).await.unwrap();
    assert_eq!(theirs.open_by_any_token().unwrap().1, None, "another's hook is none");
    assert_eq!(read_hook_and_queue(&store, &new.hook.key).await, Some((new.hook, HookQueue::default())));
    assert_eq!(read_hook_and_queue(&store, &hook_key(&caller, "theirs")).await, None);
    let ids = async |of| {
        let reports = store.hooks(of).await.unwrap();
        reports.iter().map(|report| report.hook.key.hook_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(ids(None).await, ["zulu", "alpha", "theirs"]);
    assert_eq!(ids(Some(&other.application_id)).await, ["theirs"]);
    assert!(ids(Some(&id("nobody"))).await.is_empty());
}

pub(super) async fn rejects_a_duplicate_hook_id_of_an_application(store: Arc<dyn Store>) {
    let (caller, other) =
        (create_application(&store, "partner").await, create_application(&store, "other").await);
    let (new, audit) = (new_hook(&caller, "one"), import_audit_context());
    let created = join_all((0..12).map(|_| store.add_hook(&new, MAX_HOOKS, &audit))).await;
    let created: Vec<_> = created.into_iter().map(Result::unwrap).collect();
    assert_eq!(created.iter().filter(|created| created.is_ok()).count(), 1, "{created:?}");
    assert!(created.iter().all(|created| matches!(created, Ok(()) | Err(HookRefusal::Taken))), "{created:?}");
    assert_eq!(add_hook(&store, &new_hook(&other, "one")).await, Ok(()), "ids are those of an application");
}

pub(super) async fn limits_the_hooks_of_an_application(store: Arc<dyn Store>) {
    let (caller, other) =
        (create_application(&store, "partner").await, create_application(&store, "other").await);
    let (news, audit): (Vec<_>, _) =
        ((0..12).map(|number| new_hook(&caller, &format!("h{number}"))).collect(), import_audit_context());
    let created = join_all(news.iter().map(|new| store.add_hook(new, 5, &audit))).await;
    let created: Vec<_> = created.into_iter().map(Result::unwrap).collect();
    assert_eq!(created.iter().filter(|created| created.is_ok()).count(), 5, "{created:?}");
    assert!(
        created.iter().all(|created| matches!(created, Ok(()) | Err(HookRefusal::TooMany))),
        "{created:?}"
    );
    assert_eq!(read_own_hook_ids(&store, &caller).await.len(), 5);
    assert_eq!(store.add_hook(&new_hook(&other, "h"), 5, &audit).await.unwrap(), Ok(()));
}

pub(super) async fn a_hook_needs_its_application_and_a_grant_for_its_company(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    import_company(&store, &company("acme")).await;
    let of = |company_id: &str| {
        let mut new = new_hook(&caller, "hook");
        new.hook.company_id = Some(id(company_id));
        new
    };
    let registration = async |company_id: Option<&str>| {
        let company_id = company_id.map(id);
        let read = store.hook_registration_data(&caller, company_id.as_ref()).await.unwrap();
        read.open_by_any_token().unwrap().1
    };
    for company_id in ["acme", "nowhere"] {
        assert_eq!(add_hook(&store, &of(company_id)).await, Err(HookRefusal::NoGrant), "{company_id}");
        assert_eq!(
            registration(Some(company_id)).await,
            RegistrationFacts { granted_scopes: Scopes::NONE, hooks: 0 }
        );
    }
    let any: Scopes = [Scope::ReadCompanies].into_iter().collect();
    grant_scopes(&store, &caller, "acme", any).await;
    assert_eq!(add_hook(&store, &of("acme")).await, Ok(()));
    assert_eq!(registration(Some("acme")).await, RegistrationFacts { granted_scopes: any, hooks: 1 });
    assert_eq!(registration(None).await, RegistrationFacts { granted_scopes: Scopes::NONE, hooks: 1 });
    let nobody = Caller { application_id: id("nobody"), ..caller.clone() };
    assert_eq!(add_hook(&store, &new_hook(&nobody, "hook")).await, Err(HookRefusal::UnknownApplication));
}

pub(super) async fn rejects_a_change_of_a_hook_with_a_stale_version(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let hook = register_hook(&store, &caller, "hook").await;
    let change = async |change: &HookChange, version| {
        store.change_hook(&hook.key, change, version, &import_audit_context()).await.unwrap()
    };
    let elsewhere = HookChange {
        address: Some(Address::from_stored("https://elsewhere.example.com/").unwrap()),
        ..HookChange::default()
    };
    assert_eq!(change(&elsewhere, Some(hook.version + 1)).await, Err(HookRefusal::Stale));
    for same in
        [HookChange::default(), HookChange { domains: Some(hook.domains.clone()), ..HookChange::default() }]
    {
        assert_eq!(change(&same, Some(hook.version)).await, Ok(hook.clone()), "nothing has changed");
    }
    let moved = change(&elsewhere, Some(hook.version)).await.unwrap();
    let expected =
        Hook { address: elsewhere.address.clone().unwrap(), version: moved.version, ..hook.clone() };
    assert_eq!(moved, expected);
    assert!(moved.version > hook.version);
    let client = OAuthClient {
        token_url: Address::from_stored("https://login.example.com:8443/token").unwrap(),
        client_id: "id".to_owned(),
        client_secret: SecretText::new("another"),
        scope: None,
    };
    let shown = HookChange {
        domains: Some(vec![EventDomain::PayrunCompleted]),
        authentication: Some(Authentication::OAuth2(client)),
        ..HookChange::default()
    };
    let shown = change(&shown, None).await.unwrap();
    assert_eq!(
        (shown.auth_type, &shown.domains[..]),
        (AuthType::OAuth2, &[EventDomain::PayrunCompleted][..])
    );
    assert_eq!(shown.address, moved.address);
    assert_eq!(read_hook_and_queue(&store, &hook.key).await.map(|(hook, _)| hook), Some(shown));
    let unknown = store
        .change_hook(&hook_key(&caller, "none"), &elsewhere, None, &import_audit_context())
        .await
        .unwrap();
    assert_eq!(unknown, Err(HookRefusal::UnknownHook));
}

pub(super) async fn an_inactive_hook_shows_when_it_was_disabled(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let hook = register_hook(&store, &caller, "hook").await;
    let set = async |active, second| {
        let audit = AuditContext::for_command("tests", NOW.plus_seconds(second));
        store.set_hook_active(&hook.key, active, &audit).await.unwrap().unwrap()
    };
    let paused = set(false, 1).await;
    assert!(!paused.active && paused.version > hook.version);
    assert_eq!(set(false, 2).await, paused, "it is not active already");
    let queue = HookQueue { disabled: Some(NOW.plus_seconds(1)), ..HookQueue::default() };
    assert_eq!(read_hook_and_queue(&store, &hook.key).await, Some((paused.clone(), queue)));
    let resumed = set(true, 3).await;
    assert!(resumed.active && resumed.version > paused.version);
    assert_eq!(set(true, 4).await, resumed, "there is nothing to forget");
    assert_eq!(read_hook_and_queue(&store, &hook.key).await, Some((resumed, HookQueue::default())));
    assert_eq!(
        store.set_hook_active(&hook_key(&caller, "none"), true, &import_audit_context()).await.unwrap(),
        None
    );
}

pub(super) async fn a_removed_hook_frees_its_id(store: Arc<dyn Store>) {
    let (caller, other) =
        (create_application(&store, "partner").await, create_application(&store, "other").await);
    let hook = register_hook(&store, &caller, "hook").await;
    let theirs = register_hook(&store, &other, "hook").await;
    let remove =
        async |version| store.remove_hook(&hook.key, Some(version), &import_audit_context()).await.unwrap();
    assert_eq!(remove(hook.version + 1).await, Err(HookRefusal::Stale));
    assert_eq!(remove(hook.version).await, Ok(()));
    assert_eq!(remove(hook.version).await, Err(HookRefusal::UnknownHook));
    assert_eq!(read_hook_and_queue(&store, &hook.key).await, None);
    assert!(read_hook_and_queue(&store, &theirs.key).await.is_some());
    register_hook(&store, &caller, "hook").await;

    store.delete_application(&caller.application_id, None, &import_audit_context()).await.unwrap().unwrap();
    let left = store.hooks(None).await.unwrap();
    assert_eq!(left.iter().map(|report| &report.hook.key).collect::<Vec<_>>(), [&theirs.key]);
}

pub(super) async fn changes_of_a_hook_write_audit_rows_without_secrets(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let (hook, audit) = (register_hook(&store, &caller, "hook").await, import_audit_context());
    let secret = SigningSecret([2; SIGNING_SECRET_LENGTH]);
    store.set_hook_active(&hook.key, true, &audit).await.unwrap();
    store.set_hook_active(&hook.key, false, &audit).await.unwrap();
    store.rotate_signing_secret(&hook.key, secret, NOW.plus_seconds(9), &audit).await.unwrap().unwrap();
    store.remove_hook(&hook.key, None, &audit).await.unwrap().unwrap();
    let query = AuditQuery {
        before: None,
        company_id: None,
        visible_companies: None,
        kind: Some(AuditedKind::Hook),
        resource_id: Some("partner/hook".to_owned()),
        from: None,
        until: None,
        limit: std::num::NonZeroU32::new(9).unwrap(),
    };
    let rows = store.read_audit_log(&query).await.unwrap().rows;
    let actions: Vec<_> = rows.iter().map(|row| row.action).collect();
    use AuditAction::{Create, Delete, Update};
    assert_eq!(actions, [Delete, Update, Update, Create], "what changes nothing leaves nothing");
    for text in rows.iter().flat_map(|row| [&row.before, &row.after]).flatten() {
        assert!(!text.contains(PASSWORD) && !text.contains("hidden") && !text.contains("ann"), "{text}");
    }
}
