//! Writes one object in a transaction that locks its company, reads, validates and writes.
//!
//! The lock on the company's row serializes the writers of the company. Data that is read under the lock
//! cannot change before the commit, except in other companies (see `references`). On PostgreSQL a change
//! takes two round trips: one to begin, lock and read, and one to write and commit. References, unique names
//! and cycles of parents are only validated if the change affects them.

mod grants;

use std::sync::Arc;

use futures_util::join;
use payroll_domain::audit::ActorKind;
use payroll_domain::id::CompanyId;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{
    CompanyLock, EditFunction, ObjectWrite, Versioned, WriteOutcome, WriteRefusal,
};
use payroll_ports::write::AuditContext;

use super::super::audit_log::AuditLog;
use super::super::objects::{
    self, CompanyContext, CompanyLockMode, LockHolders, ObjectChange, ObjectKind, StoredObject,
    with_object_kind,
};
use super::super::{Conn, Store, idempotency, remove_nul};
use super::{definitions, references, uniqueness};
use crate::error::{Failure, Outcome, unique_violation_message};
use crate::seal::Sealer;
pub(in super::super) use grants::is_write_granted;

impl Store {
    pub(super) async fn write_object(
        &self,
        company_id: &CompanyId,
        write: &ObjectWrite,
        audit: &AuditContext,
    ) -> Outcome<WriteOutcome> {
        let (kind, write) = match write.clone() {
            ObjectWrite::Delete(kind, id, version) => {
                (kind, ObjectWrite::Delete(kind, remove_nul(&id), version))
            }
            ObjectWrite::Create(object) => (object.kind(), ObjectWrite::Create(object)),
            ObjectWrite::Replace(object, version) => (object.kind(), ObjectWrite::Replace(object, version)),
        };
        let (company_id, audit, sealer) = (company_id.clone(), audit.clone(), Arc::clone(&self.sealer));
        let writing = WriteTransaction { company_id, write, audit, sealer };
        let written = self.db.write(move |conn| {
            Box::pin(async move {
                rejection_to_failure(with_object_kind!(kind, K => writing.execute::<K>(conn).await))
            })
        });
        to_write_outcome(written.await)
    }

