//! Promises about applications.

use std::sync::Arc;

use payroll_domain::access::{Scope, Scopes};

use super::world::{NOW, application, company, id, import};
use crate::Store;
use crate::applications::{ApplicationRefusal, NewApplication, NewSecret, SecretHash};

pub(super) async fn credentials_are_those_of_the_newest_two_secrets(store: Arc<dyn Store>) {
    let caller = application(&store, "partner").await;
    for number in 2..=3_u8 {
        let secret = NewSecret {
            secret_id: id(&format!("partner-s{number}")),
            hash: SecretHash([number; 32]),
            created: NOW.plus_seconds(i64::from(number)),
        };
        store.add_secret(&caller.application_id, &secret).await.unwrap().unwrap();
    }
    let credentials = store.credentials("key-of-partner").await.unwrap().unwrap();
    let secrets: Vec<_> = credentials.secrets.iter().map(|(secret, _)| secret.as_str()).collect();
    assert_eq!(secrets, ["partner-s2", "partner-s3"]);
    assert!(!store.access(&caller, None).await.unwrap().secret_valid, "the first secret is gone");
    assert!(store.credentials("key-of-nobody").await.unwrap().is_none());
}

pub(super) async fn names_and_keys_are_taken_once(store: Arc<dyn Store>) {
    application(&store, "partner").await;
    let secret = NewSecret { secret_id: id("other"), hash: SecretHash([9; 32]), created: NOW };
    let again = NewApplication {
        application_id: id("another"),
        name: "partner".to_owned(),
        client_id: "another-key".to_owned(),
        correlation_ids_last_for_the_pay_period: true,
        rate_limit_per_minute: Some(7),
        secret,
    };
    assert_eq!(store.create_application(&again).await.unwrap(), Err(ApplicationRefusal::Taken));
    let same_key = NewApplication {
        name: "another".to_owned(),
        client_id: "key-of-partner".to_owned(),
        ..again.clone()
    };
    assert_eq!(store.create_application(&same_key).await.unwrap(), Err(ApplicationRefusal::Taken));
    let fresh = NewApplication { name: "another".to_owned(), ..again };
    assert_eq!(store.create_application(&fresh).await.unwrap(), Ok(()));
    let listed = store.applications().await.unwrap();
    let names: Vec<_> = listed.iter().map(|one| (one.name.as_str(), one.rate_limit_per_minute)).collect();
    assert_eq!(names, [("another", Some(7)), ("partner", None)]);
}

pub(super) async fn what_is_taken_away_shows_in_the_next_access(store: Arc<dyn Store>) {
    let caller = super::world::company_and_caller(&store).await;
    let acme = id("acme");
    let access = store.access(&caller, Some(&acme)).await.unwrap();
    assert!(access.application_enabled && access.secret_valid);
    assert_eq!(access.company.unwrap().granted, Scopes::all());

    store.grant(&caller.application_id, &acme, Scopes::NONE).await.unwrap().unwrap();
    let access = store.access(&caller, Some(&acme)).await.unwrap();
    assert!(access.company.unwrap().granted.is_empty());

    store.set_enabled(&caller.application_id, false).await.unwrap().unwrap();
    assert!(!store.access(&caller, None).await.unwrap().application_enabled);
    assert!(!store.credentials("key-of-partner").await.unwrap().unwrap().enabled);
}

pub(super) async fn a_grant_raises_the_access_version(store: Arc<dyn Store>) {
    let caller = application(&store, "partner").await;
    import(&store, &company("acme")).await;
    let before = store.access(&caller, None).await.unwrap().version;
    let scopes: Scopes = [Scope::ReadCompanies].into_iter().collect();
    store.grant(&caller.application_id, &id("acme"), scopes).await.unwrap().unwrap();
    assert!(store.access(&caller, None).await.unwrap().version > before);
    assert_eq!(store.credentials("key-of-partner").await.unwrap().unwrap().granted, scopes);
    let unknown_company = store.grant(&caller.application_id, &id("nowhere"), scopes).await.unwrap();
    assert_eq!(unknown_company, Err(ApplicationRefusal::UnknownCompany));
    let unknown_application = store.grant(&id("nobody"), &id("acme"), scopes).await.unwrap();
    assert_eq!(unknown_application, Err(ApplicationRefusal::UnknownApplication));
}
