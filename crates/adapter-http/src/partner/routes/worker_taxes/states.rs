//! State tax settings of a worker: the list, and changes by JSON Patch (RFC 6902).
//!
//! A worker has one setting per state, so the id of a setting is the code of its state. The patch that adds a
//! setting may name it by any text.
//!
//! JSON Patch is implemented here. The crate `json-patch` uses `serde_json::Value`, which changes the text of
//! numbers and loses the positions of operations for faults.

use std::collections::BTreeMap;

use payroll_domain::code::Reason;
use payroll_domain::description::Described;
use payroll_domain::document;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::Resource;
use payroll_domain::violation::{Place, Violation, Violations};
use payroll_domain::worker::{StateTax, Worker};
use payroll_ports::Rows;

use super::{Request, object, read};
use crate::partner::call::Call;
use crate::partner::routes::worker_changes::{key, worker_of};
use crate::partner::writing::{self, tagged};
use crate::shared::answer::{self, Reading};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handled::Handled;
use crate::shared::idempotency;
use crate::shared::media_type::{JSON, JSON_PATCH};
use crate::shared::wire::Envelope;
use crate::shared::wire::described::DescribedResource;

/// The maximum number of operations of one patch. All settings of a worker have fewer members.
const MAX_OPERATIONS: usize = 100;
/// The member with the code of the state, which is also the id.
const CODE: &str = "countrySubdivisionCode";
/// The regulation of each setting.
const REGULATION: &str = "INCOME_TAX";

/// GET /workers/{workerId}/statetaxes.
pub(crate) async fn list(call: Call) -> Handled {
    let media_type = call.negotiate(&[JSON]).await?;
    let found = writing::read(&call, &key(&call).await?).await?;
    let rows = Rows::All(of(worker_of(&found.value)?).to_vec());
    let reading = Reading::tagged(&call.incoming, media_type, EntityTag::of_version(found.version));
    reading.plain(rows, |row, _, out| write(row, out))
}

/// PATCH /workers/{workerId}/statetaxes.
pub(crate) async fn patch(mut call: Call) -> Handled {
    let request = Request::of_type(&mut call, &[JSON_PATCH, JSON], &[JSON, JSON_PATCH]).await?;
    let lease = idempotency::without_key(&call.incoming);
    let shown = |worker: &Worker, envelope: Envelope| Ok(envelope.whole(of(worker), write)?);
    let (version, answer) = request.store(&call, (200, &lease), patched, shown).await?;
    tagged(answer::send(answer)?, version)
}

fn of(worker: &Worker) -> &[StateTax] {
    worker.taxes.as_ref().map_or(&[], |taxes| &taxes.states)
}

fn write(state: &StateTax, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let id = state.country_subdivision_code.clone();
    let also = vec![("workerTaxId", id.into()), ("regulationType", REGULATION.into())];
    serde_json::to_writer(out, &DescribedResource::bare(state).and(also))
}

/// The worker with the patch of state settings applied.
fn patched(stored: &Resource, ids: &mut IdSequence, sent: Node<'_>) -> Result<Resource, Failure> {
    if matches!(&sent.value, Value::Object(members) if members.is_empty()) {
        return Err(Reason::EmptyRequest.into());
    }
    let Value::Array(operations) = sent.value else {
        return Err(Violation::new(Reason::FieldInvalid, "the body must be an array of operations").into());
    };
    if operations.is_empty() {
        return Err(Reason::EmptyRequest.into());
    }
    if operations.len() > MAX_OPERATIONS {
        let sentence = format!("a patch has at most {MAX_OPERATIONS} operations, not {}", operations.len());
        return Err(Violation::new(Reason::FieldInvalid, sentence).into());
    }
    let mut states = States::of(document::tree(stored));
    let applied = operations.into_iter().enumerate();
    let faults: Vec<_> = applied.filter_map(|(at, operation)| states.apply(at, operation).err()).collect();
    if let Some(faults) = Violations::collect(faults) {
        return Err(faults.into());
    }
    let States { settings, sources, .. } = states;
    let patch = object("taxes", object("states", Node::from(Value::Array(settings))));
    let worker = read(stored, ids, patch, |pointer| sources.place(pointer))?;
    let percents = of(worker_of(&worker)?).iter().filter_map(|state| state.state_allocation_percent);
    let whole: i64 = percents.filter_map(|percent| percent.to_ten_thousandths()).sum();
    if whole > ONE_HUNDRED {
        return Err(
            Violation::new(Reason::FieldInvalid, "stateAllocationPercent of all states exceeds 100").into()
        );
    }
    Ok(worker)
}

