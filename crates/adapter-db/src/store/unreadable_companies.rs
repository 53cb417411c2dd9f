//! Companies with invalid rows. Lists of companies omit these companies, because otherwise the complete list
//! would fail. Omitted companies are logged, counted and reported by the health check. A request for a single
//! company of this kind fails.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use payroll_ports::Rows;
use payroll_ports::metrics::{Metric, to_f64};

use crate::error::{Failure, Outcome};

/// The maximum number of unreadable companies that are kept in memory. With more of them, an operator
/// restores a backup and does not need the list.
const MAX_RECORDED_COMPANIES: usize = 100;

/// A company that cannot be read.
#[derive(Debug)]
pub(super) struct UnreadableCompany {
    company_id: String,
    table: &'static str,
    problem: String,
}

impl UnreadableCompany {
    /// Returns the result of reading a company. An invalid row causes an error in the inner result. Every
    /// other failure causes an error in the outer result.
    pub(super) fn catch_unreadable_company<T>(
        company_id: &str,
        read: Outcome<T>,
    ) -> Outcome<Result<T, Self>> {
        match read {
            Ok(company) => Ok(Ok(company)),
            Err(Failure::Corrupt { table, problem, .. }) => {
                Ok(Err(Self { company_id: company_id.to_owned(), table, problem }))
            }
            Err(failure) => Err(failure),
        }
    }
}

/// The companies that lists of this process have omitted, until they can be read again.
#[derive(Debug, Default)]
pub(super) struct UnreadableCompanies(Mutex<BTreeSet<String>>);

impl UnreadableCompanies {
    /// Returns the companies that can be read, and records the unreadable ones.
    pub(super) fn skip_unreadable_companies<T: Send + 'static>(
        self: &Arc<Self>,
        rows: Rows<Result<T, UnreadableCompany>>,
        id: fn(&T) -> &str,
    ) -> Rows<T> {
        let noted = Arc::clone(self);
        rows.filter_map(move |row| match row {
            Ok(company) => {
                noted.record_readable(id(&company));
                Some(company)
            }
            Err(unreadable) => {
                noted.record(unreadable);
                None
            }
        })
    }

    fn record(&self, UnreadableCompany { company_id, table, problem }: UnreadableCompany) {
        let mut companies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if companies.len() < MAX_RECORDED_COMPANIES && companies.insert(company_id.clone()) {
            tracing::error!(
                company = company_id,
                table,
                problem,
                "a company cannot be read, so lists omit it"
            );
        }
    }

    fn record_readable(&self, company_id: &str) {
        let mut companies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !companies.is_empty() {
            companies.remove(company_id);
        }
    }

    /// Returns the ids of the companies that cannot be read.
    pub(super) fn ids(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the metric for the number of companies that cannot be read.
    pub(super) fn metric(&self) -> Metric {
        const METRIC_HELP: &str =
            "Companies that lists omit because their data cannot be read (at most 100 are counted).";
        let count = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        Metric::gauge(
            "payroll_unreadable_companies",
            METRIC_HELP,
            to_f64(u64::try_from(count).unwrap_or(u64::MAX)),
        )
    }
}
