//! The workers of a request. Each worker is parsed separately, so that its faults do not affect other
//! workers.

use std::collections::HashMap;

use payroll_domain::check::MAX_CORRELATION_ID_LENGTH;
use payroll_domain::code::Reason;
use payroll_domain::company::Communication;
use payroll_domain::date::{Date, Timestamp, format_date};
use payroll_domain::description::Described;
use payroll_domain::document;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::CompanyStatus;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::{FilingStatus, StatusType, Worker};
use payroll_ports::resources::WriteRefusal;

use crate::partner::parts::{PartnerListElement, with_specific_reason};
use crate::partner::routes::worker_changes::status::status_id;
use crate::shared::error::Failure;
use crate::shared::limits::MAX_WORKERS_PER_REQUEST;
use crate::shared::objects::side::{ElementChange, ElementOperation};
use crate::shared::objects::{self, merged_faults};
use crate::shared::refusal;

/// The `statusReason` of a new worker's first status.
const PENDING_HIRE_STATUS: &str = "PENDING_HIRE";
/// The member with the client's own id of a worker in the request. The id is not stored.
const CORRELATION_ID_MEMBER: &str = "workerCorrelationId";

/// The workers of a request.
pub(super) struct WorkersRequest {
    pub(super) valid_workers: Vec<NewWorker>,
    pub(super) faults: Vec<Violation>,
}

/// A valid worker that can be created.
pub(super) struct NewWorker {
    pub(super) worker: Worker,
    pub(super) correlation_id: Option<String>,
    item: WorkerPosition,
}

/// The position of a worker in the request.
#[derive(Debug, Clone)]
struct WorkerPosition {
    pointer: String,
    /// The index by which the faults of workers are sorted in the order of the request.
    at: u32,
    correlation_id: Option<String>,
}

impl WorkersRequest {
    /// Reads one worker or a list of workers.
    ///
    /// # Errors
    /// 400 API-52 if the list or the only worker is empty, 413 API-44 if the list is too long.
    pub(super) fn read(
        node: Node<'_>,
        statuses: &[CompanyStatus],
        (today, ids): (Date, &mut IdSequence),
    ) -> Result<Self, Failure> {
        let (items, is_list) = match node.value {
            Value::Array(items) => (items, true),
            value => (vec![Node { value, ..node }], false),
        };
        if items.len() > MAX_WORKERS_PER_REQUEST {
            let sentence =
                format!("the request has {} workers, more than {MAX_WORKERS_PER_REQUEST}", items.len());
            return Err(Violation::new(Reason::TooManyWorkers, sentence).into());
        }
        let is_empty = |item: &Node<'_>| matches!(&item.value, Value::Object(members) if members.is_empty());
        if items.is_empty() || (!is_list && items.iter().all(is_empty)) {
            return Err(Reason::EmptyRequest.into());
        }
        let is_required = items.len() > 1;
        let mut used: HashMap<String, usize> = HashMap::new();
        for id in items.iter().filter_map(|node| node.member(CORRELATION_ID_MEMBER)?.as_text()) {
            *used.entry(id.to_owned()).or_default() += 1;
        }
        let mut sent = Self { valid_workers: Vec::new(), faults: Vec::new() };
        for (index, node) in items.into_iter().enumerate() {
            let correlation = read_correlation_id(&node, is_required, &used);
            let correlation_id = match &correlation {
                Ok(id) => id.clone(),
                Err(fault) if fault.reason == Reason::DuplicateCorrelationId => sent_correlation_id(&node),
                Err(_) => None,
            };
            let pointer = if is_list { format!("/{index}") } else { String::new() };
            let item = WorkerPosition { pointer, at: node.at, correlation_id: correlation_id.clone() };
            match read_worker(node, correlation.err(), statuses, (today, &mut *ids)) {
                Ok(worker) => sent.valid_workers.push(NewWorker { worker, correlation_id, item }),
                Err(failure) => sent.faults.extend(item.convert_failure(failure)?),
            }
        }
        Ok(sent)
    }

