//! Writes one object in a transaction that locks its company, reads, validates and writes.
//!
//! The lock on the company's row serializes its writers. Data that is read after it cannot change before the
//! commit, except in other companies (see `references`). On PostgreSQL a change takes two round trips: one to
//! begin, lock and read, and one to write and commit. References, names and the tree are only checked if the
//! change touches them.

use std::sync::Arc;

use futures_util::join;
use payroll_domain::access::Scopes;
use payroll_domain::audit::ActorKind;
use payroll_domain::id::CompanyId;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{CompanyLock, Edit, Refusal, Versioned, Write, Written};
use payroll_ports::write::By;

use super::super::objects::{self, Change, CompanyLockMode, Holders, Home, Kind, StoredObject, of_kind};
use super::super::trail::Trail;
use super::super::{Conn, Store, dialect, findable, idempotency};
use super::{fitting, references, uniqueness};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, query};
use crate::seal::Sealer;

impl Store {
    pub(super) async fn write_object(
        &self,
        company_id: &CompanyId,
        write: &Write,
        by: &By,
    ) -> Outcome<Written> {
        let (kind, write) = match write.clone() {
            Write::Delete(kind, id, version) => (kind, Write::Delete(kind, findable(&id), version)),
            Write::Create(object) => (object.kind(), Write::Create(object)),
            Write::Replace(object, version) => (object.kind(), Write::Replace(object, version)),
        };
        let sealer = Arc::clone(&self.sealer);
        let writing = Writing { company_id: company_id.clone(), write, by: by.clone(), sealer };
        let written = self.db.write(move |conn| {
            Box::pin(async move { or_undone(of_kind!(kind, K => writing.carry_out::<K>(conn).await)) })
        });
        as_written(written.await)
    }

    pub(super) async fn edit_object(
        &self,
        company_id: &CompanyId,
        (kind, id): (ResourceKind, &str),
        edit: Edit,
        by: &By,
    ) -> Result<Written, Failure> {
        let sealer = Arc::clone(&self.sealer);
        let editing =
            Editing { company_id: company_id.clone(), id: findable(id), edit, by: by.clone(), sealer };
        let written = self.db.write(move |conn| {
            Box::pin(async move { or_undone(of_kind!(kind, K => editing.carry_out::<K>(conn).await)) })
        });
        as_written(written.await)
    }
}

/// Turns a rejected write into a failure, which rolls the transaction back.
pub(super) fn or_undone(written: Outcome<Written>) -> Outcome<Written> {
    match written? {
        Written::Refused(why) => Err(Failure::NotWritten(Box::new(why))),
        stored => Ok(stored),
    }
}

/// The result of the write, from the outcome of its transaction.
pub(super) fn as_written(outcome: Outcome<Written>) -> Outcome<Written> {
    match outcome {
        Err(Failure::NotWritten(why)) => Ok(Written::Refused(*why)),
        Err(Failure::Unchanged(version)) => Ok(Written::Stored(version)),
        Err(Failure::MarkLost) => Ok(Written::Refused(Refusal::MarkLost)),
        // A write in another company has used the id since the check.
        Err(Failure::Taken(name)) => {
            Ok(Written::Refused(Refusal::Taken(format!("an id or a name is in use already ({name})"))))
        }
        other => other,
    }
}

/// The context of an edit of one object.
struct Editing {
    company_id: CompanyId,
    id: String,
    edit: Edit,
    by: By,
    sealer: Arc<Sealer>,
}

