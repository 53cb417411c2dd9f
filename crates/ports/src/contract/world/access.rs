//! Applications of the test data, and their permissions.

use std::sync::Arc;

use payroll_domain::access::{Caller, Scopes};

use super::{NOW, company, id, import_audit_context, import_company};
use crate::Store;
use crate::applications::{
    ApplicationSettings, ExpectedGrant, GrantChange, GrantUpdate, NewApplication, NewSecret, SecretHash,
    SecretValue,
};

/// Returns the settings of an enabled application that has no scopes itself.
#[must_use]
pub fn application_settings(name: &str) -> ApplicationSettings {
    ApplicationSettings {
        name: name.to_owned(),
        enabled: true,
        correlation_ids_last_for_the_pay_period: false,
        rate_limit_per_minute: None,
        webhook_scopes: Scopes::NONE,
    }
}

/// Creates an application without grants. Returns a caller whose token has every scope.
pub async fn create_application(store: &Arc<dyn Store>, name: &str) -> Caller {
    let secret = NewSecret {
        secret_id: id(&format!("{name}-s1")),
        value: SecretValue::Hash(SecretHash([1; 32])),
        created: NOW,
    };
    let new = NewApplication {
        application_id: id(name),
        client_id: format!("key-of-{name}"),
        settings: application_settings(name),
        secret,
    };
    store.create_application(&new, &import_audit_context()).await.unwrap().unwrap();
    Caller {
        application_id: id(name),
        secret_id: id(&format!("{name}-s1")),
        scopes: Scopes::all(),
        expires: NOW.plus_seconds(3_600),
    }
}

/// Creates a company with payroll. Returns a caller with every scope for it.
pub async fn create_company_and_caller(store: &Arc<dyn Store>) -> Caller {
    import_company(store, &company("acme")).await;
    let caller = create_application(store, "partner").await;
    grant_scopes(store, &caller, "acme", Scopes::all()).await;
    caller
}

/// Sets the caller's scopes for the company.
pub async fn grant_scopes(store: &Arc<dyn Store>, caller: &Caller, company_id: &str, scopes: Scopes) {
    store
        .update_grant(&grant_update(caller, company_id, GrantChange::Set(scopes)), &import_audit_context())
        .await
        .unwrap()
        .unwrap();
}

/// Returns a change of the caller's scopes for a company. The change is accepted regardless of the previous
/// grant.
#[must_use]
pub fn grant_update(caller: &Caller, company_id: &str, change: GrantChange) -> GrantUpdate {
    GrantUpdate {
        application_id: caller.application_id.clone(),
        company_id: id(company_id),
        change,
        expected: ExpectedGrant::Anything,
    }
}
