//! Archives the checks of completed pay periods with the ports.

use payroll_ports::archive::{ArchiveClaim, ArchiveFile, ArchiveOutcome, PackChecksOutcome, PeriodKey};
use payroll_ports::write::AuditContext;

use super::super::state::Outcome;
use super::super::transition::{ArchiveStep, LEASE_SECONDS, PeriodIndex};
use super::names::period_id;
use super::{System, timestamp_at};

impl System {
    pub(super) async fn execute_archive_step(
        &self,
        period_index: PeriodIndex,
        step: ArchiveStep,
        now: i64,
    ) -> Outcome {
        let company_id = self.company_id(period_index.company);
        let period = PeriodKey { company_id, pay_period_id: period_id(period_index.period) };
        let store = &self.ports.store;
        let claim = |stranger| self.archive_claim(period_index, stranger, now);
        match step {
            ArchiveStep::Begin => self.begin_archive(&period, period_index, now).await,
            ArchiveStep::Pack(stranger) => loop {
                match store.pack_next_checks(&period, &claim(stranger)).await.unwrap() {
                    PackChecksOutcome::More => {}
                    PackChecksOutcome::All => return Outcome::Packed,
                    PackChecksOutcome::Lost => return Outcome::Lost,
                }
            },
            ArchiveStep::End(stranger) => {
                let checks = self.memory.borrow().check_count(period_index);
                let file = ArchiveFile { checks, sha256: "0a".repeat(32) };
                let audit = AuditContext::for_server_component("housekeeping", timestamp_at(now));
                match store.end_archive(&period, &claim(stranger), &file, &audit).await.unwrap() {
                    ArchiveOutcome::Done => Outcome::Done,
                    ArchiveOutcome::Changed => Outcome::Changed,
                    ArchiveOutcome::Lost => Outcome::Lost,
                }
            }
            ArchiveStep::Abandon(stranger) => {
                store.abandon_archive(&period, &claim(stranger).attempt).await.unwrap();
                Outcome::Done
            }
            ArchiveStep::Erase => {
                let mut erased = 0;
                loop {
                    match store.erase_archived_checks(&period, timestamp_at(now), 2).await.unwrap() {
                        0 => return Outcome::Count(erased),
                        some => erased += some,
                    }
                }
            }
        }
    }

    /// Returns the claim of the attempt that began last, or of an unknown attempt.
    fn archive_claim(&self, period_index: PeriodIndex, stranger: bool, now: i64) -> ArchiveClaim {
        let attempt =
            self.memory.borrow().archives.get(&(period_index.company, period_index.period)).copied();
        let attempt = attempt.filter(|_| !stranger).unwrap_or_default();
        ArchiveClaim {
            attempt: attempt.to_string(),
            now: timestamp_at(now),
            expires_at: timestamp_at(now + LEASE_SECONDS),
        }
    }

    async fn begin_archive(&self, period: &PeriodKey, period_index: PeriodIndex, now: i64) -> Outcome {
        let attempt = self.memory.borrow_mut().next_claim();
        let claim =
            ArchiveClaim { attempt: attempt.to_string(), ..self.archive_claim(period_index, true, now) };
        let Some(claimed) = self.ports.store.begin_archive(period, &claim).await.unwrap() else {
            return Outcome::Unknown;
        };
        self.memory.borrow_mut().archives.insert((period_index.company, period_index.period), attempt);
        Outcome::Count(claimed.checks)
    }
}
