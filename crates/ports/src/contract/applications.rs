//! Contract tests for applications and their secrets.

use std::sync::Arc;

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::client_key::ClientKey;

use super::world::{
    NOW, application_settings, create_application, create_company_and_caller, id, import_audit_context,
};
use crate::applications::{
    Application, ApplicationRefusal, ApplicationSettings, NewApplication, NewSecret, PublicKeyId, SecretHash,
    SecretValue, thumbprint,
};
use crate::idempotency::{IdempotencyRecord, ResponseRecord, StoredResponse};
use crate::resources::Versioned;
use crate::write::AuditContext;
use crate::{Store, Window};

/// Returns a secret that was created `number` seconds after `NOW`.
fn numbered_secret(number: u8) -> NewSecret {
    NewSecret {
        secret_id: id(&format!("s{number}")),
        value: SecretValue::Hash(SecretHash([number; 32])),
        created: NOW.plus_seconds(i64::from(number)),
    }
}

fn new_application(name: &str) -> NewApplication {
    NewApplication {
        application_id: id(name),
        client_id: format!("key-of-{name}"),
        settings: application_settings(name),
        secret: numbered_secret(1),
    }
}

/// Returns the application `partner`, which the test must have created before.
async fn read_partner(store: &Arc<dyn Store>) -> Versioned<Application> {
    store.application(&id("partner")).await.unwrap().unwrap()
}

pub(super) async fn only_the_newest_two_secrets_are_valid(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    for number in 2..=3 {
        store
            .add_secret(&caller.application_id, &numbered_secret(number), &import_audit_context())
            .await
            .unwrap()
            .unwrap();
    }
    let known = async |client_id: &str, number| {
        let found = store.find_credentials(client_id, &SecretHash([number; 32])).await.unwrap();
        found.map(|credentials| credentials.secret_id)
    };
    assert_eq!(known("key-of-partner", 2).await, Some(id("s2")));
    assert_eq!(known("key-of-partner", 3).await, Some(id("s3")));
    assert_eq!(known("key-of-partner", 1).await, None, "the first secret is gone");
    assert_eq!(known("key-of-nobody", 3).await, None, "the secret of another client");
    assert!(!store.read_access(&caller, None).await.unwrap().secret_valid, "the first secret is gone");
}

/// Returns a public key whose base64url text starts with `first`.
fn public_key(first: char) -> ClientKey {
    ClientKey::Ed25519 { x: format!("{first}{}", "A".repeat(42)) }
}

pub(super) async fn a_public_key_replaces_a_secret(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let key = public_key('k');
    let new =
        |number| NewSecret { value: SecretValue::PublicKey(public_key('k')), ..numbered_secret(number) };
    let add = async |new: NewSecret| {
        store.add_secret(&caller.application_id, &new, &import_audit_context()).await.unwrap()
    };
    assert_eq!(add(new(2)).await, Ok(()));
    assert_eq!(add(new(3)).await, Err(ApplicationRefusal::Taken), "the application has this key");

    let kid = thumbprint(&key);
    let (credentials, stored) = store.find_key_credentials("key-of-partner", &kid).await.unwrap().unwrap();
    assert_eq!((credentials.secret_id, stored), (id("s2"), key.clone()));
    let listed = read_partner(&store).await.value.secrets.pop().unwrap();
    assert_eq!(listed.public_key, Some(PublicKeyId { kid: kid.clone(), algorithm: key.algorithm() }));

    // Several applications can have the same key. With the client id of an application, only the keys of this
    // application must be found.
    let other = create_application(&store, "other").await;
    assert_eq!(store.find_key_credentials("key-of-other", &kid).await.unwrap(), None);
    store.add_secret(&other.application_id, &new(4), &import_audit_context()).await.unwrap().unwrap();
    let (credentials, _) = store.find_key_credentials("key-of-other", &kid).await.unwrap().unwrap();
    assert_eq!(credentials.secret_id, id("s4"));

    // The id of a public key is public, so no form of the id must work as a secret. A secret must not work as
    // the id of a public key.
    for text in [kid.as_str(), &format!("key {kid}"), &key.to_canonical_text()] {
        let found = store.find_credentials("key-of-partner", &SecretHash::from_secret(text)).await.unwrap();
        assert_eq!(found, None, "{text}");
    }
    for kid in ["", "nobody", "01".repeat(32).as_str(), "\u{0}"] {
        assert_eq!(store.find_key_credentials("key-of-partner", kid).await.unwrap(), None, "{kid:?}");
    }
    store.revoke_secret(&caller.application_id, &id("s2"), &import_audit_context()).await.unwrap().unwrap();
    assert_eq!(store.find_key_credentials("key-of-partner", &kid).await.unwrap(), None);
}

