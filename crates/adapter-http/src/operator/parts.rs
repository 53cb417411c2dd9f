//! Pay rates and recurring components (specification §10.7): parts of a worker that have paths of
//! their own.
//!
//! A part is changed by changing its worker: the worker is read, changed in memory and written, so
//! that there is one way to write a worker, with one version, one row in the trail and the same
//! events. The tag of a part is its worker's.

mod part;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIds};
use payroll_domain::id::kind::Reference;
use payroll_domain::input::{self, Node};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violation;
use payroll_ports::Listing;
use payroll_ports::Rows;
use payroll_ports::resources::{Missing, Refusal, Versioned, Write, Written};

use super::answer::{self, Creation};
use super::call::OperatorCall;
use super::precondition::IfMatch;
use super::resources::{self, Place};
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::Lease;
use crate::shared::limits::MAX_JUDGEMENTS;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use tree::Edit;

pub(super) use part::Part;

/// The pay rates of a worker.
pub(super) const PAY_RATES: Part = Part { member: "payRates", id_member: "rateId" };
/// The recurring components of a worker.
pub(super) const RECURRING_COMPONENTS: Part =
    Part { member: "recurringComponents", id_member: "workerComponentId" };

/// GET of a list.
pub(super) async fn list(call: OperatorCall, part: Part) -> Handled {
    call.answers_json()?;
    let place = Place::of(&call, ResourceKind::Worker)?;
    let page = place.after_finding(&call, call.page()).await?;
    let found = place.read(&call).await?;
    let text = document::write(&found.value, call.tax_ids());
    let all = tree::elements(&text, part.member)?;
    let window = page.window(false);
    let limit = window.limit.map_or(usize::MAX, |limit| limit.get() as usize);
    let rows = all.iter().skip(window.offset as usize).take(limit).map(|element| (*element).to_owned());
    let listing =
        Listing { total: all.len() as u64, version: found.version, rows: Rows::All(rows.collect()) };
    answer::collection(&call, page, listing, String::clone)
}

/// GET of one element.
pub(super) async fn one(call: OperatorCall, part: Part) -> Handled {
    call.answers_json()?;
    let id = part.id_in(&call)?;
    let found = Place::of(&call, ResourceKind::Worker)?.read(&call).await?;
    let text = document::write(&found.value, call.tax_ids());
    let content = tree::element(&text, part, &id)?.ok_or(Reason::UnknownResource)?;
    answer::one(&call, found.version, content.to_owned())
}

/// POST to a list.
pub(super) async fn create(mut call: OperatorCall, part: Part) -> Handled {
    call.takes(&[JSON])?;
    let place = Place::of(&call, ResourceKind::Worker)?;
    let body = call.body().await;
    let body = place.after_finding(&call, body).await?;
    let changing = Changing { call: &call, place: &place, part, if_match: &IfMatch::Any };
    call.once(&body, async |lease| changing.add(&body, lease).await).await
}

/// PUT of one element.
pub(super) async fn replace(mut call: OperatorCall, part: Part) -> Handled {
    call.takes(&[JSON])?;
    change(&mut call, part, |id, sent| Edit::Replace(id, sent)).await
}

/// PATCH of one element.
pub(super) async fn patch(mut call: OperatorCall, part: Part) -> Handled {
    call.takes(&[MERGE_PATCH, JSON])?;
    change(&mut call, part, |id, sent| Edit::Merge(id, sent)).await
}

/// DELETE of one element.
pub(super) async fn delete(call: OperatorCall, part: Part) -> Handled {
    call.answers_json()?;
    let (id, place) = (part.id_in(&call)?, Place::of(&call, ResourceKind::Worker)?);
    let if_match = IfMatch::read(call.incoming.headers());
    let if_match = place.after_finding(&call, if_match).await?;
    let changing = Changing { call: &call, place: &place, part, if_match: &if_match };
    changing.to_the_end(&Bytes::from_static(b"null"), (id, |id, _| Edit::Remove(id))).await?;
    Ok(answer::nothing())
}

/// Makes a change of the id of an element and what was sent.
type MakeEdit = for<'n> fn(&'n str, Node<'n>) -> Edit<'n>;

/// Changes the element that the path names.
async fn change(call: &mut OperatorCall, part: Part, edit: MakeEdit) -> Handled {
    let (id, place) = (part.id_in(call)?, Place::of(call, ResourceKind::Worker)?);
    let judged = resources::change(call).await;
    let (if_match, body) = place.after_finding(call, judged).await?;
    let changing = Changing { call, place: &place, part, if_match: &if_match };
    let changed = changing.to_the_end(&body, (id.clone(), edit)).await?;
    let text = document::write(&changed.value, call.tax_ids());
    let content = tree::element(&text, part, &id)?.ok_or(Reason::UnknownResource)?;
    answer::changed(call, changed.version, content)
}

