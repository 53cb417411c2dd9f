//! Predicts the archiving of the checks of completed pay periods.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::pay_period::PeriodStatus;

use super::super::state::{Actor, Archive, Outcome, State, Subject};
use super::super::transition::{LEASE_SECONDS, PeriodIndex, Step};

impl State {
    pub(super) fn archive(&mut self, period_index: PeriodIndex, step: Step) -> Outcome {
        let now = self.now;
        let period = &mut self.companies[period_index.company].periods[period_index.period];
        let checks = u64::try_from(period.checks.len()).unwrap();
        match (step, &mut period.archive) {
            (Step::Begin, Archive::Claimed { until, .. }) if *until > now => Outcome::Unknown,
            (Step::Begin, Archive::Archived { .. }) => Outcome::Unknown,
            (Step::Begin, archive) if period.status == PeriodStatus::Completed && checks > 0 => {
                *archive = Archive::Claimed { until: now + LEASE_SECONDS, packed: false };
                Outcome::Count(checks)
            }
            (Step::Begin, _) => Outcome::Unknown,
            (Step::Pack(false), Archive::Claimed { until, packed }) => {
                (*until, *packed) = (now + LEASE_SECONDS, true);
                Outcome::Packed
            }
            (Step::Pack(_), _) => Outcome::Lost,
            (Step::End(false), Archive::Claimed { until, packed }) if *until > now => {
                if !*packed {
                    return Outcome::Changed;
                }
                period.archive = Archive::Archived { erased: false };
                let row = (AuditAction::Update, AuditedKind::Checks, Subject::Period(period_index.period));
                self.audit(period_index.company, Actor::Housekeeping, row);
                Outcome::Done
            }
            (Step::End(_), _) => Outcome::Lost,
            (Step::Abandon(false), archive @ Archive::Claimed { .. }) => {
                *archive = Archive::None;
                Outcome::Done
            }
            (Step::Abandon(_), _) => Outcome::Done,
            (Step::Erase, Archive::Archived { erased }) => {
                let erased = std::mem::replace(erased, true);
                Outcome::Count(if erased { 0 } else { checks })
            }
            (Step::Erase, _) => Outcome::Count(0),
        }
    }
}
