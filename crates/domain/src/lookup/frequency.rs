//! The frequency with which a pay component occurs in the checks of a payroll.

use crate::description::described;
use crate::description::kinds::{Enumeration, OpenEnumeration};
use crate::description::objects::SameRow;
use crate::frequency::{FrequencyApplied, FrequencyIntervals};

described! {
    /// The frequency of a pay component on the checks of a payroll.
    pub struct ComponentFrequency {
        /// The unit of the frequency.
        "applied" applied: required FrequencyApplied as Enumeration;
        /// The occurrence, such as EVERY or SEMI_MONTHLY.
        "occurrence" occurrence: required String as OpenEnumeration;
        /// The pay periods that contain the pay component.
        "occurrenceIntervals" intervals: optional_object FrequencyIntervals as SameRow;
    }
}
