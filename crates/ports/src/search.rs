//! Searches all companies for an object of which an operator knows a detail, such as an id or a name.

use async_trait::async_trait;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::StoreError;

/// The maximum number of results of each kind. More results would not help a person who looks for one object.
pub const MAX_HITS_PER_KIND: u32 = 20;

/// A result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchHit {
    /// A company that matches the search.
    Company {
        /// The id of the company.
        company_id: CompanyId,
        /// The legal name of the company.
        name: String,
        /// The account number of the company.
        display_id: String,
    },
    /// A worker who matches the search.
    Worker {
        /// The company for which the worker works.
        company_id: CompanyId,
        /// The legal name of the company.
        company_name: String,
        /// The id of the worker.
        worker_id: WorkerId,
        /// The given name and the family name, joined by a blank.
        name: String,
        /// The number that the company uses for the worker.
        employee_id: Option<String>,
    },
    /// A pay period that matches the search.
    PayPeriod {
        /// The company to which the pay period belongs.
        company_id: CompanyId,
        /// The legal name of the company.
        company_name: String,
        /// The id of the pay period.
        pay_period_id: PayPeriodId,
        /// The description of the pay period. `None` if the period has none.
        description: Option<String>,
    },
    /// A check that matches the search.
    Check {
        /// The company to which the check belongs.
        company_id: CompanyId,
        /// The legal name of the company.
        company_name: String,
        /// The pay period to which the check belongs.
        pay_period_id: PayPeriodId,
        /// The id of the worker who is paid.
        worker_id: WorkerId,
        /// The id of the check.
        paycheck_id: PaycheckId,
    },
    /// An application that matches the search.
    Application {
        /// The id of the application.
        application_id: ApplicationId,
        /// The name of the application.
        name: String,
    },
}

/// Finds objects by their ids, numbers and names.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// Finds objects by a text:
    /// * The text can be the id of any object, the employee id of a worker, the API key of an application, or
    ///   the account number of a company ([`to_display_key`](payroll_domain::company::to_display_key)).
    /// * The text can be a part of the name of a company or of an application.
    /// * The text can be the start of a worker's given name or family name. It can also be one of the two
    ///   names in full, a blank, and the start of the other name.
    ///
    /// Names are compared by [`to_name_search_keys`](payroll_domain::worker::to_name_search_keys).
    ///
    /// The results are in the order companies, workers, pay periods, checks, applications. Within each kind,
    /// matches by id or number come before matches by name. Each object is returned only once. At most
    /// [`MAX_HITS_PER_KIND`] objects of each kind are returned.
    ///
    /// If `visible_companies` is given, only these companies and their objects are found, and no
    /// applications.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`] from the store.
    async fn search(
        &self,
        text: &str,
        visible_companies: Option<&[CompanyId]>,
    ) -> Result<Vec<SearchHit>, StoreError>;
}