/// One hundred percent in the unit of rates, ten-thousandths of a percent.
const ONE_HUNDRED: i64 = 1_000_000;

/// The state settings while a patch is applied.
struct States<'n> {
    settings: Vec<Node<'n>>,
    sources: Sources,
    /// The codes of the settings that this patch added, by the names in the patch.
    added: BTreeMap<String, String>,
}

/// The operation that set a value, by the index of the setting and the member.
#[derive(Default)]
struct Sources(BTreeMap<(usize, Option<String>), usize>);

impl Sources {
    /// The pointer into the body for a pointer into the worker's document.
    fn place(&self, pointer: &str) -> Option<String> {
        let rest = pointer.strip_prefix("/taxes/states/")?;
        let (index, member) =
            rest.split_once('/').map_or((rest, None), |(index, member)| (index, Some(member)));
        let index = index.parse().ok()?;
        let own = self.0.get(&(index, member.map(str::to_owned)));
        own.map(|at| format!("/{at}/value")).or_else(|| {
            let at = self.0.get(&(index, None))?;
            Some(format!("/{at}/value{}", member.map(|member| format!("/{member}")).unwrap_or_default()))
        })
    }
}

impl<'n> States<'n> {
    fn of(worker: Node<'n>) -> Self {
        let settings = member(worker, "taxes").and_then(|taxes| member(taxes, "states"));
        let settings = match settings.map(|node| node.value) {
            Some(Value::Array(settings)) => settings,
            _ => Vec::new(),
        };
        Self { settings, sources: Sources::default(), added: BTreeMap::new() }
    }

