//! The frequency with which a pay component occurs in the checks of a payroll.

use crate::description::described;
use crate::description::kinds::{Enumeration, OpenEnumeration};
use crate::description::objects::InParentRow;
use crate::frequency::{FrequencyApplied, FrequencyIntervals};

described! {
    /// How often a pay component recurs, such as in the first and the last pay period of each month.
    pub struct ComponentFrequency {
        /// The unit in which the frequency counts, such as a pay period.
        "applied" applied: required FrequencyApplied as Enumeration;
        /// How often the pay component recurs, such as EVERY or SEMI_MONTHLY.
        "occurrence" occurrence: required String as OpenEnumeration;
        /// The pay periods that contain the pay component.
        "occurrenceIntervals" intervals: optional_object FrequencyIntervals as InParentRow;
    }
}