    /// Moves the workers that the store rejected from `valid_workers` to `faults`.
    ///
    /// # Errors
    /// A rejection that is not caused by a fault of the request.
    pub(super) fn reject_worker(
        &mut self,
        refused: Vec<(usize, WriteRefusal)>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let mut refused: HashMap<_, _> = refused.into_iter().collect();
        for (index, new) in std::mem::take(&mut self.valid_workers).into_iter().enumerate() {
            match refused.remove(&index) {
                Some(why) => self.faults.extend(new.item.convert_failure(refusal::write_failure(why, now))?),
                None => self.valid_workers.push(new),
            }
        }
        Ok(())
    }
}

impl WorkerPosition {
    /// Converts a failure to faults with pointers into the request.
    fn convert_failure(&self, failure: Failure) -> Result<Vec<Violation>, Failure> {
        let failure = failure.with_changed_faults(|mut fault| {
            fault.pointer = Some(format!("{}{}", self.pointer, fault.pointer.unwrap_or_default()));
            if let Some(id) = &self.correlation_id {
                fault.description = format!("{}. {CORRELATION_ID_MEMBER}: {id}", fault.description);
            }
            // A fault of a rule has no position in the request. Such a fault gets the position of its
            // worker, because the faults are sorted by position.
            fault.position.at = fault.position.at.max(self.at);
            fault.correlation_id.clone_from(&self.correlation_id);
            fault
        });
        failure.into_faults()
    }
}

fn sent_correlation_id(node: &Node<'_>) -> Option<String> {
    node.member(CORRELATION_ID_MEMBER).and_then(Node::as_text).map(str::to_owned)
}

/// Reads the client's own id of the worker, which the response repeats.
fn read_correlation_id(
    node: &Node<'_>,
    is_required: bool,
    used: &HashMap<String, usize>,
) -> Result<Option<String>, Violation> {
    let fault = |reason, sentence: &str| {
        Err(Violation::new(reason, sentence)
            .at_position(format!("/{CORRELATION_ID_MEMBER}"), DocumentPosition::default()))
    };
    let Some(value) = node.member(CORRELATION_ID_MEMBER).filter(|value| !value.value.is_null_or_empty_text())
    else {
        let sentence = "workerCorrelationId is missing: each of several workers requires one";
        return if is_required { fault(Reason::FieldMissing, sentence) } else { Ok(None) };
    };
    let id = value.as_text().filter(|id| {
        !id.trim().is_empty()
            && id.chars().count() <= MAX_CORRELATION_ID_LENGTH
            && !id.contains(char::is_control)
    });
    match id {
        None => fault(
            Reason::FieldInvalid,
            "workerCorrelationId must be a string of 1 to 64 characters without control characters",
        ),
        Some(id) if used.get(id).is_some_and(|count| *count > 1) => fault(
            Reason::DuplicateCorrelationId,
            "workerCorrelationId must be different for each worker of the request",
        ),
        Some(id) => Ok(Some(id.to_owned())),
    }
}

fn read_worker(
    mut node: Node<'_>,
    fault: Option<Violation>,
    statuses: &[CompanyStatus],
    (today, ids): (Date, &mut IdSequence),
) -> Result<Worker, Failure> {
    let mut faults: Vec<_> = fault.into_iter().chain(find_status_fault(&node)).collect();
    document::remove_unknown_members(&mut node, Worker::MEMBERS);
    set_server_members(&mut node, statuses, (today, &mut *ids));
    faults.extend(find_rule_faults(&node));
    let read = objects::parse_object(ids, ResourceKind::Worker, node);
    let read = read.map_err(|failure| failure.with_changed_faults(with_communication_code));
    match merged_faults::merge_faults(faults, read)? {
        Resource::Worker(worker) => Ok(*worker),
        _ => Err(Failure::Bug("the document of a worker was read as an object of another kind".into())),
    }
}