impl Editing {
    async fn carry_out<K: Kind>(self, conn: &Conn) -> Outcome<Written> {
        let Self { company_id, id, edit, by, sealer } = self;
        // Most edits change the object, so the lock also increases the company's version. Otherwise the
        // transaction is rolled back.
        let tightly = if K::KIND == ResourceKind::Company {
            CompanyLockMode::ToWrite
        } else {
            CompanyLockMode::Raising
        };
        let home = Home { conn, company_id: company_id.as_str(), sealer: &sealer };
        let ids = [id.as_str()];
        let (held, granted, found) = join!(
            objects::hold(conn, home.company_id, tightly),
            is_granted(conn, home.company_id, &by),
            objects::load::<K>(home, &ids)
        );
        let (Some(held), granted, Some(found)) = (held?, granted?, found?.pop()) else {
            return Ok(Written::Refused(Refusal::Unknown));
        };
        if !granted {
            return Ok(Written::Refused(Refusal::NotGranted));
        }
        let version = found.version();
        let stored = Versioned { value: K::wrap(found.object.clone()), version };
        let Some(edited) = edit(stored).await else { return Ok(Written::Refused(Refusal::Declined)) };
        let write = Write::Replace(edited.object, Some(version));
        let by = By { kept: edited.kept, ..by };
        let writing = Writing { company_id: company_id.clone(), write, by, sealer: Arc::clone(&sealer) };
        let (wanted_id, wanted) = writing.wanted::<K>()?;
        if wanted_id != id {
            return Err(Failure::Bug("an edit makes another object".to_owned()));
        }
        writing.judge::<K>(home, (Some(held), Some(found)), wanted, tightly).await
    }
}

/// The context of one write.
struct Writing {
    company_id: CompanyId,
    write: Write,
    by: By,
    sealer: Arc<Sealer>,
}

/// Whether the application still has the scope that its write requires. The grant is locked until the
/// transaction ends, so that no write commits after its grant was revoked.
pub(in super::super) async fn is_granted(conn: &Conn, company_id: &str, by: &By) -> Outcome<bool> {
    const GRANT: &str = concat!(
        "SELECT scopes FROM grants WHERE application_id = $1 AND company_id = $2",
        dialect::lock_rows!("FOR SHARE")
    );
    let Some(scope) = by.scope else { return Ok(true) };
    let row: Option<(String,)> = conn.row(query!(GRANT, binds![by.actor.name.as_str(), company_id])).await?;
    let scopes = row.and_then(|(scopes,)| Scopes::parse(&scopes).ok()).unwrap_or(Scopes::NONE);
    Ok(scopes.contains(scope))
}

/// An object of any kind before and after its change.
pub(super) struct ObjectStates {
    pub(super) before: Option<Resource>,
    pub(super) after: Option<Resource>,
}

impl Writing {
    async fn carry_out<K: Kind>(&self, conn: &Conn) -> Outcome<Written> {
        let home = Home { conn, company_id: self.company_id.as_str(), sealer: &self.sealer };
        let (id, wanted) = self.wanted::<K>()?;
        let is_deleted_company = K::KIND == ResourceKind::Company && wanted.is_none();
        let tightly = if is_deleted_company { CompanyLockMode::ToDelete } else { CompanyLockMode::ToWrite };
        let ids = [id];
        let (held, granted, found) = join!(
            objects::hold(conn, home.company_id, tightly),
            is_granted(conn, home.company_id, &self.by),
            objects::load::<K>(home, &ids)
        );
        let (held, granted, found) = (held?, granted?, found?.pop());
        if !granted {
            return Ok(Written::Refused(Refusal::NotGranted));
        }
        self.judge::<K>(home, (held, found), wanted, tightly).await
    }

