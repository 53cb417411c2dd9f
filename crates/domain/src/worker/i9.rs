//! The status of Form I-9, which proves that a worker may work in the United States (specification §6.30).
//! Operators maintain this status.

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Day, Enumeration};
#[cfg(feature = "server")]
use crate::description::objects::InParentRow;
#[cfg(feature = "server")]
use crate::description::objects::stored::StoredObjectKind;
use crate::description::objects::{ObjectKind, Readable};
#[cfg(feature = "server")]
use crate::description::{Cell, Column, Described, MemberShape, MemberValue, RemainingCells, Seal};
use crate::named::named_enum;
use crate::object::reader::ObjectReader;

named_enum! {
    /// The progress of a worker's Form I-9.
    I9Step {
        /// The form is not needed, such as for a contractor.
        NotRequired = "NOT_REQUIRED",
        /// The form is empty.
        NotStarted = "NOT_STARTED",
        /// The worker has completed their section.
        FirstSectionComplete = "SECTION_1_COMPLETE",
        /// The employer has verified the documents of the worker.
        Complete = "COMPLETE",
        /// The worker's permission to work must be verified again.
        Reverify = "REVERIFY",
    }
}

described! {
    /// Status of the employment eligibility form of a worker.
    pub struct I9Status {
        /// The step that the employment eligibility form has reached.
        "status" step: required I9Step as Enumeration, in "i9_status";
        /// The day on which the employment eligibility form was completed.
        "completedDate" completed_date: optional Date as Day, in "i9_completed_date";
        /// The last day on which the worker may work without another verification.
        "expirationDate" expiration_date: optional Date as Day, in "i9_expiration_date";
    }
}

/// Reads the status of a form and checks that its dates are in order.
pub(crate) struct I9StatusKind;

impl ObjectKind<I9Status> for I9StatusKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<I9Status> {
        let status = I9Status::read(object)?;
        object.check_day_order(
            ("completedDate", status.completed_date),
            ("expirationDate", status.expiration_date),
        );
        Some(status)
    }
}

#[cfg(feature = "server")]
impl StoredObjectKind<I9Status> for I9StatusKind {
    const COLUMNS: &'static [Column] = I9Status::COLUMNS;

    fn shape() -> MemberShape {
        MemberShape::Object(I9Status::MEMBERS)
    }

    fn show_value(value: &I9Status, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Object(value));
    }

    fn append_cells(value: Option<&I9Status>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        <InParentRow as StoredObjectKind<I9Status>>::append_cells(value, seal, cells)
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<I9Status>> {
        <InParentRow as StoredObjectKind<I9Status>>::take_from_cells(cells, seal)
    }
}
