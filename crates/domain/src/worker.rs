//! Workers, with their pay rates, recurring pay components and tax settings.

pub(crate) mod contacts;
pub(crate) mod custom_values;
mod deposits;
pub(crate) mod distributions;
pub(crate) mod history;
mod i9;
pub(crate) mod parts;
mod pay;
mod standards;
pub(crate) mod statuses;
pub(crate) mod taxes;
mod time_off;

pub use crate::frequency::{FrequencyApplied, FrequencyIntervals};
pub use crate::person_name::Name;
pub use crate::status_type::StatusType;
#[cfg(feature = "server")]
pub use contacts::ContactCommunication;
pub use contacts::{
    ContactEmail, ContactEntity, ContactPerson, ContactPostal, ContactRelationship, ContactTelecom,
    EntityCommunication, PersonCommunication, TelecomType, WorkerContact,
};
pub use custom_values::WorkerCustomField;
pub use deposits::{
    AccountType, DepositChange, DepositStatus, DirectDeposit, LOWEST_DEPOSIT_PRIORITY, PaymentType,
};
pub use distributions::AssignmentDistribution;
pub use i9::{I9Status, I9Step};
pub use parts::{MAX_LIST_ELEMENTS, WORKER_LISTS, WorkerList, WorkerPart};
pub use pay::{
    CalculationType, CheckLimit, CheckLimitType, EffectedChecks, Frequency, PayRate, RateType,
    RecurringComponent,
};
pub use standards::{CalculatedPay, PayStandards, StandardFrequency, first_day_of_pay_history};
pub use statuses::{MAX_STATUSES, StatusEntry};
#[cfg(feature = "server")]
pub use taxes::StateTaxDeductionRow;
pub use taxes::{FederalTax, FilingStatus, StateTax, StateTaxDeduction, TaxSettings, TaxStatusType};
pub use time_off::{TimeOff, TimeOffMeasure};

use crate::company::Communication;
use crate::date::Date;
#[cfg(feature = "server")]
use crate::description::MemberView;
use crate::description::described;
use crate::description::kinds::{Day, Enumeration, Identifier, OpenEnumeration, Subdivision, Text};
use crate::description::objects::{
    InParentRow, SearchableTaxIdentity, SeparateTable, ToOrganization, ToSupervisor, references,
};
use crate::id::{OrganizationId, ReferenceId, WorkerId, WorkerStatusId};
use crate::lookup::CustomEmploymentTypeId;
use crate::named::named_enum;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};
pub use crate::rate_number::{MAX_RATE_NUMBER, RateNumber};
use crate::tax_id::LegalId;
use crate::worker::contacts::ContactListKind;
use crate::worker::custom_values::CustomValueListKind;
use crate::worker::deposits::DirectDepositListKind;
use crate::worker::distributions::DistributionListKind;
use crate::worker::i9::I9StatusKind;
use crate::worker::pay::{PayRateListKind, RecurringComponentListKind};
use crate::worker::statuses::StatusListKind;
use crate::worker::taxes::TaxSettingsKind;

references! {
    /// A reference to a custom employment type.
    ToCustomEmploymentType by CustomEmploymentTypeId "customEmploymentTypeId"
        in "custom_employment_type_id", with ["customEmploymentTypeName"];
}

named_enum! {
    /// A worker's relationship to the company.
    WorkerType {
        /// An employee of the company.
        Employee = "EMPLOYEE",
        /// A contractor of the company.
        Contractor = "CONTRACTOR",
        /// An independent contractor, who is self-employed.
        IndependentContractor = "INDEPENDENT_CONTRACTOR",
    }
}

named_enum! {
    /// The extent of a worker's employment.
    EmploymentType {
        /// The worker works full time.
        FullTime = "FULL_TIME",
        /// The worker works part time.
        PartTime = "PART_TIME",
    }
}

named_enum! {
    /// Whether the worker is paid for overtime.
    ExemptionType {
        /// The worker is not paid for overtime.
        Exempt = "EXEMPT",
        /// The worker is paid for overtime.
        NonExempt = "NON_EXEMPT",
    }
}

named_enum! {
    /// The sex of a worker.
    Sex {
        /// The worker is male.
        Male = "MALE",
        /// The worker is female.
        Female = "FEMALE",
        /// The sex is not specified.
        NotSpecified = "NOT_SPECIFIED",
    }
}