    pub(super) async fn edit_object(
        &self,
        company_id: &CompanyId,
        (kind, id): (ResourceKind, &str),
        edit: EditFunction,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, Failure> {
        let (company_id, id, audit) = (company_id.clone(), remove_nul(id), audit.clone());
        let editing = ObjectEdit { company_id, id, edit, audit, sealer: Arc::clone(&self.sealer) };
        let written = self.db.write(move |conn| {
            Box::pin(async move {
                rejection_to_failure(with_object_kind!(kind, K => editing.execute::<K>(conn).await))
            })
        });
        to_write_outcome(written.await)
    }
}

/// Turns a rejected write into a failure, which rolls the transaction back.
pub(super) fn rejection_to_failure(written: Outcome<WriteOutcome>) -> Outcome<WriteOutcome> {
    match written? {
        WriteOutcome::Refused(why) => Err(Failure::NotWritten(Box::new(why))),
        stored => Ok(stored),
    }
}

/// Converts the outcome of the transaction to the result of the write.
pub(super) fn to_write_outcome(outcome: Outcome<WriteOutcome>) -> Outcome<WriteOutcome> {
    match outcome {
        Err(Failure::NotWritten(why)) => Ok(WriteOutcome::Refused(*why)),
        Err(Failure::Unchanged(version)) => Ok(WriteOutcome::Stored(version)),
        Err(Failure::RecordLost) => Ok(WriteOutcome::Refused(WriteRefusal::RecordLost)),
        // A write in another company has used the id after this transaction had looked up the id.
        Err(Failure::Taken(name)) => {
            Ok(WriteOutcome::Refused(WriteRefusal::Taken(unique_violation_message(&name).to_owned())))
        }
        other => other,
    }
}

/// The input of a transaction that edits one object.
struct ObjectEdit {
    company_id: CompanyId,
    id: String,
    edit: EditFunction,
    audit: AuditContext,
    sealer: Arc<Sealer>,
}

impl ObjectEdit {
    async fn execute<K: ObjectKind>(self, conn: &Conn) -> Outcome<WriteOutcome> {
        let Self { company_id, id, edit, audit, sealer } = self;
        // Most edits change the object, so the statement that locks the company also increases its version.
        // If an edit changes nothing, the transaction is rolled back, unless it stores a response for an
        // idempotency key.
        let lock_mode = if K::KIND == ResourceKind::Company {
            CompanyLockMode::ToWrite
        } else {
            CompanyLockMode::IncrementVersion
        };
        let context = CompanyContext { conn, company_id: company_id.as_str(), sealer: &sealer };
        let ids = [id.as_str()];
        let (lock_holders, granted, found) = join!(
            objects::lock_company(conn, context.company_id, lock_mode),
            is_write_granted(conn, context.company_id, &audit),
            objects::load_objects::<K>(context, &ids)
        );
        let (Some(lock_holders), granted, Some(found)) = (lock_holders?, granted?, found?.pop()) else {
            return Ok(WriteOutcome::Refused(WriteRefusal::Unknown));
        };
        if !granted {
            return Ok(WriteOutcome::Refused(WriteRefusal::NotGranted));
        }
        let version = found.version();
        let stored = Versioned { value: K::into_resource(found.object.clone()), version };
        let Some(edited) = edit(stored).await else {
            return Ok(WriteOutcome::Refused(WriteRefusal::Declined));
        };
        let write = ObjectWrite::Replace(edited.object, Some(version));
        let audit = AuditContext { response_record: edited.response_record, ..audit };
        let writing =
            WriteTransaction { company_id: company_id.clone(), write, audit, sealer: Arc::clone(&sealer) };
        let (edited_id, object) = writing.id_and_object::<K>()?;
        if edited_id != id {
            return Err(Failure::Bug("an edit makes another object".to_owned()));
        }
        writing.validate_and_store::<K>(context, (Some(lock_holders), Some(found)), object, lock_mode).await
    }
}

/// The input of a transaction that writes one object.
struct WriteTransaction {
    company_id: CompanyId,
    write: ObjectWrite,
    audit: AuditContext,
    sealer: Arc<Sealer>,
}

/// An object of any kind before and after its change.
pub(super) struct ObjectStates {
    pub(super) before: Option<Resource>,
    pub(super) after: Option<Resource>,
}

impl WriteTransaction {
    async fn execute<K: ObjectKind>(&self, conn: &Conn) -> Outcome<WriteOutcome> {
        let context = CompanyContext { conn, company_id: self.company_id.as_str(), sealer: &self.sealer };
        let (id, new_object) = self.id_and_object::<K>()?;
        let is_deleted_company = K::KIND == ResourceKind::Company && new_object.is_none();
        let lock_mode = if is_deleted_company { CompanyLockMode::ToDelete } else { CompanyLockMode::ToWrite };
        let ids = [id];
        let (lock_holders, granted, found) = join!(
            objects::lock_company(conn, context.company_id, lock_mode),
            is_write_granted(conn, context.company_id, &self.audit),
            objects::load_objects::<K>(context, &ids)
        );
        let (lock_holders, granted, found) = (lock_holders?, granted?, found?.pop());
        if !granted {
            return Ok(WriteOutcome::Refused(WriteRefusal::NotGranted));
        }
        self.validate_and_store::<K>(context, (lock_holders, found), new_object, lock_mode).await
    }

    /// Validates the write with the stored data, and executes the write if it is valid.
    async fn validate_and_store<K: ObjectKind>(
        &self,
        context: CompanyContext<'_>,
        (lock_holders, found): (Option<LockHolders>, Option<StoredObject<K>>),
        after: Option<K::Object>,
        lock_mode: CompanyLockMode,
    ) -> Outcome<WriteOutcome> {
        if let Some(refusal) = self.find_early_refusal(lock_holders.as_ref(), found.as_ref()) {
            return Ok(WriteOutcome::Refused(refusal));
        }
        let change = match (found.as_ref(), after.as_ref()) {
            (Some(found), Some(new_object)) if !found.differs_from(new_object) => {
                if self.audit.dry_run
                    || (lock_mode == CompanyLockMode::IncrementVersion
                        && self.audit.response_record.is_none())
                {
                    return Err(Failure::Unchanged(found.version()));
                }
                idempotency::store_response(context.conn, self.audit.response_record.as_ref()).await?;
                return Ok(WriteOutcome::Stored(found.version()));
            }
            (Some(found), Some(new_object)) => ObjectChange::Replace(found, new_object),
            (None, Some(new_object)) => ObjectChange::Create(new_object, self.audit.now.as_micros()),
            (Some(found), None) => ObjectChange::Delete(found),
            (None, None) => return Ok(WriteOutcome::Refused(WriteRefusal::Unknown)),
        };
        let states = ObjectStates::from_change(&change);
        match self.find_refusal(context, &states).await? {
            Some(refusal) => Ok(WriteOutcome::Refused(refusal)),
            None if self.audit.dry_run => {
                Err(Failure::Unchanged(found.as_ref().map_or(0, StoredObject::version)))
            }
            None => {
                let raised = increment_version(context, K::KIND, lock_mode);
                self.store_change(context, change, (&states, raised)).await
            }
        }
    }

