//! The initial data of the demo: its companies, and the grants of its two applications. A reset of the
//! sandbox stores the same data.

use std::io::{self, BufRead};
use std::sync::Arc;

use async_trait::async_trait;
use indicatif::ProgressBar;
use payroll_domain::access::{Scope, Scopes};
use payroll_domain::application::GrantChange;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::id::{ApplicationId, CompanyId};
use payroll_ports::applications::{ExpectedGrant, GrantUpdate};
use payroll_ports::import::ImportRules;
use payroll_ports::write::AuditContext;
use payroll_ports::{Clock, Store, StoreError, Window};

use crate::commands::import::{self, ImportLines};
use crate::demo_data::{self, GeneratedPopulation};
use crate::sandbox::SandboxSeed;

/// The name of the application that has every scope for the companies of the demo, except for the last
/// company.
pub(super) const PARTNER_NAME: &str = "Demo partner";
/// The name of the application that may only read one company.
pub(super) const READER_NAME: &str = "Demo reader";

/// Stores the companies of the demo, with dates relative to today, and grants for the two applications.
pub(super) struct DemoSeed {
    clock: Arc<dyn Clock>,
    population: Option<GeneratedPopulation>,
}

impl DemoSeed {
    /// Creates the seed for the companies of the demo. If there is a `population`, the seed also contains its
    /// companies.
    pub(super) const fn new(clock: Arc<dyn Clock>, population: Option<GeneratedPopulation>) -> Self {
        Self { clock, population }
    }

    /// Stores the companies of an import file.
    async fn import_companies(
        &self,
        store: &dyn Store,
        file: Box<dyn BufRead + Send>,
    ) -> Result<(), StoreError> {
        let mut lines = ImportLines::new(file, ProgressBar::hidden());
        let storing = import::ImportTarget {
            store,
            clock: &*self.clock,
            rules: ImportRules::default(),
            dry_run: false,
        };
        let summary = import::import_file(&storing, &mut lines, &mut io::stderr()).await;
        let summary = summary.map_err(|failure| StoreError::Bug(failure.to_string().into()))?;
        if summary.refused > 0 {
            return Err(StoreError::Bug("the demo's data was rejected. See the lines above".into()));
        }
        Ok(())
    }

    async fn grant_access(
        &self,
        store: &dyn Store,
        application_id: &ApplicationId,
        (companies, scopes): (&[CompanyId], Scopes),
    ) -> Result<(), StoreError> {
        let actor = Actor { kind: ActorKind::CommandLine, name: "demo".to_owned() };
        let audit = AuditContext::new(actor, self.clock.now(), None);
        for company_id in companies {
            let call = GrantUpdate {
                application_id: application_id.clone(),
                company_id: company_id.clone(),
                change: GrantChange::Set(scopes),
                expected: ExpectedGrant::Anything,
            };
            let granted = store.update_grant(&call, &audit).await?;
            granted.map_err(|refusal| StoreError::Bug(format!("a grant of the demo: {refusal:?}").into()))?;
        }
        Ok(())
    }
}

#[async_trait]
impl SandboxSeed for DemoSeed {
    async fn fill_store(&self, store: &dyn Store) -> Result<(), StoreError> {
        let today = self.clock.now().date();
        let data = demo_data::demo_companies_ndjson(today);
        self.import_companies(store, Box::new(io::Cursor::new(data.clone()))).await?;
        if let Some(population) = self.population {
            self.import_companies(store, Box::new(population.lines(today))).await?;
        }
        let mut companies = import::parse_company_ids(&data);
        // The partner gets no grant for the last company, so that users can see a request that is rejected.
        companies.truncate(companies.len().saturating_sub(1));
        let created =
            self.population.iter().flat_map(|of| (0..of.companies).map(|number| of.company_id(number)));
        companies.extend(created.filter_map(|id| id.parse::<CompanyId>().ok()));
        let read_only = [Scope::ReadCompanies, Scope::ReadPayroll].into_iter().collect();
        let all = Window { offset: 0, limit: None };
        for application in store.applications(all).await?.rows.into_vec().await? {
            let id = &application.value.application_id;
            match application.value.settings.name.as_str() {
                READER_NAME => {
                    self.grant_access(store, id, (companies.get(..1).unwrap_or_default(), read_only)).await?
                }
                PARTNER_NAME => self.grant_access(store, id, (&companies, Scopes::for_companies())).await?,
                _ => {}
            }
        }
        Ok(())
    }
}
