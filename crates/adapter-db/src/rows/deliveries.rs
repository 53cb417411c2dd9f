//! Rows of the queue of deliveries: as they are claimed, given back and recorded.

use payroll_ports::deliveries::DeliveryId;

use crate::table::table;

table! {
    /// Until when a delivery is claimed.
    struct ClaimRow in "deliveries" key "hook, position" {
        hook: int,
        position: int,
        claimed_until: int,
    }
}

impl ClaimRow {
    /// A delivery that nobody has claimed.
    pub(crate) const fn free(id: DeliveryId) -> Self {
        Self { hook: id.hook.0, position: id.position, claimed_until: 0 }
    }
}
