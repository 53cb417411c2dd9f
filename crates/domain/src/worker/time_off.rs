//! The time-off balances of workers (specification §6.24). Operators maintain the balances. This server does
//! not compute balances.

use crate::description::described;
use crate::description::kinds::{Enumeration, Identifier, SignedQuantity, Text};
use crate::id::PolicyId;
use crate::money::Quantity;
use crate::named::named_enum;
use crate::object::values::MAX_NAME_CHARACTERS;

named_enum! {
    /// The unit of a time-off balance.
    TimeOffMeasure {
        /// The balance is in hours.
        Hours = "HOURS",
        /// The balance is in other units, such as days.
        Units = "UNITS",
    }
}

described! {
    /// The balance of a worker under a time-off policy.
    pub struct TimeOff {
        /// The id of the time-off policy.
        "policyId" policy_id: required PolicyId as Identifier;
        /// The kind of time off, such as "Vacation".
        "type" time_off_type: required String as Text<MAX_NAME_CHARACTERS>, in "time_off_type";
        /// The name of the time-off policy.
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The remaining time off. Negative if the worker has taken more than the policy gives.
        "balance" balance: required Quantity as SignedQuantity;
        /// The unit of the time-off balance.
        "measure" measure: required TimeOffMeasure as Enumeration;
    }
}