    /// Validates the write with the stored data, and executes it.
    async fn judge<K: Kind>(
        &self,
        home: Home<'_>,
        (held, found): (Option<Holders>, Option<StoredObject<K>>),
        wanted: Option<K::Object>,
        tightly: CompanyLockMode,
    ) -> Outcome<Written> {
        if let Some(refusal) = self.refusal(held.as_ref(), found.as_ref()) {
            return Ok(Written::Refused(refusal));
        }
        let change = match (found.as_ref(), wanted.as_ref()) {
            (Some(found), Some(wanted)) if !found.differs(wanted) => {
                if self.by.dry_run || (tightly == CompanyLockMode::Raising && self.by.kept.is_none()) {
                    return Err(Failure::Unchanged(found.version()));
                }
                idempotency::keep(home.conn, self.by.kept.as_ref()).await?;
                return Ok(Written::Stored(found.version()));
            }
            (Some(found), Some(wanted)) => Change::Replace(found, wanted),
            (None, Some(wanted)) => Change::Create(wanted, self.by.now.as_micros()),
            (Some(found), None) => Change::Delete(found),
            (None, None) => return Ok(Written::Refused(Refusal::Unknown)),
        };
        let states = ObjectStates::of(&change);
        match self.obstacle(home, &states).await? {
            Some(refusal) => Ok(Written::Refused(refusal)),
            None if self.by.dry_run => {
                Err(Failure::Unchanged(found.as_ref().map_or(0, StoredObject::version)))
            }
            None => {
                let raised = raise_version(home, K::KIND, tightly);
                self.store_change(home, change, (&states, raised)).await
            }
        }
    }

    /// The reason against the change, if there is one.
    async fn obstacle(&self, home: Home<'_>, states: &ObjectStates) -> Outcome<Option<Refusal>> {
        let found = obstacle(home, states).await?;
        if found.is_some() || self.by.actor.kind != ActorKind::Application {
            return Ok(found);
        }
        let supervised = fitting::supervised(home, states.before.as_ref(), states.after.as_ref()).await?;
        Ok(supervised.map(|misfit| Refusal::Unfit(vec![misfit])))
    }

    /// The id of the object, and its form after storing. `None` for a deletion.
    fn wanted<K: Kind>(&self) -> Outcome<(&str, Option<K::Object>)> {
        let object = match &self.write {
            Write::Delete(_, id, _) => return Ok((id, None)),
            Write::Create(object) | Write::Replace(object, _) => object,
        };
        let of_this_kind = K::unwrap(object).map(|object| (K::id(object), Some(K::settled(object))));
        of_this_kind.ok_or_else(|| Failure::Bug("an object is of another kind than it says".to_owned()))
    }

    /// The reason to reject the write regardless of its content, if there is one.
    fn refusal<K: Kind>(&self, held: Option<&Holders>, found: Option<&StoredObject<K>>) -> Option<Refusal> {
        let creates = matches!(self.write, Write::Create(_));
        let Some(held) = held else {
            return (!creates || K::KIND != ResourceKind::Company).then_some(Refusal::UnknownCompany);
        };
        if !creates && found.is_none() {
            return Some(Refusal::Unknown);
        }
        if let Some(lock) = lock_against(K::KIND, held, &self.by) {
            return Some(Refusal::Locked(lock));
        }
        let found = found?;
        let version = match &self.write {
            Write::Create(_) => {
                return Some(Refusal::Taken(format!("there is a {} with that id already", K::KIND)));
            }
            Write::Replace(_, version) | Write::Delete(_, _, version) => *version,
        };
        version.is_some_and(|version| version != found.version()).then_some(Refusal::Stale)
    }

    async fn store_change<K: Kind>(
        &self,
        home: Home<'_>,
        change: Change<'_, K>,
        (states, raised): (&ObjectStates, impl Future<Output = Outcome<()>> + Send),
    ) -> Outcome<Written> {
        let version = match &change {
            Change::Create(_, created) => *created,
            Change::Replace(found, _) | Change::Delete(found) => found.version() + 1,
        };
        let changes = [change];
        // The statements are sent together. Their order matters: after a rejected statement, all further ones
        // fail too, and their errors do not contain the reason.
        let writes = async {
            let (written, raised, kept, noted) = join!(
                objects::write(home, &changes, self.by.now),
                raised,
                idempotency::keep(home.conn, self.by.kept.as_ref()),
                self.trail(states).write(home.conn),
            );
            written?;
            raised?;
            kept?;
            noted?;
            Ok(Written::Stored(version))
        };
        // A lost idempotency record only shows in the response and rolls the write back, so the commit is not
        // pipelined.
        if self.by.kept.is_some() { writes.await } else { home.conn.and_commit(writes).await }
    }

