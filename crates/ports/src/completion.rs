//! Completing a pay period over any store: first every fault, then everything staged, then the
//! one step that shows it.
//!
//! The checks are read twice, a chunk at a time, so that memory does not grow with the period and
//! no transaction is long. Whoever goes away in the middle leaves the period in processing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use payroll_domain::check::{CompletedCheck, CompletionInput, ProcessedLine, Section, complete};
use payroll_domain::document::Completion;
use payroll_domain::id::{ComponentId, PaycheckId};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::violation::{MAX_FAULTS, Violation, Violations};

use crate::StoreError;
use crate::periods::{Moved, PeriodMove, PeriodStore, PlacedCheck, StagedCheck};
use crate::write::By;

/// Checks of a chunk: enough to be cheap per check, few enough that other writers hardly wait for
/// their transaction, and to be small in memory.
pub const CHUNK: u32 = 400;

/// A period in processing that is to be completed.
#[derive(Debug, Clone)]
pub struct Completing {
    /// The period; its version is the one that was seen in processing.
    pub moved: PeriodMove,
    /// What is handed in.
    pub completion: Arc<Completion>,
    /// The company's pay components, at least those that the completion names.
    pub components: HashMap<ComponentId, PayComponent>,
}

impl Completing {
    /// Judges all checks of the period with what is handed in for them; writes nothing.
    ///
    /// # Errors
    /// The store's; inside, every fault.
    pub async fn judge(&self, store: &dyn PeriodStore) -> Result<Result<(), Violations>, StoreError> {
        let (mut met, mut faults) = (HashSet::new(), Vec::new());
        let mut chunk = self.chunk(store, 0).await?;
        while let Some(last) = chunk.last().map(|placed| placed.ordinal) {
            for placed in &chunk {
                let paycheck_id = &placed.check.paycheck_id;
                if !self.completion.is_empty() && self.completion.of(paycheck_id).is_some() {
                    met.insert(paycheck_id.clone());
                }
                faults.extend(self.completed(placed).err().into_iter().flatten());
            }
            if faults.len() > MAX_FAULTS {
                break;
            }
            chunk = self.chunk(store, last).await?;
        }
        if faults.len() <= MAX_FAULTS {
            faults.extend(self.completion.strangers(&met));
        }
        Ok(Violations::collect(faults).map_or(Ok(()), Err))
    }

    /// Stages all checks and completes the period. `staged` is told how many checks are staged, as
    /// they become more.
    ///
    /// # Errors
    /// The store's.
    pub async fn carry_out(
        &self,
        store: &dyn PeriodStore,
        ids: &mut IdSequence,
        by: &By,
        staged: &(dyn Fn(u64) + Sync),
    ) -> Result<Moved, StoreError> {
        let attempt = ids.next_id::<PaycheckId>().to_string();
        match store.begin_completion(&self.moved, &attempt, by).await? {
            Moved::Done(_) => {}
            refused => return Ok(refused),
        }
        let (mut chunk, mut count) = (self.chunk(store, 0).await?, 0);
        while let Some(last) = chunk.last().map(|placed| placed.ordinal) {
            let Some(rows) = self.rows(&chunk, ids) else { return Ok(Moved::Overtaken) };
            count += u64::try_from(rows.len()).unwrap_or(0);
            // The next chunk is read while this one is written.
            let (written, next) =
                futures_util::try_join!(store.stage(&self.moved, &attempt, &rows), self.chunk(store, last))?;
            if !written {
                return Ok(Moved::Overtaken);
            }
            staged(count);
            chunk = next;
        }
        store.complete(&self.moved, &attempt, by).await
    }

    async fn chunk(&self, store: &dyn PeriodStore, behind: i64) -> Result<Vec<PlacedCheck>, StoreError> {
        let PeriodMove { company_id, pay_period_id, .. } = &self.moved;
        store.checks_to_complete(company_id, pay_period_id, behind, CHUNK).await
    }

    fn completed(&self, placed: &PlacedCheck) -> Result<CompletedCheck, Vec<Violation>> {
        let nothing = CompletionInput::default();
        let input = self.completion.of(&placed.check.paycheck_id).unwrap_or(&nothing);
        complete(&placed.check, input, &self.components)
    }

    /// What these checks come to; `None` when one of them is not as it was judged.
    pub fn rows(&self, chunk: &[PlacedCheck], ids: &mut IdSequence) -> Option<Vec<StagedCheck>> {
        let rows = chunk.iter().map(|placed| {
            let completed = self.completed(placed).ok()?;
            Some(staged_check(placed, completed, ids))
        });
        rows.collect()
    }
}

fn staged_check(placed: &PlacedCheck, completed: CompletedCheck, ids: &mut IdSequence) -> StagedCheck {
    let deductions = completed.deductions.into_iter().map(|(component, amount)| ProcessedLine {
        section: Section::Deductions,
        check_component_id: ids.next_id(),
        component,
        memoed: false,
        amount,
        rate: None,
        hours: None,
        units: None,
        line_date: None,
        job_id: None,
        labor_assignment_id: None,
        organization: None,
    });
    StagedCheck {
        ordinal: placed.ordinal,
        paycheck_id: placed.check.paycheck_id.clone(),
        pay: completed.pay,
        check_type: completed.check_type,
        check_number: completed.check_number,
        deductions: deductions.collect(),
        taxes: completed.taxes,
    }
}
