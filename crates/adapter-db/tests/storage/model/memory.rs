//! The data that earlier steps of a sequence have read from the storage.

use std::collections::BTreeMap;

use payroll_domain::check::StoredCheck;
use payroll_domain::date::Timestamp;
use payroll_domain::event::Event;
use payroll_domain::hook::Hook;
use payroll_domain::id::PaycheckId;
use payroll_ports::contract::world::NOW;
use payroll_ports::deliveries::HookNumber;
use payroll_ports::periods::PeriodSummary;
use payroll_ports::resources::Versioned;

use super::state::{COMPANIES, PERIODS};
use super::transition::PeriodIndex;

/// The data that was last read for all companies and hooks.
#[derive(Debug)]
pub(super) struct LastReadData {
    pub(super) companies: [CompanyLastRead; COMPANIES],
    pub(super) hooks: BTreeMap<usize, HookLastRead>,
    /// For each pair of application and idempotency key: the number of the attempt that owns the idempotency
    /// record.
    pub(super) attempts: BTreeMap<(usize, usize), u32>,
    /// The attempt that last claimed a period to archive it.
    pub(super) archives: BTreeMap<(usize, usize), u32>,
    /// For each pair of company and worker: the version of the worker before all changes.
    pub(super) first_versions: BTreeMap<(usize, usize), i64>,
    started: u32,
    claims: u32,
}

/// The data that was last read for one company.
#[derive(Debug, Default)]
pub(super) struct CompanyLastRead {
    /// The position up to which the feed was read.
    pub(super) cursor: Option<i64>,
    pub(super) events: Vec<Event>,
    pub(super) audit_rows: usize,
    pub(super) last_audit: Option<i64>,
    pub(super) periods: [PeriodLastRead; PERIODS],
}

/// The data that was last read for one pay period.
#[derive(Debug, Default)]
pub(super) struct PeriodLastRead {
    pub(super) summary: Option<Versioned<PeriodSummary>>,
    pub(super) checks: Vec<StoredCheck>,
    pub(super) check_count: u64,
    pub(super) checks_version: Option<i64>,
}

/// The data that was last read for one hook.
#[derive(Debug, Default)]
pub(super) struct HookLastRead {
    pub(super) number: Option<HookNumber>,
    /// The positions of the hook's deliveries, in the order in which they were queued.
    pub(super) positions: Vec<i64>,
    pub(super) hook: Option<Hook>,
}

impl LastReadData {
    /// Creates the data of a new sequence. The sequence reads the feed after the position `cursor`.
    pub(super) fn starting_after(cursor: Option<i64>) -> Self {
        Self {
            companies: std::array::from_fn(|_| CompanyLastRead { cursor, ..CompanyLastRead::default() }),
            hooks: BTreeMap::new(),
            attempts: BTreeMap::new(),
            archives: BTreeMap::new(),
            first_versions: BTreeMap::new(),
            started: 0,
            claims: 0,
        }
    }

    /// Returns the position up to which the feed was read for all companies.
    pub(super) fn cursor(&self) -> Option<i64> {
        self.companies.iter().map(|company| company.cursor).min().flatten()
    }

    /// Returns the number of the next request with an idempotency key.
    pub(super) const fn next_attempt(&mut self) -> u32 {
        self.started += 1;
        self.started
    }

    /// Returns the number of the next completion or archive.
    pub(super) const fn next_claim(&mut self) -> u32 {
        self.claims += 1;
        self.claims
    }

    /// Returns the check if the period contained it when the period was last read.
    pub(super) fn check(&self, period_index: PeriodIndex, paycheck_id: &PaycheckId) -> Option<StoredCheck> {
        let period = &self.companies[period_index.company].periods[period_index.period];
        period.checks.iter().find(|check| check.paycheck_id == *paycheck_id).cloned()
    }

    pub(super) const fn check_count(&self, period_index: PeriodIndex) -> u64 {
        self.companies[period_index.company].periods[period_index.period].check_count
    }
}

impl CompanyLastRead {
    /// Returns the version that the period's row had when it was last read.
    pub(super) fn period_version(&self, period: usize) -> i64 {
        self.periods[period].summary.as_ref().map_or(0, |summary| summary.version)
    }
}

/// Returns the number of seconds from the start of a sequence to that instant.
pub(super) const fn seconds_since_model_start(instant: Timestamp) -> i64 {
    (instant.as_micros() - NOW.as_micros()) / 1_000_000
}