impl Part {
    /// The id of the element in the path.
    fn id_in(self, call: &OperatorCall) -> Result<String, Failure> {
        Ok(call.id::<Reference>(self.id_member)?.to_string())
    }

    /// A fault of the worker's document, with its place in the body that was sent.
    fn in_the_body(self, mut fault: Violation, index: usize) -> Violation {
        fault.pointer = fault.pointer.as_deref().and_then(|pointer| self.pointer(pointer, index));
        fault
    }

    /// A place in the worker's document as a place in the body; `None` for one outside of it.
    fn pointer(self, pointer: &str, index: usize) -> Option<String> {
        let place = format!("/{}/{index}", self.member);
        let rest = pointer.strip_prefix(&place)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    }
}

/// A change of a part of a worker.
struct Changing<'a> {
    call: &'a OperatorCall,
    place: &'a Place,
    part: Part,
    if_match: &'a IfMatch,
}

/// A worker with a change that is not stored yet, and the place of the changed element.
struct Changed {
    before: Box<Versioned<Resource>>,
    worker: Resource,
    index: usize,
}

impl Changing<'_> {
    /// Changes the worker and stores it, again where somebody else was faster.
    async fn to_the_end(
        &self,
        body: &Bytes,
        (id, edit): (String, MakeEdit),
    ) -> Result<Versioned<Resource>, Failure> {
        for _ in 0..MAX_JUDGEMENTS {
            let changed = self.changed(body, (id.clone(), edit)).await?;
            let write = Write::Change(changed.before, changed.worker.clone());
            let written = resources::store(self.call, &self.place.company_id, write).await?;
            if let Some(version) = self.settled(written, changed.index)? {
                return Ok(Versioned { value: changed.worker, version });
            }
        }
        Err(resources::crowded())
    }

    /// Adds an element to the list.
    async fn add(&self, body: &Bytes, lease: &Arc<Lease>) -> Handled {
        for _ in 0..MAX_JUDGEMENTS {
            let changed = self.changed(body, (String::new(), |_, sent| Edit::Add(sent))).await?;
            let text = document::write(&changed.worker, TaxIds::Masked);
            let content = tree::elements(&text, self.part.member)?.get(changed.index).copied();
            let content = content.ok_or_else(|| Failure::Bug("what was added is not there".into()))?;
            let creation = Creation::new(self.call, &tree::id_of(content, self.part)?, content, content)?;
            let write = Write::Change(changed.before, changed.worker);
            let kept = (lease, lease.kept(creation.kept()));
            let written = resources::store_keeping(self.call, &self.place.company_id, write, kept).await?;
            if let Some(version) = self.settled(written, changed.index)? {
                return creation.send(version);
            }
        }
        Err(resources::crowded())
    }

    /// The worker as it is stored, changed.
    async fn changed(&self, body: &Bytes, (id, edit): (String, MakeEdit)) -> Result<Changed, Failure> {
        let stored = self.place.read(self.call).await?;
        if !self.if_match.admits(stored.version) {
            return Err(Reason::PreconditionFailed.into());
        }
        let (part, mut ids) = (self.part, self.call.new_ids());
        let change = move |sent: Node<'_>| {
            let text = document::write(&stored.value, TaxIds::Whole);
            let worker = input::parse(text.as_bytes()).map_err(|error| Failure::Bug(error.into()))?;
            let (worker, index) = tree::edited(worker, part, edit(&id, sent))?;
            let worker = resources::read(&mut ids, ResourceKind::Worker, worker);
            let worker = worker
                .map_err(|failure| failure.with_changed_faults(|fault| part.in_the_body(fault, index)))?;
            Ok::<_, Failure>(Changed { before: Box::new(stored), worker, index })
        };
        self.call.incoming.read_document(body, change).await
    }

    /// The version that is stored; `None`: somebody else was faster, try again.
    fn settled(&self, written: Written, index: usize) -> Result<Option<i64>, Failure> {
        match written {
            Written::Refused(Refusal::Stale) if *self.if_match == IfMatch::Any => Ok(None),
            Written::Refused(Refusal::Missing(missing)) => {
                let moved = missing.into_iter().map(|it| Missing {
                    pointer: self.part.pointer(&it.pointer, index).unwrap_or_default(),
                    ..it
                });
                resources::stored(self.call, Written::Refused(Refusal::Missing(moved.collect()))).map(Some)
            }
            written => resources::stored(self.call, written).map(Some),
        }
    }
}
