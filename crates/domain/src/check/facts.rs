//! What is stored and the rules need: no more of a company than a request names.

use std::collections::{HashMap, HashSet};

use crate::code::Reason;
use crate::company::{Organization, Product};
use crate::date::{Date, Timestamp};
use crate::id::{ComponentId, OrganizationId, PayPeriodId, PaycheckId, ReferenceId, WorkerId};
use crate::pay_component::PayComponent;
use crate::pay_period::{PayPeriod, PeriodStatus};
use crate::violation::Violations;
use crate::whole_company::WholeCompany;
use crate::worker::{AssignmentDistribution, ExemptionType, PayRate, Worker, WorkerType};

/// The ids that a request names: what to look up for [`Facts`]. Each at most once, well-formed.
///
/// ```
/// use payroll_domain::{check::Batch, input, violation::Violations};
/// let document = input::parse(br#"[{"workerId": "W-1", "payPeriodId": "P-1"}, {"workerId": "W-1"}]"#)?;
/// let wanted = Batch::read(&document)?.wanted();
/// assert_eq!(wanted.workers.len(), 1);
/// assert_eq!(wanted.pay_periods[0].as_str(), "P-1");
/// # Ok::<(), Violations>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Wanted {
    /// Pay periods.
    pub pay_periods: Vec<PayPeriodId>,
    /// Workers; their pay rates are wanted too.
    pub workers: Vec<WorkerId>,
    /// Pay components.
    pub components: Vec<ComponentId>,
    /// Organizations.
    pub organizations: Vec<OrganizationId>,
    /// The jobs that lines name.
    pub jobs: Vec<ReferenceId>,
    /// The labor assignments that lines name.
    pub labor_assignments: Vec<ReferenceId>,
    /// Checks that the request claims to change.
    pub paychecks: Vec<PaycheckId>,
    /// Correlation ids.
    pub correlation_ids: Vec<String>,
}

/// What is stored of a company, as far as a request names it. What is not in here is not the
/// company's.
///
/// [`Facts::of`] takes them from a company as an import reads it. A program that looks them up
/// elsewhere begins with [`Facts::default`], a company without anything, and fills in what a batch
/// has [`wanted`](super::Batch::wanted).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
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
    /// The jobs of the company.
    pub jobs: KeptList,
    /// The labor assignments of the company.
    pub labor_assignments: KeptList,
    /// Those of the wanted checks that are this company's.
    pub paychecks: HashSet<PaycheckId>,
    /// Those of the wanted correlation ids that the calling application has already used in the
    /// wanted period; empty unless the application's ids last for the period.
    pub used_correlation_ids: HashSet<String>,
}

impl Facts {
    /// The facts of a company with everything in it, at that instant: that decides whether the
    /// company takes part, and whether its lock holds. A bare date is its beginning in UTC.
    ///
    /// A document of a company has the checks of its processed periods only, and knows nothing of
    /// correlation ids. A program that knows of checks in open periods adds their ids to
    /// [`paychecks`](Self::paychecks), and those of their correlation ids that must not come again
    /// to [`used_correlation_ids`](Self::used_correlation_ids).
    ///
    /// # Errors
    /// [`Reason::CompanyEndDated`] alone when the company's last day has passed: no check of it is
    /// validated.
    ///
    /// ```
    /// use payroll_domain::check::Facts;
    /// use payroll_domain::date::Timestamp;
    /// use payroll_domain::{document, input};
    ///
    /// let company = document::read_company(&input::parse(
    ///     br#"{"companyId": "C-1", "displayId": "00000001", "legalName": "Example LLC", "endDate": "2026-12-31",
    ///          "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}]}"#,
    /// )?)?;
    /// let facts = Facts::of(&company, Timestamp::parse("2026-12-31")?)?;
    /// assert_eq!(facts.products.len(), 1);
    ///
    /// let refused = Facts::of(&company, Timestamp::parse("2027-01-01")?).unwrap_err();
    /// assert_eq!(refused.to_string(), "API-68 the company has been end dated");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(company: &WholeCompany, now: Timestamp) -> Result<Self, Violations> {
        if company.company.has_ended(now.date()) {
            return Err(Reason::CompanyEndDated.into());
        }
        let periods = || company.pay_periods.iter();
        let checks = periods().flat_map(|imported| &imported.processed_checks);
        let components = company.pay_components.iter();
        let units = company.organizations.iter();
        let assignments = company.plain.labor_assignments.iter();
        Ok(Self {
            lock: LockFacts::of(company, now),
            products: company.products.clone().unwrap_or_default(),
            pay_periods: periods().map(|it| (it.period.pay_period_id.clone(), (&it.period).into())).collect(),
            workers: company.workers.iter().map(|it| (it.worker_id.clone(), it.into())).collect(),
            components: components.map(|it| (it.component_id.clone(), it.clone())).collect(),
            organizations: units.map(|it| (it.organization_id.clone(), it.clone())).collect(),
            jobs: KeptList::of(company.plain.jobs.iter().map(|it| it.job_id.as_str())),
            labor_assignments: KeptList::of(assignments.map(|it| it.labor_assignment_id.as_str())),
            paychecks: checks.map(|check| check.paycheck_id.clone()).collect(),
            used_correlation_ids: HashSet::new(),
        })
    }

    /// Whether the company has the product on that day.
    #[must_use]
    pub fn has_product(&self, product_code: &str, day: Date) -> bool {
        self.products.iter().any(|product| product.product_code == product_code && product.covers(day))
    }
}

