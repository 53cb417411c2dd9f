//! Hooks of applications with their encrypted credentials.

mod read;
mod write;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::{Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};
use payroll_ports::StoreError;
use payroll_ports::hooks::{HookRefusal, HookStore, HookWithQueue, NewHook, RegistrationFacts};
use payroll_ports::write::AuditContext;

use self::write::RefusalResult;
use super::Store;
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};

pub(super) use write::{record_hook_change, remove_hooks_of_application};

#[async_trait]
impl HookStore for Store {
    async fn hooks_of_caller(&self, caller: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError> {
        Ok(run_on_connection!(self.read, |conn, caller| read::read_hooks_of_caller(conn, &caller))?)
    }

    async fn hook_of_caller(
        &self,
        caller: &Caller,
        hook_id: &HookId,
    ) -> Result<Guarded<Option<Hook>>, StoreError> {
        Ok(run_on_connection!(self.read_by_key, |conn, caller, hook_id| read::read_hook_of_caller(
            conn, &caller, &hook_id
        ))?)
    }

    async fn hook_registration_data(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Guarded<RegistrationFacts>, StoreError> {
        let company_id = company_id.cloned();
        Ok(run_on_connection!(self.read, |conn, caller| read::read_hook_registration_data(
            conn,
            &caller,
            company_id.as_ref()
        ))?)
    }

    async fn hooks(&self, application_id: Option<&ApplicationId>) -> Result<Vec<HookWithQueue>, StoreError> {
        let application_id = application_id.cloned();
        Ok(run_on_connection!(self.read, |conn| read::read_hooks_with_queues(conn, application_id.as_ref()))?)
    }

    async fn hook(&self, key: &HookKey) -> Result<Option<HookWithQueue>, StoreError> {
        Ok(run_on_connection!(self.read, |conn, key| read::read_hook_with_queue(conn, &key))?)
    }

    async fn add_hook(
        &self,
        new: &NewHook,
        max_hooks: u32,
        audit: &AuditContext,
    ) -> Result<Result<(), HookRefusal>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, new, audit, sealer| write::add_hook(
            conn,
            (&new, max_hooks),
            &audit,
            &sealer
        )))
    }

    async fn change_hook(
        &self,
        key: &HookKey,
        change: &HookChange,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<Result<Hook, HookRefusal>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, key, change, audit, sealer| write::change_hook(
            conn,
            (&key, &change, version),
            &audit,
            &sealer
        )))
    }

    async fn remove_hook(
        &self,
        key: &HookKey,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<Result<(), HookRefusal>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, key, audit, sealer| {
            write::remove_hook(conn, (&key, version), &audit, &sealer)
        }))
    }

    async fn set_hook_active(
        &self,
        key: &HookKey,
        active: bool,
        audit: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        let sealer = &self.sealer;
        unknown_hook_to_none(to_port_result(run_on_connection!(self.write, |conn, key, audit, sealer| {
            write::set_hook_active(conn, (&key, active), &audit, &sealer)
        }))?)
    }

    async fn rotate_signing_secret(
        &self,
        key: &HookKey,
        secret: SigningSecret,
        old_expires_at: Timestamp,
        audit: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        let sealer = &self.sealer;
        unknown_hook_to_none(to_port_result(run_on_connection!(self.write, |conn, key, audit, sealer| {
            write::rotate_signing_secret(conn, (&key, &secret, old_expires_at), &audit, &sealer)
        }))?)
    }
}

/// Converts two failures that the caller can handle to a refusal: a violated unique constraint, and a lost
/// idempotency record.
fn to_port_result<T>(outcome: Outcome<RefusalResult<T>>) -> Result<RefusalResult<T>, StoreError> {
    match outcome {
        Err(Failure::Taken(_)) => Ok(Err(HookRefusal::Taken)),
        Err(Failure::RecordLost) => Ok(Err(HookRefusal::RecordLost)),
        other => Ok(other?),
    }
}

/// Converts the result of a change that can only be rejected because the hook does not exist. This rejection
/// becomes `None`.
fn unknown_hook_to_none<T>(changed: RefusalResult<T>) -> Result<Option<T>, StoreError> {
    match changed {
        Ok(changed) => Ok(Some(changed)),
        Err(HookRefusal::UnknownHook) => Ok(None),
        // These changes add no hook and store no response, so no other rejection is possible.
        Err(refusal) => Err(Failure::Bug(format!("a change of a hook was refused: {refusal:?}")).into()),
    }
}
