//! Imports a complete company in one transaction, and writes only what differs from the stored company.
//!
//! The objects of the file are written with the same code as single objects ([`objects`](super::objects)).
//! Stored objects are read and compared in memory, and the differences are written in bulk with their audit
//! rows. Workers are processed in chunks, so that a large company takes no more memory than a small one. Pay
//! checks of processed periods have no object kind, so the submodule `checks` compares their rows.

mod checks;
mod company;
mod company_import;
mod lists;
mod order;
mod references;
mod workers;

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::id::CompanyId;
use payroll_ports::StoreError;
use payroll_ports::import::{
    ImportOutcome, ImportRules, ImportSource, ImportStore, WorkerChangeOutcome, WorkersToChange,
};
use payroll_ports::write::AuditContext;

use super::objects::{CompanyContext, CompanyLockMode, Workers, increment_company_version, lock_company};
use super::{Conn, Store, dialect};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome, unique_violation_message};
use company_import::CompanyImport;
use order::CompanyToImport;

/// The number of workers that are read and written at a time. This number is large enough for efficient
/// statements. The workers of one chunk take a few megabytes of memory.
const MAX_WORKERS_PER_TRANSACTION: usize = 500;

#[async_trait]
impl ImportStore for Store {
    async fn import_company(
        &self,
        company: ImportSource,
        rules: ImportRules,
        audit: &AuditContext,
    ) -> Result<ImportOutcome, StoreError> {
        let (audit, sealer) = (audit.clone(), Arc::clone(&self.sealer));
        let import =
            CompanyToImport { source: company, rules, audit, sealer, is_dry: false, parent_comes: false };
        self.import_or_validate(import).await
    }

    async fn validate_company(
        &self,
        company: ImportSource,
        expected: &HashSet<CompanyId>,
        rules: ImportRules,
        audit: &AuditContext,
    ) -> Result<ImportOutcome, StoreError> {
        let parent = company.company().company.parent_company_id.as_ref();
        let parent_comes = parent.is_some_and(|parent| expected.contains(parent));
        let (audit, sealer) = (audit.clone(), Arc::clone(&self.sealer));
        let import = CompanyToImport { source: company, rules, audit, sealer, is_dry: true, parent_comes };
        self.import_or_validate(import).await
    }

    async fn change_workers(
        &self,
        workers: WorkersToChange,
        audit: &AuditContext,
    ) -> Result<WorkerChangeOutcome, StoreError> {
        Ok(self.change_many_workers(workers, audit).await?)
    }
}

impl Store {
    async fn import_or_validate(&self, import: CompanyToImport) -> Result<ImportOutcome, StoreError> {
        let import = Arc::new(import);
        // Two concurrent imports may both find that a company is new, but only one import can create the
        // company. The other import makes a second attempt.
        let imported = match self.run_import(&import).await {
            Err(Failure::Taken(_)) => self.run_import(&import).await,
            imported => imported,
        };
        match imported {
            Err(Failure::DryRun(counts)) => Ok(ImportOutcome::Stored(counts)),
            Err(Failure::Locked) => Ok(ImportOutcome::Locked),
            Err(Failure::Refused(problems)) => Ok(ImportOutcome::Refused(problems)),
            Err(Failure::Taken(name)) => {
                Ok(ImportOutcome::Refused(self.find_conflicting_ids(import, name).await?))
            }
            other => Ok(other?),
        }
    }

    async fn run_import(&self, import: &Arc<CompanyToImport>) -> Outcome<ImportOutcome> {
        let import = Arc::clone(import);
        self.db
            .write_in_series(move |conn| Box::pin(async move { import.store_company_import(conn).await }))
            .await
    }

    /// Returns error texts for the ids that other companies use. The ids are only looked up after a write has
    /// failed. A lookup before the writes would cost a query in every import for a rare case. A concurrent
    /// import could also make its result outdated.
    async fn find_conflicting_ids(
        &self,
        import: Arc<CompanyToImport>,
        constraint: String,
    ) -> Outcome<Vec<String>> {
        let mut problems = run_on_connection!(self.read, |conn| references::find_foreign_ids(conn, &import))?;
        if problems.is_empty() {
            problems.push(unique_violation_message(&constraint).to_owned());
        }
        Ok(problems)
    }
}

impl CompanyToImport {
    async fn store_company_import(&self, conn: &Conn) -> Outcome<ImportOutcome> {
        let context = CompanyContext { conn, company_id: self.company_id(), sealer: &self.sealer };
        let holders = lock_company(conn, context.company_id, CompanyLockMode::ToWrite).await?;
        references::check_references(conn, self).await?;
        let mut storing = CompanyImport::new(context, &self.audit, holders.as_ref());
        company::store_company(&mut storing, self, holders).await?;
        lists::store_lists(&mut storing, self.source.company()).await?;
        checks::store_checks(&mut storing, self.source.company()).await?;
        let mut workers = self.source.workers();
        loop {
            let chunk: Vec<_> = workers.by_ref().take(MAX_WORKERS_PER_TRANSACTION).collect();
            if chunk.is_empty() {
                break;
            }
            storing.import_objects::<Workers>(&chunk).await?;
            storing.flush_audit_log().await?;
        }
        let is_new = storing.is_new_company();
        let counts = storing.finish_import().await?;
        if !is_new && counts.created + counts.changed > 0 {
            increment_company_version(context).await?;
        }
        // A dry run also writes everything, so that the database enforces its constraints. The transaction of
        // a dry run is then rolled back.
        if self.is_dry { Err(Failure::DryRun(counts)) } else { Ok(ImportOutcome::Stored(counts)) }
    }
}
