//! The treatment of a table's rows.

use crate::rows::anonymisation::Anonymisation;

/// The treatment of a table in an anonymised copy.
#[derive(Clone, Copy)]
pub(in crate::transfer) enum TableTreatment {
    /// The rows are copied. Each column either stays unchanged or has a treatment.
    Copied {
        /// The unchanged columns, separated by spaces.
        copied_columns: &'static str,
        /// The other columns, each with its treatment.
        changed_columns: &'static [(&'static str, Anonymisation)],
    },
    /// No row of the table is copied.
    LeftOut,
}
