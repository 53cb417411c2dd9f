//! Reads, sets and releases the operator's lock of a company.

use std::sync::Arc;

use futures_util::join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::CompanyId;
use payroll_ports::resources::{CompanyLock, LockOutcome};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::objects;
use super::super::objects::{CompanyContext, CompanyLockMode};
use super::super::{Conn, Store, idempotency};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;
use crate::statement::{binds, command};

impl Store {
    pub(super) async fn read_active_lock(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Outcome<Option<Option<CompanyLock>>> {
        Ok(run_on_connection!(self.query_once, |conn, company_id| objects::read_lock_holders(
            conn,
            company_id.as_str()
        ))?
        .map(|held| held.active_lock(now)))
    }

    /// Sets the lock, or releases it if `lock` is `None`.
    pub(super) async fn set_lock(
        &self,
        company_id: &CompanyId,
        lock: Option<&Lock>,
        audit: &AuditContext,
    ) -> Outcome<LockOutcome> {
        let setting = LockChange {
            company_id: company_id.clone(),
            lock: lock.cloned(),
            audit: audit.clone(),
            sealer: Arc::clone(&self.sealer),
        };
        match self.db.write(move |conn| Box::pin(async move { setting.execute(conn).await })).await {
            Err(Failure::RecordLost) => Ok(LockOutcome::RecordLost),
            other => other,
        }
    }
}

/// The input of a transaction that sets or releases a company's lock.
struct LockChange {
    company_id: CompanyId,
    lock: Option<Lock>,
    audit: AuditContext,
    sealer: Arc<Sealer>,
}

impl LockChange {
    async fn execute(&self, conn: &Conn) -> Outcome<LockOutcome> {
        let context = CompanyContext { conn, company_id: self.company_id.as_str(), sealer: &self.sealer };
        let Some(lock_holders) =
            objects::lock_company(conn, context.company_id, CompanyLockMode::ToWrite).await?
        else {
            return Ok(LockOutcome::UnknownCompany);
        };
        let before = lock_holders.operator_lock(self.audit.now).cloned();
        if self.lock.is_some() || before.is_none() {
            match lock_holders.active_lock(self.audit.now) {
                Some(lock) => return Ok(LockOutcome::Held(lock)),
                None if self.lock.is_none() => return Ok(LockOutcome::NotLocked),
                None => {}
            }
        }
        let (stored, response_stored, noted) = join!(
            self.store_lock(context),
            idempotency::store_response(conn, self.audit.response_record.as_ref()),
            self.create_audit_log(before.as_ref()).store_records(conn),
        );
        stored?;
        response_stored?;
        noted?;
        Ok(LockOutcome::Done)
    }

    async fn store_lock(&self, context: CompanyContext<'_>) -> Outcome<()> {
        const UPDATE_LOCK: &str = "UPDATE companies SET lock_holder = $1, lock_reason = $2, lock_expires = $3 \
            WHERE company_id = $4";
        let lock = self.lock.as_ref();
        let values = binds![
            lock.map(|lock| lock.holder.as_str()),
            lock.and_then(|lock| lock.reason.as_deref()),
            lock.and_then(|lock| lock.expires).map(Timestamp::as_micros),
            context.company_id,
        ];
        context.conn.execute(command!(UPDATE_LOCK, values)).await?;
        Ok(())
    }

    fn create_audit_log(&self, before: Option<&Lock>) -> AuditLog<'_> {
        let company_id = self.company_id.as_str();
        let about = AuditedObject { company_id: Some(company_id), kind: AuditedKind::Lock, id: company_id };
        let mut audit_log = AuditLog::new(&self.audit, &self.sealer);
        audit_log.record_change(
            about,
            before.map(document::write_lock),
            self.lock.as_ref().map(document::write_lock),
        );
        audit_log
    }
}