    /// Returns the reason to reject the change. `None` if the change is allowed.
    async fn find_refusal(
        &self,
        context: CompanyContext<'_>,
        states: &ObjectStates,
    ) -> Outcome<Option<WriteRefusal>> {
        let refusal = find_refusal(context, states).await?;
        if refusal.is_some() || self.audit.actor.kind != ActorKind::Application {
            return Ok(refusal);
        }
        let (before, after) = (states.before.as_ref(), states.after.as_ref());
        let mismatch = definitions::find_supervisor_mismatch(context, before, after).await?;
        Ok(mismatch.map(|it| WriteRefusal::Unfit(vec![it])))
    }

    /// Returns the id of the object and its normalized form. The normalized form is `None` for a deletion.
    fn id_and_object<K: ObjectKind>(&self) -> Outcome<(&str, Option<K::Object>)> {
        let object = match &self.write {
            ObjectWrite::Delete(_, id, _) => return Ok((id, None)),
            ObjectWrite::Create(object) | ObjectWrite::Replace(object, _) => object,
        };
        let of_this_kind =
            K::from_resource(object).map(|object| (K::id(object), Some(K::normalized(object))));
        of_this_kind.ok_or_else(|| Failure::Bug("an object is of another kind than it says".to_owned()))
    }

    /// Returns a reason to reject the write that does not depend on its content. `None` if there is none.
    fn find_early_refusal<K: ObjectKind>(
        &self,
        lock_holders: Option<&LockHolders>,
        found: Option<&StoredObject<K>>,
    ) -> Option<WriteRefusal> {
        let creates = matches!(self.write, ObjectWrite::Create(_));
        let Some(held) = lock_holders else {
            return (!creates || K::KIND != ResourceKind::Company).then_some(WriteRefusal::UnknownCompany);
        };
        if !creates && found.is_none() {
            return Some(WriteRefusal::Unknown);
        }
        if let Some(lock) = find_blocking_lock(K::KIND, held, &self.audit) {
            return Some(WriteRefusal::Locked(lock));
        }
        let found = found?;
        let version = match &self.write {
            ObjectWrite::Create(_) => {
                return Some(WriteRefusal::Taken(format!("there is already a {} with this id", K::KIND)));
            }
            ObjectWrite::Replace(_, version) | ObjectWrite::Delete(_, _, version) => *version,
        };
        version.is_some_and(|version| version != found.version()).then_some(WriteRefusal::Stale)
    }

    async fn store_change<K: ObjectKind>(
        &self,
        context: CompanyContext<'_>,
        change: ObjectChange<'_, K>,
        (states, version_update): (&ObjectStates, impl Future<Output = Outcome<()>> + Send),
    ) -> Outcome<WriteOutcome> {
        let version = match &change {
            ObjectChange::Create(_, created) => *created,
            ObjectChange::Replace(found, _) | ObjectChange::Delete(found) => found.version() + 1,
        };
        let (changes, record) = ([change], self.audit.response_record.as_ref());
        // The statements are sent together, and their outcomes are read in this order. After a failed
        // statement, all later ones fail too, and only the first error contains the reason.
        let writes = async {
            let (written, raised, response_stored, noted) = join!(
                objects::write_changes(context, &changes, self.audit.now),
                version_update,
                idempotency::store_response(context.conn, record),
                self.create_audit_log(states).store_records(context.conn),
            );
            written?;
            raised?;
            response_stored?;
            noted?;
            Ok(WriteOutcome::Stored(version))
        };
        // A lost idempotency record must roll the write back. The loss is only known from the result of a
        // statement, so the commit is not sent together with the write.
        if record.is_some() { writes.await } else { context.conn.run_and_commit(writes).await }
    }

