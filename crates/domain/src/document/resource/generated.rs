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

/// Generates objects of that kind.
pub(super) fn any_resource(kind: ResourceKind) -> impl Strategy<Value = Resource> {
    Just(()).prop_perturb(move |(), rng| RandomSource { rng, ids: 0 }.resource(kind))
}

/// The source of all random values, which replaces `proptest` strategies for tuples, because the objects have
/// too many members for tuples. `proptest` cannot shrink a failing object, but its `Debug` output is
/// sufficient.
struct RandomSource {
    rng: TestRng,
    /// The number of ids generated so far. Each id contains this number, so that no id occurs twice.
    ids: u32,
}

impl RandomSource {
    fn resource(&mut self, kind: ResourceKind) -> Resource {
        match kind {
            ResourceKind::Company => Resource::Company(Box::new(self.company())),
            ResourceKind::Organization => Resource::Organization(self.organization()),
            ResourceKind::ContactType => Resource::ContactType(ContactType {
                contact_type_id: self.id(),
                contact_type_name: self.random_text(100),
                relationship_types: self.short_list(Self::relationship_type),
            }),
            ResourceKind::CustomFieldCategory => Resource::CustomFieldCategory(CustomFieldCategory {
                category_id: self.id(),
                category_name: self.random_text(100),
                default: self.random_bool(),
            }),
            ResourceKind::CustomField => Resource::CustomField(Box::new(self.custom_field())),
            ResourceKind::PayComponent => Resource::PayComponent(Box::new(self.pay_component())),
            ResourceKind::PayPeriod => Resource::PayPeriod(Box::new(self.pay_period())),
            ResourceKind::Worker => Resource::Worker(Box::new(self.worker())),
            ResourceKind::Lookup(kind) => self.lookup_object(kind),
        }
    }

    fn account(&mut self) -> String {
        self.random_text(40)
    }

    fn pay_component(&mut self) -> PayComponent {
        let (start, end) = self.dates();
        let account = self.optional_value(Self::account);
        PayComponent {
            component_id: self.id(),
            name: self.random_text(100),
            code: self.optional_value(|dice| format!("{:02}", dice.random_below(100))),
            classification_type: self.random_element(ClassificationType::ALL),
            description: self.optional_value(|dice| dice.random_text(500)),
            effect_on_pay: self.random_element(EffectOnPay::ALL),
            start_date: self.optional_value(|_| start),
            end_date: self.optional_value(|_| end),
            applies_to_worker_types: self.short_list(|dice| dice.random_element(WorkerType::ALL)),
            overtime: self.random_bool(),
            required_product: self.optional_value(Self::random_word),
            debit_account: account.clone(),
            credit_account: account,
        }
    }

    fn pay_period(&mut self) -> PayPeriod {
        let (start_date, end_date) = self.dates();
        PayPeriod {
            pay_period_id: self.id(),
            interval_code: self.random_element(IntervalCode::ALL),
            status: self.random_element(PeriodStatus::ALL),
            description: self.optional_value(|dice| dice.random_text(500)),
            start_date,
            end_date,
            submit_by_date: self.optional_value(Self::date),
            check_date: self.date(),
        }
    }

    fn worker(&mut self) -> Worker {
        let mut worker = self.worker_with_one_status();
        if worker.current_status.is_some() {
            worker.statuses = self.statuses();
        }
        worker.normalize_statuses();
        worker
    }

    fn worker_with_one_status(&mut self) -> Worker {
        Worker {
            worker_id: self.id(),
            employee_id: self.optional_value(Self::code),
            clock_id: self.optional_value(Self::code),
            worker_type: self.random_element(WorkerType::ALL),
            employment_type: self.optional_value(|dice| dice.random_element(EmploymentType::ALL)),
            custom_employment_type_id: self.optional_value(Self::id),
            exemption_type: self.optional_value(|dice| dice.random_element(ExemptionType::ALL)),
            work_state: self.optional_value(Self::state),
            birth_date: self.optional_value(Self::date),
            sex: self.optional_value(|dice| dice.random_element(Sex::ALL)),
            ethnicity_code: self.optional_value(Self::code),
            hire_date: self.optional_value(Self::date),
            name: self.name(),
            legal_id: self.optional_value(Self::legal_id),
            location_id: self.optional_value(Self::id),
            job_id: self.optional_value(Self::id),
            labor_assignment_id: self.optional_value(Self::id),
            job: self.optional_value(|dice| Job { job_title_id: dice.id(), title: dice.random_text(100) }),
            organization_id: self.optional_value(Self::id),
            supervisor_id: self.optional_value(Self::id),
            current_status: self.optional_value(Self::current_status),
            communications: self.short_list(Self::communication),
            pay_rates: self.pay_rates(),
            recurring_components: self.short_list(Self::recurring_component),
            direct_deposits: self.direct_deposits(),
            pay_standards: self.optional_value(Self::pay_standards),
            custom_fields: self.short_list(Self::custom_value),
            contacts: self.contacts(),
            time_off: self.short_list(Self::time_off),
            assignment_distributions: self.distributions(),
            statuses: Vec::new(),
            i9_status: self.optional_value(Self::i9_status),
            // Empty tax settings are stored like absent ones, so the generator only creates absent ones.
            taxes: self.optional_value(Self::taxes).filter(|taxes| *taxes != TaxSettings::default()),
        }
    }

