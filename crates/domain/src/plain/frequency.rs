//! The frequency of a pay component in the checks of a payroll.

use crate::description::described;
use crate::description::kinds::{OpenWord, Word};
use crate::description::objects::SameRow;
use crate::frequency::{FrequencyApplied, FrequencyIntervals};

described! {
    /// How often a pay component comes with the checks of a payroll.
    pub struct ComponentFrequency {
        /// What the frequency counts.
        "applied" applied: required FrequencyApplied as Word;
        /// How often, such as EVERY or SEMI_MONTHLY.
        "occurrence" occurrence: required String as OpenWord;
        /// Which of the pay periods.
        "occurrenceIntervals" intervals: optional_object FrequencyIntervals as SameRow;
    }
}
