//! Stores the objects of an import: compares, writes and counts the objects, and creates events for them.

use std::collections::HashMap;

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_ports::import::ImportCounts;
use payroll_ports::resources::CompanyLock;
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::objects::{
    CompanyContext, LockHolders, ObjectChange, ObjectKind, StoredObject, load_objects, write_changes,
};
use crate::error::{Failure, Outcome};

/// The import of a company in its transaction.
pub(super) struct CompanyImport<'a> {
    pub(super) context: CompanyContext<'a>,
    /// Whether the company is not stored yet.
    pub(super) is_new: bool,
    /// Whether the company is locked by an actor other than the importer.
    is_locked: bool,
    audit: &'a AuditContext,
    counts: ImportCounts,
    /// The position of the next new object in the order of creation.
    next_list_position: i64,
    audit_log: AuditLog<'a>,
}

/// Stored objects by their ids.
pub(super) type StoredById<K> = HashMap<String, StoredObject<K>>;

impl<'a> CompanyImport<'a> {
    pub(super) fn new(
        context: CompanyContext<'a>,
        audit: &'a AuditContext,
        holders: Option<&LockHolders>,
    ) -> Self {
        let lock = holders.and_then(|holders| holders.active_lock(audit.now));
        Self {
            context,
            is_new: holders.is_none(),
            is_locked: lock.is_some_and(|lock| !is_locked_by(&lock, &audit.actor)),
            audit,
            counts: ImportCounts::default(),
            next_list_position: audit.now.as_micros(),
            audit_log: AuditLog::new(audit, context.sealer),
        }
    }

    /// Stores the new and the changed objects of a list.
    pub(super) async fn import_objects<K: ObjectKind>(&mut self, objects: &[K::Object]) -> Outcome<()> {
        let stored = self.read_stored_objects::<K>(objects).await?;
        self.write_objects(objects, &stored).await
    }

    /// Reads the stored objects that have the same ids.
    pub(super) async fn read_stored_objects<K: ObjectKind>(
        &self,
        objects: &[K::Object],
    ) -> Outcome<StoredById<K>> {
        if self.is_new || objects.is_empty() {
            return Ok(HashMap::new());
        }
        let ids: Vec<&str> = objects.iter().map(K::id).collect();
        let found = load_objects::<K>(self.context, &ids).await?;
        Ok(found.into_iter().map(|found| (K::id(&found.object).to_owned(), found)).collect())
    }

    /// Writes the objects that differ from the stored ones.
    pub(super) async fn write_objects<K: ObjectKind>(
        &mut self,
        objects: &[K::Object],
        stored: &StoredById<K>,
    ) -> Outcome<()> {
        let settled: Vec<K::Object> = objects.iter().map(K::normalized).collect();
        let mut changes = Vec::new();
        for object in &settled {
            match stored.get(K::id(object)) {
                None => changes.push(ObjectChange::Create(object, self.next_position())),
                Some(found) if found.differs_from(object) => {
                    changes.push(ObjectChange::Replace(found, object))
                }
                Some(_) => self.counts.unchanged += 1,
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.require_changeable()?;
        changes.iter().for_each(|change| self.audit_change(change));
        write_changes(self.context, &changes, self.audit.now).await
    }

    /// Fails if another actor has locked the company.
    pub(super) const fn require_changeable(&self) -> Outcome<()> {
        if self.is_locked { Err(Failure::Locked) } else { Ok(()) }
    }

    /// Returns the instant of all changes of this import.
    pub(super) const fn import_time(&self) -> Timestamp {
        self.audit.now
    }

    /// Counts changes of data that does not belong to an [`ObjectKind`].
    pub(super) fn add_counts(&mut self, more: ImportCounts) {
        self.counts.created += more.created;
        self.counts.changed += more.changed;
        self.counts.unchanged += more.unchanged;
    }

    /// Counts a change of the company's own data. In the counts of the import, the company is one object.
    /// This object moves from the unchanged to the changed objects.
    pub(super) fn count_company_change(&mut self) {
        if self.counts.created + self.counts.changed == 0 && self.counts.unchanged > 0 {
            self.counts.unchanged -= 1;
            self.counts.changed += 1;
        }
    }

    /// Records a change of data that does not belong to an [`ObjectKind`].
    pub(super) fn record_change(
        &mut self,
        object: AuditedObject<'_>,
        before: Option<String>,
        after: Option<String>,
    ) {
        self.audit_log.record_change(object, before, after);
    }

    /// Stores the audit rows that were collected so far, so that memory does not grow with the company.
    pub(super) async fn flush_audit_log(&mut self) -> Outcome<()> {
        let next = AuditLog::new(self.audit, self.context.sealer);
        std::mem::replace(&mut self.audit_log, next).store_records(self.context.conn).await
    }

    /// Returns whether the import creates the company.
    pub(super) const fn is_new_company(&self) -> bool {
        self.is_new
    }

    /// Stores the remaining audit rows and returns the counts of the objects.
    pub(super) async fn finish_import(self) -> Outcome<ImportCounts> {
        self.audit_log.store_records(self.context.conn).await?;
        Ok(self.counts)
    }

    fn next_position(&mut self) -> i64 {
        let position = self.next_list_position;
        self.next_list_position = position.saturating_add(1);
        position
    }

    /// Counts a change and records its audit rows and events.
    fn audit_change<K: ObjectKind>(&mut self, change: &ObjectChange<'_, K>) {
        let wrapped = |object: &K::Object| K::into_resource(object.clone());
        let (before, after) = (change.before().map(wrapped), change.after().map(wrapped));
        match change {
            ObjectChange::Create(..) => self.counts.created += 1,
            ObjectChange::Replace(..) | ObjectChange::Delete(_) => self.counts.changed += 1,
        }
        let company_id = self.context.company_id;
        self.audit_log.record_object_change(company_id, before.as_ref(), after.as_ref());
        self.audit_log.record_events(company_id, before.as_ref(), after.as_ref());
    }
}

/// Returns whether this actor holds the lock and may therefore write. If a period in processing locks the
/// company, no actor holds the lock.
fn is_locked_by(lock: &CompanyLock, actor: &Actor) -> bool {
    match lock {
        CompanyLock::Operator(lock) => actor.kind == ActorKind::Operator && actor.name == lock.holder,
        CompanyLock::Processing(_) => false,
    }
}
