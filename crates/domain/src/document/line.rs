//! Reads one line of an import file and parses its workers one at a time. Use this module for companies that
//! are too large to be in memory as objects.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::references::{Reference, collect_defined_objects, visit_list_references, visit_worker_references};
use super::uniqueness::UniquenessChecker;
use super::{complete_company, worker};
use crate::code::Reason;
use crate::complete_company::CompleteCompany;
use crate::input::{Context, ElementRange, MalformedJson, Node, split_list};
use crate::object::reader::{read_object, read_present_object};
use crate::report::Report;
use crate::resource::ResourceKind;
use crate::violation::Violations;
use crate::worker::Worker;

/// The ids of objects, by kind of object.
type IdsByKind = BTreeMap<ResourceKind, HashSet<Box<str>>>;

/// A company with all its objects. The company is validated as by [`read_company`](super::read_company), with
/// the same faults in the same order at the same pointers.
///
/// The workers remain text and are parsed again whenever they are needed. Their text uses the memory of the
/// line. Validation also keeps the ids of all workers in memory. Everything else is in memory as objects,
/// including processed checks.
///
/// To store the company:
/// 1. Look up the [external ids](Self::external_ids), whose objects must be stored already. If some are missing,
///    [`for_each_reference`](Self::for_each_reference) supplies the pointers of the references.
/// 2. Store [`company`](Self::company), then the [`workers`](Self::workers), in batches of any size. A
///    supervisor may come after the workers who report to that supervisor.
///
/// Use [`into_complete_company`](Self::into_complete_company) to read a company that fits into memory.
///
/// ```
/// use payroll_domain::document::CompanyLine;
/// use payroll_domain::resource::ResourceKind;
/// let line = br#"{"companyId": "C-1", "displayId": "1", "legalName": "Example LLC", "workers": [
///   {"workerId": "W-1", "workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Ann"},
///    "supervisor": {"workerId": "W-2"}, "organization": {"organizationId": "U-1"}},
///   {"workerId": "W-2", "workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Bo"}}]}"#;
/// let line = CompanyLine::read(line.as_slice()).unwrap();
/// assert_eq!(line.company().company.company_id.as_str(), "C-1");
/// assert_eq!(line.external_ids(ResourceKind::Organization).collect::<Vec<_>>(), ["U-1"]);
/// assert_eq!(line.external_ids(ResourceKind::Worker).count(), 0);
///
/// let mut workers = line.workers();
/// let chunk: Vec<_> = workers.by_ref().take(1_000).collect();
/// assert_eq!((chunk.len(), workers.next()), (2, None));
/// ```
pub struct CompanyLine<'a> {
    text: Cow<'a, str>,
    /// The company without its workers.
    company: CompleteCompany,
    workers: Vec<ElementRange>,
    unresolved_ids: IdsByKind,
}

impl<'a> CompanyLine<'a> {
    /// Reads a line from borrowed or owned bytes.
    ///
    /// # Errors
    /// Returns the faults of [`input::parse`](crate::input::parse) and [`read_company`](super::read_company).
    pub fn read(line: impl Into<Cow<'a, [u8]>>) -> Result<Self, Violations> {
        let text = require_utf8(line.into())?;
        let (rest, workers) = split_list(&text, complete_company::WORKERS_MEMBER)?;
        let (company, ids) = read_company_and_workers(&text, &rest, &workers)?;
        drop(rest);
        let open = ids.into_ids_by_kind()?;
        Ok(Self { text, company, workers, unresolved_ids: open })
    }

    /// Returns the company. Its list of workers is empty.
    #[must_use]
    pub const fn company(&self) -> &CompleteCompany {
        &self.company
    }

    /// Returns the number of workers in the line.
    #[must_use]
    pub const fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// Iterates over the workers in the order of the document. Each worker is parsed when it is requested.
    pub fn workers(&self) -> impl Iterator<Item = Worker> {
        // Each worker was validated when the line was read, so `ok` discards no fault.
        self.workers
            .iter()
            .filter_map(|element| read_object(&element.read(&self.text)?, worker::read_worker).ok())
    }

    /// Iterates over the distinct ids of the given kind that the document refers to but does not define, in
    /// any order.
    pub fn external_ids(&self, target: ResourceKind) -> impl Iterator<Item = &str> {
        self.unresolved_ids.get(&target).into_iter().flatten().map(AsRef::as_ref)
    }