/// Returns a fault if the request contains a status other than IN_PROGRESS, the status of every new worker.
fn find_status_fault(node: &Node<'_>) -> Option<Violation> {
    let sent = node.member("currentStatus")?.member("statusType")?.as_text()?;
    let sentence = format!("a new worker has the status {}, not {sent}", StatusType::InProgress);
    (sent != StatusType::InProgress.as_str()).then(|| {
        Violation::new(Reason::FieldInvalid, sentence)
            .at_position("/currentStatus/statusType", DocumentPosition::default())
    })
}

/// Sets the members that the server determines: the status and the federal tax settings. The id and the job
/// in the request are removed. The server generates the id, and a new worker has no job.
fn set_server_members(
    node: &mut Node<'_>,
    statuses: &[CompanyStatus],
    (today, ids): (Date, &mut IdSequence),
) {
    let Value::Object(members) = &mut node.value else { return };
    members.retain(|(name, _)| !["workerId", "jobId", "currentStatus", "taxes"].contains(&name.as_ref()));
    let type_and_reason = [Some(StatusType::InProgress.as_str()), Some(PENDING_HIRE_STATUS)];
    let status = object_node([
        ("workerStatusId", text_node(status_id(statuses, type_and_reason, ids))),
        ("statusType", text_node(StatusType::InProgress.to_string())),
        ("statusReason", text_node(PENDING_HIRE_STATUS)),
        ("effectiveDate", text_node(format_date(today).to_string())),
    ]);
    let federal = object_node([
        ("filingStatus", text_node(FilingStatus::Single.to_string())),
        ("taxesWithheld", Node::from(Value::Bool(true))),
    ]);
    members.push(("currentStatus".into(), status));
    members.push(("taxes".into(), object_node([("federal", federal)])));
}

fn object_node<'n, const N: usize>(members: [(&'static str, Node<'n>); N]) -> Node<'n> {
    Node::from(Value::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect()))
}

fn text_node<'n>(text: impl Into<String>) -> Node<'n> {
    Node::from(Value::Text(text.into().into()))
}

/// Returns the faults that only a partner's new worker can have.
fn find_rule_faults(node: &Node<'_>) -> Vec<Violation> {
    let is_there =
        |member: &str| node.member(member).is_some_and(|value| !value.value.is_null_or_empty_text());
    let fault = |reason, pointer: &str, sentence: &str| {
        Violation::new(reason, sentence).at_position(pointer.to_owned(), DocumentPosition::default())
    };
    let mut faults = Vec::new();
    let middle = node.member("name").and_then(|name| name.member("middleName")).and_then(Node::as_text);
    if middle.is_some_and(|middle| middle.chars().count() > 1) {
        faults.push(fault(Reason::FieldInvalid, "/name/middleName", "middleName must be one letter"));
    }
    if is_there("locationId") && !is_there("organization") {
        let sentence = "locationId requires organization: send both or none";
        faults.push(fault(Reason::FieldInvalid, "/locationId", sentence));
    }
    if let Some(Value::Array(communications)) = node.member("communications").map(|list| &list.value) {
        for (index, communication) in communications.iter().enumerate() {
            let others: Vec<_> = communications.iter().take(index).collect();
            let change = ElementChange {
                operation: ElementOperation::Create,
                before: None,
                after: Some(communication),
                others: &others,
                stored: &[],
            };
            // The rules for a new communication do not depend on the current date, so any date can be
            // passed.
            let own = <Communication as PartnerListElement>::find_change_faults(change, Date::MIN);
            faults.extend(own.into_iter().map(|mut fault| {
                let pointer = fault.pointer.unwrap_or_default();
                fault.pointer = Some(format!("/communications/{index}{pointer}"));
                fault
            }));
        }
    }
    faults
}

/// Replaces the code of a communication's fault by the specific code of the member, if the member has one.
fn with_communication_code(fault: Violation) -> Violation {
    let at =
        fault.pointer.as_deref().and_then(|pointer| pointer.rsplit_once('/')).map(|(element, _)| element);
    match at.filter(|element| element.starts_with("/communications/")).map(str::to_owned) {
        Some(element) => with_specific_reason::<Communication>(fault, &element),
        None => fault,
    }
}
