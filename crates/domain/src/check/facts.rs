//! The stored data that the rules need, limited to the objects that a request refers to.

use std::collections::{HashMap, HashSet};

use crate::code::Reason;
use crate::company::{Organization, Product};
use crate::complete_company::CompleteCompany;
use crate::date::{Date, Timestamp};
use crate::id::{ComponentId, OrganizationId, PayPeriodId, PaycheckId, ReferenceId, WorkerId};
use crate::pay_component::PayComponent;
use crate::pay_period::{PayPeriod, PeriodStatus};
use crate::violation::Violations;
use crate::worker::{AssignmentDistribution, ExemptionType, PayRate, Worker, WorkerType};

/// The ids in a request whose objects must be looked up to create [`ValidationFacts`]. Each well-formed id is
/// listed once.
///
/// ```
/// use payroll_domain::{check::Batch, input, violation::Violations};
/// let document = input::parse(br#"[{"workerId": "W-1", "payPeriodId": "P-1"}, {"workerId": "W-1"}]"#)?;
/// let wanted = Batch::read(&document)?.required_lookups();
/// assert_eq!(wanted.workers.len(), 1);
/// assert_eq!(wanted.pay_periods[0].as_str(), "P-1");
/// # Ok::<(), Violations>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RequiredLookups {
    /// The pay periods to look up.
    pub pay_periods: Vec<PayPeriodId>,
    /// The workers to look up, with their pay rates.
    pub workers: Vec<WorkerId>,
    /// The pay components to look up.
    pub components: Vec<ComponentId>,
    /// The organizations to look up.
    pub organizations: Vec<OrganizationId>,
    /// The jobs to which lines are booked.
    pub jobs: Vec<ReferenceId>,
    /// The labor assignments to which lines are booked.
    pub labor_assignments: Vec<ReferenceId>,
    /// The check ids in the request. A request can only add checks, so an id of a stored check is a fault.
    pub paychecks: Vec<PaycheckId>,
    /// The correlation ids to look up.
    pub correlation_ids: Vec<String>,
}

/// The stored data of a company that a request refers to. An object that is missing here does not belong to
/// the company.
///
/// [`ValidationFacts::from_company`] creates the facts from a company document, such as one for an import. A
/// program that looks up the objects elsewhere starts with [`ValidationFacts::default`], an empty company.
/// The program then adds the objects that [`required_lookups`](super::Batch::required_lookups) lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ValidationFacts {
    /// The lock that is active now: the operator's lock, or the lock of a period in processing. `None` if the
    /// company is not locked.
    pub lock: Option<LockFacts>,
    /// All products of the company.
    pub products: Vec<Product>,
    /// The pay periods by id.
    pub pay_periods: HashMap<PayPeriodId, PeriodFacts>,
    /// The workers by id.
    pub workers: HashMap<WorkerId, WorkerFacts>,
    /// The pay components by id.
    pub components: HashMap<ComponentId, PayComponent>,
    /// The organizations by id.
    pub organizations: HashMap<OrganizationId, Organization>,
    /// The company's jobs, to which lines may be booked.
    pub jobs: MaintainedList,
    /// The company's labor assignments, to which lines may be booked.
    pub labor_assignments: MaintainedList,
    /// The looked-up check ids that belong to stored checks of this company.
    pub paychecks: HashSet<PaycheckId>,
    /// The looked-up correlation ids that the calling application already used in the pay period. The set is
    /// empty unless the application's ids must be unique per period.
    pub used_correlation_ids: HashSet<String>,
}

impl ValidationFacts {
    /// Creates the facts of a complete company at the instant `now`. The instant determines whether the
    /// company has ended and whether its lock is active. A date without a time means the start of the day in
    /// UTC.
    ///
    /// A company document contains only the checks of processed periods, and no correlation ids. A program
    /// that has checks in open periods adds their ids to [`paychecks`](Self::paychecks). The program also
    /// adds the correlation ids that must not be used again to
    /// [`used_correlation_ids`](Self::used_correlation_ids).
    ///
    /// # Errors
    /// Returns [`Reason::CompanyEndDated`] as the only fault if the company's last day has passed. Checks for
    /// such a company are not validated.
    ///
    /// ```
    /// use payroll_domain::check::ValidationFacts;
    /// use payroll_domain::date::Timestamp;
    /// use payroll_domain::{document, input};
    ///
    /// let company = document::read_company(&input::parse(
    ///     br#"{"companyId": "C-1", "displayId": "00000001", "legalName": "Example LLC", "endDate": "2026-12-31",
    ///          "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}]}"#,
    /// )?)?;
    /// let facts = ValidationFacts::from_company(&company, Timestamp::parse("2026-12-31")?)?;
    /// assert_eq!(facts.products.len(), 1);
    ///
    /// let refused = ValidationFacts::from_company(&company, Timestamp::parse("2027-01-01")?).unwrap_err();
    /// assert_eq!(refused.to_string(), "API-68 the end date of the company has passed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_company(company: &CompleteCompany, now: Timestamp) -> Result<Self, Violations> {
        if company.company.has_ended(now.date()) {
            return Err(Reason::CompanyEndDated.into());
        }
        let periods = || company.pay_periods.iter();
        let checks = periods().flat_map(|imported| &imported.processed_checks);
        let components = company.pay_components.iter();
        let units = company.organizations.iter();
        let assignments = company.lookups.labor_assignments.iter();
        Ok(Self {
            lock: LockFacts::from_company(company, now),
            products: company.products.clone().unwrap_or_default(),
            pay_periods: periods().map(|it| (it.period.pay_period_id.clone(), (&it.period).into())).collect(),
            workers: company.workers.iter().map(|it| (it.worker_id.clone(), it.into())).collect(),
            components: components.map(|it| (it.component_id.clone(), it.clone())).collect(),
            organizations: units.map(|it| (it.organization_id.clone(), it.clone())).collect(),
            jobs: MaintainedList::from_ids(company.lookups.jobs.iter().map(|it| it.job_id.as_str())),
            labor_assignments: MaintainedList::from_ids(
                assignments.map(|it| it.labor_assignment_id.as_str()),
            ),
            paychecks: checks.map(|check| check.paycheck_id.clone()).collect(),
            used_correlation_ids: HashSet::new(),
        })
    }

    /// Returns whether the company has the product on that day.
    #[must_use]
    pub fn has_product(&self, product_code: &str, day: Date) -> bool {
        Product::has_valid_product(&self.products, product_code, day)
    }
}

