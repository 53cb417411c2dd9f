//! The input of a rule: a batch, a check or a line from the request, with the referenced stored data. A field
//! is `None` if its value has a fault, or if the company does not have the object. Rules that need such a
//! field report nothing, because the fault of the value is already reported.

use crate::company::Organization;
use crate::date::Date;
use crate::id::{PayPeriodId, WorkerId};
use crate::pay_component::PayComponent;
use crate::worker::PayRate;

use super::applicable_rate::ApplicableRate;
use super::distribute::distribute_lines;
use super::draft::{CheckDraft, LineDraft};
use super::{
    Batch, Check, ComponentLabel, Line, OrganizationLabel, PeriodFacts, ValidationFacts, WorkerFacts,
};

/// All checks of a request.
pub(super) struct BatchWithFacts<'c> {
    pub(super) checks: &'c [CheckDraft<'c>],
    pub(super) facts: &'c ValidationFacts,
    /// The first check of the request that contains a pay period id.
    pub(super) first_check: Option<&'c CheckDraft<'c>>,
    /// The pay period whose id all checks contain. `None` if the ids differ, or if the company does not have
    /// this period.
    pub(super) period: Option<(&'c PayPeriodId, &'c PeriodFacts)>,
    /// The pay period id that all checks contain. `None` if the ids differ.
    pub(super) period_id: Option<&'c str>,
}

/// One check with the stored data that it refers to.
pub(super) struct CheckWithFacts<'c> {
    pub(super) draft: &'c CheckDraft<'c>,
    pub(super) facts: &'c ValidationFacts,
    pub(super) period: Option<(&'c PayPeriodId, &'c PeriodFacts)>,
    pub(super) worker: Option<(&'c WorkerId, &'c WorkerFacts)>,
}

/// One line with the stored data that it refers to.
pub(super) struct LineWithFacts<'c> {
    pub(super) draft: &'c LineDraft<'c>,
    pub(super) facts: &'c ValidationFacts,
    pub(super) period: Option<&'c PeriodFacts>,
    pub(super) worker: Option<&'c WorkerFacts>,
    pub(super) component: Option<&'c PayComponent>,
    pub(super) organization: Option<&'c Organization>,
    /// The worker's rate whose id the line contains.
    pub(super) named_rate: Option<&'c PayRate>,
    /// The rate that applies to the line.
    pub(super) rate: ApplicableRate<'c>,
}

impl<'c> BatchWithFacts<'c> {
    pub(super) fn new(batch: &'c Batch<'c>, facts: &'c ValidationFacts) -> Self {
        let mut named = batch.checks.iter().filter(|check| check.pay_period_id.is_present());
        let first = named.clone().next();
        let first_id = first.and_then(|check| check.pay_period_id.value().copied());
        let period_id = first_id.filter(|id| named.all(|check| check.pay_period_id.value() == Some(id)));
        let period = period_id.and_then(|id| facts.pay_periods.get_key_value(id));
        Self { checks: &batch.checks, facts, first_check: first, period, period_id }
    }
}

impl<'c> CheckWithFacts<'c> {
    pub(super) fn new(draft: &'c CheckDraft<'c>, batch: &BatchWithFacts<'c>) -> Self {
        let worker = draft.worker_id.value().and_then(|id| batch.facts.workers.get_key_value(*id));
        let period = batch.period.filter(|_| draft.pay_period_id.is_present());
        Self { draft, facts: batch.facts, period, worker }
    }

    /// Returns the validated check with its earnings split by the worker's distributions. `None` if the
    /// period or the worker is unknown, or if `lines` has fewer lines than the check of the request.
    pub(super) fn to_check(&self, lines: Vec<Line>) -> Option<Check> {
        let (pay_period_id, period) = self.period?;
        let lines = (lines.len() == self.draft.lines.len()).then_some(lines)?;
        let (worker_id, worker) = self.worker?;
        let block_auto_distribution = self.draft.block_auto_distribution.value().copied().unwrap_or(false);
        let distributions = if block_auto_distribution { &[][..] } else { &worker.distributions };
        Some(Check {
            worker_id: worker_id.clone(),
            pay_period_id: pay_period_id.clone(),
            correlation_id: (*self.draft.correlation_id.value()?).to_owned(),
            block_auto_distribution,
            check_date: period.check_date,
            lines: distribute_lines(lines, distributions).ok()?,
        })
    }
}

impl<'c> LineWithFacts<'c> {
    pub(super) fn new(draft: &'c LineDraft<'c>, check: &CheckWithFacts<'c>) -> Self {
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
            rate: ApplicableRate::None,
        };
        Self { rate: case.find_applicable_rate(), ..case }
    }

    /// Returns the check date of the period. `None` if the period is unknown.
    pub(super) fn check_date(&self) -> Option<Date> {
        self.period.map(|period| period.check_date)
    }

    /// Returns the validated line. `None` if its pay component is unknown.
    pub(super) fn to_line(&self) -> Option<Line> {
        let draft = self.draft;
        Some(Line {
            section: draft.section,
            component: self.component.map(ComponentLabel::from_component)?,
            pay_rate: self.rate.value(),
            pay_hours: draft.pay_hours.value().copied(),
            pay_units: draft.pay_units.value().copied(),
            pay_amount: draft.pay_amount.value().copied(),
            memoed: self.is_paid_by_amount(),
            line_date: draft.line_date.value().copied(),
            job_id: draft.job_id.value().cloned(),
            labor_assignment_id: draft.labor_assignment_id.value().cloned(),
            organization: self.organization.map(OrganizationLabel::from_organization),
        })
    }
}
