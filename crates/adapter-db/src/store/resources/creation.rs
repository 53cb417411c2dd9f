//! Creates several objects of one kind in one transaction. Either all objects are created or none.

use std::sync::Arc;

use futures_util::join;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{WriteOutcome, WriteRefusal};
use payroll_ports::write::AuditContext;

use super::super::audit_log::AuditLog;
use super::super::objects;
use super::super::objects::{CompanyContext, CompanyLockMode, ObjectChange, ObjectKind, with_object_kind};
use super::super::{Conn, Store, idempotency};
use super::write::{
    ObjectStates, find_blocking_lock, find_refusal, is_write_granted, rejection_to_failure, to_write_outcome,
};
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;

impl Store {
    pub(super) async fn create_objects(
        &self,
        company_id: &CompanyId,
        objects: &[Resource],
        audit: &AuditContext,
    ) -> Outcome<WriteOutcome> {
        let Some(first) = objects.first() else {
            return Err(Failure::Bug("there is no object to create".to_owned()));
        };
        let (kind, sealer) = (first.kind(), Arc::clone(&self.sealer));
        let (company_id, objects, audit) = (company_id.clone(), objects.to_vec(), audit.clone());
        let creation = ObjectCreation { company_id, objects, audit, sealer };
        let written = self.db.write(move |conn| {
            Box::pin(async move {
                rejection_to_failure(with_object_kind!(kind, K => creation.execute::<K>(conn).await))
            })
        });
        to_write_outcome(written.await)
    }
}

/// The objects that one request creates in a company, and the context for storing the objects.
struct ObjectCreation {
    company_id: CompanyId,
    objects: Vec<Resource>,
    audit: AuditContext,
    sealer: Arc<Sealer>,
}

impl ObjectCreation {
    async fn execute<K: ObjectKind>(&self, conn: &Conn) -> Outcome<WriteOutcome> {
        let context = CompanyContext { conn, company_id: self.company_id.as_str(), sealer: &self.sealer };
        let ids: Vec<&str> = self.objects.iter().map(Resource::id).collect();
        let (lock_holders, granted, found) = join!(
            objects::lock_company(conn, context.company_id, CompanyLockMode::ToWrite),
            is_write_granted(conn, context.company_id, &self.audit),
            objects::load_objects::<K>(context, &ids)
        );
        let (lock_holders, granted, found) = (lock_holders?, granted?, found?);
        let Some(lock_holders) = lock_holders else {
            return Ok(WriteOutcome::Refused(WriteRefusal::UnknownCompany));
        };
        if !granted {
            return Ok(WriteOutcome::Refused(WriteRefusal::NotGranted));
        }
        if let Some(lock) = find_blocking_lock(K::KIND, &lock_holders, &self.audit) {
            return Ok(WriteOutcome::Refused(WriteRefusal::Locked(lock)));
        }
        if !found.is_empty() {
            return Ok(WriteOutcome::Refused(WriteRefusal::Taken(format!(
                "there is already a {} with this id",
                K::KIND
            ))));
        }
        let (mut states, mut refused) = (Vec::with_capacity(self.objects.len()), Vec::new());
        for (index, object) in self.objects.iter().enumerate() {
            match self.create_object::<K>(context, (index, object)).await? {
                Ok(created) => states.push(created),
                Err(refusal) => refused.push((index, refusal)),
            }
        }
        if !refused.is_empty() {
            return Ok(WriteOutcome::Refused(WriteRefusal::Several(refused)));
        }
        if self.audit.dry_run {
            return Err(Failure::Unchanged(0));
        }
        objects::increment_company_version(context).await?;
        idempotency::store_response(conn, self.audit.response_record.as_ref()).await?;
        self.create_audit_log(&states).store_records(conn).await?;
        Ok(WriteOutcome::Stored(self.audit.now.as_micros()))
    }

    /// Inserts one object immediately, so that the following objects of the request are also validated
    /// against this object.
    async fn create_object<K: ObjectKind>(
        &self,
        context: CompanyContext<'_>,
        (index, object): (usize, &Resource),
    ) -> Outcome<Result<ObjectStates, WriteRefusal>> {
        let Some(object) = K::from_resource(object).map(K::normalized) else {
            return Err(Failure::Bug("objects that are created together are of several kinds".to_owned()));
        };
        // The position follows the order of the request, because lists are in the order of creation.
        let position = i64::try_from(index).unwrap_or(i64::MAX);
        let change = ObjectChange::<K>::Create(&object, self.audit.now.as_micros().saturating_add(position));
        let states = ObjectStates::from_change(&change);
        if let Some(refusal) = find_refusal(context, &states).await? {
            return Ok(Err(refusal));
        }
        objects::write_changes(context, &[change], self.audit.now).await?;
        Ok(Ok(states))
    }

    fn create_audit_log(&self, created: &[ObjectStates]) -> AuditLog<'_> {
        let mut audit_log = AuditLog::new(&self.audit, &self.sealer);
        for states in created {
            let (before, after) = (states.before.as_ref(), states.after.as_ref());
            audit_log.record_object_change(self.company_id.as_str(), before, after);
            audit_log.record_events(self.company_id.as_str(), before, after);
        }
        audit_log
    }
}