pub(super) async fn a_new_secret_is_kept_despite_wrong_clocks(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    for seconds in [10, 20, -30] {
        let secret = NewSecret {
            secret_id: id(&format!("at{seconds}")),
            created: NOW.plus_seconds(seconds),
            ..numbered_secret(1)
        };
        store.add_secret(&caller.application_id, &secret, &import_audit_context()).await.unwrap().unwrap();
    }
    let secrets: Vec<_> =
        read_partner(&store).await.value.secrets.into_iter().map(|it| it.secret_id).collect();
    assert_eq!(secrets, [id("at-30"), id("at20")]);
}

pub(super) async fn the_last_secret_can_be_revoked(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let before = read_partner(&store).await.version;
    let dropped = store
        .revoke_secret(&caller.application_id, &caller.secret_id, &import_audit_context())
        .await
        .unwrap();
    assert_eq!(dropped, Ok(()));
    assert!(!store.read_access(&caller, None).await.unwrap().secret_valid);
    let now = read_partner(&store).await;
    assert!(now.value.secrets.is_empty() && now.version > before);
    let again = store
        .revoke_secret(&caller.application_id, &caller.secret_id, &import_audit_context())
        .await
        .unwrap();
    assert_eq!(again, Err(ApplicationRefusal::UnknownSecret));
    let nobody =
        store.revoke_secret(&id("nobody"), &caller.secret_id, &import_audit_context()).await.unwrap();
    assert_eq!(nobody, Err(ApplicationRefusal::UnknownApplication));
}

pub(super) async fn rejects_duplicate_names_and_keys(store: Arc<dyn Store>) {
    create_application(&store, "partner").await;
    let fresh = NewApplication {
        settings: ApplicationSettings {
            rate_limit_per_minute: Some(7),
            webhook_scopes: [Scope::ReadWebhooks].into_iter().collect(),
            ..application_settings("another")
        },
        ..new_application("another")
    };
    let same_name = NewApplication { settings: application_settings("partner"), ..fresh.clone() };
    let same_key = NewApplication { client_id: "key-of-partner".to_owned(), ..fresh.clone() };
    let same_id = NewApplication { application_id: id("partner"), ..fresh.clone() };
    for duplicate in [same_name, same_key, same_id] {
        let refused = store.create_application(&duplicate, &import_audit_context()).await.unwrap();
        assert_eq!(refused, Err(ApplicationRefusal::Taken));
    }
    let version = store.create_application(&fresh, &import_audit_context()).await.unwrap().unwrap();
    let stored = store.application(&id("another")).await.unwrap();
    assert_eq!(stored, Some(Versioned { value: fresh.to_application(), version }));
    let granted =
        store.find_credentials("key-of-another", &SecretHash([1; 32])).await.unwrap().unwrap().granted_scopes;
    assert_eq!(granted, fresh.settings.webhook_scopes);
}

pub(super) async fn rejects_a_change_of_an_application_with_a_stale_version(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let access = store.read_access(&caller, None).await.unwrap().version;
    let first = read_partner(&store).await;
    let new_settings = ApplicationSettings {
        correlation_ids_last_for_the_pay_period: true,
        rate_limit_per_minute: Some(9),
        ..application_settings("renamed")
    };
    let change = async |settings: &ApplicationSettings, version| {
        store
            .change_application(&caller.application_id, settings, version, &import_audit_context())
            .await
            .unwrap()
    };
    let version = change(&new_settings, Some(first.version)).await.unwrap();
    assert!(version > first.version);
    assert_eq!(read_partner(&store).await.value.settings, new_settings);
    assert!(store.read_access(&caller, None).await.unwrap().version > access);
    assert_eq!(
        change(&application_settings("late"), Some(first.version)).await,
        Err(ApplicationRefusal::Stale)
    );
    assert_eq!(change(&new_settings, Some(version)).await, Ok(version), "what is the same is not written");
    create_application(&store, "other").await;
    assert_eq!(change(&application_settings("other"), None).await, Err(ApplicationRefusal::Taken));
    let nobody =
        store.change_application(&id("nobody"), &new_settings, None, &import_audit_context()).await.unwrap();
    assert_eq!(nobody, Err(ApplicationRefusal::UnknownApplication));
}

