//! The objects of an import on their way: compared, written, counted, and announced by events.

use std::collections::HashMap;

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_ports::import::ImportCounts;
use payroll_ports::resources::CompanyLock;
use payroll_ports::write::By;

use super::super::objects::{Change, Holders, Home, Kind, StoredObject, load, write};
use super::super::trail::{Audited, Trail};
use crate::error::{Failure, Outcome};

/// The import of a company in its transaction.
pub(super) struct Storing<'a> {
    pub(super) home: Home<'a>,
    /// Nothing of the company is stored yet.
    pub(super) is_new: bool,
    /// Who has locked the company keeps the importer out.
    is_locked: bool,
    by: &'a By,
    counts: ImportCounts,
    /// The place of the next new object in the order of creation.
    next_place: i64,
    trail: Trail<'a>,
}

/// Stored objects by their ids.
pub(super) type Stored<K> = HashMap<String, StoredObject<K>>;

impl<'a> Storing<'a> {
    pub(super) fn new(home: Home<'a>, by: &'a By, holders: Option<&Holders>) -> Self {
        let lock = holders.and_then(|holders| holders.lock(by.now));
        Self {
            home,
            is_new: holders.is_none(),
            is_locked: lock.is_some_and(|lock| !is_held_by(&lock, &by.actor)),
            by,
            counts: ImportCounts::default(),
            next_place: by.now.as_micros(),
            trail: Trail::new(by, home.sealer),
        }
    }

    /// Stores the objects of a list that are new or differ.
    pub(super) async fn objects<K: Kind>(&mut self, objects: &[K::Object]) -> Outcome<()> {
        let stored = self.stored::<K>(objects).await?;
        self.write(objects, &stored).await
    }

    /// What is stored of these objects.
    pub(super) async fn stored<K: Kind>(&self, objects: &[K::Object]) -> Outcome<Stored<K>> {
        if self.is_new || objects.is_empty() {
            return Ok(HashMap::new());
        }
        let ids: Vec<&str> = objects.iter().map(K::id).collect();
        let found = load::<K>(self.home, &ids).await?;
        Ok(found.into_iter().map(|found| (K::id(&found.object).to_owned(), found)).collect())
    }

    /// Writes those of the objects that are not stored as they are.
    pub(super) async fn write<K: Kind>(&mut self, objects: &[K::Object], stored: &Stored<K>) -> Outcome<()> {
        let settled: Vec<K::Object> = objects.iter().map(K::settled).collect();
        let mut changes = Vec::new();
        for object in &settled {
            match stored.get(K::id(object)) {
                None => changes.push(Change::Create(object, self.place())),
                Some(found) if found.differs(object) => changes.push(Change::Replace(found, object)),
                Some(_) => self.counts.unchanged += 1,
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.may_change()?;
        changes.iter().for_each(|change| self.note(change));
        write(self.home, &changes, self.by.now).await
    }

    /// Whether anything may be written: a company that another actor has locked stays as it is.
    pub(super) const fn may_change(&self) -> Outcome<()> {
        if self.is_locked { Err(Failure::Locked) } else { Ok(()) }
    }

    /// When what is stored is changed.
    pub(super) const fn now(&self) -> Timestamp {
        self.by.now
    }

    /// Counts what is no object of a [`Kind`].
    pub(super) fn count(&mut self, more: ImportCounts) {
        self.counts.created += more.created;
        self.counts.changed += more.changed;
        self.counts.unchanged += more.unchanged;
    }

    /// The company itself has changed together with its object: one object all the same.
    pub(super) fn count_company_changed(&mut self) {
        if self.counts.created + self.counts.changed == 0 && self.counts.unchanged > 0 {
            self.counts.unchanged -= 1;
            self.counts.changed += 1;
        }
    }

    /// Notes a change of what is no object of a [`Kind`].
    pub(super) fn audit(&mut self, about: Audited<'_>, before: Option<String>, after: Option<String>) {
        self.trail.audit(about, before, after);
    }

    /// Stores the trail so far, so that it does not grow with the company.
    pub(super) async fn write_trail(&mut self) -> Outcome<()> {
        let next = Trail::new(self.by, self.home.sealer);
        std::mem::replace(&mut self.trail, next).write(self.home.conn).await
    }

    /// Stores the rest of the trail. Whether the company is new, and what became of its objects.
    pub(super) async fn end(self) -> Outcome<(bool, ImportCounts)> {
        self.trail.write(self.home.conn).await?;
        Ok((self.is_new, self.counts))
    }

    fn place(&mut self) -> i64 {
        let place = self.next_place;
        self.next_place = place.saturating_add(1);
        place
    }

    /// Counts a change and notes its rows of the trail and its events.
    fn note<K: Kind>(&mut self, change: &Change<'_, K>) {
        let wrapped = |object: &K::Object| K::wrap(object.clone());
        let (before, after) = (change.before().map(wrapped), change.after().map(wrapped));
        match change {
            Change::Create(..) => self.counts.created += 1,
            Change::Replace(..) | Change::Delete(_) => self.counts.changed += 1,
        }
        let company_id = self.home.company_id;
        self.trail.object(company_id, before.as_ref(), after.as_ref());
        self.trail.events(company_id, before.as_ref(), after.as_ref());
    }
}

/// An operator is not kept out by the lock that they hold; a period in processing has no holder.
fn is_held_by(lock: &CompanyLock, actor: &Actor) -> bool {
    match lock {
        CompanyLock::Operator(lock) => actor.kind == ActorKind::Operator && actor.name == lock.holder,
        CompanyLock::Processing(_) => false,
    }
}