    /// Calls `note` with every reference of the company, whether or not the document defines the referenced
    /// object. The order is the same as in
    /// [`collect_external_references`](super::collect_external_references).
    pub fn for_each_reference(&self, mut note: impl FnMut(&Reference<'_>)) {
        visit_list_references(&self.company, &mut |target, id, pointer| {
            note(&Reference { target, id, pointer });
        });
        for (at, worker) in self.workers().enumerate() {
            visit_worker_references(&worker, &format!("/workers/{at}"), &mut |target, id, pointer| {
                note(&Reference { target, id, pointer });
            });
        }
    }

    /// Returns the company with all its workers in memory.
    #[must_use]
    pub fn into_complete_company(self) -> CompleteCompany {
        let workers = self.workers().collect();
        CompleteCompany { workers, ..self.company }
    }
}

/// Shows the id of the company but not the text, because the text contains unmasked tax IDs.
impl fmt::Debug for CompanyLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CompanyLine");
        shown.field("company_id", &self.company.company.company_id);
        shown.field("worker_count", &self.worker_count()).finish_non_exhaustive()
    }
}

fn require_utf8(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, str>, MalformedJson> {
    match bytes {
        Cow::Borrowed(bytes) => {
            std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| MalformedJson::NotUtf8)
        }
        Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| MalformedJson::NotUtf8),
    }
}

/// Reads everything except the workers, and then one worker after the other. Only the ids of each worker
/// remain in memory.
fn read_company_and_workers(
    text: &str,
    rest: &Node<'_>,
    workers: &[ElementRange],
) -> Result<(CompleteCompany, CollectedIds), Violations> {
    let mut report = Report::new(Reason::FieldMissing);
    let mut before_workers = None;
    let company = read_present_object(rest, Context::DOCUMENT, &mut report, |object| {
        complete_company::read_complete_company(object, |object| {
            let list = complete_company::read_workers(object);
            // A duplicate list of workers is a fault. In this case, the workers are not read.
            before_workers = list.is_some().then(|| object.fault_count());
            list
        })
    });
    let mut ids = company.as_ref().filter(|_| report.fault_count() == 0).map(CollectedIds::from_company);
    if let Some(before) = before_workers {
        report.insert_faults(before, read_workers(text, workers, &mut ids));
    }
    match (report.into_violations(), company, ids) {
        (Some(violations), _, _) => Err(violations),
        (None, Some(company), Some(ids)) => Ok((company, ids)),
        // A reader that returns `None` without a reported fault has a bug. This general fault rejects the
        // document in that case.
        (None, _, _) => Err(Reason::FieldInvalid.into()),
    }
}

/// Reads the workers one after the other. After the first fault, the function no longer collects ids. Faults
/// across objects, such as duplicate ids, are then not reported.
fn read_workers(text: &str, workers: &[ElementRange], ids: &mut Option<CollectedIds>) -> Report {
    let mut report = Report::new(Reason::FieldMissing);
    let list = Context::DOCUMENT.with_member(complete_company::WORKERS_MEMBER);
    for (at, element) in workers.iter().enumerate() {
        let Some(node) = element.read(text) else { continue };
        let worker = read_present_object(&node, list.with_element(at), &mut report, worker::read_worker);
        if report.fault_count() > 0 {
            *ids = None;
        } else if let (Some(ids), Some(worker)) = (ids.as_mut(), worker) {
            ids.add_worker(&worker, at);
        }
    }
    report
}

/// The ids that were read so far.
struct CollectedIds {
    seen: UniquenessChecker,
    /// The ids of the objects in the company's own lists, such as its pay components.
    defined_ids: IdsByKind,
    /// The ids that the document refers to and that are not in `defined_ids`.
    unresolved_ids: IdsByKind,
}

impl CollectedIds {
    /// Collects the ids of everything except the workers.
    fn from_company(company: &CompleteCompany) -> Self {
        let mut ids = Self {
            seen: UniquenessChecker::from_company(company),
            defined_ids: BTreeMap::new(),
            unresolved_ids: BTreeMap::new(),
        };
        for (target, id) in collect_defined_objects(company) {
            ids.defined_ids.entry(target).or_default().insert(id.into());
        }
        visit_list_references(company, &mut |target, id, _| ids.add_reference(target, id));
        ids
    }

    fn add_worker(&mut self, worker: &Worker, at: usize) {
        self.seen.check_worker(worker, at);
        visit_worker_references(worker, "", &mut |target, id, _| self.add_reference(target, id));
    }

    fn add_reference(&mut self, target: ResourceKind, id: &str) {
        if self.defined_ids.get(&target).is_some_and(|ids| ids.contains(id)) {
            return;
        }
        let open = self.unresolved_ids.entry(target).or_default();
        // The id is looked up before the insertion, so that only the first reference copies the id.
        if !open.contains(id) {
            open.insert(id.into());
        }
    }

    /// Returns the referenced ids that the document does not define. Faults across objects, such as duplicate
    /// ids, are returned as an error.
    fn into_ids_by_kind(mut self) -> Result<IdsByKind, Violations> {
        if let Some(workers) = self.unresolved_ids.get_mut(&ResourceKind::Worker) {
            workers.retain(|id| !self.seen.has_worker(id));
        }
        self.seen.into_result()?;
        Ok(self.unresolved_ids)
    }
}