    /// Applies one operation of the patch.
    fn apply(&mut self, at: usize, operation: Node<'n>) -> Result<(), Violation> {
        let fault = |member: &str, sentence: String| {
            let pointer = if member.is_empty() { format!("/{at}") } else { format!("/{at}/{member}") };
            Violation::new(Reason::FieldInvalid, sentence).at(pointer, Place::default())
        };
        if let Some(name) = ["op", "path", "value"].into_iter().find(|name| is_twice(&operation, name)) {
            let fault = Violation::new(Reason::FieldAmbiguous, format!("{name} occurs more than once"));
            return Err(fault.at(format!("/{at}/{name}"), Place::default()));
        }
        let adds = match operation.member("op").and_then(Node::as_text) {
            Some("add") => true,
            Some("replace") => false,
            _ => return Err(fault("op", "op must be add or replace".to_owned())),
        };
        let path = operation.member("path").and_then(Node::as_text).map(steps).unwrap_or_default();
        let target = match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["workerTaxes", id] => (id.to_owned(), None),
            ["workerTaxes", id, name] => (id.to_owned(), Some(name.to_owned())),
            ["workerTaxes", _, "workerTaxDeductions", ..] => {
                return Err(fault("path", "workerTaxDeductions are not stored on this server".to_owned()));
            }
            _ => {
                return Err(fault(
                    "path",
                    "path must be /workerTaxes/{workerTaxId}, or a member below it".to_owned(),
                ));
            }
        };
        let Some(value) = member(operation, "value") else {
            return Err(Violation::new(Reason::FieldMissing, "value is missing")
                .at(format!("/{at}/value"), Place::default()));
        };
        let index = self.index(&target.0);
        match (target, index) {
            ((id, None), index) if adds || index.is_some() => self.put(at, &id, index, value),
            ((_, Some(name)), Some(index)) => self.set(at, index, &name, value),
            ((id, _), _) => Err(fault("path", format!("the worker has no tax setting {id}"))),
        }
    }

    /// Adds a setting, or replaces the one at this index.
    fn put(
        &mut self,
        at: usize,
        id: &str,
        index: Option<usize>,
        mut value: Node<'n>,
    ) -> Result<(), Violation> {
        let pointer = format!("/{at}/value");
        let fault = |reason, member: &str, sentence: String| {
            Violation::new(reason, sentence).at(format!("{pointer}{member}"), Place::default())
        };
        if !matches!(value.value, Value::Object(_)) {
            return Err(fault(Reason::FieldInvalid, "", "value must be an object".to_owned()));
        }
        document::retain_known(&mut value, StateTax::MEMBERS);
        let code = value.member(CODE).and_then(Node::as_text).map(str::to_owned);
        let stored = index.and_then(|index| self.code(index)).map(str::to_owned);
        match (index, code, stored) {
            (Some(_), Some(code), Some(stored)) if code != stored => {
                return Err(fault(
                    Reason::FieldInvalid,
                    "/countrySubdivisionCode",
                    format!("{CODE} cannot be changed"),
                ));
            }
            (Some(_), None, Some(stored)) => value = document::fill_id(value, CODE, &stored),
            (None, Some(code), _) if self.index(&code).is_some() => {
                let sentence = format!("the worker has a tax setting of {code} already");
                return Err(fault(Reason::AlreadyUsed, "/countrySubdivisionCode", sentence));
            }
            (None, Some(code), _) => drop(self.added.insert(id.to_owned(), code)),
            (_, _, _) => {}
        }
        let index = index.unwrap_or(self.settings.len());
        self.sources.0.retain(|(setting, _), _| *setting != index);
        self.sources.0.insert((index, None), at);
        match self.settings.get_mut(index) {
            Some(setting) => *setting = value,
            None => self.settings.push(value),
        }
        Ok(())
    }

    /// Sets one member of the setting at this index.
    fn set(&mut self, at: usize, index: usize, name: &str, value: Node<'n>) -> Result<(), Violation> {
        let known = StateTax::MEMBERS.iter().any(|member| member.name == name);
        let same = name == CODE && value.as_text() == self.code(index);
        if !known || (name == CODE && !same) {
            let sentence = format!("{name} cannot be changed");
            return Err(
                Violation::new(Reason::FieldInvalid, sentence).at(format!("/{at}/path"), Place::default())
            );
        }
        self.sources.0.insert((index, Some(name.to_owned())), at);
        if let Some(Value::Object(members)) = self.settings.get_mut(index).map(|setting| &mut setting.value) {
            members.retain(|(own, _)| own != name);
            members.push((name.to_owned().into(), value));
        }
        Ok(())
    }

    /// The index of the setting with this code or with this name in the patch.
    fn index(&self, id: &str) -> Option<usize> {
        let code = self.added.get(id).map_or(id, String::as_str);
        (0..self.settings.len()).find(|index| self.code(*index) == Some(code))
    }

    fn code(&self, index: usize) -> Option<&str> {
        self.settings.get(index)?.member(CODE)?.as_text()
    }
}

/// The unescaped segments of a JSON Pointer (RFC 6901).
fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// Whether an object has a duplicate member with this name.
fn is_twice(object: &Node<'_>, name: &str) -> bool {
    let Value::Object(members) = &object.value else { return false };
    members.iter().filter(|(own, _)| own == name).count() > 1
}

/// Returns the value of a member.
fn member<'n>(object: Node<'n>, name: &str) -> Option<Node<'n>> {
    let Value::Object(members) = object.value else { return None };
    members.into_iter().find(|(own, _)| own == name).map(|(_, value)| value)
}