/// The partner views for members that all views show.
#[cfg(feature = "server")]
const ALL_VIEWS: &[MemberView] =
    &[MemberView::Full, MemberView::Impersonal, MemberView::Reachable, MemberView::Roster];
/// The partner views for members that every partner view except the roster shows.
#[cfg(feature = "server")]
const ALL_EXCEPT_ROSTER: &[MemberView] = &[MemberView::Full, MemberView::Impersonal, MemberView::Reachable];
/// The partner views for members that identify the worker.
#[cfg(feature = "server")]
const IDENTIFYING_VIEWS: &[MemberView] = &[MemberView::Full, MemberView::Roster];
/// The partner views for members with the worker's communications.
#[cfg(feature = "server")]
const COMMUNICATION_VIEWS: &[MemberView] = &[MemberView::Full, MemberView::Reachable];
/// An empty list of partner views, for members that only operators see.
#[cfg(feature = "server")]
const OPERATOR_VIEWS_ONLY: &[MemberView] = &[];

described! {
    /// A worker of a company.
    pub struct Worker {
        /// The id of the worker, as in paths.
        "workerId" worker_id: required WorkerId as Identifier, shown ALL_VIEWS;
        /// The number of the worker in the company.
        "employeeId" employee_id: optional String as Text<MAX_CODE_LENGTH>, shown ALL_VIEWS, event WorkerEmployment;
        /// The id of the worker on time clocks.
        "clockId" clock_id: optional String as Text<MAX_CODE_LENGTH>, shown ALL_VIEWS, event WorkerEmployment;
        /// The relationship of the worker to the company.
        "workerType" worker_type: required WorkerType as Enumeration, shown ALL_VIEWS, event WorkerEmployment;
        /// The extent of the employment, such as full time.
        "employmentType" employment_type: optional EmploymentType as Enumeration,
            shown ALL_VIEWS, event WorkerEmployment;
        /// The id of the company's own employment type.
        "customEmploymentType" custom_employment_type_id:
            optional_object CustomEmploymentTypeId as ToCustomEmploymentType,
            shown ALL_EXCEPT_ROSTER, event WorkerEmployment;
        /// Whether the worker is exempt from overtime.
        "exemptionType" exemption_type: optional ExemptionType as Enumeration,
            shown ALL_EXCEPT_ROSTER, event WorkerEmployment;
        /// The state in which the worker works.
        "workState" work_state: optional String as Subdivision, shown ALL_EXCEPT_ROSTER, event WorkerTaxes;
        /// The birth date of the worker.
        "birthDate" birth_date: optional Date as Day, event WorkerDemographics;
        /// The sex of the worker.
        "sex" sex: optional Sex as Enumeration, event WorkerDemographics;
        /// A code for the ethnicity of the worker.
        "ethnicityCode" ethnicity_code: optional String as Text<MAX_CODE_LENGTH>, event WorkerDemographics;
        /// The day on which the worker was hired.
        "hireDate" hire_date: optional Date as Day, shown ALL_EXCEPT_ROSTER, event WorkerEmployment;
        /// The name of the worker.
        "name" name: required_object Name as InParentRow, shown IDENTIFYING_VIEWS, event WorkerDemographics;
        /// The tax identity of the worker.
        "legalId" legal_id: optional_object LegalId as SearchableTaxIdentity, event WorkerDemographics;
        /// The location at which the worker works.
        "locationId" location_id: optional ReferenceId as Identifier,
            shown ALL_VIEWS, event WorkerAssignment;
        /// The job to which the hours of the worker are assigned.
        "jobId" job_id: optional ReferenceId as Identifier, shown ALL_EXCEPT_ROSTER, event WorkerAssignment;
        /// The labor assignment to which the hours of the worker are assigned.
        "laborAssignmentId" labor_assignment_id: optional ReferenceId as Identifier,
            shown ALL_EXCEPT_ROSTER, event WorkerAssignment;
        /// The job title of the worker.
        "job" job: optional_object Job as InParentRow, shown ALL_VIEWS, event WorkerAssignment;
        /// The organizational unit of the worker.
        "organization" organization_id: optional_object OrganizationId as ToOrganization,
            shown ALL_VIEWS, event WorkerAssignment;
        /// The supervisor of the worker.
        "supervisor" supervisor_id: optional_object WorkerId as ToSupervisor,
            shown ALL_EXCEPT_ROSTER, event WorkerAssignment;
        /// The current employment status of the worker.
        "currentStatus" current_status: optional_object CurrentStatus as InParentRow,
            shown ALL_VIEWS, event WorkerEmployment;
        /// The addresses and telephones of the worker.
        "communications" communications: list Communication as SeparateTable, shown COMMUNICATION_VIEWS;
        /// The pay rates of the worker, with at most one default of each type.
        "payRates" pay_rates: list PayRate as PayRateListKind, shown OPERATOR_VIEWS_ONLY;
        /// The pay components that the payroll program adds to checks of the worker.
        "recurringComponents" recurring_components: list RecurringComponent as RecurringComponentListKind,
            shown OPERATOR_VIEWS_ONLY;
        /// The standard pay frequency, hours and overtime factor of the worker.
        "payStandards" pay_standards: optional_object PayStandards as InParentRow,
            shown OPERATOR_VIEWS_ONLY, event WorkerCompensation;
        /// The bank accounts to which the pay of the worker is deposited.
        "directDeposits" direct_deposits: list DirectDeposit as DirectDepositListKind,
            shown OPERATOR_VIEWS_ONLY;
        /// The values of custom fields for the worker.
        "customFields" custom_fields: list WorkerCustomField as CustomValueListKind,
            shown OPERATOR_VIEWS_ONLY;
        /// The contacts of the worker, with one primary contact for each contact type.
        "contacts" contacts: list WorkerContact as ContactListKind, shown OPERATOR_VIEWS_ONLY;
        /// The time-off balances of the worker.
        "timeOff" time_off: list TimeOff as SeparateTable, shown OPERATOR_VIEWS_ONLY;
        /// The assignment distributions of the worker's work. Their values add up to 100.
        "assignmentDistributions" assignment_distributions: list AssignmentDistribution
            as DistributionListKind, shown OPERATOR_VIEWS_ONLY, event WorkerAssignment;
        /// The past, current and future statuses of the worker.
        "statuses" statuses: list StatusEntry as StatusListKind, shown OPERATOR_VIEWS_ONLY;
        /// The status of the employment eligibility form of the worker.
        "i9Status" i9_status: optional_object I9Status as I9StatusKind, shown OPERATOR_VIEWS_ONLY;
        /// The tax settings of the worker.
        "taxes" taxes: optional_object TaxSettings as TaxSettingsKind, shown OPERATOR_VIEWS_ONLY;
    }
}

