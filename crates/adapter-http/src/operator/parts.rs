//! Pay rates and recurring components (specification §10.7): parts of a worker that have paths of
//! their own.
//!
//! A part is changed by changing its worker, in the transaction that reads the worker, so that there is one way to write a worker, with one version, one row in the trail and the same
//! events. The tag of a part is its worker's.

mod part;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violation;
use payroll_ports::Listing;
use payroll_ports::idempotency::KeptAnswer;
use payroll_ports::resources::{Edited, Missing, Refusal, Written};

use super::answer::{self, Creation};
use super::call::OperatorCall;
use super::precondition::IfMatch;
use super::resources::{self, Place};
use crate::shared::edit::ChangeRequest;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
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
    let all = part.elements(&found.value);
    let all = all.into_iter().map(|(_, content)| content).collect();
    let listing = Listing::of(all, found.version, page.window(false));
    answer::collection(&call, page, listing, String::clone)
}

/// GET of one element.
pub(super) async fn one(call: OperatorCall, part: Part) -> Handled {
    call.answers_json()?;
    let id = part.id_in(&call)?;
    let found = Place::of(&call, ResourceKind::Worker)?.read(&call).await?;
    let content = part.element(&found.value, &id).ok_or(Reason::UnknownResource)?;
    answer::one(&call, found.version, content)
}

/// POST to a list.
pub(super) async fn create(mut call: OperatorCall, part: Part) -> Handled {
    call.takes(&[JSON])?;
    let place = Place::of(&call, ResourceKind::Worker)?;
    let body = call.body().await;
    let body = place.after_finding(&call, body).await?;
    let address = answer::address(&call);
    call.once(&body, async |lease| {
        let keeping = Arc::clone(lease);
        let answer = move |worker: &Resource, index: usize| {
            let added = part.elements(worker).into_iter().nth(index);
            let (id, content) = added.ok_or_else(|| Failure::Bug("what was added is not there".into()))?;
            let creation = Creation::below(&address, &id, &content, &content)?;
            Ok((keeping.kept(creation.kept()), creation))
        };
        let request = place.change(&call, IfMatch::Any, body.clone());
        let edit: (String, MakeEdit) = (String::new(), |_, sent| Edit::Add(sent));
        let (version, creation) = changed(&call, request, lease, (part, edit), answer).await?;
        creation.send(version)
    })
    .await
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
    let request = place.change(&call, if_match, Bytes::from_static(b"null"));
    let lease = idempotency::without_key(&call.incoming);
    let edit: (String, MakeEdit) = (id, |id, _| Edit::Remove(id));
    changed(&call, request, &lease, (part, edit), |_, _| Ok((None, ()))).await?;
    Ok(answer::nothing())
}

/// Makes a change of the id of an element and what was sent.
type MakeEdit = for<'n> fn(&'n str, Node<'n>) -> Edit<'n>;

/// Changes the element that the path names.
async fn change(call: &mut OperatorCall, part: Part, edit: MakeEdit) -> Handled {
    let (id, place) = (part.id_in(call)?, Place::of(call, ResourceKind::Worker)?);
    let judged = resources::change(call).await;
    let (if_match, body) = place.after_finding(call, judged).await?;
    let (request, lease) = (place.change(call, if_match, body), idempotency::without_key(&call.incoming));
    let named = id.clone();
    let answer = move |worker: &Resource, _| {
        let content = part.element(worker, &named).ok_or(Reason::UnknownResource)?;
        Ok((None, content))
    };
    let (version, content) = changed(call, request, &lease, (part, (id, edit)), answer).await?;
    answer::changed(call, version, &content)
}

/// Changes a list of a worker in the transaction that reads the worker; `answer` makes of the worker and
/// the index of the changed element what is kept and what comes back.
async fn changed<T: Send + 'static>(
    call: &OperatorCall,
    request: ChangeRequest,
    lease: &Arc<Lease>,
    (part, (id, edit)): (Part, (String, MakeEdit)),
    answer: impl FnOnce(&Resource, usize) -> Result<(Option<KeptAnswer>, T), Failure> + Send + 'static,
) -> Result<(i64, T), Failure> {
    let mut ids = call.new_ids();
    let change = move |stored: Resource, sent: Node<'_>| {
        let (worker, index) = tree::edited(document::tree(&stored), part, edit(&id, sent))?;
        let object = resources::read(&mut ids, ResourceKind::Worker, worker)
            .map_err(|failure| failure.with_changed_faults(|fault| part.in_the_body(fault, index)))?;
        let (kept, said) = answer(&object, index)?;
        Ok((Edited { object, kept }, (index, said)))
    };
    let (written, (index, said)) = request.carry_out(&call.incoming, lease, change).await?;
    Ok((resources::stored(call, part.in_the_request(written, index))?, said))
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

    /// What became of a write, with the places of what is missing in the body that was sent.
    fn in_the_request(self, written: Written, index: usize) -> Written {
        let Written::Refused(Refusal::Missing(missing)) = written else { return written };
        let moved = missing
            .into_iter()
            .map(|it| Missing { pointer: self.pointer(&it.pointer, index).unwrap_or_default(), ..it });
        Written::Refused(Refusal::Missing(moved.collect()))
    }

    /// The elements of a worker's list, each with its id.
    fn elements(self, worker: &Resource) -> Vec<(String, String)> {
        document::write_elements(worker, self.member, self.id_member)
    }

    /// The element of that id.
    fn element(self, worker: &Resource, id: &str) -> Option<String> {
        self.elements(worker).into_iter().find_map(|(own, content)| (own == id).then_some(content))
    }

    /// A place in the worker's document as a place in the body; `None` for one outside of it.
    fn pointer(self, pointer: &str, index: usize) -> Option<String> {
        let place = format!("/{}/{index}", self.member);
        let rest = pointer.strip_prefix(&place)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    }
}
