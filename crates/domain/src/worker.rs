//! Workers, with their pay rates, recurring pay components and tax settings.

use crate::company::Communication;
use crate::date::Date;
use crate::id::{
    CalculationBaseId, ComponentId, CustomEmploymentTypeId, OrganizationId, RateId, ReferenceId,
    WorkerComponentId, WorkerId, WorkerStatusId,
};
use crate::money::{Amount, Quantity, Rate};
use crate::named::named;
use crate::tax_id::LegalId;

named! {
    /// How a worker stands to the company.
    WorkerType {
        /// An employee.
        Employee = "EMPLOYEE",
        /// A contractor.
        Contractor = "CONTRACTOR",
        /// An independent contractor.
        IndependentContractor = "INDEPENDENT_CONTRACTOR",
    }
}

named! {
    /// How much a worker works.
    EmploymentType {
        /// Full time.
        FullTime = "FULL_TIME",
        /// Part time.
        PartTime = "PART_TIME",
    }
}

named! {
    /// Whether overtime is paid.
    ExemptionType {
        /// No overtime.
        Exempt = "EXEMPT",
        /// Overtime is paid.
        NonExempt = "NON_EXEMPT",
    }
}

named! {
    /// A worker's sex.
    Sex {
        /// Male.
        Male = "MALE",
        /// Female.
        Female = "FEMALE",
        /// Not specified.
        NotSpecified = "NOT_SPECIFIED",
    }
}

named! {
    /// Where a worker is in their time with the company.
    StatusType {
        /// At work.
        Active = "ACTIVE",
        /// Not at work for now.
        Inactive = "INACTIVE",
        /// Gone.
        Terminated = "TERMINATED",
        /// Not yet there.
        Pending = "PENDING",
        /// Being set up.
        InProgress = "IN_PROGRESS",
    }
}

named! {
    /// What a pay rate pays for.
    RateType {
        /// An hour.
        Hourly = "HOURLY_RATE",
        /// A pay period.
        PerPayPeriodSalary = "PER_PAY_PERIOD_SALARY",
        /// A year.
        AnnualSalary = "ANNUAL_SALARY",
        /// A piece.
        Piecework = "PIECEWORK_RATE",
        /// A day.
        Daily = "DAILY_RATE",
    }
}

named! {
    /// How a recurring component is calculated.
    CalculationType {
        /// An amount.
        FlatDollarAmount = "FLAT_DOLLAR_AMOUNT",
        /// A part of its calculation base.
        Percentage = "PERCENTAGE",
        /// A rate for each unit.
        RateXUnits = "RATE_X_UNITS",
        /// A rate for each hour.
        RateXHours = "RATE_X_HOURS",
        /// An amount by a schedule.
        ScheduledAmount = "SCHEDULED_AMOUNT",
    }
}

named! {
    /// Federal filing status.
    FilingStatus {
        /// Single, or married filing separately.
        Single = "SINGLE_OR_MARRIED_FILING_SEPARATELY",
        /// Married filing jointly.
        MarriedFilingJointly = "MARRIED_FILING_JOINTLY",
        /// Head of household.
        HeadOfHousehold = "HEAD_OF_HOUSEHOLD",
    }
}

/// The highest number that a pay rate may have: `RATE_25`.
pub const MAX_RATE_NUMBER: u8 = 25;

/// A worker of a company, with everything that belongs to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// Their id.
    pub worker_id: WorkerId,
    /// A short number.
    pub employee_id: Option<String>,
    /// The id for time clocks.
    pub clock_id: Option<String>,
    /// How they stand to the company.
    pub worker_type: WorkerType,
    /// How much they work.
    pub employment_type: Option<EmploymentType>,
    /// The company's own word for how they are employed.
    pub custom_employment_type_id: Option<CustomEmploymentTypeId>,
    /// Whether overtime is paid.
    pub exemption_type: Option<ExemptionType>,
    /// State in which they work: the second part of an ISO 3166-2 code.
    pub work_state: Option<String>,
    /// Birth date.
    pub birth_date: Option<Date>,
    /// Sex.
    pub sex: Option<Sex>,
    /// A code for their ethnicity.
    pub ethnicity_code: Option<String>,
    /// The day they were hired.
    pub hire_date: Option<Date>,
    /// Their name.
    pub name: Name,
    /// Their tax identity.
    pub legal_id: Option<LegalId>,
    /// Where they work.
    pub location_id: Option<ReferenceId>,
    /// The job that their work is booked on.
    pub job_id: Option<ReferenceId>,
    /// The labor assignment that their work is booked on.
    pub labor_assignment_id: Option<ReferenceId>,
    /// Their job title.
    pub job: Option<Job>,
    /// Their unit.
    pub organization_id: Option<OrganizationId>,
    /// The worker above them.
    pub supervisor_id: Option<WorkerId>,
    /// Where they are in their time with the company.
    pub current_status: Option<CurrentStatus>,
    /// Addresses, phones, e-mail.
    pub communications: Vec<Communication>,
    /// What they are paid by; at most one default of each kind.
    pub pay_rates: Vec<PayRate>,
    /// Pay components that come with every check.
    pub recurring_components: Vec<RecurringComponent>,
    /// Tax settings.
    pub taxes: Option<TaxSettings>,
}

