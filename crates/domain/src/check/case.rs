//! What a rule judges: a batch, a check or a line as it was sent, beside what is stored of what
//! it names. What failed or is not the company's is `None`, and rules that need it say nothing.

use crate::company::Organization;
use crate::date::Date;
use crate::id::{PayPeriodId, WorkerId};
use crate::input::Field;
use crate::money::{Amount, Quantity, Rate};
use crate::pay_component::PayComponent;
use crate::worker::{PayRate, RateType};

use super::draft::{CheckDraft, LineDraft};
use super::{Batch, Check, ComponentLabel, Facts, Line, OrganizationLabel, PeriodFacts, WorkerFacts};

/// The checks of a request, together.
pub(super) struct BatchCase<'c> {
    pub(super) checks: &'c [CheckDraft<'c>],
    pub(super) facts: &'c Facts,
    /// The first check that names a period.
    pub(super) first: Option<&'c CheckDraft<'c>>,
    /// The period that all checks name; `None` when they differ or it is not the company's.
    pub(super) period: Option<(&'c PayPeriodId, &'c PeriodFacts)>,
    /// The text by which all checks name their period; `None` when they differ.
    pub(super) period_id: Option<&'c str>,
}

/// A check.
pub(super) struct CheckCase<'c> {
    pub(super) draft: &'c CheckDraft<'c>,
    pub(super) facts: &'c Facts,
    pub(super) period: Option<(&'c PayPeriodId, &'c PeriodFacts)>,
    pub(super) worker: Option<(&'c WorkerId, &'c WorkerFacts)>,
}

/// A line.
pub(super) struct LineCase<'c> {
    pub(super) draft: &'c LineDraft<'c>,
    pub(super) facts: &'c Facts,
    pub(super) period: Option<&'c PeriodFacts>,
    pub(super) worker: Option<&'c WorkerFacts>,
    pub(super) component: Option<&'c PayComponent>,
    pub(super) organization: Option<&'c Organization>,
    /// The worker's rate that the line names.
    pub(super) named_rate: Option<&'c PayRate>,
    /// The rate that applies.
    pub(super) rate: ApplyingRate<'c>,
}

/// What a line is paid by, apart from an amount.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    pub(super) quantity: Quantity,
    /// The kinds of rate that pay it, the preferred one first.
    pub(super) rate_types: &'static [RateType],
}

