//! Parts of workers that have paths of their own, such as pay rates (specification §10.7).
//!
//! A part is changed by changing its worker, in the transaction that reads the worker. So there is one way to
//! write a worker, with one version, one row in the audit log and the same events. The `ETag` of a part is
//! that of its worker.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::idempotency::KeptAnswer;
use payroll_ports::resources::{Edited, Missing, Refusal, Written};

use super::side::{ElementChange, Operation, Rules, Side};
use super::tree::{self, Edit};
use super::{ObjectKey, Part, read};
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;

/// GET of one element.
pub(crate) async fn one(mut side: impl Side, part: Part) -> Handled {
    side.begin(Operation::Read).await?;
    let key = side.worker().await?;
    let id = side.part_id(part).await?;
    let found = side.read(&key).await?;
    let content = element(&side.rules(), part, &found.value, &id)?;
    side.one(found.version, content)
}

/// POST to the list.
pub(crate) async fn create(mut side: impl Side, part: Part) -> Handled {
    side.begin(Operation::Create).await?;
    let key = side.worker().await?;
    let body = side.body().await;
    let body = side.after_finding(&key, body).await?;
    side.once(&body, async |lease| {
        let (keeping, rules) = (Arc::clone(lease), side.rules());
        let respond = move |worker: &Resource, index: usize| {
            let added = rules.elements(part, worker)?.into_iter().nth(index);
            let (id, content) = added.ok_or_else(|| Failure::Bug("the new element is missing".into()))?;
            let (kept, created) = rules.created(&id, &content)?;
            Ok((keeping.kept(&kept), created))
        };
        let change = Change { key, part, id: String::new(), operation: Operation::Create };
        let (version, created) =
            change.carry_out(&side, (IfMatch::Any, body.clone()), lease, respond).await?;
        side.created(version, created)
    })
    .await
}

/// PUT of one element.
pub(crate) async fn replace(side: impl Side, part: Part) -> Handled {
    change(side, part, Operation::Replace).await
}

/// PATCH of one element.
pub(crate) async fn patch(side: impl Side, part: Part) -> Handled {
    change(side, part, Operation::Patch).await
}

/// DELETE of one element.
pub(crate) async fn delete(mut side: impl Side, part: Part) -> Handled {
    side.begin(Operation::Delete).await?;
    let change = Change::of_path(&side, part, Operation::Delete).await?;
    let if_match = side.after_finding(&change.key, side.if_match()).await?;
    let (lease, rules) = (idempotency::without_key(side.incoming()), side.rules());
    let rest = move |worker: &Resource, _| {
        let rest = rules.elements(part, worker)?.into_iter().map(|(_, content)| content);
        Ok((None, rest.collect::<Vec<_>>()))
    };
    let nothing = Bytes::from_static(b"null");
    let (version, rest) = change.carry_out(&side, (if_match, nothing), &lease, rest).await?;
    side.deleted(version, &rest)
}

/// Changes the element in the path.
async fn change(mut side: impl Side, part: Part, operation: Operation) -> Handled {
    side.begin(operation).await?;
    let change = Change::of_path(&side, part, operation).await?;
    let sent = match side.if_match() {
        Ok(if_match) => side.body().await.map(|body| (if_match, body)),
        Err(failure) => Err(failure),
    };
    let sent = side.after_finding(&change.key, sent).await?;
    let (lease, rules, id) = (idempotency::without_key(side.incoming()), side.rules(), change.id.clone());
    let respond = move |worker: &Resource, _| Ok((None, element(&rules, part, worker, &id)?));
    let (version, content) = change.carry_out(&side, sent, &lease, respond).await?;
    side.changed(version, &content)
}

/// The element of that id, as the side shows it.
fn element(rules: &impl Rules, part: Part, worker: &Resource, id: &str) -> Result<String, Failure> {
    let found = rules.elements(part, worker)?.into_iter().find(|(own, _)| own == id);
    found.map(|(_, content)| content).ok_or_else(|| Reason::UnknownResource.into())
}

/// A change of a list of a worker.
struct Change {
    key: ObjectKey,
    part: Part,
    /// The id of the element; empty for a new one.
    id: String,
    operation: Operation,
}

impl Change {
    async fn of_path(side: &impl Side, part: Part, operation: Operation) -> Result<Self, Failure> {
        let key = side.worker().await?;
        Ok(Self { key, part, id: side.part_id(part).await?, operation })
    }