described! {
    /// The job title of a worker.
    pub struct Job {
        /// The id of the job title.
        "jobTitleId" job_title_id: required ReferenceId as Identifier;
        /// The text of the job title.
        "title" title: required String as Text<MAX_NAME_CHARACTERS>, in "job_title";
    }
}

described! {
    /// The current employment status of a worker.
    pub struct CurrentStatus {
        /// The id of the status.
        "workerStatusId" worker_status_id: required WorkerStatusId as Identifier;
        /// The state of the employment, such as active or terminated.
        "statusType" status_type: required StatusType as Enumeration;
        /// The reason for the status, such as HIRED or RESIGNED.
        "statusReason" status_reason: optional String as OpenEnumeration;
        /// The first day on which the worker has the status.
        "effectiveDate" effective_date: required Date as Day, in "status_effective_date";
    }
}

/// Returns the keys for comparing a name without regard to case. To compare a stored name, change its letters
/// A to Z to lower case. The name matches if it then equals one of the keys. Databases differ in their
/// treatment of other letters. The keys therefore contain three forms of the name: lower case, capitals, and
/// a capital at the start of each word.
///
/// ```
/// use payroll_domain::worker::to_name_search_keys;
/// let keys = to_name_search_keys("josé élan");
/// for stored in ["José Élan", "JOSÉ ÉLAN", "josé élan"] {
///     assert!(keys.contains(&stored.to_ascii_lowercase()));
/// }
/// assert!(!keys.contains(&"José".to_ascii_lowercase()));
/// ```
#[must_use]
pub fn to_name_search_keys(name: &str) -> [String; 3] {
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
