//! Workers, with their pay rates, recurring pay components and tax settings.

pub(crate) mod contacts;
pub(crate) mod custom_values;
mod deposits;
pub(crate) mod distributions;
pub(crate) mod history;
mod i9;
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
pub use deposits::{AccountType, DepositChange, DepositStatus, DirectDeposit, LAST_PRIORITY, PaymentType};
pub use distributions::AssignmentDistribution;
pub use i9::{I9Status, I9Step};
pub use pay::{
    CalculationType, CheckLimit, CheckLimitType, EffectedChecks, Frequency, PayRate, RateType,
    RecurringComponent,
};
pub use standards::{CalculatedPay, PayStandards, StandardFrequency, history_begins};
pub use statuses::{MAX_STATUSES, StatusEntry};
#[cfg(feature = "server")]
pub use taxes::StateTaxDeductionRow;
pub use taxes::{FederalTax, FilingStatus, StateTax, StateTaxDeduction, TaxSettings, TaxStatusType};
pub use time_off::{TimeOff, TimeOffMeasure};

use crate::company::Communication;
use crate::date::Date;
#[cfg(feature = "server")]
use crate::description::View;
use crate::description::described;
use crate::description::kinds::{Day, Identifier, OpenWord, Subdivision, Text, Word};
use crate::description::objects::{
    FindableTaxIdentity, OtherTable, SameRow, ToOrganization, ToSupervisor, references,
};
use crate::id::{OrganizationId, ReferenceId, WorkerId, WorkerStatusId};
use crate::named::named;
use crate::object::values::{CODE, NAME};
use crate::plain::CustomEmploymentTypeId;
pub use crate::rate_number::{MAX_RATE_NUMBER, RateNumber};
use crate::tax_id::LegalId;
use crate::worker::contacts::Contacts;
use crate::worker::custom_values::CustomValues;
use crate::worker::deposits::DirectDeposits;
use crate::worker::distributions::Distributions;
use crate::worker::i9::InOrder;
use crate::worker::pay::{PayRates, RecurringComponents};
use crate::worker::statuses::Statuses;
use crate::worker::taxes::Taxes;

references! {
    /// A reference to a custom employment type.
    ToCustomEmploymentType by CustomEmploymentTypeId "customEmploymentTypeId"
        in "custom_employment_type_id", with ["customEmploymentTypeName"];
}