    /// Changes the list in the transaction that reads the worker. `respond` gets the worker and the index of
    /// the changed element, and returns what is kept under the idempotency key and what is returned.
    async fn carry_out<T: Send + 'static, S: Side>(
        self,
        side: &S,
        (if_match, body): (IfMatch, Bytes),
        lease: &Arc<Lease>,
        respond: impl FnOnce(&Resource, usize) -> Result<(Option<KeptAnswer>, T), Failure> + Send + 'static,
    ) -> Result<(i64, T), Failure> {
        let (mut ids, rules, part) = (side.new_ids(), side.rules(), self.part);
        let request = self.key.change(if_match, body, side.audit(None));
        let edit = move |stored: Resource, sent: Node<'_>| {
            let (document, index, faults) = self.edited(&rules, &stored, sent)?;
            let object = read(&mut ids, ResourceKind::Worker, document).map_err(|failure| {
                failure.with_changed_faults(|fault| rules.fault(part.in_the_body(fault, index)))
            });
            let object = without(faults, object)?;
            let (kept, response) = respond(&object, index)?;
            Ok((Edited { object, kept }, (index, response)))
        };
        let (written, (index, response)) = request.carry_out(side.incoming(), lease, edit).await?;
        match part.in_the_request(written, index) {
            Written::Stored(version) => Ok((version, response)),
            Written::Refused(why) => Err(refusal::failure(why, side.incoming().api.now())
                .with_changed_faults(|fault| side.rules().fault(fault))),
        }
    }

    /// The worker's document with the change, the index of the changed element, and the faults of the side.
    fn edited<'n, R: Rules>(
        &'n self,
        rules: &R,
        stored: &Resource,
        sent: Node<'n>,
    ) -> Result<(Node<'n>, usize, Vec<Violation>), Failure> {
        let (part, id) = (self.part, self.id.as_str());
        let before = document::tree(stored);
        let is_empty = matches!(&sent.value, Value::Object(members) if members.is_empty());
        if R::REJECTS_EMPTY && is_empty {
            return Err(Reason::EmptyRequest.into());
        }
        let sent = rules.accepted(part, self.operation, sent);
        let edit = match self.operation {
            Operation::Create => Edit::Add(sent),
            Operation::Replace => Edit::Replace(id, sent),
            Operation::Patch => Edit::Merge(id, sent),
            Operation::Delete => Edit::Remove(id),
            Operation::Read => return Err(Failure::Bug("reading changes nothing".into())),
        };
        let (after, index) = tree::edited(before.clone(), part, edit)?;
        let deleted = self.operation == Operation::Delete;
        let elements = tree::elements(&after, part).iter().enumerate();
        let others: Vec<_> =
            elements.filter(|(at, _)| deleted || *at != index).map(|(_, element)| element).collect();
        let faults = rules.faults(ElementChange {
            operation: self.operation,
            before: tree::element(&before, part, id),
            after: if deleted { None } else { tree::elements(&after, part).get(index) },
            others: &others,
        });
        Ok((after, index, faults))
    }
}

/// The object, if the side has found no fault. At one place a fault of the side hides the reader's, because
/// its code says more.
fn without(faults: Vec<Violation>, read: Result<Resource, Failure>) -> Result<Resource, Failure> {
    let Some(own) = Violations::collect(faults.clone()) else { return read };
    let reported = match &read {
        Ok(_) => None,
        Err(failure) => failure.faults_of_document().map(|faults| faults.iter().cloned().collect::<Vec<_>>()),
    };
    match (reported, read) {
        (Some(mut all), _) => {
            all.retain(|fault| faults.iter().all(|own| own.pointer != fault.pointer));
            all.extend(faults);
            Err(Violations::collect(all).unwrap_or(own).into())
        }
        (None, Err(failure)) => Err(failure),
        (None, Ok(_)) => Err(own.into()),
    }
}

impl Part {
    /// A fault of the worker's document, with its place in the body that was sent.
    fn in_the_body(self, mut fault: Violation, index: usize) -> Violation {
        fault.pointer = fault.pointer.as_deref().and_then(|pointer| self.pointer(pointer, index));
        fault
    }

    /// The result of a write, with the places of missing references in the body that was sent.
    fn in_the_request(self, written: Written, index: usize) -> Written {
        let Written::Refused(Refusal::Missing(missing)) = written else { return written };
        let moved = missing
            .into_iter()
            .map(|it| Missing { pointer: self.pointer(&it.pointer, index).unwrap_or_default(), ..it });
        Written::Refused(Refusal::Missing(moved.collect()))
    }

    /// A place in the worker's document as a place in the body; `None` for one outside of it.
    fn pointer(self, pointer: &str, index: usize) -> Option<String> {
        let place = format!("/{}/{index}", self.member);
        let rest = pointer.strip_prefix(&place)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    }
}
