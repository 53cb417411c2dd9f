//! Import: a company with everything in it, stored all or nothing.

use std::collections::HashSet;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::document::{CompanyLine, Reference, open_references, read_company};
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_domain::input;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violations;
use payroll_domain::whole_company::WholeCompany;
use payroll_domain::worker::Worker;

use crate::StoreError;
use crate::resources::Refusal;
use crate::write::By;

/// Bytes of a line from which on its workers are read one by one: a company of some hundred
/// workers is faster in memory, and takes a few megabytes there.
const LARGE_LINE_BYTES: usize = 1024 * 1024;

/// A company that is to be stored.
#[derive(Debug)]
pub enum Source {
    /// All of it is in memory.
    Whole(Box<WholeCompany>),
    /// Its workers are read when they are wanted.
    Line(Box<CompanyLine<'static>>),
}

impl Source {
    /// Reads a line of an import.
    ///
    /// # Errors
    /// What is wrong with it, every fault with its place.
    pub fn read(line: Vec<u8>) -> Result<Self, Violations> {
        if line.len() < LARGE_LINE_BYTES {
            return Ok(read_company(&input::parse(&line)?)?.into());
        }
        Ok(Self::Line(Box::new(CompanyLine::read(line)?)))
    }

    /// The company; its list of workers need not be here.
    #[must_use]
    pub fn company(&self) -> &WholeCompany {
        match self {
            Self::Whole(whole) => whole,
            Self::Line(line) => line.company(),
        }
    }

    /// Its workers, in their order.
    pub fn workers(&self) -> Box<dyn Iterator<Item = Worker> + Send + '_> {
        match self {
            Self::Whole(whole) => Box::new(whole.workers.iter().cloned()),
            Self::Line(line) => Box::new(line.workers()),
        }
    }

    /// The ids which must be stored already, because the company names them and does not hold them;
    /// one may come more than once.
    #[must_use]
    pub fn open_ids(&self) -> Vec<(ResourceKind, String)> {
        match self {
            Self::Whole(whole) => {
                open_references(whole).into_iter().map(|open| (open.target, open.id.to_owned())).collect()
            }
            Self::Line(line) => {
                let of = |target: ResourceKind| line.open_ids(target).map(move |id| (target, id.to_owned()));
                ResourceKind::ALL.iter().copied().flat_map(of).collect()
            }
        }
    }

    /// Hands over every reference to what the company may not hold itself, in its order.
    pub fn for_each_reference(&self, mut note: impl FnMut(&Reference<'_>)) {
        match self {
            Self::Whole(whole) => open_references(whole).iter().for_each(note),
            Self::Line(line) => line.for_each_reference(&mut note),
        }
    }
}

impl From<WholeCompany> for Source {
    fn from(whole: WholeCompany) -> Self {
        Self::Whole(Box::new(whole))
    }
}

impl From<&WholeCompany> for Source {
    fn from(whole: &WholeCompany) -> Self {
        whole.clone().into()
    }
}

/// Rules of the server that an import keeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportRules {
    /// Two operators complete a pay period. An import then completes none that is stored as open: a company
    /// with such a period in a processed state is rejected. Processed periods that are not stored are accepted,
    /// since another system has completed them.
    pub two_person_completion: bool,
}

/// What an import of one company did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Objects that were not there.
    pub created: u64,
    /// Objects that were there and differed.
    pub changed: u64,
    /// Objects that were there, the same.
    pub unchanged: u64,
}

/// What became of one company of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// The company is stored.
    Stored(ImportCounts),
    /// Another actor has locked the company, and it would change; nothing is stored.
    Locked,
    /// It does not go together with what is stored; nothing is stored. Each sentence names an
    /// object and what is wrong with it: an id that another company has, a reference to nothing, a
    /// pay period with checks whose state the file would change.
    Refused(Vec<String>),
}

/// Makes of the stored ones among some workers all of them as they are to be, in the order of their ids; `None`:
/// nothing is written. Others who write in the company wait for it.
pub type ChangeWorkers = Box<dyn FnOnce(Vec<Worker>) -> BoxFuture<'static, Option<Vec<Worker>>> + Send>;

/// Workers of a company that are to be changed, all or none of them.
pub struct WorkersToChange {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The workers, each once; those that are not stored are new.
    pub worker_ids: Vec<WorkerId>,
    /// What becomes of them.
    pub change: ChangeWorkers,
    /// Nothing is stored: it is only validated.
    pub is_dry: bool,
}

/// What became of changing workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkersChanged {
    /// They are stored, durably; of a dry run, what would be stored.
    Stored(ImportCounts),
    /// Nothing is stored. Pointers of what is missing begin with `/workers/` and the index of the worker.
    Refused(Refusal),
    /// Nothing is stored: these new workers have the ids of workers of other companies.
    OfOthers(Vec<WorkerId>),
}

/// Stores complete companies, and many workers at once.
#[async_trait]
pub trait ImportStore: Send + Sync {
    /// Stores a company in one transaction. An object of the file replaces the stored one of its
    /// id completely; what is absent from the file stays; an object that is the same is not written.
    /// Versions grow where something changed, and every object that did leaves its audit row and
    /// what it fires, as if it had been written alone.
    ///
    /// What the file refers to and does not hold itself, as [`Source::open_ids`] lists it, must be
    /// stored already, or the company is rejected.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::CompanyBusy`], [`StoreError::Corrupt`] or
    /// [`StoreError::Bug`].
    async fn import_company(
        &self,
        company: Source,
        rules: ImportRules,
        by: &By,
    ) -> Result<Imported, StoreError>;

    /// Says what [`Self::import_company`] would say now, and stores nothing: [`Imported::Stored`] counts what
    /// would be written. Of a parent among `expected` it is believed that it will be stored by then.
    ///
    /// # Errors
    /// The same as those of [`Self::import_company`].
    async fn judge_company(
        &self,
        company: Source,
        expected: &HashSet<CompanyId>,
        rules: ImportRules,
        by: &By,
    ) -> Result<Imported, StoreError>;

    /// Changes workers of a company in one transaction that reads them, so that no other write comes in
    /// between. A worker who is the same is not written; every other leaves an audit row and fires events, as
    /// if written alone.
    ///
    /// These hold at the commit: what they refer to is there, among them or stored; a company that another
    /// actor has locked stays as it is ([`Refusal::Locked`]). [`Refusal::UnknownCompany`] and
    /// [`Refusal::Declined`] are said too, others are not.
    ///
    /// # Errors
    /// The same as those of [`Self::import_company`].
    async fn change_workers(&self, workers: WorkersToChange, by: &By) -> Result<WorkersChanged, StoreError>;
}
