//! Pay periods: their states, and the transitions between states.

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Day, Enumeration, Identifier, Text};
use crate::id::PayPeriodId;
use crate::named::named_enum;
use crate::object::values::MAX_NOTE_LENGTH;

named_enum! {
    /// The interval at which a company pays.
    IntervalCode {
        /// The company pays every week.
        Weekly = "WEEKLY",
        /// The company pays every two weeks.
        BiWeekly = "BI_WEEKLY",
        /// The company pays twice a month.
        SemiMonthly = "SEMI_MONTHLY",
        /// The company pays every month.
        Monthly = "MONTHLY",
        /// The company pays every quarter.
        Quarterly = "QUARTERLY",
        /// The company pays twice a year.
        SemiAnnual = "SEMI_ANNUAL",
        /// The company pays every year.
        Annual = "ANNUAL",
    }
}

named_enum! {
    /// The state of a pay period.
    PeriodStatus {
        /// The period is open and has no checks yet.
        Initial = "INITIAL",
        /// The period is open and has checks.
        Entry = "ENTRY",
        /// The period is closed and its checks are being computed.
        Processing = "PROCESSING",
        /// The period is processed and released.
        Released = "RELEASED",
        /// The period is processed.
        Completed = "COMPLETED",
        /// The period was processed by another system.
        CompletedByMec = "COMPLETED_BY_MEC",
        /// The period is processed and its checks were issued again.
        Reissued = "REISSUED",
        /// The period is processed and was reversed.
        Reversed = "REVERSED",
    }
}

impl PeriodStatus {
    /// Returns whether checks may be added in this state.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Initial | Self::Entry)
    }

    /// Returns whether responses show the checks of the period in their processed form, with taxes and net
    /// pay.
    #[must_use]
    pub const fn is_processed(self) -> bool {
        match self {
            Self::Initial | Self::Entry | Self::Processing => false,
            Self::Released | Self::Completed | Self::CompletedByMec | Self::Reissued | Self::Reversed => true,
        }
    }

    /// Returns whether the checks of the period were paid and the period was not reversed.
    #[must_use]
    pub const fn is_paid(self) -> bool {
        self.is_processed() && !matches!(self, Self::Reversed)
    }

    /// Returns whether the server may change a period from this state to `next`. Only imports can create
    /// periods in states that no transition leads to.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Initial, Self::Entry | Self::Processing)
                | (Self::Entry, Self::Processing)
                | (Self::Processing, Self::Completed | Self::Entry)
        )
    }
}

// The check date decides validity: a company's products and pay components must be valid on that day.
described! {
    /// A pay period of a company.
    pub struct PayPeriod {
        /// The id of the pay period.
        "payPeriodId" pay_period_id: required PayPeriodId as Identifier;
        /// The frequency of the pay periods.
        "intervalCode" interval_code: required IntervalCode as Enumeration;
        /// The state: open for checks (INITIAL, ENTRY), in processing (PROCESSING), or processed (the others).
        "status" status: required PeriodStatus as Enumeration;
        /// A note about the pay period.
        "description" description: optional String as Text<MAX_NOTE_LENGTH>;
        /// The first day of the pay period.
        "startDate" start_date: required Date as Day;
        /// The last day of the pay period.
        "endDate" end_date: required Date as Day;
        /// The last day on which checks should be submitted.
        "submitByDate" submit_by_date: optional Date as Day;
        /// The day on which the workers are paid.
        "checkDate" check_date: required Date as Day;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_open_in_processing_or_processed() {
        for status in PeriodStatus::ALL {
            assert!(!(status.is_open() && status.is_processed()), "{status}");
        }
        let closed: Vec<_> = PeriodStatus::ALL.iter().filter(|s| !s.is_open() && !s.is_processed()).collect();
        assert_eq!(closed, [&PeriodStatus::Processing]);
    }

    #[test]
    fn exactly_five_transitions_of_a_period_are_allowed() {
        use PeriodStatus::{Completed, Entry, Initial, Processing};
        let moves: Vec<_> = PeriodStatus::ALL
            .iter()
            .flat_map(|from| PeriodStatus::ALL.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| from.may_become(*to))
            .collect();
        let expected = [
            (Initial, Entry),
            (Initial, Processing),
            (Entry, Processing),
            (Processing, Entry),
            (Processing, Completed),
        ];
        assert_eq!(moves, expected);
    }
}
