//! Imports a company with all its objects. Either all objects are stored, or none.

use std::collections::HashSet;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::document::{CompanyLine, Reference, collect_external_references, read_company};
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_domain::input;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violations;
use payroll_domain::worker::Worker;

use crate::StoreError;
use crate::resources::WriteRefusal;
use crate::write::AuditContext;

/// The minimum size in bytes of a large line of an import file. The workers in a large line are read one
/// after the other. A smaller line, with up to some hundred workers, is read at once. Reading a line at once
/// is faster and uses only a few megabytes of memory.
const LARGE_LINE_BYTES: usize = 1024 * 1024;

/// A company to be imported.
#[derive(Debug)]
pub enum ImportSource {
    /// A company of which all objects are in memory.
    Whole(Box<CompleteCompany>),
    /// A company of which the workers are not in memory. Each worker is read when it is needed.
    Line(Box<CompanyLine<'static>>),
}

impl ImportSource {
    /// Reads a line of an import file.
    ///
    /// # Errors
    /// Returns every fault of the line with its position.
    pub fn read(line: Vec<u8>) -> Result<Self, Violations> {
        if line.len() < LARGE_LINE_BYTES {
            return Ok(read_company(&input::parse(&line)?)?.into());
        }
        Ok(Self::Line(Box::new(CompanyLine::read(line)?)))
    }

    /// Returns the company. Its list of workers is empty if the workers are read separately.
    #[must_use]
    pub fn company(&self) -> &CompleteCompany {
        match self {
            Self::Whole(complete) => complete,
            Self::Line(line) => line.company(),
        }
    }

    /// Iterates over the workers in the order of the file.
    pub fn workers(&self) -> Box<dyn Iterator<Item = Worker> + Send + '_> {
        match self {
            Self::Whole(complete) => Box::new(complete.workers.iter().cloned()),
            Self::Line(line) => Box::new(line.workers()),
        }
    }

    /// Returns the ids that must already be stored, because the imported company refers to objects with these
    /// ids but does not contain the objects. An id may occur more than once.
    #[must_use]
    pub fn external_ids(&self) -> Vec<(ResourceKind, String)> {
        match self {
            Self::Whole(complete) => collect_external_references(complete)
                .into_iter()
                .map(|open| (open.target, open.id.to_owned()))
                .collect(),
            Self::Line(line) => {
                let of =
                    |target: ResourceKind| line.external_ids(target).map(move |id| (target, id.to_owned()));
                ResourceKind::ALL.iter().copied().flat_map(of).collect()
            }
        }
    }

    /// Calls `note` with every reference to an object that may not be part of the imported company. The
    /// references are in the order of the document.
    pub fn for_each_reference(&self, mut note: impl FnMut(&Reference<'_>)) {
        match self {
            Self::Whole(complete) => collect_external_references(complete).iter().for_each(note),
            Self::Line(line) => line.for_each_reference(&mut note),
        }
    }
}

impl From<CompleteCompany> for ImportSource {
    fn from(complete: CompleteCompany) -> Self {
        Self::Whole(Box::new(complete))
    }
}

impl From<&CompleteCompany> for ImportSource {
    fn from(complete: &CompleteCompany) -> Self {
        complete.clone().into()
    }
}

/// The settings of the server that restrict an import.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportRules {
    /// Whether two operators must complete a pay period. If so, an import must not complete a stored period
    /// that is open. A file that contains such a period in a processed state is rejected. A processed period
    /// that is not stored yet is accepted, because another system has completed it.
    pub two_person_completion: bool,
}

/// The number of objects of a company that an import created, changed or left unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// The number of objects that were created.
    pub created: u64,
    /// The number of objects that were changed.
    pub changed: u64,
    /// The number of objects in the file that were already stored with the same content.
    pub unchanged: u64,
}

/// The result of the import of one company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The company is stored.
    Stored(ImportCounts),
    /// The import would change the company, but another actor has locked it. Nothing is stored.
    Locked,
    /// The company conflicts with stored data, and nothing is stored. Each text describes one fault and the
    /// object that has the fault. Examples are an id that another company has, a reference to a missing
    /// object, and a changed state of a pay period with checks.
    Refused(Vec<String>),
}

/// A function that gets the stored workers and returns all requested workers in their new state. The result
/// is in the order of the requested ids. If the function returns `None`, nothing is written. Other writers of
/// the company wait until this function has completed.
pub type ChangeWorkers = Box<dyn FnOnce(Vec<Worker>) -> BoxFuture<'static, Option<Vec<Worker>>> + Send>;

/// Workers of a company to be changed: either all of the workers, or none.
pub struct WorkersToChange {
    /// The company to which all the workers belong.
    pub company_id: CompanyId,
    /// The ids of the workers, each once. An id without a stored worker is the id of a new worker.
    pub worker_ids: Vec<WorkerId>,
    /// The function that changes the workers.
    pub change: ChangeWorkers,
    /// Whether the change is a dry run, which stores nothing.
    pub is_dry: bool,
}

/// The result of changing workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerChangeOutcome {
    /// The workers are stored durably. For a dry run, nothing is stored, and the counts are those that the
    /// change would have.
    Stored(ImportCounts),
    /// Nothing is stored. If a worker refers to an object that does not exist, the JSON Pointer starts with
    /// `/workers/` and the index of this worker.
    Refused(WriteRefusal),
    /// Nothing is stored. New workers have ids that workers of other companies already use. Contains these
    /// ids.
    OfOthers(Vec<WorkerId>),
}

/// Stores complete companies, and many workers at once.
#[async_trait]
pub trait ImportStore: Send + Sync {
    /// Stores a company in one transaction. An object of the file completely replaces the stored object with
    /// the same id. Stored objects that are not in the file remain. Objects that equal the stored objects are
    /// not written. Every changed object gets a higher version, an audit row and its events, as in a separate
    /// write.
    ///
    /// Referenced objects that the file does not contain ([`ImportSource::external_ids`]) must already be
    /// stored. If such an object is missing, the company is rejected.
    ///
    /// # Errors
    /// Returns one of [`StoreError::Unavailable`], [`StoreError::CompanyBusy`], [`StoreError::Corrupt`] and
    /// [`StoreError::Bug`].
    async fn import_company(
        &self,
        company: ImportSource,
        rules: ImportRules,
        audit: &AuditContext,
    ) -> Result<ImportOutcome, StoreError>;

    /// Returns the result that [`Self::import_company`] would have now, without storing anything.
    /// [`ImportOutcome::Stored`] contains the counts of objects. The companies in `expected` are treated as
    /// if they were already stored. The imported company can therefore have one of them as its parent.
    ///
    /// # Errors
    /// Returns the same errors as [`Self::import_company`].
    async fn validate_company(
        &self,
        company: ImportSource,
        expected: &HashSet<CompanyId>,
        rules: ImportRules,
        audit: &AuditContext,
    ) -> Result<ImportOutcome, StoreError>;

    /// Changes workers of a company in the same transaction that reads them, so that no other write occurs
    /// between the read and the change. A worker that equals the stored worker is not written. Every changed
    /// worker gets an audit row and events, as in a separate write.
    ///
    /// The change is only committed if all referenced objects exist and no other actor has locked the company
    /// ([`WriteRefusal::Locked`]). Two other possible refusals are [`WriteRefusal::UnknownCompany`] and
    /// [`WriteRefusal::Declined`].
    ///
    /// # Errors
    /// Returns the same errors as [`Self::import_company`].
    async fn change_workers(
        &self,
        workers: WorkersToChange,
        audit: &AuditContext,
    ) -> Result<WorkerChangeOutcome, StoreError>;
}