/// A list of a company that may be kept in another system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeptList {
    /// The company has no object in this list: ids are free text.
    #[default]
    Elsewhere,
    /// The company has objects in this list: those that are named.
    Here(HashSet<String>),
}

impl KeptList {
    /// The list of all the ids that a company has.
    fn of<'i>(ids: impl Iterator<Item = &'i str>) -> Self {
        let known: HashSet<_> = ids.map(str::to_owned).collect();
        if known.is_empty() { Self::Elsewhere } else { Self::Here(known) }
    }

    /// Accepts this id too: a stored line has it.
    pub fn accept(&mut self, id: &ReferenceId) {
        if let Self::Here(known) = self {
            known.insert(id.as_str().to_owned());
        }
    }

    /// Whether a line may name this id.
    #[must_use]
    pub fn accepts(&self, id: &ReferenceId) -> bool {
        match self {
            Self::Elsewhere => true,
            Self::Here(known) => known.contains(id.as_str()),
        }
    }
}

/// A lock that holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockFacts {
    /// Seconds until it ends by itself, where that is known.
    pub seconds_left: Option<u32>,
}

impl LockFacts {
    /// A lock that ends when its holder says so.
    pub const WITHOUT_END: Self = Self { seconds_left: None };

    /// A lock that ends by itself, if it still holds.
    #[must_use]
    pub fn until(end: Timestamp, now: Timestamp) -> Option<Self> {
        let micros = end.as_micros().saturating_sub(now.as_micros());
        // A part of a second counts as one: who comes back then finds the lock gone.
        let seconds = micros.saturating_add(999_999) / 1_000_000;
        (micros > 0).then(|| Self { seconds_left: Some(u32::try_from(seconds).unwrap_or(u32::MAX)) })
    }

    /// The lock that a company has at that instant.
    fn of(company: &WholeCompany, now: Timestamp) -> Option<Self> {
        if company.pay_periods.iter().any(|it| it.period.status == PeriodStatus::Processing) {
            return Some(Self::WITHOUT_END);
        }
        match company.lock.as_ref()?.expires {
            None => Some(Self::WITHOUT_END),
            Some(end) => Self::until(end, now),
        }
    }
}

/// A pay period, as far as the rules need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeriodFacts {
    /// Where it is in its life.
    pub status: PeriodStatus,
    /// The last day, inclusive.
    pub end_date: Date,
    /// The day on which the workers are paid.
    pub check_date: Date,
}

impl PeriodFacts {
    /// The facts of a pay period: its state, its last day, and the day on which it pays.
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

/// A worker, as far as the rules need them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerFacts {
    /// Their relationship to the company.
    pub worker_type: WorkerType,
    /// Whether overtime is paid.
    pub exemption_type: Option<ExemptionType>,
    /// All their pay rates.
    pub pay_rates: Vec<PayRate>,
    /// How their work is distributed; the values add up to 100.
    pub distributions: Vec<AssignmentDistribution>,
}

impl WorkerFacts {
    /// The facts of a worker: their relationship to the company, whether overtime is paid, and their rates. Their work
    /// is not distributed.
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
