//! Links: absolute URLs of related resources (specification §2.6, §11.1).
//!
//! Ids need no escaping in a URL, because they contain only letters, digits, `_` and `-`.

use std::fmt;

use payroll_domain::id::{CompanyId, PaycheckId, RateId, WorkerId};
use serde::{Serialize, Serializer};

/// A link to a resource.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Link<'a> {
    pub(crate) rel: &'static str,
    pub(crate) href: Href<'a>,
}

/// The target of a link. `base` is the base URL of all links, without a slash at its end.
#[derive(Debug, Clone)]
pub(crate) enum Href<'a> {
    /// A URL that is already complete.
    Complete(String),
    /// The URL of a company.
    Company { base: &'a str, company_id: &'a CompanyId },
    /// The URL of a company's workers.
    Workers { base: &'a str, company_id: &'a CompanyId },
    /// The URL of an element of one of the company's lists.
    InCompany { base: &'a str, company_id: &'a CompanyId, list: &'static str, id: &'a str },
    /// The URL of a worker.
    Worker { base: &'a str, worker_id: &'a WorkerId },
    /// The URL of a subresource of a worker.
    OfWorker { base: &'a str, worker_id: &'a WorkerId, path: &'static str },
    /// The URL of a worker's pay rate.
    PayRate { base: &'a str, worker_id: &'a WorkerId, rate_id: &'a RateId },
    /// The URL of a check.
    Check { base: &'a str, worker_id: &'a WorkerId, paycheck_id: &'a PaycheckId },
}

impl<'a> Link<'a> {
    /// Creates the link of a resource to itself.
    pub(crate) const fn to_self(href: Href<'a>) -> Self {
        Self { rel: "self", href }
    }
}

impl fmt::Display for Href<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete(address) => f.write_str(address),
            Self::Company { base, company_id } => write!(f, "{base}/companies/{company_id}"),
            Self::Workers { base, company_id } => write!(f, "{base}/companies/{company_id}/workers"),
            Self::Worker { base, worker_id } => write!(f, "{base}/workers/{worker_id}"),
            Self::OfWorker { base, worker_id, path } => write!(f, "{base}/workers/{worker_id}/{path}"),
            Self::PayRate { base, worker_id, rate_id } => {
                write!(f, "{base}/workers/{worker_id}/compensation/payrates/{rate_id}")
            }
            Self::InCompany { base, company_id, list, id } => {
                write!(f, "{base}/companies/{company_id}/{list}/{id}")
            }
            Self::Check { base, worker_id, paycheck_id } => {
                write!(f, "{base}/workers/{worker_id}/checks/{paycheck_id}")
            }
        }
    }
}

impl Serialize for Href<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
