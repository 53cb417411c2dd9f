//! Workers, with their pay rates, recurring pay components and tax settings.

use crate::company::Communication;
use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{
    AmountFromZero, Day, Flag, Identifier, NumberOfRate, Percentage, QuantityFromZero, RateFromZero,
    Subdivision, Text, Word,
};
use crate::document::values::{NAME, NOTE};
use crate::id::{
    CalculationBaseId, ComponentId, CustomEmploymentTypeId, OrganizationId, RateId, ReferenceId,
    WorkerComponentId, WorkerId, WorkerStatusId,
};
use crate::money::{Amount, Quantity, Rate};
use crate::named::named;
pub use crate::rate_number::{MAX_RATE_NUMBER, RateNumber};
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

described! {
    /// What a worker is paid by.
    pub struct PayRate {
        /// Its id.
        "rateId" rate_id: required RateId as Identifier;
        /// Its number.
        "rateNumber" rate_number: required RateNumber as NumberOfRate;
        /// What it pays for.
        "rateType" rate_type: required RateType as Word;
        /// A note.
        "description" description: optional String as Text<NOTE>;
        /// Money for each of what it pays for.
        "amount" amount: required Rate as RateFromZero;
        /// Hours that are usual.
        "standardHours" standard_hours: optional Quantity as QuantityFromZero;
        /// Hours of overtime that are usual.
        "standardOvertime" standard_overtime: optional Quantity as QuantityFromZero;
        /// Whether it applies where no rate is named.
        "default" default: flag bool as Flag, in "is_default";
        /// The first day on which it applies.
        "startDate" start_date: required Date as Day;
        /// The day on which its present amount came into force.
        "effectiveDate" effective_date: optional Date as Day;
    }
}

described! {
    /// A pay component that comes with every check of a worker.
    pub struct RecurringComponent {
        /// Its id.
        "workerComponentId" worker_component_id: required WorkerComponentId as Identifier;
        /// The pay component.
        "componentId" component_id: required ComponentId as Identifier;
        /// How it is calculated.
        "calculationType" calculation_type: required CalculationType as Word;
        /// What it is calculated from: for all but flat amounts.
        "calculationBaseId" calculation_base_id: optional CalculationBaseId as Identifier;
        /// The amount, percentage or rate.
        "value" value: required Rate as RateFromZero;
        /// The first day.
        "startDate" start_date: optional Date as Day;
        /// The last day.
        "endDate" end_date: optional Date as Day;
    }
}

/// Tax settings of a worker; this server carries them and computes no tax.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaxSettings {
    /// Federal settings.
    pub federal: Option<FederalTax>,
    /// Settings of each state.
    pub states: Vec<StateTax>,
}

described! {
    /// Federal tax settings.
    #[derive(Default)]
    pub struct FederalTax {
        /// Filing status.
        "filingStatus" filing_status: optional FilingStatus as Word;
        /// Whether the worker or their spouse has more than one job.
        "multipleJobs" multiple_jobs: optional bool as Flag;
        /// Amount for dependents.
        "dependentsAmount" dependents_amount: optional Amount as AmountFromZero;
        /// Other income.
        "otherIncome" other_income: optional Amount as AmountFromZero;
        /// Deductions.
        "deductionsAmount" deductions_amount: optional Amount as AmountFromZero;
        /// Amount to withhold on top.
        "extraWithholdingAmount" extra_withholding_amount: optional Amount as AmountFromZero;
        /// Percentage to withhold on top.
        "extraWithholdingPercentage" extra_withholding_percentage: optional Rate as Percentage;
    }
}

described! {
    /// Tax settings of a state.
    pub struct StateTax {
        /// The second part of an ISO 3166-2 code.
        "countrySubdivisionCode" country_subdivision_code: required String as Subdivision;
        /// Whether the worker lives there.
        "isResidentState" is_resident_state: optional bool as Flag;
        /// The part of the pay that belongs to the state.
        "stateAllocationPercent" state_allocation_percent: optional Rate as Percentage;
        /// Filing status in the words of the state.
        "filingStatusType" filing_status_type: optional String as Text<NAME>;
        /// Amount to withhold on top.
        "additionalAmount" additional_amount: optional Amount as AmountFromZero;
        /// Percentage to withhold on top.
        "additionalPercent" additional_percent: optional Rate as Percentage;
    }
}