pub(super) async fn disabling_an_application_affects_the_next_access(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let disabled = ApplicationSettings { enabled: false, ..application_settings("partner") };
    store
        .change_application(&caller.application_id, &disabled, None, &import_audit_context())
        .await
        .unwrap()
        .unwrap();
    assert!(!store.read_access(&caller, None).await.unwrap().application_enabled);
    assert!(!store.find_credentials("key-of-partner", &SecretHash([1; 32])).await.unwrap().unwrap().enabled);
}

pub(super) async fn deleted_application_leaves_no_data_and_frees_its_name(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let version = read_partner(&store).await.version;
    let delete = async |version| {
        store.delete_application(&caller.application_id, version, &import_audit_context()).await.unwrap()
    };
    assert_eq!(delete(Some(version + 1)).await, Err(ApplicationRefusal::Stale));
    assert_eq!(delete(Some(version)).await, Ok(()));
    assert_eq!(delete(None).await, Err(ApplicationRefusal::UnknownApplication));
    assert!(!store.read_access(&caller, None).await.unwrap().application_enabled);
    assert!(store.find_credentials("key-of-partner", &SecretHash([1; 32])).await.unwrap().is_none());
    assert!(store.grants(&caller.application_id, Window::default()).await.unwrap().is_none());

    store.create_application(&new_application("partner"), &import_audit_context()).await.unwrap().unwrap();
    assert!(store.find_grant(&caller.application_id, &id("acme")).await.unwrap().is_none());
    assert!(!store.read_access(&caller, None).await.unwrap().secret_valid, "the old token is dead");
}

pub(super) async fn many_applications_are_listed_in_the_order_of_their_creation(store: Arc<dyn Store>) {
    const APPLICATION_COUNT: u16 = 260;
    for number in 0..APPLICATION_COUNT {
        let mut new = new_application(&format!("app-{}", APPLICATION_COUNT - number));
        new.secret.created = NOW.plus_seconds(i64::from(number));
        store.create_application(&new, &import_audit_context()).await.unwrap().unwrap();
    }
    let names = async |window: Window| {
        let listing = store.applications(window).await.unwrap();
        assert_eq!(listing.total, u64::from(APPLICATION_COUNT));
        let all = listing.rows.into_vec().await.unwrap().into_iter().map(|it| it.value);
        all.map(|it| (it.settings.name, it.secrets.len())).collect::<Vec<_>>()
    };
    let all: Vec<_> =
        (0..APPLICATION_COUNT).map(|number| (format!("app-{}", APPLICATION_COUNT - number), 1)).collect();
    assert_eq!(names(Window::default()).await, all);
    let some = Window { offset: 3, limit: std::num::NonZeroU32::new(2) };
    assert_eq!(names(some).await, all.get(3..5).unwrap());
}

pub(super) async fn a_lost_idempotency_record_creates_no_application(store: Arc<dyn Store>) {
    let record = IdempotencyRecord {
        owner: "operator".to_owned(),
        key: "never begun".to_owned(),
        request_hash: [0; 32],
        attempt: "a".to_owned(),
    };
    let response =
        StoredResponse { status: 201, content_type: "application/json".to_owned(), body: Vec::new() };
    let response_record = Some(ResponseRecord { record, response, expires: NOW.plus_seconds(60) });
    let audit = AuditContext { response_record, ..import_audit_context() };
    let refused = store.create_application(&new_application("partner"), &audit).await.unwrap();
    assert_eq!(refused, Err(ApplicationRefusal::RecordLost));
    assert!(store.application(&id("partner")).await.unwrap().is_none());
}

pub(super) async fn the_scopes_of_an_application_include_its_grants(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let granted =
        store.find_credentials("key-of-partner", &SecretHash([1; 32])).await.unwrap().unwrap().granted_scopes;
    assert_eq!(granted, Scopes::all());
    assert_eq!(
        store.read_access(&caller, Some(&id("acme"))).await.unwrap().company.unwrap().granted_scopes,
        granted
    );
}