    fn create_audit_log(&self, states: &ObjectStates) -> AuditLog<'_> {
        let mut audit_log = AuditLog::new(&self.audit, &self.sealer);
        let (before, after) = (states.before.as_ref(), states.after.as_ref());
        audit_log.record_object_change(self.company_id.as_str(), before, after);
        audit_log.record_events(self.company_id.as_str(), before, after);
        audit_log
    }
}

/// Returns the lock that prevents the actor from writing objects of that kind. Locks protect only pay data.
pub(in super::super) fn find_blocking_lock(
    kind: ResourceKind,
    lock_holders: &LockHolders,
    audit: &AuditContext,
) -> Option<CompanyLock> {
    let is_own =
        |lock: &CompanyLock| matches!(lock, CompanyLock::Operator(lock) if lock.holder == audit.actor.name);
    let about_pay =
        [ResourceKind::Worker, ResourceKind::PayComponent, ResourceKind::PayPeriod].contains(&kind);
    lock_holders.active_lock(audit.now).filter(|lock| about_pay && !is_own(lock))
}

/// Returns the first reason in the stored data to reject the change. `None` if the change is allowed.
pub(super) async fn find_refusal(
    context: CompanyContext<'_>,
    states: &ObjectStates,
) -> Outcome<Option<WriteRefusal>> {
    if let Some(sentence) = states.find_forbidden_status_change() {
        return Ok(Some(WriteRefusal::NotAllowed(sentence)));
    }
    let Some(after) = &states.after else {
        let Some(before) = &states.before else { return Ok(None) };
        let referrers = references::find_referrers(context, before.kind(), before.id()).await?;
        return Ok((!referrers.is_empty()).then_some(WriteRefusal::Referenced(referrers)));
    };
    let before = states.before.as_ref();
    let missing = references::find_missing_references(context, before, after).await?;
    if !missing.is_empty() {
        return Ok(Some(WriteRefusal::Missing(missing)));
    }
    let mismatches = definitions::find_definition_mismatches(context, before, after).await?;
    if !mismatches.is_empty() {
        return Ok(Some(WriteRefusal::Unfit(mismatches)));
    }
    if let Some(sentence) = definitions::find_incompatible_values(context, before, after).await? {
        return Ok(Some(WriteRefusal::Referenced(vec![sentence])));
    }
    if let Some(before) = before
        && let Some(sentence) = references::find_cycle(context, before, after).await?
    {
        return Ok(Some(WriteRefusal::NotAllowed(sentence)));
    }
    let duplicate = uniqueness::find_duplicate(context, before, after).await?;
    Ok(duplicate.map(WriteRefusal::Taken))
}

/// Increases the version of the company's lists, unless the lock on the company has already done so. A write
/// of the company's own row increases the version anyway.
async fn increment_version(
    context: CompanyContext<'_>,
    kind: ResourceKind,
    mode: CompanyLockMode,
) -> Outcome<()> {
    let done = kind == ResourceKind::Company || mode == CompanyLockMode::IncrementVersion;
    if done { Ok(()) } else { objects::increment_company_version(context).await }
}

impl ObjectStates {
    pub(super) fn from_change<K: ObjectKind>(change: &ObjectChange<'_, K>) -> Self {
        let wrapped = |object: &K::Object| K::into_resource(object.clone());
        Self { before: change.before().map(wrapped), after: change.after().map(wrapped) }
    }

    /// Returns the reason to reject a change of a pay period (specification §8.1). `None` for other objects.
    fn find_forbidden_status_change(&self) -> Option<String> {
        let (before, after) = (as_pay_period(self.before.as_ref()), as_pay_period(self.after.as_ref()));
        if let Some(before) = before.filter(|period| !period.status.is_open()) {
            let (id, status) = (&before.pay_period_id, before.status);
            return Some(format!("pay period {id} is {status}; only open periods can be changed or deleted"));
        }
        let status = after?.status;
        if !status.is_open() {
            return Some(format!(
                "a pay period cannot be changed to {status} directly: use the commands \
                process, complete and reopen"
            ));
        }
        let back = before.is_some_and(|before| before.status != status && !before.status.may_become(status));
        back.then(|| format!("the status of a pay period cannot go back to {status}"))
    }
}

fn as_pay_period(object: Option<&Resource>) -> Option<&PayPeriod> {
    match object {
        Some(Resource::PayPeriod(period)) => Some(period),
        _ => None,
    }
}
