//! Generators of valid objects of every kind, for property tests.

mod company;
mod contacts;
mod lookup;
mod time;
mod values;

use proptest::prelude::*;
use proptest::test_runner::TestRng;

use crate::account::AccountNumber;
use crate::company::{Communication, CommunicationType, ContactType, UsageType};
use crate::custom_field::CustomFieldCategory;
use crate::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use crate::pay_period::{IntervalCode, PayPeriod, PeriodStatus};
use crate::resource::{Resource, ResourceKind};
use crate::worker::{
    AccountType, CalculationType, CheckLimit, CheckLimitType, CurrentStatus, DepositChange, DepositStatus,
    DirectDeposit, EffectedChecks, EmploymentType, ExemptionType, FederalTax, FilingStatus, Frequency,
    FrequencyApplied, FrequencyIntervals, Job, MAX_RATE_NUMBER, Name, PayRate, PayStandards, PaymentType,
    RateNumber, RateType, RecurringComponent, Sex, StandardFrequency, StateTax, StateTaxDeduction,
    StatusType, TaxSettings, TaxStatusType, Worker, WorkerCustomField, WorkerType,
};

/// Generates objects of the given kind.
pub(super) fn any_resource(kind: ResourceKind) -> impl Strategy<Value = Resource> {
    Just(()).prop_perturb(move |(), rng| RandomSource { rng, ids: 0 }.random_resource(kind))
}

/// Creates random values for the members of the objects. The usual `proptest` strategies for tuples cannot
/// be used, because the objects have more members than a tuple strategy supports. `proptest` therefore
/// cannot shrink an object for which a test fails.
struct RandomSource {
    rng: TestRng,
    /// The number of ids generated so far. Each new id contains the current number, so that no id occurs
    /// twice.
    ids: u32,
}

impl RandomSource {
    fn random_resource(&mut self, kind: ResourceKind) -> Resource {
        match kind {
            ResourceKind::Company => Resource::Company(Box::new(self.random_company())),
            ResourceKind::Organization => Resource::Organization(self.random_organization()),
            ResourceKind::ContactType => Resource::ContactType(ContactType {
                contact_type_id: self.random_id(),
                contact_type_name: self.random_text(100),
                relationship_types: self.random_list(Self::random_relationship_type),
            }),
            ResourceKind::CustomFieldCategory => Resource::CustomFieldCategory(CustomFieldCategory {
                category_id: self.random_id(),
                category_name: self.random_text(100),
                default: self.random_bool(),
            }),
            ResourceKind::CustomField => Resource::CustomField(Box::new(self.random_custom_field())),
            ResourceKind::PayComponent => Resource::PayComponent(Box::new(self.random_pay_component())),
            ResourceKind::PayPeriod => Resource::PayPeriod(Box::new(self.random_pay_period())),
            ResourceKind::Worker => Resource::Worker(Box::new(self.random_worker())),
            ResourceKind::Lookup(kind) => self.random_lookup_object(kind),
        }
    }

    fn random_account(&mut self) -> String {
        self.random_text(40)
    }

    fn random_pay_component(&mut self) -> PayComponent {
        let (start, end) = self.random_dates();
        let account = self.random_option(Self::random_account);
        PayComponent {
            component_id: self.random_id(),
            name: self.random_text(100),
            code: self.random_option(|dice| format!("{:02}", dice.random_below(100))),
            classification_type: self.random_element(ClassificationType::ALL),
            description: self.random_option(|dice| dice.random_text(500)),
            effect_on_pay: self.random_element(EffectOnPay::ALL),
            start_date: self.random_option(|_| start),
            end_date: self.random_option(|_| end),
            applies_to_worker_types: self.random_list(|dice| dice.random_element(WorkerType::ALL)),
            overtime: self.random_bool(),
            required_product: self.random_option(Self::random_word),
            debit_account: account.clone(),
            credit_account: account,
        }
    }

    fn random_pay_period(&mut self) -> PayPeriod {
        let (start_date, end_date) = self.random_dates();
        PayPeriod {
            pay_period_id: self.random_id(),
            interval_code: self.random_element(IntervalCode::ALL),
            status: self.random_element(PeriodStatus::ALL),
            description: self.random_option(|dice| dice.random_text(500)),
            start_date,
            end_date,
            submit_by_date: self.random_option(Self::random_date),
            check_date: self.random_date(),
        }
    }

    fn random_worker(&mut self) -> Worker {
        let mut worker = self.random_worker_with_one_status();
        if worker.current_status.is_some() {
            worker.statuses = self.random_statuses();
        }
        worker.normalize_statuses();
        worker
    }