    fn name(&mut self) -> Name {
        Name {
            family_name: self.random_text(100),
            given_name: self.random_text(100),
            middle_name: self.optional_value(|dice| dice.random_text(100)),
            preferred_name: self.optional_value(|dice| dice.random_text(100)),
            qualification_affix_code: self.optional_value(Self::code),
            title_affix_code: self.optional_value(Self::code),
        }
    }

    fn current_status(&mut self) -> CurrentStatus {
        CurrentStatus {
            worker_status_id: self.id(),
            status_type: self.random_element(StatusType::ALL),
            status_reason: self.optional_value(Self::random_word),
            effective_date: self.date(),
        }
    }

    /// Generates pay rates with at most one default of each type.
    fn pay_rates(&mut self) -> Vec<PayRate> {
        let mut rates = self.short_list(Self::pay_rate);
        let mut defaults = Vec::new();
        for rate in &mut rates {
            rate.default &= !defaults.contains(&rate.rate_type);
            defaults.extend(rate.default.then_some(rate.rate_type));
        }
        rates
    }

    fn pay_rate(&mut self) -> PayRate {
        PayRate {
            rate_id: self.id(),
            rate_number: RateNumber::all().nth(self.random_below(u16::from(MAX_RATE_NUMBER)).into()).unwrap(),
            rate_type: self.random_element(RateType::ALL),
            description: self.optional_value(|dice| dice.random_text(500)),
            amount: self.rate(),
            standard_hours: self.optional_value(Self::quantity),
            standard_overtime: self.optional_value(Self::quantity),
            default: self.random_bool(),
            start_date: self.date(),
            effective_date: self.optional_value(Self::date),
        }
    }

    fn recurring_component(&mut self) -> RecurringComponent {
        let (start, end) = self.dates();
        let calculation_type = self.random_element(CalculationType::ALL);
        let flat = calculation_type == CalculationType::FlatDollarAmount;
        RecurringComponent {
            worker_component_id: self.id(),
            component_id: self.id(),
            calculation_type,
            calculation_base_id: (!flat).then(|| self.id()),
            value: self.rate(),
            start_date: self.optional_value(|_| start),
            end_date: self.optional_value(|_| end),
            effective_date: self.optional_value(Self::date),
            check_limit: self.optional_value(Self::check_limit),
            frequency: self.optional_value(Self::frequency),
        }
    }

    /// Generates deposits with distinct priorities. The deposits contain no percentages, because the sum of
    /// percentages is limited.
    fn direct_deposits(&mut self) -> Vec<DirectDeposit> {
        let mut deposits = self.short_list(Self::direct_deposit);
        for (priority, deposit) in (1..).zip(&mut deposits) {
            deposit.priority = priority;
        }
        deposits
    }

    fn direct_deposit(&mut self) -> DirectDeposit {
        let value = crate::money::Rate::parse("12.5").ok();
        DirectDeposit {
            direct_deposit_id: self.id(),
            start_date: self.date(),
            payment_type: PaymentType::FlatDollarAmount,
            account_type: self.random_element(AccountType::ALL),
            value,
            routing_number: "122100024".to_owned(),
            account_number: AccountNumber::parse("1234567865").unwrap(),
            priority: 1,
            status: DepositStatus::Active,
            pending_change: self
                .optional_value(|_| DepositChange { payment_type: PaymentType::FlatDollarAmount, value }),
            requested_by: self.optional_value(|dice| dice.random_text(100)),
            requested_date: self.optional_value(Self::date),
        }
    }

    fn pay_standards(&mut self) -> PayStandards {
        PayStandards {
            pay_frequency: self.random_element(StandardFrequency::ALL),
            standard_hours: self.optional_value(Self::quantity),
            overtime_factor: self.optional_value(Self::quantity),
        }
    }

