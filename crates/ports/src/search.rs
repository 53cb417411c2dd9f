//! Looking something up over all companies, by any detail that an operator has of it.

use async_trait::async_trait;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::StoreError;

/// The most hits of a kind: more than these do not help a person who looks for one.
pub const MAX_HITS_OF_KIND: u32 = 20;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// A company.
    Company {
        /// Its id.
        company_id: CompanyId,
        /// Its name.
        name: String,
        /// Its account number.
        display_id: String,
    },
    /// A worker.
    Worker {
        /// The company.
        company_id: CompanyId,
        /// The company's name.
        company_name: String,
        /// The worker's id.
        worker_id: WorkerId,
        /// Given name and family name, with a blank between them.
        name: String,
        /// The short number.
        employee_id: Option<String>,
    },
    /// A pay period.
    PayPeriod {
        /// The company.
        company_id: CompanyId,
        /// The company's name.
        company_name: String,
        /// The period's id.
        pay_period_id: PayPeriodId,
        /// A note.
        description: Option<String>,
    },
    /// A check.
    Check {
        /// The company.
        company_id: CompanyId,
        /// The company's name.
        company_name: String,
        /// The pay period that it is in.
        pay_period_id: PayPeriodId,
        /// Who is paid.
        worker_id: WorkerId,
        /// The check's id.
        paycheck_id: PaycheckId,
    },
    /// An application.
    Application {
        /// Its id.
        application_id: ApplicationId,
        /// Its name.
        name: String,
    },
}

/// Looking something up.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// What has that text: as its id, as the account number of a company
    /// ([`display_key`](payroll_domain::company::display_key)), the short number of a worker or the API key
    /// of an application; as a part of the name of a company or an application; as the beginning of a given
    /// name or a family name of a worker, or of both with a blank between them, of which the first is whole.
    /// Names are compared by [`name_keys`](payroll_domain::worker::name_keys).
    ///
    /// Companies come first, then workers, pay periods, checks and applications; of each kind the hits by
    /// id and number before those by name, each once, and at most [`MAX_HITS_OF_KIND`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
    async fn search(&self, text: &str) -> Result<Vec<Hit>, StoreError>;
}