    fn random_worker_with_one_status(&mut self) -> Worker {
        Worker {
            worker_id: self.random_id(),
            employee_id: self.random_option(Self::random_code),
            clock_id: self.random_option(Self::random_code),
            worker_type: self.random_element(WorkerType::ALL),
            employment_type: self.random_option(|dice| dice.random_element(EmploymentType::ALL)),
            custom_employment_type_id: self.random_option(Self::random_id),
            exemption_type: self.random_option(|dice| dice.random_element(ExemptionType::ALL)),
            work_state: self.random_option(Self::random_state),
            birth_date: self.random_option(Self::random_date),
            sex: self.random_option(|dice| dice.random_element(Sex::ALL)),
            ethnicity_code: self.random_option(Self::random_code),
            hire_date: self.random_option(Self::random_date),
            name: self.random_name(),
            legal_id: self.random_option(Self::random_legal_id),
            location_id: self.random_option(Self::random_id),
            job_id: self.random_option(Self::random_id),
            labor_assignment_id: self.random_option(Self::random_id),
            job: self
                .random_option(|dice| Job { job_title_id: dice.random_id(), title: dice.random_text(100) }),
            organization_id: self.random_option(Self::random_id),
            supervisor_id: self.random_option(Self::random_id),
            current_status: self.random_option(Self::random_current_status),
            communications: self.random_list(Self::random_communication),
            pay_rates: self.random_pay_rates(),
            recurring_components: self.random_list(Self::random_recurring_component),
            direct_deposits: self.random_direct_deposits(),
            pay_standards: self.random_option(Self::random_pay_standards),
            custom_fields: self.random_list(Self::random_custom_value),
            contacts: self.random_contacts(),
            time_off: self.random_list(Self::random_time_off),
            assignment_distributions: self.random_distributions(),
            statuses: Vec::new(),
            i9_status: self.random_option(Self::random_i9_status),
            // Empty tax settings are stored like absent tax settings, so the generator never creates empty
            // ones.
            taxes: self.random_option(Self::random_taxes).filter(|taxes| *taxes != TaxSettings::default()),
        }
    }

    fn random_name(&mut self) -> Name {
        Name {
            family_name: self.random_text(100),
            given_name: self.random_text(100),
            middle_name: self.random_option(|dice| dice.random_text(100)),
            preferred_name: self.random_option(|dice| dice.random_text(100)),
            qualification_affix_code: self.random_option(Self::random_code),
            title_affix_code: self.random_option(Self::random_code),
        }
    }

    fn random_current_status(&mut self) -> CurrentStatus {
        CurrentStatus {
            worker_status_id: self.random_id(),
            status_type: self.random_element(StatusType::ALL),
            status_reason: self.random_option(Self::random_word),
            effective_date: self.random_date(),
        }
    }

    /// Generates pay rates with at most one default of each type.
    fn random_pay_rates(&mut self) -> Vec<PayRate> {
        let mut rates = self.random_list(Self::random_pay_rate);
        let mut defaults = Vec::new();
        for rate in &mut rates {
            rate.default &= !defaults.contains(&rate.rate_type);
            defaults.extend(rate.default.then_some(rate.rate_type));
        }
        rates
    }

    fn random_pay_rate(&mut self) -> PayRate {
        PayRate {
            rate_id: self.random_id(),
            rate_number: RateNumber::all().nth(self.random_below(u16::from(MAX_RATE_NUMBER)).into()).unwrap(),
            rate_type: self.random_element(RateType::ALL),
            description: self.random_option(|dice| dice.random_text(500)),
            amount: self.random_rate(),
            standard_hours: self.random_option(Self::random_quantity),
            standard_overtime: self.random_option(Self::random_quantity),
            default: self.random_bool(),
            start_date: self.random_date(),
            effective_date: self.random_option(Self::random_date),
        }
    }

    fn random_recurring_component(&mut self) -> RecurringComponent {
        let (start, end) = self.random_dates();
        let calculation_type = self.random_element(CalculationType::ALL);
        let flat = calculation_type == CalculationType::FlatDollarAmount;
        RecurringComponent {
            worker_component_id: self.random_id(),
            component_id: self.random_id(),
            calculation_type,
            calculation_base_id: (!flat).then(|| self.random_id()),
            value: self.random_rate(),
            start_date: self.random_option(|_| start),
            end_date: self.random_option(|_| end),
            effective_date: self.random_option(Self::random_date),
            check_limit: self.random_option(Self::random_check_limit),
            frequency: self.random_option(Self::random_frequency),
        }
    }

    /// Generates deposits with distinct priorities. The deposits contain no percentages, because the sum of
    /// percentages is limited.
    fn random_direct_deposits(&mut self) -> Vec<DirectDeposit> {
        let mut deposits = self.random_list(Self::random_direct_deposit);
        for (priority, deposit) in (1..).zip(&mut deposits) {
            deposit.priority = priority;
        }
        deposits
    }

    fn random_direct_deposit(&mut self) -> DirectDeposit {
        let value = crate::money::Rate::parse("12.5").ok();
        DirectDeposit {
            direct_deposit_id: self.random_id(),
            start_date: self.random_date(),
            payment_type: PaymentType::FlatDollarAmount,
            account_type: self.random_element(AccountType::ALL),
            value,
            routing_number: "122100024".to_owned(),
            account_number: AccountNumber::parse("1234567865").unwrap(),
            priority: 1,
            status: DepositStatus::Active,
            pending_change: self
                .random_option(|_| DepositChange { payment_type: PaymentType::FlatDollarAmount, value }),
            requested_by: self.random_option(|dice| dice.random_text(100)),
            requested_date: self.random_option(Self::random_date),
        }
    }