    fn trail(&self, states: &ObjectStates) -> Trail<'_> {
        let mut trail = Trail::new(&self.by, &self.sealer);
        let (before, after) = (states.before.as_ref(), states.after.as_ref());
        trail.object(self.company_id.as_str(), before, after);
        trail.events(self.company_id.as_str(), before, after);
        trail
    }
}

/// The lock that prevents the actor from writing objects of that kind. Locks concern pay: only the holder may
/// change workers, pay components and pay periods.
pub(in super::super) fn lock_against(kind: ResourceKind, held: &Holders, by: &By) -> Option<CompanyLock> {
    let is_own =
        |lock: &CompanyLock| matches!(lock, CompanyLock::Operator(lock) if lock.holder == by.actor.name);
    let about_pay =
        matches!(kind, ResourceKind::Worker | ResourceKind::PayComponent | ResourceKind::PayPeriod);
    held.lock(by.now).filter(|lock| about_pay && !is_own(lock))
}

/// The first obstacle in the company or on the server, if there is one.
pub(super) async fn obstacle(home: Home<'_>, states: &ObjectStates) -> Outcome<Option<Refusal>> {
    if let Some(sentence) = states.forbidden_move() {
        return Ok(Some(Refusal::NotAllowed(sentence)));
    }
    let Some(after) = &states.after else {
        let Some(before) = &states.before else { return Ok(None) };
        let referrers = references::referrers(home, before.kind(), before.id()).await?;
        return Ok((!referrers.is_empty()).then_some(Refusal::Referenced(referrers)));
    };
    let missing = references::missing(home, states.before.as_ref(), after).await?;
    if !missing.is_empty() {
        return Ok(Some(Refusal::Missing(missing)));
    }
    let misfits = fitting::misfits(home, states.before.as_ref(), after).await?;
    if !misfits.is_empty() {
        return Ok(Some(Refusal::Unfit(misfits)));
    }
    if let Some(sentence) = fitting::values_that_would_not_fit(home, states.before.as_ref(), after).await? {
        return Ok(Some(Refusal::Referenced(vec![sentence])));
    }
    if let Some(before) = &states.before
        && let Some(sentence) = references::circle(home, before, after).await?
    {
        return Ok(Some(Refusal::NotAllowed(sentence)));
    }
    let taken = uniqueness::taken(home, states.before.as_ref(), after).await?;
    Ok(taken.map(Refusal::Taken))
}

/// Increases the version of the company's lists, unless the lock on the company has already done so. A
/// company's own row increases its version itself.
async fn raise_version(home: Home<'_>, kind: ResourceKind, held: CompanyLockMode) -> Outcome<()> {
    let done = kind == ResourceKind::Company || held == CompanyLockMode::Raising;
    if done { Ok(()) } else { objects::raise_version(home).await }
}

impl ObjectStates {
    pub(super) fn of<K: Kind>(change: &Change<'_, K>) -> Self {
        let wrapped = |object: &K::Object| K::wrap(object.clone());
        Self { before: change.before().map(wrapped), after: change.after().map(wrapped) }
    }

    /// The reason against a change of a pay period (specification §8.1). `None` for other objects.
    fn forbidden_move(&self) -> Option<String> {
        let (before, after) = (period(self.before.as_ref()), period(self.after.as_ref()));
        if let Some(before) = before.filter(|period| !period.status.is_open()) {
            let (id, status) = (&before.pay_period_id, before.status);
            return Some(format!("pay period {id} is {status}; only an open one is written or deleted"));
        }
        let status = after?.status;
        if !status.is_open() {
            return Some(format!("a pay period does not become {status} by being written"));
        }
        let back = before.is_some_and(|before| before.status != status && !before.status.may_become(status));
        back.then(|| format!("a pay period does not go back to {status}"))
    }
}

fn period(object: Option<&Resource>) -> Option<&PayPeriod> {
    match object {
        Some(Resource::PayPeriod(period)) => Some(period),
        _ => None,
    }
}