/// A list of a company that may be maintained in another system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MaintainedList {
    /// The list has no object, because the company maintains the list in another system. Lines may use any
    /// id.
    #[default]
    External,
    /// The company has objects in this list, so lines may only use the ids of these objects. The set contains
    /// at least the ids that the request uses.
    Internal(HashSet<String>),
}

impl MaintainedList {
    /// Creates a list with all ids of a company. Without ids, the list counts as a list that is maintained
    /// in another system.
    fn from_ids<'i>(ids: impl Iterator<Item = &'i str>) -> Self {
        let known: HashSet<_> = ids.map(str::to_owned).collect();
        if known.is_empty() { Self::External } else { Self::Internal(known) }
    }

    /// Accepts an additional id, because a stored line already uses it.
    pub fn add_id(&mut self, id: &ReferenceId) {
        if let Self::Internal(known) = self {
            known.insert(id.as_str().to_owned());
        }
    }

    /// Returns whether a line may use this id.
    #[must_use]
    pub fn accepts(&self, id: &ReferenceId) -> bool {
        match self {
            Self::External => true,
            Self::Internal(known) => known.contains(id.as_str()),
        }
    }
}

/// A lock that is active now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockFacts {
    /// The seconds until the lock expires. `None` if the lock does not expire by itself.
    pub seconds_left: Option<u32>,
}

impl LockFacts {
    /// A lock that does not expire but ends when its holder releases it.
    pub const WITHOUT_END: Self = Self { seconds_left: None };

    /// Returns a lock that expires at `end`, or `None` if that instant has passed.
    #[must_use]
    pub fn from_expiry(end: Timestamp, now: Timestamp) -> Option<Self> {
        let micros = end.as_micros().saturating_sub(now.as_micros());
        // A partial second is rounded up. The lock has then expired when a caller retries after this time.
        let seconds = micros.saturating_add(999_999) / 1_000_000;
        (micros > 0).then(|| Self { seconds_left: Some(u32::try_from(seconds).unwrap_or(u32::MAX)) })
    }

    /// Returns the lock of the company at the instant `now`. `None` if the company is not locked.
    fn from_company(company: &CompleteCompany, now: Timestamp) -> Option<Self> {
        if company.pay_periods.iter().any(|it| it.period.status == PeriodStatus::Processing) {
            return Some(Self::WITHOUT_END);
        }
        match company.lock.as_ref()?.expires {
            None => Some(Self::WITHOUT_END),
            Some(end) => Self::from_expiry(end, now),
        }
    }
}

/// The members of a pay period that the rules need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeriodFacts {
    /// The state of the pay period.
    pub status: PeriodStatus,
    /// The last day, inclusive.
    pub end_date: Date,
    /// The day on which the workers are paid.
    pub check_date: Date,
}

impl PeriodFacts {
    /// Creates the facts of a pay period from its state, its last day and its check date.
    #[must_use]
    pub const fn new(status: PeriodStatus, end_date: Date, check_date: Date) -> Self {
        Self { status, end_date, check_date }
    }
}

impl From<&PayPeriod> for PeriodFacts {
    fn from(period: &PayPeriod) -> Self {
        Self::new(period.status, period.end_date, period.check_date)
    }
}

/// The members of a worker that the rules need.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerFacts {
    /// The worker's relationship to the company.
    pub worker_type: WorkerType,
    /// Whether the worker is paid for overtime.
    pub exemption_type: Option<ExemptionType>,
    /// All pay rates of the worker.
    pub pay_rates: Vec<PayRate>,
    /// The distribution of the worker's work. The values add up to 100.
    pub distributions: Vec<AssignmentDistribution>,
}

impl WorkerFacts {
    /// Creates the facts of a worker whose work is not distributed over jobs or labor assignments.
    #[must_use]
    pub const fn new(
        worker_type: WorkerType,
        exemption_type: Option<ExemptionType>,
        pay_rates: Vec<PayRate>,
    ) -> Self {
        Self { worker_type, exemption_type, pay_rates, distributions: Vec::new() }
    }
}

impl From<&Worker> for WorkerFacts {
    fn from(worker: &Worker) -> Self {
        let distributions = worker.assignment_distributions.clone();
        let facts = Self::new(worker.worker_type, worker.exemption_type, worker.pay_rates.clone());
        Self { distributions, ..facts }
    }
}
