//! Completes a pay period with any store. The completion first validates all checks and collects all faults.
//! It then stages all amounts, which means that the amounts are stored but not visible yet. The last step
//! makes the staged amounts visible.
//!
//! A preview only validates the checks, and adds warnings for the operator.
//!
//! The checks are read twice in chunks, so that memory does not grow with the period and no transaction is
//! long. If the caller disconnects before the end, the period remains in processing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt;
use payroll_domain::check::{
    CompletedCheck, CompletionInput, LastPayRun, PayFault, ProcessedLine, Section, Totals, ValidatedCheck,
    ValidatedChecks, Warnings, complete_check,
};
use payroll_domain::code::Reason;
use payroll_domain::company::{PAYROLL_PRODUCT, Product};
use payroll_domain::document::Completion;
use payroll_domain::id::{ComponentId, PaycheckId};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::violation::{MAX_FAULTS, Violation, Violations};

use crate::checks::CheckRows;
use crate::periods::{PeriodStore, PositionedCheck, StagedCheck, StateChange, StateChangeOutcome};
use crate::write::AuditContext;
use crate::{StoreError, Window};

/// The number of checks in a chunk. Smaller chunks would be less efficient. Larger chunks would need more
/// memory and longer transactions, which would delay other writers.
pub const CHECKS_PER_CHUNK: u32 = 400;

/// The completion of a period that is in processing.
#[derive(Debug, Clone)]
pub struct PeriodCompletion {
    /// The period to complete, with the version that the operator saw.
    pub state_change: StateChange,
    /// The taxes, deductions and other data that the operator supplied.
    pub completion: Arc<Completion>,
    /// The company's pay components by id. The map contains at least the components that the completion
    /// refers to.
    pub components: HashMap<ComponentId, PayComponent>,
}

/// The result of a preview: the amounts that the completion of a period would store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionPreview {
    /// The totals of the checks without faults.
    pub totals: Totals,
    /// The validated checks, in the order of the period.
    pub checks: Vec<ValidatedCheck>,
    /// Every fault that prevents the completion. `None` if there are no faults.
    pub faults: Option<Violations>,
    /// The warnings, which do not prevent the completion.
    pub warnings: Warnings,
}

/// The validated checks of a period.
struct ValidatedPeriod {
    checks: ValidatedChecks,
    faults: Option<Violations>,
}

impl PeriodCompletion {
    /// Validates all checks of the period with the supplied data, and returns the totals of the checks.
    /// Nothing is written.
    ///
    /// # Errors
    /// Returns the errors of the store. The inner result contains every fault of the checks.
    pub async fn validate_period(
        &self,
        store: &dyn PeriodStore,
    ) -> Result<Result<Totals, Violations>, StoreError> {
        let ValidatedPeriod { checks, faults } = self.validate_checks(store).await?;
        Ok(faults.map_or_else(|| Ok(checks.totals()), Err))
    }

    /// Returns a preview of the completion without writing anything. `products` are the products of the
    /// company. While the period is open, its checks may change between two chunks.
    ///
    /// # Errors
    /// Returns the errors of the store.
    pub async fn preview_completion(
        &self,
        store: &dyn PeriodStore,
        period: &PayPeriod,
        products: &[Product],
    ) -> Result<CompletionPreview, StoreError> {
        let last = self.read_last_pay_run(store, period).await?;
        let ValidatedPeriod { checks, faults } = self.validate_checks(store).await?;
        let is_payroll_active = Product::has_valid_product(products, PAYROLL_PRODUCT, period.check_date);
        let warnings = Warnings::from_checks(checks.checks(), last.as_ref(), is_payroll_active);
        Ok(CompletionPreview { totals: checks.totals(), checks: checks.into_checks(), faults, warnings })
    }

    /// Reads and validates all checks. Faults beyond [`MAX_FAULTS`] are discarded, because a response does
    /// not contain them.
    async fn validate_checks(&self, store: &dyn PeriodStore) -> Result<ValidatedPeriod, StoreError> {
        let (mut checks, mut met, mut faults) = (ValidatedChecks::default(), HashSet::new(), Vec::new());
        let mut chunk = self.read_chunk(store, 0).await?;
        while let Some(last) = chunk.last().map(|placed| placed.ordinal) {
            for placed in &chunk {
                let paycheck_id = &placed.check.paycheck_id;
                if !self.completion.is_empty()
                    && self.completion.completion_input_of_check(paycheck_id).is_some()
                {
                    met.insert(paycheck_id.clone());
                }
                let found = self.validate_positioned_check(&mut checks, placed);
                if faults.len() <= MAX_FAULTS {
                    faults.extend(found);
                }
            }
            chunk = self.read_chunk(store, last).await?;
        }
        if faults.len() <= MAX_FAULTS {
            faults.extend(self.completion.find_faults_of_unknown_checks(&met));
            faults.extend(self.completion.find_empty_period_fault(checks.checks().len()));
        }
        Ok(ValidatedPeriod { checks, faults: Violations::from_faults(faults) })
    }

