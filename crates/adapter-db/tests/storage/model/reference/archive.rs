//! Predicts the archiving of the checks of completed pay periods.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::pay_period::PeriodStatus;

use super::super::state::{Actor, ArchiveProgress, AuditSubject, Outcome, State};
use super::super::transition::{ArchiveStep, LEASE_SECONDS, PeriodIndex};

impl State {
    pub(super) fn execute_archive_step(&mut self, period_index: PeriodIndex, step: ArchiveStep) -> Outcome {
        let now = self.now;
        let period = &mut self.companies[period_index.company].periods[period_index.period];
        let checks = u64::try_from(period.checks.len()).unwrap();
        match (step, &mut period.archive) {
            (ArchiveStep::Begin, ArchiveProgress::Claimed { until, .. }) if *until > now => Outcome::Unknown,
            (ArchiveStep::Begin, ArchiveProgress::Archived { .. }) => Outcome::Unknown,
            (ArchiveStep::Begin, archive) if period.status == PeriodStatus::Completed && checks > 0 => {
                *archive = ArchiveProgress::Claimed { until: now + LEASE_SECONDS, packed: false };
                Outcome::Count(checks)
            }
            (ArchiveStep::Begin, _) => Outcome::Unknown,
            (ArchiveStep::Pack(false), ArchiveProgress::Claimed { until, packed }) => {
                (*until, *packed) = (now + LEASE_SECONDS, true);
                Outcome::Packed
            }
            (ArchiveStep::Pack(_), _) => Outcome::Lost,
            (ArchiveStep::End(false), ArchiveProgress::Claimed { until, packed }) if *until > now => {
                if !*packed {
                    return Outcome::Changed;
                }
                period.archive = ArchiveProgress::Archived { erased: false };
                let row =
                    (AuditAction::Update, AuditedKind::Checks, AuditSubject::Period(period_index.period));
                self.audit(period_index.company, Actor::Housekeeping, row);
                Outcome::Done
            }
            (ArchiveStep::End(_), _) => Outcome::Lost,
            (ArchiveStep::Abandon(false), archive @ ArchiveProgress::Claimed { .. }) => {
                *archive = ArchiveProgress::None;
                Outcome::Done
            }
            (ArchiveStep::Abandon(_), _) => Outcome::Done,
            (ArchiveStep::Erase, ArchiveProgress::Archived { erased }) => {
                let erased = std::mem::replace(erased, true);
                Outcome::Count(if erased { 0 } else { checks })
            }
            (ArchiveStep::Erase, _) => Outcome::Count(0),
        }
    }
}