    fn random_pay_standards(&mut self) -> PayStandards {
        PayStandards {
            pay_frequency: self.random_element(StandardFrequency::ALL),
            standard_hours: self.random_option(Self::random_quantity),
            overtime_factor: self.random_option(Self::random_quantity),
        }
    }

    fn random_custom_value(&mut self) -> WorkerCustomField {
        let (start, end) = self.random_dates();
        let kind = self.random_below(5);
        WorkerCustomField {
            worker_custom_field_id: self.random_id(),
            custom_field_id: self.random_id(),
            dropdown_id: (kind == 0).then(|| self.random_id()),
            text_value: (kind == 1).then(|| self.random_text(40)),
            numeric_value: (kind == 2).then(|| self.random_signed_decimal(4)),
            date_value: (kind == 3).then(|| self.random_date()),
            boolean_value: (kind == 4).then(|| self.random_bool()),
            start_date: self.random_option(|_| start),
            end_date: self.random_option(|_| end),
        }
    }

    fn random_check_limit(&mut self) -> CheckLimit {
        let amount = self.random_amount();
        CheckLimit {
            limit_type: self.random_element(CheckLimitType::ALL),
            starts_at: Some(amount),
            stops_at: Some(amount),
            amount: Some(amount),
        }
    }

    fn random_frequency(&mut self) -> Frequency {
        Frequency {
            applied: self.random_element(FrequencyApplied::ALL),
            occurrence: self.random_word(),
            intervals: self.random_option(|dice| FrequencyIntervals {
                first: dice.random_text(10),
                second: dice.random_option(|dice| dice.random_text(10)),
            }),
            effected_checks: self.random_option(|dice| dice.random_element(EffectedChecks::ALL)),
        }
    }

    fn random_taxes(&mut self) -> TaxSettings {
        // The tax settings need distinct states. The generated state codes `N`, `NN` and `NNN` are distinct.
        let mut states = self.random_list(Self::random_state_tax);
        states.truncate(3);
        for (at, state) in states.iter_mut().enumerate() {
            state.country_subdivision_code = "N".repeat(at + 1);
        }
        TaxSettings { federal: self.random_option(Self::random_federal_tax), states }
    }

    fn random_federal_tax(&mut self) -> FederalTax {
        FederalTax {
            filing_status: self.random_option(|dice| dice.random_element(FilingStatus::ALL)),
            multiple_jobs: self.random_option(Self::random_bool),
            dependents_amount: self.random_option(Self::random_amount),
            other_income: self.random_option(Self::random_amount),
            deductions_amount: self.random_option(Self::random_amount),
            extra_withholding_amount: self.random_option(Self::random_amount),
            extra_withholding_percentage: self.random_option(Self::random_percentage),
            taxes_withheld: self.random_option(Self::random_bool),
            override_withholding_amount: self.random_option(Self::random_amount),
            override_withholding_percentage: self.random_option(Self::random_percentage),
        }
    }

    fn random_state_tax(&mut self) -> StateTax {
        StateTax {
            country_subdivision_code: self.random_state(),
            is_resident_state: self.random_option(Self::random_bool),
            state_allocation_percent: self.random_option(Self::random_percentage),
            filing_status_type: self.random_option(|dice| dice.random_text(100)),
            additional_amount: self.random_option(Self::random_amount),
            additional_percent: self.random_option(Self::random_percentage),
            tax_status_type: self.random_option(|dice| dice.random_element(TaxStatusType::ALL)),
            flat_dollar_override: self.random_option(Self::random_amount),
            override_percent: self.random_option(Self::random_percentage),
            exemption_reason_description: self.random_option(|dice| dice.random_text(500)),
            deductions: self
                .random_option(|dice| vec![dice.random_state_tax_deduction()])
                .unwrap_or_default(),
        }
    }

    fn random_state_tax_deduction(&mut self) -> StateTaxDeduction {
        StateTaxDeduction {
            deduction_id: self.random_id(),
            name: self.random_text(100),
            amount: self.random_option(Self::random_amount),
            quantity: self.random_option(Self::random_quantity),
        }
    }

    fn random_communication(&mut self) -> Communication {
        Communication {
            communication_id: self.random_id(),
            communication_type: self.random_element(CommunicationType::ALL),
            usage_type: self.random_element(UsageType::ALL),
            dial_country: self.random_option(Self::random_code),
            dial_area: self.random_option(Self::random_code),
            dial_number: self.random_option(Self::random_code),
            dial_extension: self.random_option(Self::random_code),
            uri: self.random_option(|dice| format!("{}@example.org", dice.random_word())),
            street_line_one: self.random_option(|dice| dice.random_text(100)),
            street_line_two: self.random_option(|dice| dice.random_text(100)),
            post_office_box: self.random_option(Self::random_code),
            city: self.random_option(|dice| dice.random_text(100)),
            postal_code: self.random_option(Self::random_code),
            postal_code_extension: self.random_option(Self::random_code),
            country_subdivision_code: self.random_option(Self::random_state),
            country_code: self.random_option(|dice| dice.random_element(&["US", "CA"]).to_owned()),
        }
    }
}