    /// Adds a check to the validated checks and returns its faults.
    fn validate_positioned_check(
        &self,
        checks: &mut ValidatedChecks,
        placed: &PositionedCheck,
    ) -> Vec<Violation> {
        let completed = self.complete_check(placed);
        let added = checks.add(&placed.check, completed.as_ref().ok());
        let mut faults = completed.err().unwrap_or_default();
        faults.extend(added.err().map(amount_out_of_range_fault));
        faults
    }

    /// Returns the gross earnings of each worker in the previous paid period with the same pay interval.
    /// `None` if no such period exists.
    async fn read_last_pay_run(
        &self,
        store: &dyn PeriodStore,
        period: &PayPeriod,
    ) -> Result<Option<LastPayRun>, StoreError> {
        let company_id = &self.state_change.company_id;
        let found =
            store.last_paid_period_before(company_id, period.interval_code, period.check_date).await?;
        let Some(pay_period_id) = found else { return Ok(None) };
        let found = store.checks_of_period(company_id, &pay_period_id, Window::default()).await?;
        // If the period was deleted or is no longer processed, there are no earnings to compare with.
        let (Some(CheckRows::Processed(rows)) | Some(CheckRows::Archived(Some(rows)))) =
            found.map(|found| found.rows)
        else {
            return Ok(None);
        };
        let mut last = LastPayRun::new(pay_period_id);
        let mut chunks = rows.into_stream();
        while let Some(chunk) = chunks.next().await {
            // A reversal does not pay a worker, so reversals are not compared.
            for check in chunk?.into_iter().filter(|check| check.reversal_of.is_none()) {
                last.add(check.worker_id, check.gross_earnings);
            }
        }
        Ok(Some(last))
    }

    /// Stages all checks and completes the period. Calls `on_progress` after each chunk with the number of
    /// checks that are staged so far.
    ///
    /// # Errors
    /// Returns the errors of the store.
    pub async fn complete_period(
        &self,
        store: &dyn PeriodStore,
        ids: &mut IdSequence,
        audit: &AuditContext,
        on_progress: &(dyn Fn(u64) + Sync),
    ) -> Result<StateChangeOutcome, StoreError> {
        let attempt = ids.next_id::<PaycheckId>().to_string();
        match store.begin_completion(&self.state_change, &attempt, audit).await? {
            StateChangeOutcome::Done(_) => {}
            refused => return Ok(refused),
        }
        let (mut chunk, mut count, mut totals) = (self.read_chunk(store, 0).await?, 0, Totals::default());
        while let Some(last) = chunk.last().map(|placed| placed.ordinal) {
            let Some(rows) = self.compute_staged_checks(&chunk, ids, &mut totals) else {
                return Ok(StateChangeOutcome::Overtaken);
            };
            count += u64::try_from(rows.len()).unwrap_or(0);
            // The next chunk is read while the current one is written.
            let (written, next) = futures_util::try_join!(
                store.stage_checks(&self.state_change, &attempt, &rows),
                self.read_chunk(store, last)
            )?;
            if !written {
                return Ok(StateChangeOutcome::Overtaken);
            }
            on_progress(count);
            chunk = next;
        }
        store.complete_period(&self.state_change, &attempt, &totals, audit).await
    }

    async fn read_chunk(
        &self,
        store: &dyn PeriodStore,
        after_ordinal: i64,
    ) -> Result<Vec<PositionedCheck>, StoreError> {
        let StateChange { company_id, pay_period_id, .. } = &self.state_change;
        store.checks_to_complete(company_id, pay_period_id, after_ordinal, CHECKS_PER_CHUNK).await
    }

    fn complete_check(&self, placed: &PositionedCheck) -> Result<CompletedCheck, Vec<Violation>> {
        let nothing = CompletionInput::default();
        let input = self.completion.completion_input_of_check(&placed.check.paycheck_id).unwrap_or(&nothing);
        complete_check(&placed.check, input, &self.components)
    }

    /// Returns the amounts to stage for the given checks, and adds them to the totals. Returns `None` if a
    /// check has changed so that it can no longer be completed, or if the totals exceed the range of amounts.
    pub fn compute_staged_checks(
        &self,
        chunk: &[PositionedCheck],
        ids: &mut IdSequence,
        totals: &mut Totals,
    ) -> Option<Vec<StagedCheck>> {
        let rows = chunk.iter().map(|placed| {
            let completed = self.complete_check(placed).ok()?;
            *totals = totals.add_completed_check(&placed.check, &completed)?;
            Some(to_staged_check(placed, completed, ids))
        });
        rows.collect()
    }
}

/// Returns the fault for totals that exceed the range of amounts. The fault concerns no particular position
/// in the document.
fn amount_out_of_range_fault(fault: PayFault) -> Violation {
    Violation::new(Reason::FieldInvalid, format!("the totals of the pay period: {fault}"))
}

fn to_staged_check(placed: &PositionedCheck, completed: CompletedCheck, ids: &mut IdSequence) -> StagedCheck {
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