/// A worker's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Family name.
    pub family_name: String,
    /// Given name.
    pub given_name: String,
    /// Middle name.
    pub middle_name: Option<String>,
    /// What they want to be called.
    pub preferred_name: Option<String>,
    /// `Jr`, `III`, …
    pub qualification_affix_code: Option<String>,
    /// `Dr`, …
    pub title_affix_code: Option<String>,
}

/// What a name is compared by where the case of its letters shall not count: a stored name is the
/// one that was asked for when it is one of these once its letters from A to Z are small. Letters
/// beyond them, of which databases know too little, are compared as they stand in a name that is
/// written small, in capitals, or with a capital at the beginning of each word.
///
/// ```
/// use payroll_domain::worker::name_keys;
/// let keys = name_keys("josé élan");
/// for stored in ["José Élan", "JOSÉ ÉLAN", "josé élan"] {
///     assert!(keys.contains(&stored.to_ascii_lowercase()));
/// }
/// assert!(!keys.contains(&"José".to_ascii_lowercase()));
/// ```
#[must_use]
pub fn name_keys(name: &str) -> [String; 3] {
    let small = name.to_lowercase();
    let mut titled = String::with_capacity(small.len());
    for letter in small.chars() {
        match titled.chars().last() {
            Some(before) if before.is_alphanumeric() => titled.push(letter),
            Some(_) | None => titled.extend(letter.to_uppercase()),
        }
    }
    [small, name.to_uppercase(), titled].map(|key| key.to_ascii_lowercase())
}

/// A job title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub job_title_id: ReferenceId,
    /// Its text.
    pub title: String,
}

/// Where a worker is in their time with the company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentStatus {
    /// Its id.
    pub worker_status_id: WorkerStatusId,
    /// The status.
    pub status_type: StatusType,
    /// `HIRED`, `RESIGNED`, …
    pub status_reason: Option<String>,
    /// Since when.
    pub effective_date: Date,
}

/// What a worker is paid by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayRate {
    /// Its id.
    pub rate_id: RateId,
    /// 1 to 25, written `RATE_1` to `RATE_25`.
    pub rate_number: u8,
    /// What it pays for.
    pub rate_type: RateType,
    /// A note.
    pub description: Option<String>,
    /// Money for each of what it pays for.
    pub amount: Rate,
    /// Hours that are usual.
    pub standard_hours: Option<Quantity>,
    /// Hours of overtime that are usual.
    pub standard_overtime: Option<Quantity>,
    /// It applies where no rate is named.
    pub default: bool,
    /// The first day on which it applies.
    pub start_date: Date,
    /// The day on which its present amount came into force.
    pub effective_date: Option<Date>,
}

/// A pay component that comes with every check of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringComponent {
    /// Its id.
    pub worker_component_id: WorkerComponentId,
    /// The pay component.
    pub component_id: ComponentId,
    /// How it is calculated.
    pub calculation_type: CalculationType,
    /// What it is calculated from: for all but flat amounts.
    pub calculation_base_id: Option<CalculationBaseId>,
    /// The amount, percentage or rate.
    pub value: Rate,
    /// The first day.
    pub start_date: Option<Date>,
    /// The last day.
    pub end_date: Option<Date>,
}

/// Tax settings of a worker; this server carries them and computes no tax.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaxSettings {
    /// Federal settings.
    pub federal: Option<FederalTax>,
    /// Settings of each state.
    pub states: Vec<StateTax>,
}

/// Federal tax settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FederalTax {
    /// Filing status.
    pub filing_status: Option<FilingStatus>,
    /// The worker or their spouse has more than one job.
    pub multiple_jobs: Option<bool>,
    /// Amount for dependents.
    pub dependents_amount: Option<Amount>,
    /// Other income.
    pub other_income: Option<Amount>,
    /// Deductions.
    pub deductions_amount: Option<Amount>,
    /// Amount to withhold on top.
    pub extra_withholding_amount: Option<Amount>,
    /// Percentage to withhold on top.
    pub extra_withholding_percentage: Option<Rate>,
}

/// Tax settings of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateTax {
    /// The second part of an ISO 3166-2 code.
    pub country_subdivision_code: String,
    /// The worker lives there.
    pub is_resident_state: Option<bool>,
    /// The part of the pay that belongs to the state.
    pub state_allocation_percent: Option<Rate>,
    /// Filing status in the words of the state.
    pub filing_status_type: Option<String>,
    /// Amount to withhold on top.
    pub additional_amount: Option<Amount>,
    /// Percentage to withhold on top.
    pub additional_percent: Option<Rate>,
}
