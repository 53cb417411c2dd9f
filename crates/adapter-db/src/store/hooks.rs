//! Hooks of applications, with their credentials sealed.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::{Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};
use payroll_ports::StoreError;
use payroll_ports::hooks::{HookRefusal, HookReport, HookStore, NewHook, Registration};
use payroll_ports::write::By;

use super::Store;
use crate::error::Failure;

fn not_built<T>() -> Result<T, StoreError> {
    Err(Failure::Bug("hooks are not stored yet".to_owned()).into())
}

#[async_trait]
impl HookStore for Store {
    async fn hooks_of(&self, _: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError> {
        not_built()
    }

    async fn hook_of(&self, _: &Caller, _: &HookId) -> Result<Guarded<Option<Hook>>, StoreError> {
        not_built()
    }

    async fn registration(
        &self,
        _: &Caller,
        _: Option<&CompanyId>,
    ) -> Result<Guarded<Registration>, StoreError> {
        not_built()
    }

    async fn hooks(&self, _: Option<&ApplicationId>) -> Result<Vec<HookReport>, StoreError> {
        not_built()
    }

    async fn hook(&self, _: &HookKey) -> Result<Option<HookReport>, StoreError> {
        not_built()
    }

    async fn add_hook(&self, _: &NewHook, _: u32, _: &By) -> Result<Result<(), HookRefusal>, StoreError> {
        not_built()
    }

    async fn change_hook(
        &self,
        _: &HookKey,
        _: &HookChange,
        _: Option<i64>,
        _: &By,
    ) -> Result<Result<Hook, HookRefusal>, StoreError> {
        not_built()
    }

    async fn remove_hook(&self, _: &HookKey, _: &By) -> Result<bool, StoreError> {
        not_built()
    }

    async fn set_hook_active(&self, _: &HookKey, _: bool, _: &By) -> Result<Option<Hook>, StoreError> {
        not_built()
    }

    async fn rotate_signing_secret(
        &self,
        _: &HookKey,
        _: SigningSecret,
        _: Timestamp,
        _: &By,
    ) -> Result<Option<Hook>, StoreError> {
        not_built()
    }
}