named! {
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

named! {
    /// The extent of a worker's employment.
    EmploymentType {
        /// The worker works full time.
        FullTime = "FULL_TIME",
        /// The worker works part time.
        PartTime = "PART_TIME",
    }
}

named! {
    /// Whether the worker is paid for overtime.
    ExemptionType {
        /// The worker is not paid for overtime.
        Exempt = "EXEMPT",
        /// The worker is paid for overtime.
        NonExempt = "NON_EXEMPT",
    }
}

named! {
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

/// The views for members that every view shows.
#[cfg(feature = "server")]
const EVERYWHERE: &[View] = &[View::Whole, View::Impersonal, View::Reachable, View::Roster];
/// The views for members that every view except the roster shows.
#[cfg(feature = "server")]
const BUT_ROSTER: &[View] = &[View::Whole, View::Impersonal, View::Reachable];
/// The views for members that identify the worker.
#[cfg(feature = "server")]
const NAMED: &[View] = &[View::Whole, View::Roster];
/// The views for members with the worker's communications.
#[cfg(feature = "server")]
const REACHABLE: &[View] = &[View::Whole, View::Reachable];
/// The members that partners do not see.
#[cfg(feature = "server")]
const OPERATORS_ONLY: &[View] = &[];

described! {
    /// A worker.
    pub struct Worker {
        /// The id in paths.
        "workerId" worker_id: required WorkerId as Identifier, shown EVERYWHERE;
        /// A short number.
        "employeeId" employee_id: optional String as Text<CODE>, shown EVERYWHERE, event WorkerEmployment;
        /// The id for time clocks.
        "clockId" clock_id: optional String as Text<CODE>, shown EVERYWHERE, event WorkerEmployment;
        /// Their relationship to the company.
        "workerType" worker_type: required WorkerType as Word, shown EVERYWHERE, event WorkerEmployment;
        /// How much they work.
        "employmentType" employment_type: optional EmploymentType as Word,
            shown EVERYWHERE, event WorkerEmployment;
        /// The company's own kind of employment.
        "customEmploymentType" custom_employment_type_id:
            optional_object CustomEmploymentTypeId as ToCustomEmploymentType,
            shown BUT_ROSTER, event WorkerEmployment;
        /// Exempt from overtime or not.
        "exemptionType" exemption_type: optional ExemptionType as Word,
            shown BUT_ROSTER, event WorkerEmployment;
        /// The state that they work in.
        "workState" work_state: optional String as Subdivision, shown BUT_ROSTER, event WorkerTaxes;
        /// The birth date.
        "birthDate" birth_date: optional Date as Day, event WorkerDemographics;
        /// The sex.
        "sex" sex: optional Sex as Word, event WorkerDemographics;
        /// A code for their ethnicity.
        "ethnicityCode" ethnicity_code: optional String as Text<CODE>, event WorkerDemographics;
        /// The day they were hired.
        "hireDate" hire_date: optional Date as Day, shown BUT_ROSTER, event WorkerEmployment;
        /// Their name.
        "name" name: required_object Name as SameRow, shown NAMED, event WorkerDemographics;
        /// Their tax identity.
        "legalId" legal_id: optional_object LegalId as FindableTaxIdentity, event WorkerDemographics;
        /// Where they work.
        "locationId" location_id: optional ReferenceId as Identifier,
            shown EVERYWHERE, event WorkerAssignment;
        /// The job that their work is booked on.
        "jobId" job_id: optional ReferenceId as Identifier, shown BUT_ROSTER, event WorkerAssignment;
        /// The labor assignment that their work is booked on.
        "laborAssignmentId" labor_assignment_id: optional ReferenceId as Identifier,
            shown BUT_ROSTER, event WorkerAssignment;
        /// Their job title.
        "job" job: optional_object Job as SameRow, shown EVERYWHERE, event WorkerAssignment;
        /// The unit of the company that they belong to.
        "organization" organization_id: optional_object OrganizationId as ToOrganization,
            shown EVERYWHERE, event WorkerAssignment;
        /// The worker above them.
        "supervisor" supervisor_id: optional_object WorkerId as ToSupervisor,
            shown BUT_ROSTER, event WorkerAssignment;
        /// Where they are in their time with the company.
        "currentStatus" current_status: optional_object CurrentStatus as SameRow,
            shown EVERYWHERE, event WorkerEmployment;
        /// What they can be reached by.
        "communications" communications: list Communication as OtherTable, shown REACHABLE;
        /// What they are paid by; at most one default of each kind.
        "payRates" pay_rates: list PayRate as PayRates, shown OPERATORS_ONLY;
        /// Pay components that come with every check.
        "recurringComponents" recurring_components: list RecurringComponent as RecurringComponents,
            shown OPERATORS_ONLY;
        /// What is usual for their pay.
        "payStandards" pay_standards: optional_object PayStandards as SameRow,
            shown OPERATORS_ONLY, event WorkerCompensation;
        /// The bank accounts that their pay goes to.
        "directDeposits" direct_deposits: list DirectDeposit as DirectDeposits, shown OPERATORS_ONLY;
        /// Values of the company's custom fields.
        "customFields" custom_fields: list WorkerCustomField as CustomValues, shown OPERATORS_ONLY;
        /// Whom to turn to for them; each contact type has one primary contact.
        "contacts" contacts: list WorkerContact as Contacts, shown OPERATORS_ONLY;
        /// What they have left of time off.
        "timeOff" time_off: list TimeOff as OtherTable, shown OPERATORS_ONLY;
        /// How their work is distributed. The values add up to 100.
        "assignmentDistributions" assignment_distributions: list AssignmentDistribution as Distributions,
            shown OPERATORS_ONLY, event WorkerAssignment;
        /// Their statuses: past, present and future. The current status is one of them.
        "statuses" statuses: list StatusEntry as Statuses, shown OPERATORS_ONLY;
        /// The status of the form that shows that they may work.
        "i9Status" i9_status: optional_object I9Status as InOrder, shown OPERATORS_ONLY;
        /// Tax settings.
        "taxes" taxes: optional_object TaxSettings as Taxes, shown OPERATORS_ONLY;
    }
}

described! {
    /// A job title.
    pub struct Job {
        /// Its id.
        "jobTitleId" job_title_id: required ReferenceId as Identifier;
        /// Its text.
        "title" title: required String as Text<NAME>, in "job_title";
    }
}

described! {
    /// Where a worker is in their time with the company.
    pub struct CurrentStatus {
        /// Its id.
        "workerStatusId" worker_status_id: required WorkerStatusId as Identifier;
        /// The state.
        "statusType" status_type: required StatusType as Word;
        /// Such as HIRED or RESIGNED.
        "statusReason" status_reason: optional String as OpenWord;
        /// Since when.
        "effectiveDate" effective_date: required Date as Day, in "status_effective_date";
    }
}

/// The keys for comparing a name without regard to case. A stored name matches if it is equal to one of the
/// keys after its letters A to Z are changed to small letters. Databases differ in their knowledge of other
/// letters. Those are compared in three forms of the name: all small, all capitals, and a capital at the
/// start of each word.
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