    fn custom_value(&mut self) -> WorkerCustomField {
        let (start, end) = self.dates();
        let kind = self.random_below(5);
        WorkerCustomField {
            worker_custom_field_id: self.id(),
            custom_field_id: self.id(),
            dropdown_id: (kind == 0).then(|| self.id()),
            text_value: (kind == 1).then(|| self.random_text(40)),
            numeric_value: (kind == 2).then(|| self.signed_decimal(4)),
            date_value: (kind == 3).then(|| self.date()),
            boolean_value: (kind == 4).then(|| self.random_bool()),
            start_date: self.optional_value(|_| start),
            end_date: self.optional_value(|_| end),
        }
    }

    fn check_limit(&mut self) -> CheckLimit {
        let amount = self.amount();
        CheckLimit {
            limit_type: self.random_element(CheckLimitType::ALL),
            starts_at: Some(amount),
            stops_at: Some(amount),
            amount: Some(amount),
        }
    }

    fn frequency(&mut self) -> Frequency {
        Frequency {
            applied: self.random_element(FrequencyApplied::ALL),
            occurrence: self.random_word(),
            intervals: self.optional_value(|dice| FrequencyIntervals {
                first: dice.random_text(10),
                second: dice.optional_value(|dice| dice.random_text(10)),
            }),
            effected_checks: self.optional_value(|dice| dice.random_element(EffectedChecks::ALL)),
        }
    }

    fn taxes(&mut self) -> TaxSettings {
        // The states are distinct because each code is one character longer than the previous one.
        let mut states = self.short_list(Self::state_tax);
        states.truncate(3);
        for (at, state) in states.iter_mut().enumerate() {
            state.country_subdivision_code = "N".repeat(at + 1);
        }
        TaxSettings { federal: self.optional_value(Self::federal_tax), states }
    }

    fn federal_tax(&mut self) -> FederalTax {
        FederalTax {
            filing_status: self.optional_value(|dice| dice.random_element(FilingStatus::ALL)),
            multiple_jobs: self.optional_value(Self::random_bool),
            dependents_amount: self.optional_value(Self::amount),
            other_income: self.optional_value(Self::amount),
            deductions_amount: self.optional_value(Self::amount),
            extra_withholding_amount: self.optional_value(Self::amount),
            extra_withholding_percentage: self.optional_value(Self::percentage),
            taxes_withheld: self.optional_value(Self::random_bool),
            override_withholding_amount: self.optional_value(Self::amount),
            override_withholding_percentage: self.optional_value(Self::percentage),
        }
    }

    fn state_tax(&mut self) -> StateTax {
        StateTax {
            country_subdivision_code: self.state(),
            is_resident_state: self.optional_value(Self::random_bool),
            state_allocation_percent: self.optional_value(Self::percentage),
            filing_status_type: self.optional_value(|dice| dice.random_text(100)),
            additional_amount: self.optional_value(Self::amount),
            additional_percent: self.optional_value(Self::percentage),
            tax_status_type: self.optional_value(|dice| dice.random_element(TaxStatusType::ALL)),
            flat_dollar_override: self.optional_value(Self::amount),
            override_percent: self.optional_value(Self::percentage),
            exemption_reason_description: self.optional_value(|dice| dice.random_text(500)),
            deductions: self.optional_value(|dice| vec![dice.state_tax_deduction()]).unwrap_or_default(),
        }
    }

    fn state_tax_deduction(&mut self) -> StateTaxDeduction {
        StateTaxDeduction {
            deduction_id: self.id(),
            name: self.random_text(100),
            amount: self.optional_value(Self::amount),
            quantity: self.optional_value(Self::quantity),
        }
    }

    fn communication(&mut self) -> Communication {
        Communication {
            communication_id: self.id(),
            communication_type: self.random_element(CommunicationType::ALL),
            usage_type: self.random_element(UsageType::ALL),
            dial_country: self.optional_value(Self::code),
            dial_area: self.optional_value(Self::code),
            dial_number: self.optional_value(Self::code),
            dial_extension: self.optional_value(Self::code),
            uri: self.optional_value(|dice| format!("{}@example.org", dice.random_word())),
            street_line_one: self.optional_value(|dice| dice.random_text(100)),
            street_line_two: self.optional_value(|dice| dice.random_text(100)),
            post_office_box: self.optional_value(Self::code),
            city: self.optional_value(|dice| dice.random_text(100)),
            postal_code: self.optional_value(Self::code),
            postal_code_extension: self.optional_value(Self::code),
            country_subdivision_code: self.optional_value(Self::state),
            country_code: self.optional_value(|dice| dice.random_element(&["US", "CA"]).to_owned()),
        }
    }
}
