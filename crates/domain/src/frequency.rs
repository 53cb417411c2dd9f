//! The structs of a frequency, which determines the pay periods in which a pay component applies. A worker's
//! recurring components and the frequencies that a company allows use these structs.

use crate::description::described;
use crate::description::kinds::Text;
use crate::named::named_enum;
use crate::object::values::MAX_CODE_LENGTH;

named_enum! {
    /// The unit in which a frequency counts.
    FrequencyApplied {
        /// The unit of the frequency is a pay period.
        ByPayPeriod = "BY_PAY_PERIOD",
    }
}

described! {
    /// The pay periods of a frequency, such as the first and the last of a month.
    pub struct FrequencyIntervals {
        /// The first of the selected pay periods, such as `1` for the first of a month.
        "interval1" first: required String as Text<MAX_CODE_LENGTH>, in "first_interval";
        /// The second of the selected pay periods, such as `Last` for the last of a month.
        "interval2" second: optional String as Text<MAX_CODE_LENGTH>, in "second_interval";
    }
}
