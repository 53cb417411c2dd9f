//! Looking something up over all companies, by any detail that an operator has of it.

use async_trait::async_trait;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::StoreError;

/// The most hits of a kind: more than these do not help a person who looks for one.
pub const MAX_HITS_OF_KIND: u32 = 20;

/// A result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// A company that was found.
    Company {
        /// Id of the company.
        company_id: CompanyId,
        /// The name of the company.
        name: String,
        /// The account number of the company.
        display_id: String,
    },
    /// A worker who was found.
    Worker {
        /// Id of the company.
        company_id: CompanyId,
        /// The name of the company.
        company_name: String,
        /// Id of the worker.
        worker_id: WorkerId,
        /// Given name and family name, with a blank between them.
        name: String,
        /// The number that the company uses for the worker.
        employee_id: Option<String>,
    },
    /// A pay period that was found.
    PayPeriod {
        /// Id of the company.
        company_id: CompanyId,
        /// The name of the company.
        company_name: String,
        /// Id of the pay period.
        pay_period_id: PayPeriodId,
        /// The description of the period.
        description: Option<String>,
    },
    /// A check that was found.
    Check {
        /// Id of the company.
        company_id: CompanyId,
        /// The name of the company.
        company_name: String,
        /// The pay period that it is in.
        pay_period_id: PayPeriodId,
        /// Id of the worker who is paid.
        worker_id: WorkerId,
        /// Id of the check.
        paycheck_id: PaycheckId,
    },
    /// An application that was found.
    Application {
        /// Id of the application.
        application_id: ApplicationId,
        /// The name of the application.
        name: String,
    },
}

/// Finds objects by a part of their text.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// What has that text: as its id, as the account number of a company
    /// ([`display_key`](payroll_domain::company::display_key)), the short number of a worker or the API key
    /// of an application; as a part of the name of a company or an application; as the beginning of a given
    /// name or a family name of a worker, or of both with a blank between them, of which the first is complete.
    /// Names are compared by [`name_keys`](payroll_domain::worker::name_keys).
    ///
    /// Companies come first, then workers, pay periods, checks and applications; of each kind the hits by
    /// id and number before those by name, each once, and at most [`MAX_HITS_OF_KIND`].
    ///
    /// With `within` only these companies and what belongs to them is found, and no application.
    ///
    /// # Errors
    /// Any of [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
    async fn search(&self, text: &str, within: Option<&[CompanyId]>) -> Result<Vec<Hit>, StoreError>;
}
