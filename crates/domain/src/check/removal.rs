//! Validates the removal of checks from a pay period.

use crate::code::Reason;
use crate::id::PayPeriodId;
use crate::violation::{Violation, Violations};

use super::ValidationFacts;

/// Verifies that checks may be deleted from the pay period: the company is not locked and the period is open
/// (specification §7.13).
///
/// # Errors
/// Returns only [`Reason::CompanyLocked`] if the facts contain a lock. Otherwise returns
/// [`Reason::InvalidParameter`] if the company has no such period, or [`Reason::PeriodClosed`] if the period
/// is not open.
///
/// ```
/// use payroll_domain::check::{ValidationFacts, validate_check_removal};
/// let unknown = validate_check_removal(&"2026-01".parse()?, &ValidationFacts::default()).unwrap_err();
/// assert_eq!(unknown.iter().next().map(|fault| fault.reason.code()), Some("API-40"));
/// # Ok::<(), payroll_domain::id::InvalidId>(())
/// ```
pub fn validate_check_removal(
    pay_period_id: &PayPeriodId,
    facts: &ValidationFacts,
) -> Result<(), Violations> {
    if facts.lock.is_some() {
        return Err(Reason::CompanyLocked.into());
    }
    let Some(period) = facts.pay_periods.get(pay_period_id) else {
        let problem = "there is no such pay period in the company";
        return Err(Violation::new(Reason::InvalidParameter, problem).into());
    };
    if !period.status.is_open() {
        let problem = format!(
            "the pay period is {}, and checks can be deleted only while it is INITIAL or ENTRY",
            period.status
        );
        return Err(Violation::new(Reason::PeriodClosed, problem).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::LockFacts;
    use crate::check::test_data::facts;
    use crate::pay_period::PeriodStatus;

    /// Returns the error code for a removal from a period in this state. `None` if the removal is allowed.
    fn rejection_code(
        status: PeriodStatus,
        change: impl FnOnce(&mut ValidationFacts),
    ) -> Option<&'static str> {
        let mut facts = facts();
        facts.pay_periods.values_mut().for_each(|period| period.status = status);
        change(&mut facts);
        let refused = validate_check_removal(&"open".parse().unwrap(), &facts).err()?;
        refused.iter().next().map(|fault| fault.reason.code())
    }

    #[test]
    fn checks_are_removed_from_an_open_period_only() {
        for status in PeriodStatus::ALL.iter().copied() {
            let expected = if status.is_open() { None } else { Some("API-51") };
            assert_eq!(rejection_code(status, |_| ()), expected, "{status}");
        }
    }

    #[test]
    fn reports_a_lock_before_any_other_fault() {
        let lock = |facts: &mut ValidationFacts| facts.lock = Some(LockFacts { seconds_left: None });
        assert_eq!(rejection_code(PeriodStatus::Entry, lock), Some("API-10"));
        assert_eq!(rejection_code(PeriodStatus::Completed, lock), Some("API-10"));
    }
}
