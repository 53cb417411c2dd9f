//! What is stored and the rules need: no more of a company than a request names.

use std::collections::{HashMap, HashSet};

use crate::company::{Organization, Product};
use crate::date::Date;
use crate::id::{ComponentId, OrganizationId, PayPeriodId, PaycheckId, WorkerId};
use crate::pay_component::PayComponent;
use crate::pay_period::PeriodStatus;
use crate::worker::{ExemptionType, PayRate, WorkerType};

/// The ids that a request names: what to look up for [`Facts`]. Each at most once, well-formed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Pay periods.
    pub pay_periods: Vec<PayPeriodId>,
    /// Workers; their pay rates are wanted too.
    pub workers: Vec<WorkerId>,
    /// Pay components.
    pub components: Vec<ComponentId>,
    /// Organizations.
    pub organizations: Vec<OrganizationId>,
    /// Checks that the request claims to change.
    pub paychecks: Vec<PaycheckId>,
    /// Correlation ids.
    pub correlation_ids: Vec<String>,
}

/// What is stored of a company, as far as a request names it. What is not in here is not the
/// company's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The lock that holds now, if one does: the operator's, or that of a period in processing.
    pub lock: Option<LockFacts>,
    /// All products of the company.
    pub products: Vec<Product>,
    /// Pay periods.
    pub pay_periods: HashMap<PayPeriodId, PeriodFacts>,
    /// Workers.
    pub workers: HashMap<WorkerId, WorkerFacts>,
    /// Pay components.
    pub components: HashMap<ComponentId, PayComponent>,
    /// Organizations.
    pub organizations: HashMap<OrganizationId, Organization>,
    /// Those of the wanted checks that are this company's.
    pub paychecks: HashSet<PaycheckId>,
    /// Those of the wanted correlation ids that the calling application has already used in the
    /// wanted period; empty unless the application's ids last for the period.
    pub used_correlation_ids: HashSet<String>,
}

impl Facts {
    /// Whether the company has the product on that day.
    #[must_use]
    pub fn has_product(&self, product_code: &str, day: Date) -> bool {
        self.products.iter().any(|product| product.product_code == product_code && product.covers(day))
    }
}

/// A lock that holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFacts {
    /// Seconds until it ends by itself, where that is known.
    pub seconds_left: Option<u32>,
}

/// A pay period, as far as the rules need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodFacts {
    /// Where it is in its life.
    pub status: PeriodStatus,
    /// The last day, inclusive.
    pub end_date: Date,
    /// The day on which the workers are paid.
    pub check_date: Date,
}

/// A worker, as far as the rules need them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerFacts {
    /// How they stand to the company.
    pub worker_type: WorkerType,
    /// Whether overtime is paid.
    pub exemption_type: Option<ExemptionType>,
    /// All their pay rates.
    pub pay_rates: Vec<PayRate>,
}