/// The rate of a line.
#[derive(Clone, Copy)]
pub(super) enum ApplyingRate<'c> {
    /// Sent itself.
    Sent(Rate),
    /// The worker's, named by the line.
    Named(&'c PayRate),
    /// The worker's default of the right kind.
    Default(&'c PayRate),
    /// Wanted, and the worker has no default of the right kind.
    Lacking,
    /// The line needs none, or what decides about it has failed.
    None,
}

/// A computed amount that no decimal holds.
pub(super) struct TooLarge;

impl<'c> BatchCase<'c> {
    pub(super) fn new(batch: &'c Batch<'c>, facts: &'c Facts) -> Self {
        let mut named = batch.checks.iter().filter(|check| check.pay_period_id.is_given());
        let first = named.clone().next();
        let first_id = first.and_then(|check| check.pay_period_id.value().copied());
        let period_id = first_id.filter(|id| named.all(|check| check.pay_period_id.value() == Some(id)));
        let period = period_id.and_then(|id| facts.pay_periods.get_key_value(id));
        Self { checks: &batch.checks, facts, first, period, period_id }
    }
}

impl<'c> CheckCase<'c> {
    pub(super) fn new(draft: &'c CheckDraft<'c>, batch: &BatchCase<'c>) -> Self {
        let worker = draft.worker_id.value().and_then(|id| batch.facts.workers.get_key_value(*id));
        let period = batch.period.filter(|_| draft.pay_period_id.is_given());
        Self { draft, facts: batch.facts, period, worker }
    }

    /// The check, given that no rule refused it.
    pub(super) fn judged(&self, lines: Vec<Line>) -> Option<Check> {
        let (pay_period_id, period) = self.period?;
        Some(Check {
            worker_id: self.worker?.0.clone(),
            pay_period_id: pay_period_id.clone(),
            correlation_id: (*self.draft.correlation_id.value()?).to_owned(),
            block_auto_distribution: self.draft.block_auto_distribution.value().copied().unwrap_or(false),
            check_date: period.check_date,
            lines: (lines.len() == self.draft.lines.len()).then_some(lines)?,
        })
    }
}

impl<'c> LineCase<'c> {
    pub(super) fn new(draft: &'c LineDraft<'c>, check: &CheckCase<'c>) -> Self {
        let facts = check.facts;
        let worker = check.worker.map(|(_, worker)| worker);
        let named_rate = draft
            .pay_rate_id
            .value()
            .zip(worker)
            .and_then(|(id, worker)| worker.pay_rates.iter().find(|rate| rate.rate_id.as_str() == *id));
        let case = Self {
            draft,
            facts,
            period: check.period.map(|(_, period)| period),
            worker,
            component: draft.component_id.value().and_then(|id| facts.components.get(*id)),
            organization: draft.organization_id.value().and_then(|id| facts.organizations.get(*id)),
            named_rate,
            rate: ApplyingRate::None,
        };
        Self { rate: case.applying_rate(), ..case }
    }

    /// The day of payment.
    pub(super) fn check_date(&self) -> Option<Date> {
        self.period.map(|period| period.check_date)
    }

    /// Whether the caller says that the amount counts and the hours do not.
    pub(super) fn is_memoed(&self) -> bool {
        self.draft.memoed.value().copied().unwrap_or(false)
    }

    /// Hours or units; `None` when the line has neither, or both.
    pub(super) fn measure(&self) -> Option<Measure> {
        match (&self.draft.pay_hours, &self.draft.pay_units) {
            (Field::Given { value, .. }, Field::Absent) => {
                Some(Measure { quantity: *value, rate_types: &[RateType::Hourly] })
            }
            (Field::Absent, Field::Given { value, .. }) => {
                Some(Measure { quantity: *value, rate_types: &[RateType::Piecework, RateType::Daily] })
            }
            _ => None,
        }
    }

    /// Why the line says two things, if it does; a member that failed says nothing.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let draft = self.draft;
        let (hours, units) = (draft.pay_hours.is_given(), draft.pay_units.is_given());
        let (rate, rate_id) = (draft.pay_rate.is_given(), draft.pay_rate_id.is_given());
        let only_the_amount = draft.pay_amount.is_given() && !draft.memoed.is_failed() && !self.is_memoed();
        match () {
            () if rate && rate_id => Some("a line has payRate or payRateId, not both"),
            () if hours && units => Some("a line has payHours or payUnits, not both"),
            () if only_the_amount && (hours || units || rate || rate_id) => {
                Some("beside payAmount, hours, units or a rate need memoed to be true")
            }
            () => None,
        }
    }

    /// The rate that applies to the line (specification §7.8).
    fn applying_rate(&self) -> ApplyingRate<'c> {
        if self.contradiction().is_some() {
            return ApplyingRate::None;
        }
        let measure = self.measure();
        match (&self.draft.pay_rate, &self.draft.pay_rate_id) {
            (Field::Given { value, .. }, Field::Absent) => ApplyingRate::Sent(*value),
            (Field::Absent, Field::Given { .. }) => match self.named_rate {
                Some(rate) if measure.is_none_or(|measure| measure.takes(rate)) => ApplyingRate::Named(rate),
                Some(_) | None => ApplyingRate::None,
            },
            (Field::Absent, Field::Absent) if self.needs_rate() => {
                measure.map_or(ApplyingRate::None, |measure| self.default_rate(measure))
            }
            _ => ApplyingRate::None,
        }
    }

    /// Whether hours or units would have to be paid by a rate.
    fn needs_rate(&self) -> bool {
        self.draft.pay_amount.is_absent() && !self.draft.memoed.is_failed() && !self.is_memoed()
    }

    fn default_rate(&self, measure: Measure) -> ApplyingRate<'c> {
        let Some(worker) = self.worker else { return ApplyingRate::None };
        let default = |kind: &RateType| worker.pay_rates.iter().find(|r| r.default && r.rate_type == *kind);
        measure.rate_types.iter().find_map(default).map_or(ApplyingRate::Lacking, ApplyingRate::Default)
    }

    /// What the line comes to by hours or units; `None` when it is not computed, or when
    /// something that it is computed from has failed.
    pub(super) fn computed_amount(&self) -> Option<Result<Amount, TooLarge>> {
        if !self.draft.pay_amount.is_absent() {
            return None;
        }
        let rate = match self.rate {
            ApplyingRate::Sent(rate) => rate,
            ApplyingRate::Named(rate) | ApplyingRate::Default(rate) if !self.starts_later(rate) => {
                rate.amount
            }
            ApplyingRate::Named(_)
            | ApplyingRate::Default(_)
            | ApplyingRate::Lacking
            | ApplyingRate::None => {
                return None;
            }
        };
        let measure = self.measure()?;
        Some(Amount::of(measure.quantity, rate).ok_or(TooLarge))
    }

    /// Whether the rate starts after the period's last day.
    pub(super) fn starts_later(&self, rate: &PayRate) -> bool {
        self.period.is_some_and(|period| rate.start_date > period.end_date)
    }

    /// The line, given that no rule refused it.
    pub(super) fn judged(&self) -> Option<Line> {
        let draft = self.draft;
        Some(Line {
            section: draft.section,
            component: self.component.map(ComponentLabel::of)?,
            pay_rate: match self.rate {
                ApplyingRate::Sent(rate) => Some(rate),
                ApplyingRate::Named(rate) | ApplyingRate::Default(rate) => Some(rate.amount),
                ApplyingRate::Lacking | ApplyingRate::None => None,
            },
            pay_hours: draft.pay_hours.value().copied(),
            pay_units: draft.pay_units.value().copied(),
            pay_amount: draft.pay_amount.value().copied(),
            memoed: self.is_memoed(),
            line_date: draft.line_date.value().copied(),
            job_id: draft.job_id.value().cloned(),
            labor_assignment_id: draft.labor_assignment_id.value().cloned(),
            organization: self.organization.map(OrganizationLabel::of),
        })
    }
}

impl Measure {
    /// Whether a rate of that kind pays it.
    pub(super) fn takes(self, rate: &PayRate) -> bool {
        self.rate_types.contains(&rate.rate_type)
    }
}

impl ComponentLabel {
    /// The label of a pay component.
    #[must_use]
    pub fn of(component: &PayComponent) -> Self {
        Self {
            component_id: component.component_id.clone(),
            name: component.name.clone(),
            classification_type: component.classification_type,
            effect_on_pay: component.effect_on_pay,
        }
    }
}

impl OrganizationLabel {
    /// The label of a unit.
    #[must_use]
    pub fn of(organization: &Organization) -> Self {
        Self {
            organization_id: organization.organization_id.clone(),
            name: organization.name.clone(),
            number: organization.number.clone(),
        }
    }
}
